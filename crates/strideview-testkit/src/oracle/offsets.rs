//! Questions about the list of offsets.

use std::collections::HashSet;

use crate::{PlainLayout, index};

/// Returns whether no two indices share an offset.
///
/// ```
/// use strideview_testkit::{PlainLayout, oracle};
/// assert!(oracle::is_unique(&PlainLayout::new(&[2, 3], &[3, 2], 1, 0)));
/// assert!(!oracle::is_unique(&PlainLayout::new(&[3, 4], &[3, 2], 1, 0)));
/// ```
pub fn is_unique(layout: &PlainLayout) -> bool {
    let mut seen = HashSet::new();
    layout.offsets().into_iter().all(|offset| seen.insert(offset))
}

/// Returns the lowest and the highest offset; (0, -1) when there is none.
pub fn bounds(layout: &PlainLayout) -> (i128, i128) {
    let offsets = layout.offsets();
    match (offsets.iter().min(), offsets.iter().max()) {
        (Some(&low), Some(&high)) => (low, high),
        _ => (0, -1),
    }
}

/// Returns the first index in C order with this offset.
pub fn index_of(layout: &PlainLayout, offset: i128) -> Option<Vec<i64>> {
    index::indices(&layout.shape).find(|index| layout.offset_at(index) == offset)
}
