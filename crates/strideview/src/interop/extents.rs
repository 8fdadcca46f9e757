//! The extents that other libraries count with.
#![forbid(unsafe_code)]

use crate::{LayoutError, Quantity, Result, StridedLayout};

/// ndarray and candle want the product of all extents but those of 0 to fit in `isize`, also where
/// there is no element.
pub(super) fn check_extents(layout: &StridedLayout) -> Result<()> {
    let extents = layout.shape().iter().filter(|extent| **extent > 0);
    let value = extents.fold(1_i128, |product, extent| product.saturating_mul((*extent).into()));
    match isize::try_from(value) {
        Ok(_) => Ok(()),
        Err(_) => Err(LayoutError::Overflow { quantity: Quantity::Volume, value }.into()),
    }
}
