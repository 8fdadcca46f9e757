//! Integer arithmetic on extents, strides and offsets: an overflow is an error, never a wrap.

use crate::{LayoutError, Quantity, Result};

/// `value` as an `i64`, or an overflow of `quantity`.
#[inline]
pub(crate) fn narrow(value: i128, quantity: Quantity) -> Result<i64> {
    match i64::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => Err(LayoutError::Overflow { quantity, value }),
    }
}

/// The exact product of two `i64`; it always fits in an `i128`.
#[inline]
pub(crate) fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// The product of extents as an `i128`, saturating; 0 when any is 0, whatever the order.
pub(crate) fn saturating_volume(shape: &[i64]) -> i128 {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().fold(1_i128, |volume, &extent| volume.saturating_mul(i128::from(extent)))
}

/// The product of extents, 0 when any is 0, whatever the order.
#[inline]
pub(crate) fn volume(shape: &[i64]) -> Result<i64> {
    let mut volume = 1_i64;
    let mut any_zero = false;
    let mut overflowed = false;
    for &extent in shape {
        any_zero |= extent == 0;
        let (next, wrapped) = volume.overflowing_mul(extent);
        overflowed |= wrapped;
        volume = next;
    }
    if any_zero {
        return Ok(0);
    }
    if overflowed {
        return narrow(saturating_volume(shape), Quantity::Volume);
    }
    Ok(volume)
}

/// A stride that carries no meaning, kept when its byte value fits in `i64`, otherwise 0.
#[inline]
pub(crate) fn meaningless_stride(stride: i128, itemsize: i64) -> i64 {
    let Ok(stride) = i64::try_from(stride) else {
        return 0;
    };
    if stride.checked_mul(itemsize).is_some() { stride } else { 0 }
}

/// The stride of an axis of this extent in a layout with elements: checked where it matters, and
/// as [`meaningless_stride`] where it does not.
#[inline]
pub(crate) fn stride_of(extent: i64, stride: i128, itemsize: i64) -> Result<i64> {
    let fits = i64::try_from(stride).is_ok_and(|stride| stride.checked_mul(itemsize).is_some());
    if fits {
        return Ok(stride as i64);
    }
    if extent <= 1 {
        return Ok(0);
    }
    Err(unfit_stride(stride, itemsize))
}

/// What to say of a stride that does not fit, in elements or in bytes.
#[cold]
pub(crate) fn unfit_stride(stride: i128, itemsize: i64) -> LayoutError {
    if i64::try_from(stride).is_err() {
        return LayoutError::Overflow { quantity: Quantity::Stride, value: stride };
    }
    let value = stride * i128::from(itemsize);
    LayoutError::Overflow { quantity: Quantity::StrideInBytes, value }
}
