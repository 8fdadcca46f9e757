//! Step 7: put the axis along which the source is densest next to the innermost.
//!
//! The innermost axis is the densest in the destination. Walking a block of the two together uses
//! every cache line that it touches on both sides, which walking either axis alone does not.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};

/// Moves the axis with the smallest source stride to the place before the innermost, unless the
/// innermost itself is as dense. True iff the two innermost axes are then transposed to each
/// other: the outer one of them is the denser in the source.
///
/// Law: the same pairs of bytes, in another order.
#[inline]
pub(super) fn pair(axes: &mut Axes) -> bool {
    let Some((innermost, others)) = axes.split_last() else { return false };
    let Some(position) = densest_in_source(others, innermost) else { return false };
    // Moves the axis at `position` past all others but the innermost.
    let last = axes.len().saturating_sub(1);
    if let Some(between) = axes.get_mut(position..last) {
        between.rotate_left(1);
    }
    true
}

/// The place of the axis along which the source is denser than along the innermost one, and densest;
/// None where it is as dense along that.
#[inline]
pub(crate) fn densest_in_source(others: &[PlanAxis], innermost: &PlanAxis) -> Option<usize> {
    let step = |axis: &PlanAxis| axis.src_stride.unsigned_abs();
    let denser = |axis: &PlanAxis| step(axis) != 0 && step(axis) < step(innermost);
    let candidates = others.iter().enumerate().filter(|(_, axis)| denser(axis));
    candidates.min_by_key(|(_, axis)| step(axis)).map(|(place, _)| place)
}
