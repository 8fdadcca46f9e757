//! Large allocations on Linux: pages of their own, aligned for huge ones.
//!
//! An anonymous mapping is zero when it is first touched, so it costs no pass over the memory;
//! `alloc_zeroed` with this alignment would clear every byte at once, in small pages.

use std::ffi::{c_int, c_void};
use std::io;
use std::ptr::{null_mut, without_provenance_mut};

use super::LIMIT_IN_BYTES;
use crate::MemoryError;

/// The size of a huge page, and the alignment of every span from here.
const HUGE_PAGE_IN_BYTES: usize = 2 << 20;
/// Spans are cut on this boundary: the largest page size that these machines use.
const CUT_IN_BYTES: usize = 64 << 10;

// The values of <sys/mman.h> on the machines that `super` compiles this module for.
const PROT_READ_WRITE: c_int = 1 | 2;
const MAP_PRIVATE_ANONYMOUS: c_int = 0x02 | 0x20;
const MADV_HUGEPAGE: c_int = 14;

// The C library's functions, as POSIX and Linux declare them; `off_t` has 64 bits on 64-bit Linux.
unsafe extern "C" {
    fn mmap(
        address: *mut c_void,
        length_in_bytes: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, length_in_bytes: usize) -> c_int;
    fn madvise(address: *mut c_void, length_in_bytes: usize, advice: c_int) -> c_int;
}

/// The address of `size_in_bytes` zeroed bytes, aligned to a huge page.
///
/// Maps a huge page more than wanted, and cuts what lies before and after the aligned span.
pub(super) fn allocate(size_in_bytes: usize) -> Result<*mut u8, MemoryError> {
    let too_large = MemoryError::SizeTooLarge { size_in_bytes, limit_in_bytes: LIMIT_IN_BYTES };
    let span = size_in_bytes.checked_next_multiple_of(CUT_IN_BYTES).ok_or(too_large)?;
    let mapped = span.checked_add(HUGE_PAGE_IN_BYTES).ok_or(too_large)?;
    let start = map(mapped).ok_or(MemoryError::OutOfMemory { size_in_bytes })?;

    let before = start.addr().wrapping_neg() % HUGE_PAGE_IN_BYTES;
    let address = start.wrapping_byte_add(before);
    // SAFETY: `before` < HUGE_PAGE_IN_BYTES, so this is the head of the fresh mapping, before
    // `address`; nothing uses it.
    unsafe { cut(start, before) };
    // SAFETY: the tail of the fresh mapping, from the end of the span to the end of the mapping,
    // since before + span + (HUGE_PAGE_IN_BYTES - before) = mapped; nothing uses it.
    unsafe { cut(address.wrapping_byte_add(span), HUGE_PAGE_IN_BYTES - before) };
    // SAFETY: `address` is page-aligned and starts `span` bytes of our own mapping; the advice
    // changes no content. A refusal only means small pages.
    let _ = unsafe { madvise(address, span, MADV_HUGEPAGE) };
    Ok(address.cast())
}

/// Gives a span back to the system.
///
/// # Safety
///
/// 1. `address` came from [`allocate`] with this same size.
/// 2. It has not been given back before, and nothing uses it.
pub(super) unsafe fn deallocate(address: *mut u8, size_in_bytes: usize) -> Result<(), MemoryError> {
    let span = size_in_bytes.next_multiple_of(CUT_IN_BYTES);
    // SAFETY: the caller promises (1), so this span is what is left of the mapping made for
    // `address` (the rounding cannot overflow: `allocate` did the same), and (2).
    let status = unsafe { munmap(address.cast(), span) };
    if status == 0 {
        return Ok(());
    }
    let status = io::Error::last_os_error().raw_os_error().unwrap_or(status);
    Err(MemoryError::Resource { call: "munmap", status: i64::from(status) })
}

/// A fresh mapping of `length_in_bytes` zeroed bytes; None when the system refuses.
fn map(length_in_bytes: usize) -> Option<*mut c_void> {
    // SAFETY: an anonymous private mapping at an address of the system's choice touches no memory
    // in use; -1 and 0 are the file and the offset that anonymous mappings ask for.
    let start =
        unsafe { mmap(null_mut(), length_in_bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
    // MAP_FAILED is the address with all bits set.
    (start != without_provenance_mut(usize::MAX)).then_some(start)
}

/// Unmaps part of a fresh mapping. A refusal leaves address space reserved, and no memory used.
///
/// # Safety
///
/// `start` is page-aligned and starts `length_in_bytes` bytes of a mapping of ours that nothing
/// uses; or `length_in_bytes` is 0.
unsafe fn cut(start: *mut c_void, length_in_bytes: usize) {
    if length_in_bytes == 0 {
        return;
    }
    // SAFETY: the caller promises it.
    let _ = unsafe { munmap(start, length_in_bytes) };
}
