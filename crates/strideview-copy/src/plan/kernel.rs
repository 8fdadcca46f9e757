//! Step 8: name the kernel that does the rest.
#![forbid(unsafe_code)]

use std::fmt;

/// From this size on a run is worth a call to `memcpy`; below it is moved as one item.
pub(super) const RUN_MIN_BYTES: i64 = 32;

/// What a plan comes down to.
///
/// ```
/// use strideview_copy::{CopyPlan, Kernel};
///
/// let kernel = |shape: &[i64], dst: &[i64], src: &[i64]| {
///     CopyPlan::new(shape, dst, src, 4).map(|plan| plan.kernel())
/// };
/// assert_eq!(kernel(&[0, 9], &[4, 4], &[4, 4])?, Kernel::Nothing);
/// assert_eq!(kernel(&[8, 9], &[36, 4], &[36, 4])?, Kernel::Contiguous);
/// assert_eq!(kernel(&[8, 9], &[36, 4], &[40, 4])?, Kernel::Runs);
/// assert_eq!(kernel(&[8, 9], &[36, 4], &[72, 8])?, Kernel::Strided);
/// assert_eq!(kernel(&[8, 9], &[36, 4], &[4, 32])?, Kernel::Transposed);
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// There is no element to move.
    Nothing,
    /// One run: a `memcpy`.
    Contiguous,
    /// Long runs, each of them a `memcpy`.
    Runs,
    /// Short runs, moved one by one along the innermost axes.
    Strided,
    /// Short runs in two axes that are transposed to each other, moved block by block.
    Transposed,
}

impl Kernel {
    /// The kernel for runs of `run_bytes` along `rank` axes.
    pub(super) fn choose(run_bytes: i64, rank: usize, is_transposed: bool) -> Self {
        match (run_bytes, rank) {
            (0, _) => Self::Nothing,
            (_, 0) => Self::Contiguous,
            (RUN_MIN_BYTES.., _) => Self::Runs,
            _ if is_transposed => Self::Transposed,
            _ => Self::Strided,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Contiguous => "contiguous",
            Self::Runs => "runs",
            Self::Strided => "strided",
            Self::Transposed => "transposed",
        })
    }
}
