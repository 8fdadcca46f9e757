//! Small allocations, from the allocator that Rust uses.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use super::{ALIGNMENT_IN_BYTES, LIMIT_IN_BYTES};
use crate::MemoryError;

/// The address of `size_in_bytes` zeroed bytes, aligned. `size_in_bytes` may be 0 only by mistake:
/// that is an error, not undefined behaviour.
pub(super) fn allocate(size_in_bytes: usize) -> Result<*mut u8, MemoryError> {
    let layout = layout(size_in_bytes)?;
    if layout.size() == 0 {
        return Err(MemoryError::OutOfMemory { size_in_bytes });
    }
    // SAFETY: the size of `layout` is not 0, checked on the lines above.
    let address = unsafe { alloc_zeroed(layout) };
    if address.is_null() {
        return Err(MemoryError::OutOfMemory { size_in_bytes });
    }
    Ok(address)
}

/// Gives a span back.
///
/// # Safety
///
/// 1. `address` came from [`allocate`] with this same size.
/// 2. It has not been given back before, and nothing uses it.
pub(super) unsafe fn deallocate(address: *mut u8, size_in_bytes: usize) -> Result<(), MemoryError> {
    let layout = layout(size_in_bytes)?;
    // SAFETY: the caller promises (1), so this allocator gave `address` with this same layout,
    // which depends on the size alone, and (2).
    unsafe { dealloc(address, layout) };
    Ok(())
}

fn layout(size_in_bytes: usize) -> Result<Layout, MemoryError> {
    Layout::from_size_align(size_in_bytes, ALIGNMENT_IN_BYTES)
        .map_err(|_| MemoryError::SizeTooLarge { size_in_bytes, limit_in_bytes: LIMIT_IN_BYTES })
}
