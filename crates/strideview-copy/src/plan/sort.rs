//! Step 4: walk the destination in the order of its addresses.
#![forbid(unsafe_code)]

use std::cmp::Reverse;

use super::axis::PlanAxis;

/// Sorts the axes by the size of the destination stride, largest first; where these are equal, by
/// that of the source stride; where these are equal too, axes stay in their order.
///
/// Law: the same pairs of bytes, in another order.
#[inline]
pub(super) fn sort(axes: &mut [PlanAxis]) {
    // Stable; in place and without allocation for 20 axes or fewer.
    axes.sort_by_key(|axis| {
        Reverse((axis.dst_stride.unsigned_abs(), axis.src_stride.unsigned_abs()))
    });
}
