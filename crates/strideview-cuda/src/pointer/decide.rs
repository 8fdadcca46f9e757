//! The decision: from what the driver says of one address to who can reach it.
//!
//! A table, whose first matching row holds. "Unknown" is what the driver says of memory it never
//! heard of, plain host memory and freed memory alike; then its host pointer echoes the question
//! and means nothing. A context is current for all rows but the last.
//!
//! | row | what the driver says | device | host | device may write |
//! |---|---|---|---|---|
//! | 1 | unknown, declared host, pinned or managed | if it reaches pageable memory | yes | as device |
//! | 2 | unknown, declared device | as row 1, otherwise an error | as device | as device |
//! | 3 | device pointer = address | yes | host pointer = address | access says so |
//! | 4 | device pointer is another address; registered memory, device takes host pointers | yes | host pointer = address | access says so |
//! | 5 | device pointer is another address | no, keep it as alias | host pointer = address | no |
//! | 6 | no device pointer | no | host pointer = address | no |
//! | 7 | no context can be made current | assumed for managed, device and pinned memory | host pointer = address | assumed |
#![forbid(unsafe_code)]

use strideview_memory::Access;

use super::facts::{DL_HOST, DL_MANAGED, DL_PINNED, dl_device};
use super::{Declared, PointerFacts};
use crate::{CudaError, DeviceTraits};

/// `CU_MEMORYTYPE_HOST` and `CU_MEMORYTYPE_DEVICE`; 0 is unknown.
const TYPE_HOST: u32 = 1;
const TYPE_DEVICE: u32 = 2;
/// `CU_MEM_ACCESS_FLAGS_PROT_READ` and `_READWRITE`.
const ACCESS_READ: u32 = 1;
const ACCESS_READ_WRITE: u32 = 3;

/// What the driver says of one address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) address: usize,
    pub(super) memory_type: u32,
    pub(super) managed: bool,
    pub(super) ordinal: i32,
    pub(super) device_pointer: usize,
    pub(super) host_pointer: usize,
    pub(super) access: u32,
    pub(super) range_start: usize,
    pub(super) range_size_in_bytes: usize,
    /// The context that the memory was allocated in; 0 for memory of pools and for mappings.
    pub(super) context: usize,
    pub(super) pool: usize,
    /// What the pool grants the device, where it was asked: for pools the `access` above says
    /// read-write even when nothing was granted.
    pub(super) pool_access: Option<u32>,
    /// Whether a context of the device was current for the question.
    pub(super) has_context: bool,
}

impl Attributes {
    /// Whether it is memory of the host that the device reads and writes at the same address.
    pub(super) fn is_pinned(&self) -> bool {
        self.memory_type == TYPE_HOST
            && !self.managed
            && self.device_pointer == self.address
            && self.access == ACCESS_READ_WRITE
    }

    /// Whether the driver knows nothing of the memory.
    pub(super) fn is_unknown(&self) -> bool {
        self.memory_type == 0
    }

    /// Whether what is said of this address holds up to `last` too.
    ///
    /// It does within one allocation of a context or of a pool. A range that belongs to neither is
    /// a reservation of addresses, which may hold several mappings with access of their own.
    pub(super) fn covers(&self, last: usize) -> bool {
        // Asking about what follows plain host memory would not tell more.
        self.is_unknown() || ((self.context != 0 || self.pool != 0) && self.is_in_range(last))
    }

    fn is_in_range(&self, last: usize) -> bool {
        let end = self.range_start.checked_add(self.range_size_in_bytes);
        self.range_start <= self.address && end.is_some_and(|end| last < end)
    }

    fn granted(&self) -> u32 {
        self.pool_access.unwrap_or(self.access)
    }

    fn is_at_host(&self) -> bool {
        self.host_pointer == self.address
    }
}

/// Who can reach the memory at one address, for device `asked` with these traits.
///
/// # Errors
///
/// [`CudaError::UnknownPointer`] in row 2. Memory that nobody can reach is no error here.
pub(super) fn decide(
    attributes: &Attributes,
    declared: Declared,
    asked: i32,
    traits: DeviceTraits,
) -> Result<PointerFacts, CudaError> {
    if attributes.is_unknown() {
        return unknown(attributes, declared, asked, traits);
    }
    let mut facts = known(attributes, asked, traits);
    facts.host_needs_sync =
        facts.access.managed && facts.access.host && !traits.concurrent_managed_access;
    Ok(facts)
}

/// Rows 1 and 2.
fn unknown(
    attributes: &Attributes,
    declared: Declared,
    asked: i32,
    traits: DeviceTraits,
) -> Result<PointerFacts, CudaError> {
    let pageable = traits.pageable_memory_access;
    if declared == Declared::Device && !pageable {
        return Err(CudaError::UnknownPointer { address: attributes.address });
    }
    let access = if pageable { Access::pinned(asked) } else { Access::host() };
    Ok(facts(access, pageable, DL_HOST))
}

/// Rows 3 to 7.
fn known(attributes: &Attributes, asked: i32, traits: DeviceTraits) -> PointerFacts {
    let host = attributes.is_at_host();
    let is_writable = attributes.granted() == ACCESS_READ_WRITE;
    let is_same = attributes.device_pointer == attributes.address;
    if !attributes.has_context {
        return assumed(attributes, asked);
    }
    if attributes.device_pointer == 0 {
        return host_only(host);
    }
    if is_same {
        return reached(attributes, asked, is_writable);
    }
    if attributes.memory_type == TYPE_HOST && traits.can_use_host_pointer {
        let mut facts = reached(attributes, asked, is_writable);
        facts.dl_device = DL_PINNED;
        return facts;
    }
    PointerFacts { device_alias: Some(attributes.device_pointer), ..host_only(host) }
}

/// Rows 3 and 4: the device reaches the memory at its address.
fn reached(attributes: &Attributes, asked: i32, is_writable: bool) -> PointerFacts {
    let host = attributes.is_at_host();
    let device_id = if attributes.ordinal < 0 { asked } else { attributes.ordinal };
    let access = Access { host, device: true, managed: attributes.managed, device_id };
    let dl_device = match (attributes.managed, host) {
        (true, _) => DL_MANAGED,
        (false, true) => DL_PINNED,
        (false, false) => dl_device(device_id),
    };
    facts(access, is_writable, dl_device)
}

/// Rows 5 and 6: the device does not reach it; perhaps nobody does.
fn host_only(host: bool) -> PointerFacts {
    facts(if host { Access::host() } else { Access::NONE }, false, DL_HOST)
}

/// Row 7: a guess, marked as one.
fn assumed(attributes: &Attributes, asked: i32) -> PointerFacts {
    let from_pool = attributes.pool_access.is_some_and(|granted| granted >= ACCESS_READ);
    let device = attributes.managed
        || attributes.memory_type == TYPE_DEVICE
        || (attributes.memory_type == TYPE_HOST && (attributes.pool == 0 || from_pool));
    let guess = if device {
        reached(attributes, asked, attributes.granted() != ACCESS_READ)
    } else {
        host_only(attributes.is_at_host())
    };
    PointerFacts { verified: false, ..guess }
}

fn facts(access: Access, device_writable: bool, dl_device: (i32, i32)) -> PointerFacts {
    PointerFacts {
        access,
        device_alias: None,
        device_writable,
        dl_device,
        verified: true,
        host_needs_sync: false,
    }
}

#[cfg(test)]
mod tests;
