//! Step 1: is this a copy that can be planned?
#![forbid(unsafe_code)]

use super::MAX_RANK;
use crate::error::{CopyError, Quantity, Side};

/// The bytes to move; 0 when an extent is 0.
///
/// Law: when the result is not 0,
/// 1. the product of any of the extents, times the item size, fits in `i64`;
/// 2. on each side, any sum of distinct `(extent - 1) · stride`, plus the item size, fits in
///    `i64`; so does the absolute value of a stride. Axes of extent 1 do not count.
pub(super) fn bytes_to_move(
    shape: &[i64],
    dst_strides: &[i64],
    src_strides: &[i64],
    itemsize: i64,
) -> Result<i64, CopyError> {
    check_counts(shape, dst_strides, src_strides)?;
    if itemsize < 1 {
        return Err(CopyError::InvalidItemsize { itemsize });
    }
    if let Some((axis, &extent)) = shape.iter().enumerate().find(|(_, extent)| **extent < 0) {
        return Err(CopyError::NegativeExtent { axis, extent });
    }
    // Before any product: an empty copy never overflows, whatever the order of its extents.
    if shape.contains(&0) {
        return Ok(0);
    }
    let bytes = shape.iter().try_fold(itemsize, |bytes, extent| bytes.checked_mul(*extent));
    let bytes = bytes.ok_or(CopyError::Overflow { quantity: Quantity::Bytes })?;
    for (side, strides) in [(Side::Destination, dst_strides), (Side::Source, src_strides)] {
        check_reach(shape, strides, itemsize)
            .ok_or(CopyError::Overflow { quantity: Quantity::Reach(side) })?;
    }
    Ok(bytes)
}

fn check_counts(shape: &[i64], dst: &[i64], src: &[i64]) -> Result<(), CopyError> {
    let rank = shape.len();
    if rank > MAX_RANK {
        return Err(CopyError::RankTooLarge { rank, limit: MAX_RANK });
    }
    for (side, strides) in [(Side::Destination, dst.len()), (Side::Source, src.len())] {
        if strides != rank {
            return Err(CopyError::StrideCount { side, strides, rank });
        }
    }
    Ok(())
}

/// None when law 2 does not hold. Any sum of distinct terms lies between the sum of the negative
/// ones and that of the positive ones.
fn check_reach(shape: &[i64], strides: &[i64], itemsize: i64) -> Option<()> {
    let (mut backwards, mut forwards) = (0_i64, itemsize);
    for (extent, stride) in shape.iter().zip(strides).filter(|(extent, _)| **extent > 1) {
        stride.checked_abs()?;
        let reach = extent.checked_sub(1)?.checked_mul(*stride)?;
        if reach < 0 {
            backwards = backwards.checked_add(reach)?;
        } else {
            forwards = forwards.checked_add(reach)?;
        }
    }
    Some(())
}
