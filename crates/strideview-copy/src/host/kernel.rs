//! What a host plan comes down to.
#![forbid(unsafe_code)]

use std::fmt;

/// How the items of a block are moved.
///
/// ```
/// use strideview_copy::CopyPlan;
/// use strideview_copy::host::{HostKernel, HostPlan, Machine};
///
/// let plan = CopyPlan::new(&[64, 64], &[256, 4], &[4, 256], 4)?;
/// assert_eq!(HostPlan::new(&plan, &Machine::this()).kernel(), HostKernel::Tiles);
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostKernel {
    /// There is no item to move.
    Nothing,
    /// One run.
    Contiguous,
    /// Many runs, each of them moved as a whole.
    Runs,
    /// Squares transposed in registers.
    Tiles,
    /// Two to four planes of the source become one line of alternating items.
    Interleave,
    /// Lines of two to four alternating items become as many planes, or the first few of them.
    Deinterleave,
    /// An item is repeated.
    Fill,
    /// Lines are turned round.
    Reverse,
    /// Several short axes are one line, whose source offsets are in a table.
    Table,
    /// Items one by one.
    Items,
}

impl fmt::Display for HostKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Contiguous => "contiguous",
            Self::Runs => "runs",
            Self::Tiles => "tiles",
            Self::Interleave => "interleave",
            Self::Deinterleave => "deinterleave",
            Self::Fill => "fill",
            Self::Reverse => "reverse",
            Self::Table => "table",
            Self::Items => "items",
        })
    }
}
