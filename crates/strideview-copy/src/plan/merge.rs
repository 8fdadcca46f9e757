//! Step 5: neighbours that are one axis on both sides become one.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};

/// The axes with every neighbour merged that can be.
///
/// Law: the same pairs of bytes in the same order, with fewer axes. Index `(i, j)` of two merged
/// axes is index `i · inner.extent + j` of the merged one.
pub(super) fn merge(axes: &Axes) -> Axes {
    let mut merged = Axes::new();
    for inner in axes {
        match merged.last_mut().and_then(|outer| Some((one_axis(outer, inner)?, outer))) {
            Some((axis, outer)) => *outer = axis,
            None => merged.push(*inner),
        }
    }
    merged
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
