//! Planning copies from pixels to planes and back: see `kernels/interleave.cu`.
#![forbid(unsafe_code)]

use super::geometry::{Cut, Order, alignment, outer};
use super::job::{InterleaveJob, THREADS};
use super::kernel::Kernel;
use super::problem::Problem;

/// Vectors of each plane that a thread moves in a tile.
const GROUPS: i64 = 2;
/// Fewer pixels are not worth it.
const LEAST_PIXELS: i64 = 64;

/// A plan where `p`, dense in the source, and `q`, dense in the destination, are pixels and their few
/// items, in either order; None where they are not.
pub(super) fn plan(problem: &Problem<'_>, p: usize, q: usize) -> Option<(InterleaveJob, Kernel)> {
    let (axes, item) = (problem.axes, problem.item);
    let (in_source, in_destination) = (axes[p], axes[q]);
    if item > 8 || in_source.src_stride != item || in_destination.dst_stride != item {
        return None;
    }
    let is_few = |extent: i64| (2..=4).contains(&extent);
    let is_split = is_few(in_source.extent) && in_destination.src_stride == in_source.extent * item;
    let is_join =
        is_few(in_destination.extent) && in_source.dst_stride == in_destination.extent * item;
    let (pixels, planes, plane, kernels) = if is_split {
        (q, p, in_source.dst_stride, &SPLIT)
    } else if is_join {
        (p, q, in_destination.src_stride, &JOIN)
    } else {
        return None;
    };
    let others = axes.iter().enumerate().filter(|(axis, _)| *axis != pixels && *axis != planes);
    let strides = others.flat_map(|(_, axis)| [axis.dst_stride, axis.src_stride]);
    let ends = [plane, problem.dst_alignment, problem.src_alignment];
    if alignment(strides.chain(ends)) != 16 || axes[pixels].extent < LEAST_PIXELS {
        return None;
    }
    let tile = i64::from(THREADS) * GROUPS * 16 / item;
    let mut cuts = vec![Cut { axis: axes[pixels], tile, edge: 0, is_marked: false, beyond: 0 }];
    let rest = axes.iter().enumerate().filter(|(axis, _)| *axis != pixels && *axis != planes);
    cuts.extend(rest.map(|(_, axis)| Cut {
        axis: *axis,
        tile: 1,
        edge: 0,
        is_marked: false,
        beyond: 0,
    }));
    cuts[1..].sort_by_key(|cut| cut.axis.dst_stride);
    let along = cuts[0].tiles() > 1;
    let (outer, outer_count, tiles) = outer(&mut cuts, Order::Listed)?;
    let job = InterleaveJob {
        plane,
        pixels: axes[pixels].extent.unsigned_abs(),
        tiles,
        outer_count,
        along: along.into(),
        outer,
        ..InterleaveJob::default()
    };
    let few = usize::try_from(axes[planes].extent - 2).ok()?;
    Some((job, *kernels.get(item.trailing_zeros() as usize)?.get(few)?))
}

/// By item size and number of planes.
const SPLIT: [[Kernel; 3]; 4] = [
    [Kernel::Split12, Kernel::Split13, Kernel::Split14],
    [Kernel::Split22, Kernel::Split23, Kernel::Split24],
    [Kernel::Split42, Kernel::Split43, Kernel::Split44],
    [Kernel::Split82, Kernel::Split83, Kernel::Split84],
];
const JOIN: [[Kernel; 3]; 4] = [
    [Kernel::Join12, Kernel::Join13, Kernel::Join14],
    [Kernel::Join22, Kernel::Join23, Kernel::Join24],
    [Kernel::Join42, Kernel::Join43, Kernel::Join44],
    [Kernel::Join82, Kernel::Join83, Kernel::Join84],
];
