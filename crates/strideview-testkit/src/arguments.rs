//! Arguments of operations, good ones and bad ones.
//!
//! A bad argument list has one fault, so that the kind of the error is known.

use crate::generated::ITEMSIZES;
use crate::{PlainLayout, PlainSlice, Random, index};

/// Returns an axis in range, half of the time counted from the end; 0 for rank 0.
pub fn axis(random: &mut Random, rank: usize) -> i64 {
    if rank == 0 {
        return 0;
    }
    let rank = small(rank);
    random.between(-rank, rank - 1)
}

/// Returns an axis out of range, near or far.
pub fn bad_axis(random: &mut Random, rank: usize) -> i64 {
    let rank = small(rank);
    random.pick(&[rank, -rank - 1, rank + 7, i64::MAX, i64::MIN])
}

/// Returns an axis in range three times in four.
pub fn any_axis(random: &mut Random, rank: usize) -> i64 {
    if random.once_in(4) { bad_axis(random, rank) } else { axis(random, rank) }
}

/// Returns all axes in some order, some counted from the end.
pub fn permutation(random: &mut Random, rank: usize) -> Vec<i64> {
    let axes = random.shuffled((0..small(rank)).collect());
    axes.into_iter().map(|axis| if random.once_in(3) { axis - small(rank) } else { axis }).collect()
}

/// Returns some different axes in some order.
pub fn distinct_axes(random: &mut Random, rank: usize) -> Vec<i64> {
    let mut axes = permutation(random, rank);
    axes.truncate(random.below(rank + 1));
    axes
}

/// Returns the axes with one fault: one more, one given twice, or one out of range.
pub fn spoiled(random: &mut Random, axes: Vec<i64>, rank: usize) -> Vec<i64> {
    let mut axes = axes;
    if axes.len() < 2 || random.once_in(3) {
        axes.push(bad_axis(random, rank));
    } else if random.once_in(2) {
        let (from, to) = (random.below(axes.len()), random.below(axes.len()));
        axes[to] = axes[from];
    } else {
        let at = random.below(axes.len());
        axes[at] = bad_axis(random, rank);
    }
    axes
}

/// Returns a shape to reshape to: mostly of the same volume, sometimes with a -1, sometimes wrong.
pub fn reshape_target(random: &mut Random, shape: &[i64]) -> Vec<i64> {
    let mut target = refactored(random, shape);
    if random.once_in(4) && !target.is_empty() {
        let at = random.below(target.len());
        target[at] = -1;
    }
    if random.once_in(10) {
        let wrong = random.pick(&[2, 0, -1, -2, 7, i64::MAX, i64::MIN]);
        target.insert(random.below(target.len() + 1), wrong);
    }
    target
}

/// Returns a shape of the same volume: axes merged, split, units put in and taken out.
fn refactored(random: &mut Random, shape: &[i64]) -> Vec<i64> {
    let mut target = shape.to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(target.len() + 1);
        match random.below(4) {
            0 => target.insert(at, 1),
            1 => target.retain(|&extent| extent != 1),
            2 if at + 1 < target.len() => merge_at(&mut target, at),
            _ if at < target.len() => split_at(random, &mut target, at),
            _ => {}
        }
    }
    target
}

fn merge_at(target: &mut Vec<i64>, at: usize) {
    if let Some(product) = target[at].checked_mul(target[at + 1]) {
        target[at] = product;
        target.remove(at + 1);
    }
}

fn split_at(random: &mut Random, target: &mut Vec<i64>, at: usize) {
    let inner = random.between(1, 6);
    if target[at] % inner == 0 {
        target[at] /= inner;
        target.insert(at + 1, inner);
    }
}

/// Returns a shape to broadcast to; wrong one time in four.
pub fn broadcast_target(random: &mut Random, shape: &[i64]) -> Vec<i64> {
    let mut target = shape.to_vec();
    for extent in &mut target {
        if *extent == 1 && random.once_in(2) {
            *extent = random.between(0, 4);
        }
    }
    let added: Vec<i64> = (0..random.below(3)).map(|_| random.between(0, 3)).collect();
    target.splice(0..0, added);
    if random.once_in(4) && !target.is_empty() {
        let at = random.below(target.len());
        target[at] = random.pick(&[7, -1, 0, 2, i64::MAX, i64::MIN]);
    }
    target
}

/// Returns an index expression for this shape, mostly in range.
pub fn slices(random: &mut Random, shape: &[i64]) -> Vec<PlainSlice> {
    let covered = random.below(shape.len() + 1);
    let mut items: Vec<PlainSlice> =
        shape[..covered].iter().map(|&extent| slice(random, extent)).collect();
    if random.once_in(4) {
        items.insert(random.below(items.len() + 1), PlainSlice::NewAxis);
    }
    if random.once_in(4) {
        items.insert(random.below(items.len() + 1), PlainSlice::Ellipsis);
    }
    if random.once_in(12) {
        let wrong = [PlainSlice::Ellipsis, PlainSlice::Index(0), PlainSlice::Index(i64::MIN)];
        items.push(random.pick(&wrong));
    }
    items
}

fn slice(random: &mut Random, extent: i64) -> PlainSlice {
    if extent > 0 && random.once_in(3) {
        return PlainSlice::Index(random.between(-extent, extent - 1));
    }
    let step = match random.below(8) {
        0 => random.pick(&[0, i64::MAX, i64::MIN, 1 << 62]),
        1..=4 => random.pick(&[1, -1]),
        _ => random.between(-4, 4),
    };
    PlainSlice::Range(slice_bound(random), slice_bound(random), step)
}

fn slice_bound(random: &mut Random) -> Option<i64> {
    match random.below(6) {
        0..=1 => None,
        2 => Some(random.edge()),
        _ => Some(random.between(-7, 7)),
    }
}

/// Arguments of `repacked`.
#[derive(Clone, Copy, Debug)]
pub struct Repack {
    /// The wanted item size.
    pub itemsize: i64,
    /// The address of the first byte.
    pub data_ptr: u64,
    /// The axis to pack.
    pub axis: i64,
    /// Whether an axis packed to extent 1 is kept.
    pub keep_dim: bool,
}

/// Returns arguments of `repacked`, the axis in range.
pub fn repack(random: &mut Random, layout: &PlainLayout) -> Repack {
    let related = [2, 3, 4].map(|factor| layout.itemsize.saturating_mul(factor));
    let itemsize = match random.below(4) {
        0 => random.pick(&ITEMSIZES),
        1 => layout.itemsize / random.between(1, 4),
        2 => random.pick(&[0, -1, i64::MAX, i64::MIN, 5]),
        _ => random.pick(&related),
    };
    let data_ptr = random.pick(&[0, 0, 0, 256, 2, 12, 1, u64::MAX, 1 << 63]);
    let axis = axis(random, layout.rank());
    Repack { itemsize, data_ptr, axis, keep_dim: random.once_in(2) }
}

/// Returns a start, an end and perhaps a mask for `flattened`; the range is mostly good.
pub fn flatten_range(random: &mut Random, rank: usize) -> (i64, i64, Option<u64>) {
    let mask = if random.once_in(2) { None } else { Some(random.bits() | random.bits()) };
    match random.below(4) {
        0 => (0, -1, mask),
        1 => (any_axis(random, rank), any_axis(random, rank), mask),
        _ => {
            let (one, other) = (random.below(rank.max(1)), random.below(rank.max(1)));
            (small(one.min(other)), small(one.max(other)), mask)
        }
    }
}

/// Returns a size or step for an axis of this extent, mostly sensible.
pub fn amount(random: &mut Random, extent: i64) -> i64 {
    match random.below(8) {
        0 => random.pick(&[0, -1, i64::MIN, i64::MAX]),
        1 => extent.saturating_add(1),
        _ => random.between(1, extent.clamp(1, 6)),
    }
}

/// Returns an offset of a diagonal, mostly near the main one.
pub fn diagonal_offset(random: &mut Random) -> i64 {
    if random.once_in(8) { random.edge() } else { random.between(-5, 5) }
}

/// Returns an index of the layout, or None when it is empty.
pub fn index_in(random: &mut Random, layout: &PlainLayout) -> Option<Vec<i64>> {
    let indices = layout.shape.iter();
    (!layout.is_empty()).then(|| indices.map(|&extent| random.between(0, extent - 1)).collect())
}

fn small(count: usize) -> i64 {
    index::narrow(i128::try_from(count).expect("a count fits"))
}
