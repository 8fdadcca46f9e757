//! One axis of a plan.
#![forbid(unsafe_code)]

use strideview_layout::ShortVec;

/// An axis that a copy walks along: how often, and how far on each side.
///
/// ```
/// let plan = strideview_copy::CopyPlan::new(&[3], &[4], &[-8], 4)?;
/// let axis = plan.axes()[0];
/// assert_eq!((axis.extent, axis.dst_stride, axis.src_stride), (3, 4, -8));
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanAxis {
    /// The number of steps; at least 2 in a finished plan.
    pub extent: i64,
    /// The step in the destination, in bytes; never negative in a finished plan.
    pub dst_stride: i64,
    /// The step in the source, in bytes; 0 where an element is read again and again.
    pub src_stride: i64,
}

/// The axes of a plan, from the outermost to the innermost; on the heap only beyond 8.
pub(crate) type Axes = ShortVec<PlanAxis>;
