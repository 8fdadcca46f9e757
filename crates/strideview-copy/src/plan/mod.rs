//! From two lists of strides to a [`CopyPlan`]: safe, checked arithmetic on numbers of bytes.
//!
//! A copy is a set of pairs (destination byte, source byte). The steps change how that set is
//! walked, and never the set; each states how, as its law. In order:
//!
//! 1. [`check`]: every offset that any later step can form fits in `i64`;
//! 2. [`mod@unit`]: drop axes that are not walked;
//! 3. [`flip`]: walk the destination forwards;
//! 4. [`sort`]: walk the destination in the order of its addresses;
//! 5. [`merge`]: neighbours that are one axis on both sides become one;
//! 6. [`widen`]: an innermost axis that is contiguous on both sides becomes part of the item, which
//!    is then called a *run*;
//! 7. [`pair`]: put the axis along which the source is densest next to the innermost;
//! 8. [`kernel`]: name the kernel that does the rest.
//!
//! Everything here is in bytes. Axes are listed from the outermost to the innermost.
#![forbid(unsafe_code)]
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::as_conversions)]

mod axis;
mod check;
mod copy_plan;
mod display;
mod flip;
mod kernel;
mod layouts;
mod merge;
mod pair;
mod sort;
mod temporary;
mod unit;
mod widen;

pub use axis::PlanAxis;
pub use copy_plan::CopyPlan;
pub use kernel::Kernel;
pub use layouts::plan_for;
pub use temporary::Temporary;

pub(crate) use axis::Axes;
pub(crate) use pair::densest_in_source;

/// The most axes that a plan takes.
///
/// ```
/// assert_eq!(strideview_copy::MAX_RANK, 64);
/// ```
pub const MAX_RANK: usize = 64;
