//! The rules of viewing the same bytes with another item size.

use crate::PlainLayout;

/// Returns whether `repacked(itemsize, data_ptr, axis)` must succeed. The axis is in range.
///
/// ```
/// use strideview_testkit::{PlainLayout, oracle};
/// let layout = PlainLayout::new(&[4], &[1], 4, 0);
/// assert!(oracle::may_repack(&layout, 8, 0, 0));
/// assert!(!oracle::may_repack(&layout, 5, 0, 0));
/// ```
pub fn may_repack(layout: &PlainLayout, itemsize: i64, data_ptr: u64, axis: usize) -> bool {
    if itemsize == layout.itemsize {
        return true;
    }
    if itemsize < 1 || layout.is_empty() {
        return false;
    }
    let walks_bytes = layout.shape[axis] == 1 || layout.strides[axis] == 1;
    if itemsize < layout.itemsize {
        return walks_bytes && layout.itemsize % itemsize == 0;
    }
    walks_bytes && itemsize % layout.itemsize == 0 && may_pack(layout, itemsize, data_ptr, axis)
}

/// Returns whether everything that packing divides is divisible.
fn may_pack(layout: &PlainLayout, itemsize: i64, data_ptr: u64, axis: usize) -> bool {
    let factor = itemsize / layout.itemsize;
    let others = (0..layout.rank()).filter(|&other| other != axis && layout.shape[other] != 1);
    let mut divided = vec![layout.shape[axis], layout.offset];
    divided.extend(others.map(|other| layout.strides[other]));
    divided.into_iter().all(|value| value % factor == 0)
        && i128::from(data_ptr) % i128::from(itemsize) == 0
}

/// Returns the largest multiple of the item size that divides `largest` and that repacking takes,
/// otherwise the item size. Tries every number.
pub fn max_compatible_itemsize(
    layout: &PlainLayout,
    largest: i64,
    data_ptr: u64,
    axis: usize,
) -> i64 {
    let fits = |&wide: &i64| {
        wide % layout.itemsize == 0
            && largest % wide == 0
            && may_repack(layout, wide, data_ptr, axis)
    };
    (layout.itemsize..=largest).rev().find(fits).unwrap_or(layout.itemsize)
}
