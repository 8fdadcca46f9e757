//! Which two axes make a block, and which kernel moves it.
//!
//! What each kernel needs, with `w` the bytes of a run:
//!
//! | kernel | run | `q` | `p` |
//! |---|---|---|---|
//! | `Runs` | 32 and more | any | any |
//! | `Tiles` | 1, 2, 4, 8, 16 | `dst_stride` = w, extent ≥ 16 / w | `src_stride` = w, extent ≥ 16 / w |
//! | `Interleave` | 1, 2, 4, 8 | `dst_stride` = w, extent 2 to 4 | `src_stride` = w, `dst_stride` = extent of `q` · w |
//! | `Deinterleave` | 1, 2, 4, 8 | `dst_stride` = w, `src_stride` = 2, 3 or 4 times w | `src_stride` = w, extent ≤ that number; or anything |
//! | `Fill` | 1, 2, 4, 8, 16 | `dst_stride` = w, `src_stride` = 0 | any |
//! | `Reverse` | 1, 2, 4, 8, 16 | `dst_stride` = w, `src_stride` = -w | any |
//! | `Table` | any | the axes of `table`, of at most 256 items, together dense in the destination | any |
//! | `Items` | any | any | any |
#![forbid(unsafe_code)]

use super::host_plan::HostPlan;
use super::kernel::HostKernel;
use super::table;
use crate::plan::{Axes, CopyPlan, Kernel, PlanAxis, densest_in_source};

/// From this size on a run is moved by itself; below it as an item.
const RUN_MIN_BYTES: i64 = 32;

/// The bytes of a lane of a register.
const LANE: i64 = 16;

/// The axis that is walked without a step.
pub(super) const ONCE: PlanAxis = PlanAxis { extent: 1, dst_stride: 0, src_stride: 0 };

/// Axes and kernel; blocks and threads are left to [`divide`](super::divide).
#[inline]
pub(super) fn choose(host: &mut HostPlan, plan: &CopyPlan) {
    match plan.kernel() {
        Kernel::Nothing => host.kernel = HostKernel::Nothing,
        Kernel::Contiguous => {}
        _ => choose_axes(host, plan),
    }
}

fn choose_axes(host: &mut HostPlan, plan: &CopyPlan) {
    let Some((q, rest)) = plan.axes().split_last() else { return };
    host.q = *q;
    let p = densest_in_source(rest, q);
    for (place, axis) in rest.iter().enumerate() {
        if Some(place) == p {
            host.p = *axis;
        } else {
            host.axes.push(*axis);
        }
    }
    walk_source_forwards(host);
    host.kernel = kernel_for(host);
    if is_short(host) && use_table(host) {
        host.kernel = HostKernel::Table;
    } else if host.p == ONCE {
        host.p = pop(&mut host.axes).unwrap_or(ONCE);
    }
}

#[inline]
fn pop(axes: &mut Axes) -> Option<PlanAxis> {
    let last = axes.last().copied();
    axes.truncate(axes.len().saturating_sub(1));
    last
}

/// Turns `p` round where the source goes backwards along it; the destination then does.
///
/// The same pairs of bytes: index `i` becomes `extent - 1 - i`.
fn walk_source_forwards(host: &mut HostPlan) {
    if host.p.src_stride < 0 {
        // Offsets of a plan fit, and so do their sums.
        let last = host.p.extent.wrapping_sub(1);
        host.dst_offset = host.dst_offset.wrapping_add(last.wrapping_mul(host.p.dst_stride));
        host.src_offset = host.src_offset.wrapping_add(last.wrapping_mul(host.p.src_stride));
        host.p.dst_stride = host.p.dst_stride.wrapping_neg();
        host.p.src_stride = host.p.src_stride.wrapping_neg();
    }
}

fn kernel_for(host: &HostPlan) -> HostKernel {
    let (w, p, q) = (host.run_bytes, &host.p, &host.q);
    if w >= RUN_MIN_BYTES {
        return HostKernel::Runs;
    }
    if q.dst_stride != w || !matches!(w, 1 | 2 | 4 | 8 | 16) {
        return HostKernel::Items;
    }
    let is_dense_p = p.src_stride == w;
    let apart = if q.src_stride % w == 0 { q.src_stride / w } else { 0 };
    let smallest = LANE / w;
    match apart {
        _ if q.src_stride == 0 => HostKernel::Fill,
        -1 => HostKernel::Reverse,
        2..=4 if w < LANE && (*p == ONCE || is_dense_p && p.extent <= apart) => {
            HostKernel::Deinterleave
        }
        _ if is_dense_p && w < LANE && is_interleaved(host) => HostKernel::Interleave,
        _ if is_dense_p && p.extent >= smallest && q.extent >= smallest => HostKernel::Tiles,
        _ => HostKernel::Items,
    }
}

/// Whether `q` is two to four items, and the destination goes on with the next item of `p`.
fn is_interleaved(host: &HostPlan) -> bool {
    let HostPlan { p, q, run_bytes, .. } = host;
    matches!(q.extent, 2..=4)
        && p.dst_stride == q.extent * run_bytes
        && p.extent >= LANE / run_bytes
}

/// Whether blocks are so small that getting to them takes longer than moving them.
fn is_short(host: &HostPlan) -> bool {
    let block_bytes = host.p.extent.saturating_mul(host.q.extent).saturating_mul(host.run_bytes);
    match host.kernel {
        HostKernel::Items => true,
        HostKernel::Tiles => block_bytes < 256,
        _ => false,
    }
}

/// Puts axes together that are one line in the destination; true iff that is worth it.
///
/// Law: the same pairs of bytes. `q` is the line, whose source offsets are those of `table`.
fn use_table(host: &mut HostPlan) -> bool {
    let w = host.run_bytes;
    let limit = i64::try_from(table::LENGTH).unwrap_or(i64::MAX);
    if host.q.dst_stride != w || host.q.extent * 2 > limit {
        return false;
    }
    let mut tabled = Axes::new();
    tabled.push(host.q);
    let mut items = host.q.extent;
    let mut rest = host.axes.clone();
    if host.p != ONCE {
        rest.push(host.p);
    }
    while let Some(place) = rest.iter().position(|axis| axis.dst_stride == items * w) {
        let fits = |axis: &PlanAxis| axis.extent <= limit / items;
        let Some(axis) = rest.get(place).copied().filter(fits) else { break };
        rest.remove(place);
        items *= axis.extent;
        tabled.insert(0, axis);
    }
    // A table is written once and used for each line.
    let lines = host.bytes / w / items;
    if tabled.len() < 2 || lines < 4 {
        return false;
    }
    rest.sort_by_key(|axis| std::cmp::Reverse(axis.src_stride.unsigned_abs()));
    host.q = PlanAxis { extent: items, dst_stride: w, src_stride: 0 };
    host.p = pop(&mut rest).unwrap_or(ONCE);
    host.tabled = tabled.len();
    rest.extend(tabled.iter().copied());
    host.axes = rest;
    true
}
