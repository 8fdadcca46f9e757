//! How this machine does a plan.
#![forbid(unsafe_code)]

use std::fmt;

use super::kernel::HostKernel;
use super::machine::{Isa, Machine};
use super::{choose, divide, order};
use crate::plan::{Axes, CopyPlan, PlanAxis};

/// A [`CopyPlan`], and how the processor does it: kernel, blocks, stores and threads.
///
/// Two axes are told apart: along `q` the destination is densest, along `p` the source (where it
/// is not along `q`). A kernel moves a block of items of the two; all other axes are walked.
///
/// A host plan is a value that holds no pointer, and can be kept and used again.
///
/// # Invariants
///
/// 1. It says the same pairs of bytes as the plan that it was made from: for every index of `others`,
///    `p`, `q` and `table`, `run_bytes` bytes from `src_offset` + the steps to `dst_offset` + the
///    steps.
/// 2. What the kernel needs holds; `choose` says it.
/// 3. All extents are at least 1, and the blocks at least one item each way.
/// 4. The processor has the instructions of `isa`.
///
/// ```
/// use strideview_copy::CopyPlan;
/// use strideview_copy::host::{HostPlan, Machine};
///
/// let plan = CopyPlan::new(&[3, 1000], &[1000, 1], &[1, 3], 1)?;
/// let machine = Machine { threads: 1, ..Machine::this() };
/// let text = HostPlan::new(&plan, &machine).to_string();
/// assert!(text.starts_with("host: deinterleave"), "{text}");
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPlan {
    pub(super) kernel: HostKernel,
    pub(super) isa: Isa,
    pub(super) run_bytes: i64,
    pub(super) bytes: i64,
    pub(super) dst_offset: i64,
    pub(super) src_offset: i64,
    /// All other axes, and then the `tabled` ones that `q` stands for with [`HostKernel::Table`].
    pub(super) axes: Axes,
    pub(super) tabled: usize,
    pub(super) p: PlanAxis,
    pub(super) q: PlanAxis,
    pub(super) p_block: i64,
    pub(super) q_block: i64,
    /// Destination lines are put together in a buffer, and streamed from there.
    pub(super) is_streamed: bool,
    /// Source lines are put together in a buffer first, as they compete for places in the cache.
    pub(super) is_gathered: bool,
    pub(super) threads: usize,
}

impl HostPlan {
    /// The plan for a machine.
    ///
    /// Cost O(rank²), without heap allocation for rank 8 or less.
    ///
    /// ```
    /// use strideview_copy::CopyPlan;
    /// use strideview_copy::host::{HostKernel, HostPlan, Machine};
    ///
    /// let plan = CopyPlan::new(&[5, 7], &[7, 1], &[7, 1], 1)?;
    /// let plan = HostPlan::new(&plan, &Machine::this());
    /// assert_eq!((plan.kernel(), plan.threads()), (HostKernel::Contiguous, 1));
    /// # Ok::<(), strideview_copy::CopyError>(())
    /// ```
    #[inline]
    pub fn new(plan: &CopyPlan, machine: &Machine) -> Self {
        let mut host = Self {
            kernel: HostKernel::Contiguous,
            isa: available(machine.isa),
            run_bytes: plan.run_bytes(),
            bytes: plan.bytes(),
            dst_offset: plan.dst_offset(),
            src_offset: plan.src_offset(),
            axes: Axes::new(),
            tabled: 0,
            p: choose::ONCE,
            q: choose::ONCE,
            p_block: 1,
            q_block: 1,
            is_streamed: false,
            is_gathered: false,
            threads: 1,
        };
        choose::choose(&mut host, plan);
        divide::divide(&mut host, machine);
        order::order(&mut host);
        host
    }

    /// How the items of a block are moved. O(1).
    pub fn kernel(&self) -> HostKernel {
        self.kernel
    }

    /// The axes to walk around blocks, from the outermost to the innermost.
    #[inline]
    pub(super) fn others(&self) -> &[PlanAxis] {
        self.axes.get(..self.axes.len().saturating_sub(self.tabled)).unwrap_or_default()
    }

    /// The axes that `q` stands for.
    #[inline]
    pub(super) fn table(&self) -> &[PlanAxis] {
        self.axes.get(self.axes.len().saturating_sub(self.tabled)..).unwrap_or_default()
    }

    /// How many threads take part. O(1).
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether the destination is written past the caches. O(1).
    pub fn is_streamed(&self) -> bool {
        self.is_streamed
    }
}

/// The instructions asked for, or the best of this processor where it has not got them.
#[inline]
fn available(isa: Isa) -> Isa {
    if Isa::available().contains(&isa) { isa } else { Isa::best() }
}

/// Kernel, blocks, stores and threads, in a line.
impl fmt::Display for HostPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host: {}, {}", self.kernel, self.isa)?;
        if !matches!(self.kernel, HostKernel::Nothing | HostKernel::Contiguous) {
            write!(f, ", blocks of {} x {} items", self.p_block, self.q_block)?;
        }
        if self.is_gathered {
            f.write_str(", source lines gathered")?;
        }
        if self.is_streamed {
            f.write_str(", streamed")?;
        }
        let s = if self.threads == 1 { "" } else { "s" };
        write!(f, ", {} thread{s}", self.threads)
    }
}
