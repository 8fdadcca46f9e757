//! Which neighbouring axes are one axis.

use crate::PlainLayout;

/// Returns whether `inner` can be merged into `outer` (each an extent and a stride) keeping the map.
pub fn merges(outer: (i64, i64), inner: (i64, i64)) -> bool {
    let (extent, stride) = (i128::from(inner.0), i128::from(inner.1));
    outer.0 == 1 || inner.0 == 1 || i128::from(outer.1) == stride * extent
}

/// Returns the axes in groups that are one axis each: axis i joins the group left of it when `allowed(i)`
/// and the map is kept. In an empty layout every merge keeps the map.
pub fn groups(layout: &PlainLayout, allowed: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for axis in 0..layout.rank() {
        match groups.last_mut() {
            Some(group) if allowed(axis) && joins(layout, group, axis) => group.push(axis),
            _ => groups.push(vec![axis]),
        }
    }
    groups
}

/// Returns whether an axis can join the group of axes left of it.
fn joins(layout: &PlainLayout, group: &[usize], axis: usize) -> bool {
    let as_pair = |axis: usize| (layout.shape[axis], layout.strides[axis]);
    let innermost = group.iter().rev().find(|&&member| layout.shape[member] != 1);
    layout.is_empty() || innermost.is_none_or(|&member| merges(as_pair(member), as_pair(axis)))
}

/// Returns the mask of axes that can be merged into what lies left of them; bit 0 is never set.
///
/// ```
/// use strideview_testkit::{PlainLayout, oracle};
/// assert_eq!(oracle::axis_mask(&PlainLayout::new(&[2, 1, 3], &[3, 100, 1], 4, 0)), 0b110);
/// ```
pub fn axis_mask(layout: &PlainLayout) -> u64 {
    let groups = groups(layout, |_| true);
    let joined = groups.iter().flat_map(|group| &group[1..]);
    joined.fold(0, |mask, &axis| mask | 1 << axis)
}
