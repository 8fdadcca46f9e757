//! A copy as the planners of kernels see it.
#![forbid(unsafe_code)]

use strideview_copy::{CopyPlan, PlanAxis};

use super::geometry::alignment;

/// The axes of a copy with items of a size that every kernel has, and how the two sides are aligned.
pub(super) struct Problem<'a> {
    /// In bytes, in the order of the plan; no stride that is not a multiple of `item`.
    pub(super) axes: &'a [PlanAxis],
    /// 1, 2, 4, 8 or 16 bytes.
    pub(super) item: i64,
    /// The largest power of two, 16 at most, that divides the address of the first item written.
    pub(super) dst_alignment: i64,
    /// As above, of the first item read.
    pub(super) src_alignment: i64,
    /// The address after the first item read, or anything that is aligned as it is.
    pub(super) reversed_start: i64,
}

/// The largest item that a plan can be cut into: it divides every run, every stride and both first
/// addresses.
pub(super) fn item(plan: &CopyPlan, dst_alignment: i64, src_alignment: i64) -> i64 {
    let strides = plan.axes().iter().flat_map(|axis| [axis.dst_stride, axis.src_stride]);
    alignment(strides.chain([plan.run_bytes(), dst_alignment, src_alignment]))
}
