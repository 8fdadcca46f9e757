//! Ours. Its threads are what the environment variable `STRIDEVIEW_THREADS` says.

use std::hint::black_box;

use strideview_copy::host::{HostPlan, Machine};
use strideview_copy::{CopyPlan, host};

use crate::case::Case;
use crate::timed::{Timed, timed};

/// With a plan that is made once.
pub(crate) fn open_kept(case: &Case, _threads: usize) -> Option<Timed> {
    let (dst, src) = (case.dst, case.src);
    let plan = HostPlan::new(&Byte::strides(case).plan()?, &Machine::this());
    Some(timed(move || {
        let (dst, src) = black_box((dst, src));
        // SAFETY: the plan was made for these two sides, which are apart.
        unsafe { plan.copy(dst, src) }
    }))
}

/// With a plan made for every copy.
pub(crate) fn open_planning(case: &Case, _threads: usize) -> Option<Timed> {
    let (dst, src) = (case.dst, case.src);
    let strides = Byte::strides(case);
    strides.plan()?;
    Some(timed(move || {
        if let Some(plan) = black_box(&strides).plan() {
            let (dst, src) = black_box((dst, src));
            // SAFETY: the plan was made for these two sides, which are apart.
            unsafe { host::copy(&plan, dst, src) }
        }
    }))
}

/// A case in bytes.
struct Byte {
    shape: Vec<i64>,
    dst: Vec<i64>,
    src: Vec<i64>,
    itemsize: i64,
}

impl Byte {
    fn strides(case: &Case) -> Byte {
        let itemsize = case.itemsize as i64;
        let bytes = |strides: &[i64]| strides.iter().map(|stride| stride * itemsize).collect();
        let (dst, src) = (bytes(&case.dst_strides), bytes(&case.src_strides));
        Byte { shape: case.shape.clone(), dst, src, itemsize }
    }

    fn plan(&self) -> Option<CopyPlan> {
        CopyPlan::new(&self.shape, &self.dst, &self.src, self.itemsize).ok()
    }
}
