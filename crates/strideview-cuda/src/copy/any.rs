//! Planning a copy item by item, for what no other kernel takes: see `kernels/any.cu`.
#![forbid(unsafe_code)]

use strideview_copy::CopyPlan;

use super::job::{AnyAxis, AnyJob};
use super::kernel::Kernel;

/// A plan for any copy, in items of `item` bytes.
pub(super) fn plan(plan: &CopyPlan, item: i64) -> (Box<AnyJob>, Kernel) {
    let mut axis = [AnyAxis::default(); 65];
    let run = plan.run_bytes() / item;
    let run = (run > 1).then_some(AnyAxis { extent: run.unsigned_abs(), dst: item, src: item });
    let axes = plan.axes().iter().rev().map(|axis| AnyAxis {
        extent: axis.extent.unsigned_abs(),
        dst: axis.dst_stride,
        src: axis.src_stride,
    });
    let mut count = 0;
    for (slot, from) in axis.iter_mut().zip(run.into_iter().chain(axes)) {
        *slot = from;
        count += 1;
    }
    let items = (plan.bytes() / item).unsigned_abs();
    let kernel = match item {
        1 => Kernel::Any1,
        2 => Kernel::Any2,
        4 => Kernel::Any4,
        8 => Kernel::Any8,
        _ => Kernel::Any16,
    };
    (Box::new(AnyJob { dst: 0, src: 0, items, axes: count, axis }), kernel)
}
