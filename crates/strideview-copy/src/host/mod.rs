//! Copies in memory that the host can reach: choose once, then call.
//!
//! [`copy()`] and [`copy_overlapping`] are the only door to the kernels, which are private. A
//! kernel takes its offsets from a plan, whose arithmetic is proved, and moves its pointers with
//! `wrapping_offset`, so that only reading and writing is unsafe.

mod contiguous;
mod item;
mod overlapping;
mod runs;
mod strided;
mod transposed;
mod walk;

pub use overlapping::copy_overlapping;

use crate::plan::{CopyPlan, Kernel};

/// Moves the bytes of `plan` from `src` to `dst`: the addresses of element `[0, …, 0]`, or those
/// that the offsets of the plan count from.
///
/// Allocates nothing. Bytes between the runs of the destination are neither written nor read.
/// Neither pointer needs any alignment; both may be anything when there is nothing to move. Bytes
/// that are not initialised are moved as such.
///
/// # Safety
///
/// 1. Every byte that the plan writes relative to `dst` may be written, and every byte that it
///    reads relative to `src` may be read: the plan was made for layouts that lie inside the
///    memory behind these pointers.
/// 2. No byte of the one is a byte of the other.
/// 3. During the call nothing else accesses the bytes written, or writes the bytes read.
///
/// ```
/// use strideview_copy::{CopyPlan, host};
///
/// let source = *b"abcdef";
/// let mut destination = *b"......";
/// // Every second byte, last first.
/// let plan = CopyPlan::new(&[3], &[2], &[-2], 1)?;
/// // SAFETY: (1) offsets 0, 2, 4 of the one and 4, 2, 0 of the other; (2, 3) two local arrays.
/// unsafe { host::copy(&plan, destination.as_mut_ptr(), source.as_ptr().wrapping_add(4)) };
/// assert_eq!(&destination, b"e.c.a.");
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
pub unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    let dst = dst.wrapping_offset(offset(plan.dst_offset()));
    let src = src.wrapping_offset(offset(plan.src_offset()));
    match plan.kernel() {
        Kernel::Nothing => {}
        // SAFETY: the caller promises (1 to 3) for the plan, which is one run from `src` to `dst`.
        Kernel::Contiguous => unsafe { contiguous::copy(plan, dst, src) },
        // SAFETY: the caller promises (1 to 3) for the runs of the plan, of which the first is
        // from `src` to `dst`.
        Kernel::Runs => unsafe { runs::copy(plan, dst, src) },
        // SAFETY: as above.
        Kernel::Strided => unsafe { strided::copy(plan, dst, src) },
        // SAFETY: as above.
        Kernel::Transposed => unsafe { transposed::copy(plan, dst, src) },
    }
}

/// An offset in bytes as pointers take it.
///
/// Where addresses have fewer than 64 bits this drops the upper ones, and pointer arithmetic that
/// wraps comes to the same address: the bytes are there, by the promise of the caller.
#[allow(clippy::cast_possible_truncation)]
const fn offset(bytes: i64) -> isize {
    bytes as isize
}

/// A number of bytes that lie together, which is never negative and no more than memory holds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
const fn length(bytes: i64) -> usize {
    bytes as usize
}
