//! Where to allocate.
#![forbid(unsafe_code)]

use std::sync::{Arc, LazyLock};

use crate::{Buffer, Error, HostResource, MemoryResource, Result, StreamToken};

/// A place that memory can be allocated in: the host, or a CUDA device.
///
/// This build has no CUDA driver support: the operations of a CUDA device are errors.
///
/// ```
/// use strideview::{Device, Error};
///
/// let buffer = Device::cpu().allocate(1024)?;
/// assert_eq!((buffer.len_bytes(), buffer.address() % 64), (1024, 0));
/// assert_eq!(Device::cuda(0), Err(Error::NoCuda { ordinal: 0 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// The host.
    Cpu,
    /// The CUDA device with this ordinal.
    Cuda(i32),
}

impl Device {
    /// The host. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().ordinal(), -1);
    /// ```
    #[must_use]
    pub const fn cpu() -> Self {
        Self::Cpu
    }

    /// The CUDA device with this ordinal.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`]: no CUDA driver support in this build.
    ///
    /// ```
    /// let error = strideview::Device::cuda(1).unwrap_err();
    /// assert_eq!(error.code(), "device.no_cuda");
    /// ```
    pub const fn cuda(ordinal: i32) -> Result<Self> {
        Err(Error::NoCuda { ordinal })
    }

    /// The ordinal of the device, -1 for the host. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::Device::Cuda(3).ordinal(), 3);
    /// ```
    #[must_use]
    pub const fn ordinal(self) -> i32 {
        match self {
            Self::Cpu => -1,
            Self::Cuda(ordinal) => ordinal,
        }
    }

    /// Makes this the device that later work of the calling thread goes to. Nothing to do for the
    /// host.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] for a CUDA device.
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().set_current(), Ok(()));
    /// ```
    pub const fn set_current(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(ordinal) => Err(Error::NoCuda { ordinal }),
        }
    }

    /// The resource that memory of this device comes from. O(1), allocates nothing.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] for a CUDA device.
    ///
    /// ```
    /// use strideview::{Access, Device};
    /// let resource = Device::cpu().memory_resource()?;
    /// assert_eq!(resource.access(), Access::host());
    /// # Ok::<(), strideview::Error>(())
    /// ```
    pub fn memory_resource(self) -> Result<Arc<dyn MemoryResource>> {
        static HOST: LazyLock<Arc<HostResource>> = LazyLock::new(|| Arc::new(HostResource::new()));
        match self {
            Self::Cpu => Ok(Arc::<HostResource>::clone(&HOST)),
            Self::Cuda(ordinal) => Err(Error::NoCuda { ordinal }),
        }
    }

    /// `size_in_bytes` fresh bytes of this device. Those of the host are zero.
    ///
    /// # Errors
    ///
    /// Those of [`Buffer::allocate`]; [`Error::NoCuda`] for a CUDA device.
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().allocate(10)?.len_bytes(), 10);
    /// # Ok::<(), strideview::Error>(())
    /// ```
    pub fn allocate(self, size_in_bytes: usize) -> Result<Buffer> {
        Ok(Buffer::allocate(&self.memory_resource()?, size_in_bytes, StreamToken::NONE)?)
    }
}
