//! NumPy's flags, and what lies between the bounds.

use std::collections::BTreeSet;

use super::bounds;
use crate::PlainLayout;

/// Returns whether the offsets in C order are consecutive: NumPy's relaxed flag. True when empty.
pub fn is_c_contiguous(layout: &PlainLayout) -> bool {
    consecutive(&layout.offsets())
}

/// Returns whether the offsets in Fortran order are consecutive: NumPy's relaxed flag. True when empty.
pub fn is_f_contiguous(layout: &PlainLayout) -> bool {
    let axes: Vec<usize> = (0..layout.rank()).rev().collect();
    is_c_contiguous(&layout.axes(&axes))
}

/// Returns whether the offsets, sorted, are consecutive and start at index 0.
///
/// A sum of arithmetic progressions tiles an interval only when they nest, so this is the same as:
/// some order of the axes makes the layout C-contiguous.
pub fn is_packed_in_some_order(layout: &PlainLayout) -> bool {
    let mut offsets = layout.offsets();
    offsets.sort_unstable();
    let starts_at_zero = offsets.first().is_none_or(|&first| first == i128::from(layout.offset));
    starts_at_zero && consecutive(&offsets)
}

/// Returns whether every offset between the bounds is hit. True when empty.
pub fn is_exhaustive(layout: &PlainLayout) -> bool {
    let hit: BTreeSet<i128> = layout.offsets().into_iter().collect();
    let (low, high) = bounds(layout);
    i128::try_from(hit.len()).expect("a length fits") == high - low + 1
}

fn consecutive(offsets: &[i128]) -> bool {
    offsets.windows(2).all(|pair| pair[1] == pair[0] + 1)
}
