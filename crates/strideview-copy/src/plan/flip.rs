//! Step 3: walk the destination forwards.
#![forbid(unsafe_code)]

use super::axis::PlanAxis;
use crate::error::{CopyError, Quantity, Side};

/// Reverses, on both sides at once, each axis that goes backwards in the destination. Returns the
/// offsets of the element that is now the first: (destination, source).
///
/// Law: the same pairs of bytes, and no destination stride is negative. Index `i` of a flipped
/// axis is index `extent - 1 - i` of before.
#[inline]
pub(super) fn flip(axes: &mut [PlanAxis]) -> Result<(i64, i64), CopyError> {
    let (mut dst_offset, mut src_offset) = (0_i64, 0_i64);
    for axis in axes.iter_mut().filter(|axis| axis.dst_stride < 0) {
        let dst = reverse(&mut axis.dst_stride, axis.extent, dst_offset);
        dst_offset = dst.ok_or_else(|| overflow(Side::Destination))?;
        let src = reverse(&mut axis.src_stride, axis.extent, src_offset);
        src_offset = src.ok_or_else(|| overflow(Side::Source))?;
    }
    Ok((dst_offset, src_offset))
}

/// `offset` moved to the other end of the axis, whose stride changes its sign. None on overflow,
/// which law 2 of `check` excludes.
fn reverse(stride: &mut i64, extent: i64, offset: i64) -> Option<i64> {
    let reach = extent.checked_sub(1)?.checked_mul(*stride)?;
    *stride = stride.checked_neg()?;
    offset.checked_add(reach)
}

fn overflow(side: Side) -> CopyError {
    CopyError::Overflow { quantity: Quantity::Reach(side) }
}
