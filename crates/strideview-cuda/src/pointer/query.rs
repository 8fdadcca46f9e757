//! The questions about an address.

use std::ffi::{c_int, c_void};

use super::decide::Attributes;
use crate::driver::Driver;
use crate::driver::sys::{self, CUcontext, CUmemLocation, CUmemoryPool, CUresult};
use crate::{CudaError, Device};

/// What is asked, in one batch. A single call that fails costs ten times as much as the batch.
const ASKED: [c_int; 10] = [
    sys::POINTER_MEMORY_TYPE,
    sys::POINTER_IS_MANAGED,
    sys::POINTER_DEVICE_ORDINAL,
    sys::POINTER_DEVICE_POINTER,
    sys::POINTER_HOST_POINTER,
    sys::POINTER_ACCESS_FLAGS,
    sys::POINTER_RANGE_START_ADDR,
    sys::POINTER_RANGE_SIZE,
    sys::POINTER_MEMPOOL_HANDLE,
    sys::POINTER_CONTEXT,
];

/// What the driver says of an address, with a context of `device` current, or with none.
pub(super) fn attributes(
    driver: &Driver,
    address: usize,
    device: Option<Device>,
) -> Result<Attributes, CudaError> {
    let mut asked = ASKED;
    // Every answer gets eight zeroed bytes, and may fill the low ones only.
    let mut answers = [0_u64; ASKED.len()];
    let start = answers.as_mut_ptr();
    let mut places: [*mut c_void; ASKED.len()] =
        std::array::from_fn(|index| start.wrapping_add(index).cast());
    // SAFETY: both arrays have as many entries as said, each place is valid for eight bytes, which
    // is the widest answer, and any address may be asked about.
    unsafe {
        driver.cuPointerGetAttributes(
            ASKED.len() as u32,
            asked.as_mut_ptr(),
            places.as_mut_ptr(),
            address as u64,
        )
    }?;
    let [kind, managed, ordinal, device_pointer, host_pointer, access, start, size, pool, context] =
        answers;
    let mut attributes = Attributes {
        address,
        memory_type: low(kind),
        managed: low(managed) & 0xff != 0,
        ordinal: low(ordinal).cast_signed(),
        device_pointer: word(device_pointer),
        host_pointer: word(host_pointer),
        access: low(access),
        range_start: word(start),
        range_size_in_bytes: word(size),
        context: word(context),
        pool: word(pool),
        pool_access: None,
        has_context: device.is_some(),
    };
    attributes.pool_access = pool_access(driver, &attributes, device);
    Ok(attributes)
}

/// What the pool of the memory grants the device; None where the answer would not be trusted (a
/// managed pool reads as nothing granted) or is not needed (a device's own pool is its own).
fn pool_access(driver: &Driver, of: &Attributes, device: Option<Device>) -> Option<u32> {
    let ordinal = device.map_or(of.ordinal, Device::ordinal);
    let is_own = of.memory_type == 2 && of.ordinal == ordinal && of.device_pointer == of.address;
    if of.pool == 0 || of.managed || is_own {
        return None;
    }
    let handle = Device::new(ordinal).and_then(Device::handle).ok()?;
    let mut location = CUmemLocation { kind: sys::MEM_LOCATION_DEVICE, id: handle };
    let mut flags: c_int = 0;
    // SAFETY: both pointers are valid for their types, and the pool is that of live memory, as the
    // driver just said.
    unsafe { driver.cuMemPoolGetAccess(&mut flags, CUmemoryPool(of.pool), &mut location) }.ok()?;
    Some(flags.cast_unsigned())
}

/// Whether somebody has started the driver: it says so itself.
pub(super) fn is_started(driver: &Driver) -> bool {
    let mut context = CUcontext::NULL;
    // SAFETY: the output is valid for its type.
    match unsafe { driver.cuCtxGetCurrent(&mut context) } {
        Err(error) => {
            !error.has_status(CUresult::NOT_INITIALIZED)
                && !error.has_status(CUresult::DEINITIALIZED)
        }
        Ok(()) => true,
    }
}

/// The low half of an answer: the narrower types fill it on a little-endian machine, which all
/// machines with CUDA are.
const fn low(answer: u64) -> u32 {
    (answer & 0xffff_ffff) as u32
}

const fn word(answer: u64) -> usize {
    answer as usize
}
