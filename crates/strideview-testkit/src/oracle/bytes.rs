//! Which bytes a layout touches.

use std::collections::HashSet;

use crate::PlainLayout;

/// Returns the byte offsets of all elements' bytes, in C order of the index.
pub fn bytes_in_order(layout: &PlainLayout) -> Vec<i128> {
    let itemsize = i128::from(layout.itemsize);
    let elements = layout.offsets().into_iter();
    elements.flat_map(|offset| (0..itemsize).map(move |byte| offset * itemsize + byte)).collect()
}

/// Returns the set of byte addresses of a layout whose element 0 lies at `address`.
pub fn byte_set(layout: &PlainLayout, address: u64) -> HashSet<i128> {
    bytes_in_order(layout).into_iter().map(|byte| i128::from(address) + byte).collect()
}

/// Returns whether two layouts at these byte addresses share a byte.
pub fn overlap(one: &PlainLayout, address: u64, other: &PlainLayout, other_address: u64) -> bool {
    !byte_set(one, address).is_disjoint(&byte_set(other, other_address))
}

/// Returns the maximal runs of consecutive bytes met when walking in C order, as (offset, length).
///
/// ```
/// use strideview_testkit::{PlainLayout, oracle};
/// let layout = PlainLayout::new(&[2, 2], &[3, 1], 4, 0);
/// assert_eq!(oracle::runs(&layout), [(0, 8), (12, 8)]);
/// ```
pub fn runs(layout: &PlainLayout) -> Vec<(i128, i128)> {
    let itemsize = i128::from(layout.itemsize);
    let mut runs: Vec<(i128, i128)> = Vec::new();
    for offset in layout.offsets() {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == offset * itemsize => *length += itemsize,
            _ => runs.push((offset * itemsize, itemsize)),
        }
    }
    runs
}
