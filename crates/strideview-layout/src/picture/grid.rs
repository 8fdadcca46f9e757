//! Which indices are drawn: planes of the last two axes, side by side along the axis before, one
//! below the other along the axis before that.

use alloc::vec::Vec;

use crate::{Dims, StridedLayout};

/// Indices of an axis that are told apart by colour.
const MOST_COLORED: i64 = 8;

/// Indices of an axis that are drawn inside a plane.
pub(super) fn most_inside(layout: &StridedLayout) -> i64 {
    if layout.rank() < 3 { 8 } else { 6 }
}

/// Planes side by side and one below the other.
const MOST_PLANES: [i64; 2] = [3, 4];

/// A place on an axis: an index, or `None` for those that are left out.
pub(super) type Entry = Option<i64>;

/// The indices that are drawn of each of the last four axes, from the outermost; an axis that the
/// layout lacks has one place.
pub(super) struct Grid {
    pub(super) drawn: [Vec<Entry>; 4],
    /// The number of the axis, if the layout has it.
    pub(super) axes: [Option<usize>; 4],
    rank: usize,
}

impl Grid {
    /// `most_across`: planes that have room side by side.
    pub(super) fn new(layout: &StridedLayout, most_across: i64) -> Self {
        let rank = layout.rank();
        let inside = most_inside(layout);
        let most = [MOST_PLANES[0], MOST_PLANES[1].min(most_across), inside, inside];
        let axes = [4, 3, 2, 1].map(|back| rank.checked_sub(back));
        let mut place = 0;
        let drawn = axes.map(|axis| {
            place += 1;
            axis.map_or(Vec::from([Some(0)]), |axis| entries(layout.shape()[axis], most[place - 1]))
        });
        Self { drawn, axes, rank }
    }

    /// The index at a place of each of the four axes; those before them are held at 0.
    pub(super) fn index(&self, at: [i64; 4]) -> Dims {
        let mut index = Dims::from_elem(0, self.rank);
        for (axis, value) in self.axes.iter().zip(at) {
            if let Some(axis) = axis {
                index[*axis] = value;
            }
        }
        index
    }
}

/// All indices of an axis, or the first ones and the last.
fn entries(extent: i64, most: i64) -> Vec<Entry> {
    if extent <= most {
        return (0..extent).map(Some).collect();
    }
    let first = (0..(most - 2).max(1)).map(Some);
    first.chain([None, Some(extent - 1)]).collect()
}

/// The place of an index in C order, and how many there are, with all indices of an axis from
/// [`MOST_COLORED`] on taken as one: so colours differ where a large layout is drawn.
pub(super) fn place(layout: &StridedLayout, index: &[i64]) -> (i64, i64) {
    let (mut place, mut count) = (0_i64, 1_i64);
    for (&extent, &entry) in layout.shape().iter().zip(index) {
        let extent = extent.min(MOST_COLORED);
        let (Some(places), Some(counts)) = (place.checked_mul(extent), count.checked_mul(extent))
        else {
            break;
        };
        (place, count) = (places + entry.min(extent - 1), counts);
    }
    (place, count)
}
