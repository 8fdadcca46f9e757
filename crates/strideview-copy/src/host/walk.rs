//! Walking the outer axes of a plan.
#![forbid(unsafe_code)]

use super::offset;
use crate::plan::{MAX_RANK, PlanAxis};

/// Calls `visit` with the two addresses of every index of `axes`, the last axis fastest.
///
/// An odometer: a step adds a stride to each pointer, a carry takes the way along its axis back;
/// there is no multiplication for each element, and no allocation. `axes` are those of a plan, at
/// most [`MAX_RANK`] of them, with extents of at least 1; without axes `visit` is called once.
#[inline(always)]
pub(super) fn walk(
    axes: &[PlanAxis],
    dst: *mut u8,
    src: *const u8,
    mut visit: impl FnMut(*mut u8, *const u8),
) {
    let (mut dst, mut src) = (dst, src);
    let mut counters = [0_i64; MAX_RANK];
    loop {
        visit(dst, src);
        // Lines up the counters with the axes from the innermost on.
        let mut is_done = true;
        for (axis, counter) in axes.iter().rev().zip(&mut counters) {
            *counter += 1;
            if *counter < axis.extent {
                dst = dst.wrapping_offset(offset(axis.dst_stride));
                src = src.wrapping_offset(offset(axis.src_stride));
                is_done = false;
                break;
            }
            let steps = *counter - 1;
            *counter = 0;
            dst = dst.wrapping_offset(offset(steps.wrapping_mul(axis.dst_stride).wrapping_neg()));
            src = src.wrapping_offset(offset(steps.wrapping_mul(axis.src_stride).wrapping_neg()));
        }
        if is_done {
            return;
        }
    }
}
