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
///
/// ```
/// use strideview_copy::{CopyPlan, Temporary};
///
/// // Four bytes, each one place on: through a temporary, none is read after it is written.
/// let halves = Temporary::of(&CopyPlan::new(&[2, 2], &[4, 2], &[2, 4], 1)?).expect("it fits");
/// assert_eq!((halves.bytes(), halves.gather().bytes(), halves.scatter().bytes()), (4, 4, 4));
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporary {
    pub(crate) gather: CopyPlan,
    pub(crate) scatter: CopyPlan,
    pub(crate) bytes: i64,
}

impl Temporary {
    /// The halves of a plan. None only on overflow, which invariant 3 of the plan excludes. O(rank²).
    pub fn of(plan: &CopyPlan) -> Option<Self> {
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
        let gather = CopyPlan::arrange(read, plan.run_bytes(), bytes);
        let scatter = CopyPlan::arrange(written, plan.run_bytes(), plan.bytes());
        Some(Self {
            gather: gather.moved(0, plan.src_offset())?,
            scatter: scatter.moved(plan.dst_offset(), 0)?,
            bytes,
        })
    }

    /// From the source into the temporary, whose address counts as element `[0, …, 0]`. O(1).
    pub fn gather(&self) -> &CopyPlan {
        &self.gather
    }

    /// Out of the temporary into the destination. O(1).
    pub fn scatter(&self) -> &CopyPlan {
        &self.scatter
    }

    /// The bytes of the temporary. O(1).
    pub fn bytes(&self) -> i64 {
        self.bytes
    }
}
