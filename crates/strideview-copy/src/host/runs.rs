//! Long runs, each of them a `memcpy`.

use super::length;
use super::walk::walk;
use crate::plan::CopyPlan;

/// Moves the runs of `plan`, the first of them from `src` to `dst`.
///
/// # Safety
///
/// 1. Every run of the plan may be written relative to `dst`, and read relative to `src`.
/// 2. No byte of the one is a byte of the other, and nothing else accesses them.
pub(super) unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    let run = length(plan.run_bytes());
    walk(plan.axes(), dst, src, |dst, src| {
        // SAFETY: `walk` gives the addresses of a run of the plan, which the caller promises to
        // be valid (1) and apart (2); bytes need no alignment.
        unsafe { std::ptr::copy_nonoverlapping(src, dst, run) }
    });
}
