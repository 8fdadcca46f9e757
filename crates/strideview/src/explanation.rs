//! What a copy would do.
#![forbid(unsafe_code)]

use std::fmt;

use strideview_copy::host::{HostPlan, Machine};

use crate::route::Route;
use crate::{CopyPlan, Kernel, Result, StridedMemoryView};

/// A copy that is planned and not done: the plan, and who does it how. Prints as a description.
///
/// ```
/// use strideview::{Error, StridedMemoryView, explain_copy};
///
/// let view = StridedMemoryView::from_vec(vec![0_u8; 6], &[2, 3])?;
/// let text = explain_copy(&view, &StridedMemoryView::from_vec(vec![1_u8; 6], &[2, 3])?)?.to_string();
/// assert!(text.starts_with("kernel: contiguous, runs of 6 bytes"), "{text}");
/// assert!(text.lines().last().is_some_and(|line| line.starts_with("host: contiguous")));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CopyExplanation {
    plan: CopyPlan,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    Host(Box<HostPlan>),
    #[cfg(feature = "cuda")]
    Device(Box<strideview_cuda::DevicePlan>),
    #[cfg(feature = "cuda")]
    Transfer(Box<strideview_cuda::TransferPlan>),
    #[cfg(feature = "cuda")]
    Peers {
        dst: i32,
        src: i32,
    },
}

impl CopyExplanation {
    pub(crate) fn new(
        plan: CopyPlan,
        route: Route,
        dst: &StridedMemoryView,
        src: &StridedMemoryView,
    ) -> Result<Self> {
        let how = how(&plan, route, dst, src)?;
        Ok(Self { plan, how })
    }

    /// Which bytes go where. O(1).
    pub fn plan(&self) -> &CopyPlan {
        &self.plan
    }

    /// What the plan comes down to. O(1).
    pub fn kernel(&self) -> Kernel {
        self.plan.kernel()
    }

    /// The bytes to move. O(1).
    pub fn bytes(&self) -> i64 {
        self.plan.bytes()
    }
}

#[cfg(feature = "cuda")]
fn how(
    plan: &CopyPlan,
    route: Route,
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
) -> Result<How> {
    use strideview_cuda::{DevicePlan, Direction, TransferPlan};

    use crate::view::host_memory;
    let (to, from) = (dst.address() as u64, src.address() as u64);
    let transfer = |direction, host: &StridedMemoryView, ordinal| {
        let host = host_memory(host, ordinal);
        How::Transfer(Box::new(TransferPlan::new(plan, to, from, direction, host)))
    };
    Ok(match route {
        Route::Host => on_host(plan),
        Route::Device { .. } => How::Device(Box::new(DevicePlan::new(plan, to, from))),
        Route::ToDevice { ordinal } => transfer(Direction::ToDevice, src, ordinal),
        Route::ToHost { ordinal } => transfer(Direction::ToHost, dst, ordinal),
        Route::Peers { dst, src } => How::Peers { dst, src },
    })
}

#[cfg(not(feature = "cuda"))]
fn how(
    plan: &CopyPlan,
    route: Route,
    _dst: &StridedMemoryView,
    _src: &StridedMemoryView,
) -> Result<How> {
    match route {
        Route::Host => Ok(on_host(plan)),
        Route::Device { ordinal }
        | Route::ToDevice { ordinal }
        | Route::ToHost { ordinal }
        | Route::Peers { dst: ordinal, .. } => Err(crate::Error::NoCuda { ordinal }),
    }
}

fn on_host(plan: &CopyPlan) -> How {
    How::Host(Box::new(HostPlan::new(plan, &Machine::this())))
}

/// The lines of the plan, then those of who does it.
impl fmt::Display for CopyExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.plan)?;
        match &self.how {
            How::Host(plan) => write!(f, "{plan}"),
            #[cfg(feature = "cuda")]
            How::Device(plan) => {
                // The bytes were said above.
                let text = plan.to_string();
                let lines = text.lines().filter(|line| !line.starts_with("bytes to move"));
                write!(f, "on the device: {}", lines.collect::<Vec<_>>().join(", "))
            }
            #[cfg(feature = "cuda")]
            How::Transfer(plan) => write!(f, "{plan}"),
            #[cfg(feature = "cuda")]
            How::Peers { dst, src } => write!(f, "devices: {src} to {dst}, packed on both sides"),
        }
    }
}
