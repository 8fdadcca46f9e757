//! From two layouts to a plan.
#![forbid(unsafe_code)]

use strideview_layout::StridedLayout;

use super::copy_plan::CopyPlan;
use crate::error::{CopyError, Quantity, Side};

/// The plan for a copy between two layouts of the same shape and item size.
///
/// Its offsets count from the addresses that the layouts count from: slice offsets are part of
/// the plan. Costs what [`CopyPlan::new`] does.
///
/// # Errors
///
/// [`CopyError::RankMismatch`], [`CopyError::ShapeMismatch`], [`CopyError::ItemsizeMismatch`], and
/// [`CopyError::Overflow`] for a layout that reaches 2^63 bytes or more from its first element.
///
/// ```
/// use strideview_copy::plan_for;
/// use strideview_layout::StridedLayout;
///
/// let dst = StridedLayout::new(&[2, 3], None, 8)?;
/// let src = StridedLayout::with_offset(&[2, 3], Some(&[-3, 1]), 8, 3)?;
/// let plan = plan_for(&dst, &src)?;
/// assert_eq!((plan.src_offset(), plan.run_bytes()), (24, 24));
///
/// let wide = StridedLayout::new(&[2, 4], None, 8)?;
/// let error = plan_for(&dst, &wide).unwrap_err();
/// assert_eq!(error.code(), "copy.shape_mismatch");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_for(dst: &StridedLayout, src: &StridedLayout) -> Result<CopyPlan, CopyError> {
    check_alike(dst, src)?;
    let plan = CopyPlan::new(
        dst.shape(),
        &dst.strides_in_bytes(),
        &src.strides_in_bytes(),
        dst.itemsize(),
    )?;
    // The sums are offsets of elements of the layouts, which fit.
    plan.moved(dst.slice_offset_in_bytes(), src.slice_offset_in_bytes())
        .ok_or(CopyError::Overflow { quantity: Quantity::Reach(Side::Destination) })
}

fn check_alike(dst: &StridedLayout, src: &StridedLayout) -> Result<(), CopyError> {
    let (dst_rank, src_rank) = (dst.shape().len(), src.shape().len());
    if dst_rank != src_rank {
        return Err(CopyError::RankMismatch { dst_rank, src_rank });
    }
    let extents = dst.shape().iter().zip(src.shape());
    for (axis, (&dst_extent, &src_extent)) in extents.enumerate() {
        if dst_extent != src_extent {
            return Err(CopyError::ShapeMismatch { axis, dst_extent, src_extent });
        }
    }
    let (dst_itemsize, src_itemsize) = (dst.itemsize(), src.itemsize());
    if dst_itemsize != src_itemsize {
        return Err(CopyError::ItemsizeMismatch { dst_itemsize, src_itemsize });
    }
    Ok(())
}
