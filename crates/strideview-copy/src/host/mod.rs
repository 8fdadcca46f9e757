//! Copies in memory that the host can reach: choose once, then call.
//!
//! [`copy()`], [`HostPlan::copy`] and [`copy_overlapping`] are the only doors to the kernels, which
//! are private. A kernel takes its offsets from a plan, whose arithmetic is proved, and moves its
//! pointers with `wrapping_offset`, so that only reading and writing is unsafe.

mod ahead;
mod block;
mod blocks;
mod choose;
mod divide;
mod execute;
mod host_plan;
mod interleave;
mod isa;
mod item;
mod kernel;
#[cfg(test)]
mod laws;
mod line;
mod machine;
mod odometer;
mod order;
mod overlapping;
mod run;
mod shifted;
mod split;
mod stream;
mod strided;
mod table;
mod threads;
mod tile;
mod vector;

pub use host_plan::HostPlan;
pub use kernel::HostKernel;
pub use machine::{Isa, Machine};
pub use overlapping::{copy_overlapping, needs_temporary};
pub use threads::{set_threads, threads};

use crate::plan::CopyPlan;

/// Moves the bytes of `plan` from `src` to `dst`: the addresses of element `[0, …, 0]`, or those
/// that the offsets of the plan count from.
///
/// Allocates nothing, unless the copy is shared among threads. Bytes between the runs of the
/// destination are neither written nor read; bytes between two items of the source may be read where
/// these begin at most 32 bytes apart, and are not made use of. Neither pointer needs any alignment;
/// both may be anything when there is nothing to move. Bytes that are not initialised are moved as
/// such.
///
/// # Safety
///
/// 1. Every byte that the plan writes relative to `dst` may be written, and every byte that it
///    reads relative to `src` may be read: the plan was made for layouts that lie inside the
///    memory behind these pointers.
/// 2. No byte of the one is a byte of the other, and the plan writes none twice.
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
#[inline]
pub unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    // SAFETY: the caller promises 1 to 3, and the host plan says the same bytes.
    unsafe { HostPlan::new(plan, &Machine::this()).copy(dst, src) }
}

impl HostPlan {
    /// Moves the bytes of the plan, as [`copy()`] does, without planning again.
    ///
    /// # Safety
    ///
    /// Those of [`copy()`].
    ///
    /// ```
    /// use strideview_copy::CopyPlan;
    /// use strideview_copy::host::{HostPlan, Machine};
    ///
    /// let (source, mut destination) = (*b"abc", *b"...");
    /// let plan = HostPlan::new(&CopyPlan::new(&[3], &[1], &[-1], 1)?, &Machine::this());
    /// // SAFETY: (1) three bytes of each; (2, 3) two local arrays.
    /// unsafe { plan.copy(destination.as_mut_ptr(), source.as_ptr().wrapping_add(2)) };
    /// assert_eq!(&destination, b"cba");
    /// # Ok::<(), strideview_copy::CopyError>(())
    /// ```
    #[inline]
    pub unsafe fn copy(&self, dst: *mut u8, src: *const u8) {
        if self.threads == 1 {
            // SAFETY: the caller promises it.
            unsafe { do_alone(self, dst, src) }
        } else {
            // SAFETY: as above.
            unsafe { threads::share(self, dst, src) }
        }
    }
}

/// Does a plan on this thread.
///
/// # Safety
///
/// Those of [`copy()`].
#[inline]
unsafe fn do_alone(host: &HostPlan, dst: *mut u8, src: *const u8) {
    let dst = dst.wrapping_offset(offset(host.dst_offset));
    let src = src.wrapping_offset(offset(host.src_offset));
    match host.kernel {
        HostKernel::Nothing => {}
        HostKernel::Contiguous if host.is_streamed => {
            // SAFETY: invariant 4 of the plan; the caller promises its one run (1 to 3).
            unsafe { isa::stream(host.isa, dst, src, length(host.run_bytes)) }
        }
        HostKernel::Contiguous => {
            // SAFETY: the caller promises the one run of the plan (1 to 3).
            unsafe { std::ptr::copy_nonoverlapping(src, dst, length(host.run_bytes)) }
        }
        // SAFETY: the caller promises (1 to 3) for the items of the plan, of which the first goes
        // from `src` to `dst`.
        _ => unsafe { isa::run(host, dst, src) },
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
