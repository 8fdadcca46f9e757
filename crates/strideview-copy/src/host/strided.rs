//! Short runs, moved one by one along the two innermost axes.

use super::item::{ItemSize, move_item, with_item_size};
use super::offset;
use super::walk::walk;
use crate::plan::{CopyPlan, PlanAxis};

/// Moves the runs of `plan`, the first of them from `src` to `dst`.
///
/// # Safety
///
/// 1. Every run of the plan may be written relative to `dst`, and read relative to `src`.
/// 2. No byte of the one is a byte of the other, and nothing else accesses them.
pub(super) unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    let (others, outer, inner) = match plan.axes() {
        [others @ .., outer, inner] => (others, *outer, *inner),
        [inner] => (&[][..], ONCE, *inner),
        // One run; a plan like this is `Contiguous`.
        [] => (&[][..], ONCE, ONCE),
    };
    with_item_size!(plan.run_bytes(), size => {
        walk(others, dst, src, |dst, src| {
            // SAFETY: `walk` gives the addresses of the first run of a plane of the plan, whose
            // runs the caller promises to be valid (1) and apart (2).
            unsafe { copy_plane(size, &outer, &inner, dst, src) }
        });
    });
}

/// The axis that is walked without a step.
const ONCE: PlanAxis = PlanAxis { extent: 1, dst_stride: 0, src_stride: 0 };

/// Moves the items of two axes.
///
/// # Safety
///
/// As [`copy`], for the items of the two axes.
#[inline(always)]
pub(super) unsafe fn copy_plane(
    size: impl ItemSize,
    outer: &PlanAxis,
    inner: &PlanAxis,
    dst: *mut u8,
    src: *const u8,
) {
    let (mut dst, mut src) = (dst, src);
    let (dst_stride, src_stride) = (offset(outer.dst_stride), offset(outer.src_stride));
    for _ in 0..outer.extent {
        // SAFETY: both pointers are at the first item of a line of the plane.
        unsafe { copy_line(size, inner, dst, src) };
        dst = dst.wrapping_offset(dst_stride);
        src = src.wrapping_offset(src_stride);
    }
}

/// Moves the items of one axis.
///
/// # Safety
///
/// As [`copy`], for the items of `axis`.
#[inline(always)]
unsafe fn copy_line(size: impl ItemSize, axis: &PlanAxis, dst: *mut u8, src: *const u8) {
    let (mut dst, mut src) = (dst, src);
    let (dst_stride, src_stride) = (offset(axis.dst_stride), offset(axis.src_stride));
    for _ in 0..axis.extent {
        // SAFETY: both pointers are at an item of the axis.
        unsafe { move_item(size, dst, src) };
        dst = dst.wrapping_offset(dst_stride);
        src = src.wrapping_offset(src_stride);
    }
}
