//! A copy in two: into a dense temporary, and out of it.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};
use super::copy_plan::CopyPlan;

/// The two halves of a copy through a temporary.
///
/// Law: doing `gather` from the source into a temporary of `bytes` bytes, and then `scatter` from
/// there into the destination, moves the same pairs of bytes as the plan, but reads all of them
/// before it writes any. The temporary has one place for each run that is read, however often it
/// is written.
pub(crate) struct Temporary {
    pub(crate) gather: CopyPlan,
    pub(crate) scatter: CopyPlan,
    pub(crate) bytes: i64,
}

impl Temporary {
    /// None only on overflow, which invariant 3 of the plan excludes.
    pub(crate) fn of(plan: &CopyPlan) -> Option<Self> {
        let mut bytes = plan.run_bytes();
        let (mut read, mut written) = (Axes::new(), Axes::new());
        // From the innermost axis, so that the temporary is dense in the order of the plan.
        for axis in plan.axes().iter().rev() {
            let is_read_again = axis.src_stride == 0;
            let stride = if is_read_again { 0 } else { bytes };
            written.insert(0, PlanAxis { src_stride: stride, ..*axis });
            if !is_read_again {
                read.insert(0, PlanAxis { dst_stride: stride, ..*axis });
                bytes = bytes.checked_mul(axis.extent)?;
            }
        }
        let gather = CopyPlan::of_axes(read, plan.run_bytes(), bytes);
        let scatter = CopyPlan::of_axes(written, plan.run_bytes(), plan.bytes());
        Some(Self {
            gather: gather.moved(0, plan.src_offset())?,
            scatter: scatter.moved(plan.dst_offset(), 0)?,
            bytes,
        })
    }
}
