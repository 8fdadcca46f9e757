//! In which order the other axes are walked around blocks.
#![forbid(unsafe_code)]

use super::host_plan::HostPlan;
use super::kernel::HostKernel;
use crate::plan::{Axes, PlanAxis};

/// The bytes that are wanted in a row on either side before the walk goes elsewhere: some cache
/// lines, as memory and its translation are fetched in larger pieces.
const ROW: i64 = 1024;

/// Puts the axes along which either side goes on where a block ends innermost, in pieces, so that
/// both sides are walked in rows.
///
/// Law: the same pairs of bytes, in another order.
pub(super) fn order(host: &mut HostPlan) {
    if host.axes.len() < 2 || !matches!(host.kernel, HostKernel::Tiles | HostKernel::Runs) {
        return;
    }
    let (w, p, q) = (host.run_bytes, host.p, host.q);
    // A side that lies together for long needs no neighbours.
    let source_row = if p.src_stride == w { p.extent * w } else { w };
    let target_row = if q.dst_stride == w { q.extent * w } else { w };
    let source = (source_row < ROW).then(|| densest(&host.axes, |axis| axis.src_stride)).flatten();
    let target = (target_row < ROW).then(|| densest(&host.axes, |axis| axis.dst_stride)).flatten();
    let mut inner = Axes::new();
    // Further out stands what is further in now.
    if let Some(place) = target.filter(|_| target != source) {
        inner.push(piece(&mut host.axes, place, ROW / target_row));
    }
    if let Some(place) = source {
        inner.insert(0, piece(&mut host.axes, place, ROW / source_row));
    }
    host.axes.extend(inner.iter().copied().filter(|axis| axis.extent > 1));
}

/// The place of the axis with the smallest stride that is not 0.
fn densest(axes: &Axes, stride: impl Fn(&PlanAxis) -> i64) -> Option<usize> {
    let moving = axes.iter().enumerate().filter(|(_, axis)| stride(axis) != 0);
    moving.min_by_key(|(_, axis)| stride(axis).unsigned_abs()).map(|(place, _)| place)
}

/// Takes pieces of at most `most` steps out of an axis, which then counts the pieces.
fn piece(axes: &mut Axes, place: usize, most: i64) -> PlanAxis {
    let Some(axis) = axes.get_mut(place) else {
        return PlanAxis { extent: 1, ..PlanAxis::default() };
    };
    let most = most.clamp(1, axis.extent);
    let steps = (1..=most).rev().find(|steps| axis.extent % steps == 0).unwrap_or(1);
    let inner = PlanAxis { extent: steps, ..*axis };
    axis.extent /= steps;
    axis.dst_stride = axis.dst_stride.wrapping_mul(steps);
    axis.src_stride = axis.src_stride.wrapping_mul(steps);
    inner
}
