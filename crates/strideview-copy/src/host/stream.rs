//! Writing past the caches.
//!
//! A store that misses the caches first reads the line that it writes into, and later writes it
//! back. Where a copy is larger than the caches that is half again as much traffic for nothing;
//! streamed stores of whole lines avoid it. Lines that are not whole are stored plainly.

use super::vector::Vector;

/// The bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Moves bytes, streaming the whole lines of the destination.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`.
/// 2. `bytes` bytes may be written at `dst` and read at `src`; the two do not share a byte, and
///    nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn copy<V: Vector>(dst: *mut u8, src: *const u8, bytes: usize) {
    let head = dst.addr().wrapping_neg() % LINE;
    if !V::STREAMS || bytes < head + LINE {
        // SAFETY: the caller promises 2.
        return unsafe { std::ptr::copy_nonoverlapping(src, dst, bytes) };
    }
    // SAFETY: the caller promises 2; `head` is no more than `bytes`.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, head) };
    let mut at = head;
    while at + LINE <= bytes {
        let mut within = 0;
        while within < LINE {
            let place = at + within;
            // SAFETY: the caller promises 1, and the bytes up to `at + LINE` (2).
            let vector = unsafe { V::load(src.wrapping_add(place), 16) };
            // SAFETY: as above; `dst + at` is a multiple of `LINE`, and `LINE` of the register.
            unsafe { vector.stream(dst.wrapping_add(place)) };
            within += V::BYTES;
        }
        at += LINE;
    }
    let (dst, src) = (dst.wrapping_add(at), src.wrapping_add(at));
    // SAFETY: the caller promises 2; what is left of `bytes`.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, bytes - at) };
}
