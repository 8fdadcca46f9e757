//! Step 2: drop axes that are not walked.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};

/// The axes of extent 2 and more, in their order.
///
/// Law: the same pairs of bytes. An axis of extent 1 is never stepped along, so its strides, which
/// may be anything, carry no meaning.
pub(super) fn without_unit_axes(shape: &[i64], dst_strides: &[i64], src_strides: &[i64]) -> Axes {
    let strides = dst_strides.iter().zip(src_strides);
    shape
        .iter()
        .zip(strides)
        .filter(|(extent, _)| **extent != 1)
        .map(|(&extent, (&dst_stride, &src_stride))| PlanAxis { extent, dst_stride, src_stride })
        .collect()
}
