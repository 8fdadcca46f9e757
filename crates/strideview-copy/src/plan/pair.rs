//! Step 7: put the axis along which the source is densest next to the innermost.
//!
//! The innermost axis is the densest in the destination. Walking a block of the two together uses
//! every cache line that it touches on both sides, which walking either axis alone does not.
#![forbid(unsafe_code)]

use super::axis::Axes;

/// Moves the axis with the smallest source stride to the place before the innermost, unless the
/// innermost itself is as dense. True iff the two innermost axes are then transposed to each
/// other: the outer one of them is the denser in the source.
///
/// Law: the same pairs of bytes, in another order.
#[inline]
pub(super) fn pair(axes: &mut Axes) -> bool {
    let Some((innermost, others)) = axes.split_last() else { return false };
    let step = innermost.src_stride.unsigned_abs();
    let densest = others
        .iter()
        .map(|axis| axis.src_stride.unsigned_abs())
        .enumerate()
        .filter(|(_, stride)| *stride != 0 && *stride < step)
        .min_by_key(|(_, stride)| *stride);
    let Some((position, _)) = densest else { return false };
    // Moves the axis at `position` past all others but the innermost.
    let last = axes.len().saturating_sub(1);
    if let Some(between) = axes.get_mut(position..last) {
        between.rotate_left(1);
    }
    true
}
