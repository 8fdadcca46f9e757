//! Planning copies in boxes of vectors: see `kernels/direct.cu`.
#![forbid(unsafe_code)]

use strideview_copy::PlanAxis;

use super::divisor::Divisor;
use super::geometry::{Cut, Order, alignment, outer};
use super::job::{BoxAxis, DirectJob, MOST_INNER, THREADS};
use super::kernel::Kernel;
use super::problem::Problem;

/// Runs of this many bytes are moved in vectors of 16 bytes whatever their alignment.
const RUN_TO_SHIFT: i64 = 96;

/// Copies of runs that both sides have: along the run vectors of the widest alignment.
pub(super) fn runs(problem: &Problem<'_>, run_bytes: i64) -> Option<(DirectJob, Kernel)> {
    if problem.item < 16 && run_bytes >= RUN_TO_SHIFT {
        return shifted(problem, run_bytes);
    }
    let item = problem.item;
    let run = PlanAxis { extent: run_bytes / item, dst_stride: item, src_stride: item };
    plan(problem, run, None, item, same(item))
}

fn same(item: i64) -> (Kernel, u32) {
    match item {
        1 => (Kernel::Direct1, 8),
        2 => (Kernel::Direct2, 8),
        4 => (Kernel::Direct4, 8),
        8 => (Kernel::Direct8, 8),
        _ => (Kernel::Direct16, 4),
    }
}

fn shifted(problem: &Problem<'_>, run_bytes: i64) -> Option<(DirectJob, Kernel)> {
    // As many as the least aligned run touches.
    let chunks = (run_bytes.checked_add(127 + 15)?) / 16;
    let kernel = if problem.item >= 4 { Kernel::ShiftedWords } else { Kernel::Shifted };
    let run = PlanAxis { extent: chunks, dst_stride: 16, src_stride: 16 };
    let (job, kernel) = plan(problem, run, None, 16, (kernel, 4))?;
    let (mut first_byte, mut last_byte) = (0_i64, 0_i64);
    for axis in job.inner.iter().take(job.axes as usize) {
        let reach = axis.src.checked_mul(i64::from(axis.extent.value))?;
        first_byte = first_byte.checked_add(reach.min(0))?;
        last_byte = last_byte.checked_add(reach.max(0))?;
    }
    Some((DirectJob { run_bytes, first_byte, last_byte, ..job }, kernel))
}

/// Copies along the axis that is densest in the destination, one item after the other or in vectors
/// made of several: the same item again, items in the opposite order, items that lie apart.
pub(super) fn items(problem: &Problem<'_>, inner: usize) -> Option<(DirectJob, Kernel)> {
    let (axis, item) = (problem.axes[inner], problem.item);
    let others = || problem.axes.iter().enumerate().filter(move |(other, _)| *other != inner);
    let dst = others().map(|(_, axis)| axis.dst_stride).chain([problem.dst_alignment]);
    let is_vector = item < 16
        && axis.dst_stride == item
        && axis.extent.checked_mul(item)? % 16 == 0
        && alignment(dst) == 16;
    if !is_vector {
        return plan(problem, axis, Some(inner), item, same(item));
    }
    // Read backwards, vectors end with the first item.
    let src = others().map(|(_, axis)| axis.src_stride).chain([problem.reversed_start]);
    let vector = PlanAxis {
        extent: axis.extent * item / 16,
        dst_stride: 16,
        src_stride: axis.src_stride.checked_mul(16 / item)?,
    };
    let kernels = match axis.src_stride {
        0 => [Kernel::Splat1, Kernel::Splat2, Kernel::Splat4, Kernel::Splat8],
        stride if stride == -item && alignment(src) == 16 => {
            [Kernel::Reversed1, Kernel::Reversed2, Kernel::Reversed4, Kernel::Reversed8]
        }
        _ => [Kernel::Spread1, Kernel::Spread2, Kernel::Spread4, Kernel::Spread8],
    };
    let kernel = kernels[item.trailing_zeros() as usize];
    let count = if matches!(kernel, Kernel::Spread1 | Kernel::Spread2) { 2 } else { 4 };
    let (job, kernel) = plan(problem, vector, Some(inner), 16, (kernel, count))?;
    Some((DirectJob { item_stride: axis.src_stride, ..job }, kernel))
}

/// A box of vectors along `vectors`, which stands for the axis `inner` of the problem if there is one,
/// and along other axes.
fn plan(
    problem: &Problem<'_>,
    vectors: PlanAxis,
    inner: Option<usize>,
    bytes: i64,
    (kernel, per_thread): (Kernel, u32),
) -> Option<(DirectJob, Kernel)> {
    let mut cuts = Vec::with_capacity(problem.axes.len() + 1);
    cuts.push(Cut { axis: vectors, tile: 1, edge: 0, is_marked: false, beyond: 0 });
    for (position, axis) in problem.axes.iter().enumerate() {
        if Some(position) != inner {
            cuts.push(Cut { axis: *axis, tile: 1, edge: 0, is_marked: false, beyond: 0 });
        }
    }
    fill(&mut cuts, bytes, i64::from(per_thread * THREADS));
    // The box, in the order of the destination.
    let mut chosen: Vec<usize> =
        (1..cuts.len()).filter(|position| cuts[*position].tile > 1).collect();
    chosen.sort_by_key(|position| cuts[*position].axis.dst_stride);
    let mut boxed = [BoxAxis::default(); MOST_INNER];
    let mut count = 1_u32;
    let mut in_box = 1_i64;
    for (slot, position) in std::iter::once(0).chain(chosen).enumerate() {
        let cut = &mut cuts[position];
        cut.edge = slot as u32 + 1;
        *boxed.get_mut(slot)? = BoxAxis {
            extent: Divisor::new(u32::try_from(cut.tile).ok()?),
            last: u32::try_from(cut.last()).ok()?,
            dst: cut.axis.dst_stride,
            src: cut.axis.src_stride,
        };
        in_box *= cut.tile;
        count = cut.edge;
    }
    let is_along_run = cuts[0].tiles() > 1;
    // The run first, since `along_run` counts on it.
    let order = if matches!(kernel, Kernel::Shifted | Kernel::ShiftedWords) {
        Order::Listed
    } else {
        Order::Destination
    };
    if order == Order::Listed {
        cuts[1..].sort_by_key(|cut| cut.axis.dst_stride.wrapping_mul(cut.tile));
    }
    let (outer, outer_count, tiles) = outer(&mut cuts, order)?;
    let job = DirectJob {
        tiles,
        outer_count,
        vectors: u32::try_from(in_box).ok()?,
        axes: count,
        along_run: is_along_run.into(),
        inner: boxed,
        outer,
        ..DirectJob::default()
    };
    Some((job, kernel))
}

/// Chooses how much of each axis a box takes, `most` vectors in all: along the vectors first; where
/// these are few, along the axes that are densest on either side.
fn fill(cuts: &mut [Cut], bytes: i64, most: i64) {
    // An axis that is read again and again: then what was read is at hand.
    let again = cuts.iter().skip(1).position(|cut| cut.axis.src_stride == 0).map(|at| at + 1);
    let repeats = again.map_or(1, |at| cuts[at].axis.extent.min(8));
    cuts[0].tile = cuts[0].axis.extent.min(most / repeats);
    let mut room = most / cuts[0].tile;
    if let Some(at) = again {
        cuts[at].tile = cuts[at].axis.extent.min(room);
        room /= cuts[at].tile;
    }
    let is_free = |cut: &Cut| cut.tile == 1 && cut.axis.src_stride != 0;
    let densest = |cuts: &[Cut], key: &dyn Fn(&Cut) -> u64| {
        let free = cuts.iter().enumerate().skip(1).filter(|(_, cut)| is_free(cut));
        free.min_by_key(|(_, cut)| key(cut)).map(|(at, _)| at)
    };
    let in_source = |cut: &Cut| cut.axis.src_stride.unsigned_abs();
    let in_destination = |cut: &Cut| cut.axis.dst_stride.unsigned_abs();
    // Two rounds: the densest of either side, then the next, up to the axes of a box.
    for _ in 0..2 {
        if room < 2 || cuts.iter().filter(|cut| cut.tile > 1).count() + 2 > MOST_INNER {
            return;
        }
        let Some(of_source) = densest(cuts, &in_source) else { return };
        let Some(of_destination) = densest(cuts, &in_destination) else { return };
        // Enough for whole lines of the one that is not shared, the rest for the other.
        let line = (512 / (cuts[0].tile * bytes)).clamp(1, room);
        if of_source != of_destination {
            let part = (line.max(integer_root(room))).min(room);
            cuts[of_source].tile = cuts[of_source].axis.extent.min(part);
            room /= cuts[of_source].tile;
        }
        cuts[of_destination].tile = cuts[of_destination].axis.extent.min(room);
        room /= cuts[of_destination].tile;
    }
}

/// The largest power of two whose square is not above `value`.
fn integer_root(value: i64) -> i64 {
    1 << ((63 - value.max(1).leading_zeros()) / 2)
}
