//! What is known of a span of memory, as a value.
#![forbid(unsafe_code)]

use strideview_memory::Access;

use crate::CudaError;

/// What the producer of memory said it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declared {
    /// Memory of the host: a Python buffer, an array interface, DLPack's kDLCPU.
    Host,
    /// Memory that a device can reach: the CUDA Array Interface, DLPack's kDLCUDA.
    Device,
    /// Pinned host memory, DLPack's kDLCUDAHost.
    PinnedHost,
    /// Managed memory, DLPack's kDLCUDAManaged.
    Managed,
}

/// Who can reach a span of memory, and what to call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointerFacts {
    /// Who can reach the memory at this address.
    pub access: Access,
    /// The address that a device would have to use instead, when it is another one. Never mix the
    /// two.
    pub device_alias: Option<usize>,
    /// Whether the device may write too. False for memory it can only read.
    pub device_writable: bool,
    /// The DLPack device, type and number: (1, 0) host, (2, n) device, (3, 0) pinned, (13, 0)
    /// managed.
    pub dl_device: (i32, i32),
    /// Whether this is certain: not when no driver or no context could be asked about memory that
    /// is not plain host memory.
    pub verified: bool,
    /// Whether the host may touch the memory only while the device is idle.
    pub host_needs_sync: bool,
}

pub(super) const DL_HOST: (i32, i32) = (1, 0);
pub(super) const DL_PINNED: (i32, i32) = (3, 0);
pub(super) const DL_MANAGED: (i32, i32) = (13, 0);

/// Memory of device `ordinal`.
pub(super) const fn dl_device(ordinal: i32) -> (i32, i32) {
    (2, ordinal)
}

impl PointerFacts {
    /// What the producer said, taken at its word.
    pub(super) fn as_declared(declared: Declared, device: Option<i32>, verified: bool) -> Self {
        let ordinal = device.unwrap_or(0);
        let (access, dl_device) = match declared {
            Declared::Host => (Access::host(), DL_HOST),
            Declared::Device => (Access::device(ordinal), dl_device(ordinal)),
            Declared::PinnedHost => (Access::pinned(ordinal), DL_PINNED),
            Declared::Managed => (Access::managed(ordinal), DL_MANAGED),
        };
        Self {
            access,
            device_alias: None,
            device_writable: access.device,
            dl_device,
            verified,
            host_needs_sync: false,
        }
    }

    /// What holds of a span whose ends are known: what holds of both.
    pub(super) fn both(&self, last: &Self) -> Self {
        let host = self.access.host && last.access.host;
        let device = self.access.device && last.access.device;
        let managed = self.access.managed && last.access.managed;
        let is_same_kind = self.dl_device == last.dl_device;
        let access = if device {
            Access { host, device, managed, device_id: self.access.device_id }
        } else if host {
            Access::host()
        } else {
            Access::NONE
        };
        Self {
            access,
            // The ends have aliases of their own, so the span between them has no single one.
            device_alias: None,
            device_writable: device && self.device_writable && last.device_writable,
            dl_device: match (device, host) {
                _ if is_same_kind => self.dl_device,
                (true, true) => DL_PINNED,
                (true, false) => dl_device(self.access.device_id),
                _ => DL_HOST,
            },
            verified: self.verified && last.verified,
            host_needs_sync: self.host_needs_sync || last.host_needs_sync,
        }
    }

    /// These facts, unless nobody can reach the memory.
    pub(super) fn reachable(self, address: usize) -> Result<Self, CudaError> {
        if self.access.host || self.access.device {
            Ok(self)
        } else {
            Err(CudaError::Unreachable { address })
        }
    }
}
