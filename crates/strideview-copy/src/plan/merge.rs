//! Step 5: neighbours that are one axis on both sides become one.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};

/// Merges every neighbour that can be.
///
/// Law: the same pairs of bytes in the same order, with fewer axes. Index `(i, j)` of two merged
/// axes is index `i · inner.extent + j` of the merged one.
#[inline]
pub(super) fn merge(axes: &mut Axes) {
    let mut kept = 0_usize; // the place of the last axis kept
    for place in 1..axes.len() {
        let (Some(&outer), Some(&inner)) = (axes.get(kept), axes.get(place)) else { return };
        let merged = one_axis(&outer, &inner);
        kept = if merged.is_some() { kept } else { kept.saturating_add(1) };
        if let Some(axis) = axes.get_mut(kept) {
            *axis = merged.unwrap_or(inner);
        }
    }
    axes.truncate(kept.saturating_add(1));
}

/// The two as one axis, if stepping along `outer` once is, on both sides, the same as walking along
/// the whole of `inner`.
fn one_axis(outer: &PlanAxis, inner: &PlanAxis) -> Option<PlanAxis> {
    // None where the product does not fit: then it equals no stride.
    let whole = |stride: i64| inner.extent.checked_mul(stride);
    let is_one = whole(inner.dst_stride)? == outer.dst_stride
        && whole(inner.src_stride)? == outer.src_stride;
    let extent = outer.extent.checked_mul(inner.extent)?;
    is_one.then_some(PlanAxis { extent, ..*inner })
}
