//! One run.

use super::length;
use crate::plan::CopyPlan;

/// Moves the one run of `plan`.
///
/// # Safety
///
/// 1. The plan has no axes, and its run may be written at `dst` and read at `src`.
/// 2. The two do not share a byte, and nothing else accesses them.
pub(super) unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    // SAFETY: the caller promises that the run is valid (1) and the two sides apart (2); bytes
    // need no alignment.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, length(plan.run_bytes())) }
}

/// Moves the one run of `plan`, which may overlap itself.
///
/// # Safety
///
/// 1. The plan has no axes, and its run may be written at `dst` and read at `src`.
/// 2. Nothing else accesses the two.
pub(super) unsafe fn shift(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    // SAFETY: the caller promises that the run is valid (1); bytes need no alignment.
    unsafe { std::ptr::copy(src, dst, length(plan.run_bytes())) }
}
