//! Step 2: drop axes that are not walked.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};

/// Appends the axes of extent 2 and more, in their order.
///
/// Law: the same pairs of bytes. An axis of extent 1 is never stepped along, so its strides, which
/// may be anything, carry no meaning.
#[inline]
pub(super) fn without_unit_axes(
    axes: &mut Axes,
    shape: &[i64],
    dst_strides: &[i64],
    src_strides: &[i64],
) {
    let strides = dst_strides.iter().zip(src_strides);
    for (&extent, (&dst_stride, &src_stride)) in shape.iter().zip(strides) {
        if extent != 1 {
            axes.push(PlanAxis { extent, dst_stride, src_stride });
        }
    }
}
