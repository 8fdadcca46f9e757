//! Copies whose two sides are the same layout at two addresses: in place, run by run.
//!
//! Walked in the order of addresses, away from where the source lies, no run is written over one
//! that is still to be read: with the source further up, from the lowest address on; with it further
//! down, from the highest.

use super::odometer::Odometer;
use super::{length, offset};
use crate::plan::{Axes, CopyPlan, PlanAxis};

/// Whether both sides of a plan step alike, and its runs come in the order of their addresses,
/// apart from each other.
pub(super) fn is_shifted(plan: &CopyPlan) -> bool {
    let mut reach = plan.run_bytes();
    plan.axes().iter().rev().all(|axis| {
        let is_outside = axis.dst_stride == axis.src_stride && axis.dst_stride >= reach;
        // Offsets of a plan fit.
        reach = reach.wrapping_add((axis.extent - 1).wrapping_mul(axis.dst_stride));
        is_outside
    })
}

/// Moves the runs of a plan from `src` to `dst`, the addresses of its first.
///
/// # Safety
///
/// 1. Every run of the plan may be written and read, and nothing else accesses them.
/// 2. [`is_shifted`] holds for the plan.
pub(super) unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    let is_upwards = src.addr() >= dst.addr();
    let axes: Axes =
        plan.axes().iter().map(|axis| if is_upwards { *axis } else { turned(axis) }).collect();
    let last = |stride: fn(&PlanAxis) -> i64| {
        let steps = plan.axes().iter().map(|axis| (axis.extent - 1).wrapping_mul(stride(axis)));
        if is_upwards { 0 } else { steps.fold(0, i64::wrapping_add) }
    };
    let dst = dst.wrapping_offset(offset(last(|axis| axis.dst_stride)));
    let src = src.wrapping_offset(offset(last(|axis| axis.src_stride)));
    let mut walk = Odometer::new(&axes, dst, src);
    loop {
        // SAFETY: the caller promises the run (1), which may overlap itself; what it overwrites has
        // been read (2).
        unsafe { std::ptr::copy(walk.src, walk.dst, length(plan.run_bytes())) };
        if !walk.step() {
            return;
        }
    }
}

/// The axis walked from its other end.
fn turned(axis: &PlanAxis) -> PlanAxis {
    PlanAxis {
        dst_stride: axis.dst_stride.wrapping_neg(),
        src_stride: axis.src_stride.wrapping_neg(),
        ..*axis
    }
}
