//! Who can reach a span of memory, as a value.
#![forbid(unsafe_code)]

/// Who can reach a span of memory at its address.
///
/// A description, not a permission: it is told by whoever made the memory, and this crate never
/// asks a driver. Every combination is possible, and real: memory that nobody may touch yet is
/// [`Access::NONE`], pinned host memory is both `host` and `device`.
///
/// ```
/// use strideview_memory::Access;
///
/// assert_eq!(Access::host().device_id, -1);
/// assert_eq!(Access::pinned(1), Access { host: true, device: true, managed: false, device_id: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Whether the host can read and write the memory.
    pub host: bool,
    /// Whether device `device_id` can read and write the memory, at this same address.
    pub device: bool,
    /// Whether a driver moves the memory between host and device on demand.
    pub managed: bool,
    /// The ordinal of the device that the memory belongs to; -1 when only the host can reach it.
    pub device_id: i32,
}

impl Access {
    /// Memory that nobody can reach, such as a mapping without access granted.
    pub const NONE: Self = Self { host: false, device: false, managed: false, device_id: -1 };

    /// Memory that only the host can reach.
    ///
    /// ```
    /// assert!(strideview_memory::Access::host().is_host_only());
    /// ```
    pub const fn host() -> Self {
        Self { host: true, ..Self::NONE }
    }

    /// Host memory that device `device_id` can reach too, at the same address.
    ///
    /// ```
    /// assert!(strideview_memory::Access::pinned(0).host);
    /// ```
    pub const fn pinned(device_id: i32) -> Self {
        Self { host: true, device: true, managed: false, device_id }
    }

    /// Memory that only device `device_id` can reach.
    ///
    /// ```
    /// let access = strideview_memory::Access::device(3);
    /// assert_eq!((access.host, access.device_id), (false, 3));
    /// ```
    pub const fn device(device_id: i32) -> Self {
        Self { host: false, device: true, managed: false, device_id }
    }

    /// Memory that a driver moves between the host and device `device_id`.
    ///
    /// ```
    /// assert!(strideview_memory::Access::managed(0).managed);
    /// ```
    pub const fn managed(device_id: i32) -> Self {
        Self { host: true, device: true, managed: true, device_id }
    }

    /// Whether the host can reach the memory and no device can.
    ///
    /// ```
    /// assert!(!strideview_memory::Access::NONE.is_host_only());
    /// ```
    pub const fn is_host_only(self) -> bool {
        self.host && !self.device
    }
}

impl Default for Access {
    /// [`Access::NONE`]: nothing is known to reach the memory.
    fn default() -> Self {
        Self::NONE
    }
}
