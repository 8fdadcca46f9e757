//! Dense layouts: no gaps, offset 0, axes in a chosen order.

use crate::axis::{check_permutation, from_start};
use crate::checked::meaningless_stride;
use crate::layout::check_extents;
use crate::{Axes, Dims, LayoutError, MAX_RANK, Quantity, Result, StridedLayout};

/// The order of axes in memory, from slowest to fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StrideOrder<'a> {
    /// Row-major: the last axis has stride 1.
    #[default]
    C,
    /// Column-major: the first axis has stride 1.
    F,
    /// The order of the layout one starts from.
    K,
    /// The axes from slowest to fastest; negative ones count from the end.
    Axes(&'a [i64]),
}

impl StridedLayout {
    /// The dense layout of a shape: volume·itemsize bytes without a gap, offset 0.
    ///
    /// O(rank); allocates only beyond rank 8. Empty layouts have all strides 0. Law: the offsets
    /// are 0 … volume-1, each once.
    ///
    /// # Errors
    /// As [`new`](Self::new); a list that is no permutation of the axes; the order K, which needs
    /// a layout to start from.
    ///
    /// ```
    /// use strideview_layout::{StrideOrder, StridedLayout};
    /// let layout = StridedLayout::dense(&[2, 3, 4], 8, StrideOrder::Axes(&[1, 0, 2]))?;
    /// assert_eq!(layout.strides(), [4, 8, 1]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn dense(shape: &[i64], itemsize: i64, order: StrideOrder<'_>) -> Result<Self> {
        check_rank(shape)?;
        crate::layout::check_itemsize(itemsize)?;
        check_extents(shape)?;
        let strides = match order {
            StrideOrder::C => c_order_strides(shape)?,
            StrideOrder::F => strides_in_order(shape, 0..shape.len())?,
            StrideOrder::K => return Err(LayoutError::NoOrderToKeep),
            StrideOrder::Axes(axes) => {
                check_permutation(axes, shape.len())?;
                strides_in_order(shape, axes.iter().rev().map(|&a| from_start(a, shape.len())))?
            }
        };
        Self::from_parts(Dims::from_slice(shape), strides, itemsize, 0)
    }

    /// The dense layout with the shape and item size of `other`.
    ///
    /// With [`StrideOrder::K`] the axes keep the order of their |strides|; negative strides come
    /// out positive. O(rank²) for K, otherwise O(rank).
    ///
    /// # Errors
    /// A list that is no permutation of the axes.
    ///
    /// ```
    /// use strideview_layout::{StrideOrder, StridedLayout};
    /// let sliced = StridedLayout::with_offset(&[3, 4], Some(&[-2, 10]), 8, 4)?;
    /// let dense = StridedLayout::dense_like(&sliced, StrideOrder::K)?;
    /// assert_eq!(dense.to_string(), "(3, 4):(1, 3) x8");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn dense_like(other: &Self, order: StrideOrder<'_>) -> Result<Self> {
        if order != StrideOrder::K {
            return Self::dense(other.shape(), other.itemsize(), order);
        }
        let mut strides = c_order_strides(other.shape())?;
        if strides != *other.strides() {
            let axes: Axes = other.stride_order();
            strides = strides_in_order(other.shape(), axes.iter().rev().copied())?;
        }
        Self::from_parts(Dims::from_slice(other.shape()), strides, other.itemsize(), 0)
    }

    /// The dense layout of this shape and item size: `StridedLayout::dense_like(self, order)`.
    ///
    /// # Errors
    /// As [`dense_like`](Self::dense_like).
    ///
    /// ```
    /// use strideview_layout::{StrideOrder, StridedLayout};
    /// let padded = StridedLayout::new(&[2, 5], Some(&[10, 1]), 4)?;
    /// assert_eq!(padded.to_dense(StrideOrder::K)?.required_size_in_bytes()?, 40);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn to_dense(&self, order: StrideOrder<'_>) -> Result<Self> {
        Self::dense_like(self, order)
    }

    /// As [`to_dense`](Self::to_dense), in place; unchanged when it fails.
    ///
    /// # Errors
    /// As [`dense_like`](Self::dense_like).
    pub fn make_dense(&mut self, order: StrideOrder<'_>) -> Result<()> {
        *self = self.to_dense(order)?;
        Ok(())
    }
}

fn check_rank(shape: &[i64]) -> Result<()> {
    if shape.len() > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank: shape.len(), limit: MAX_RANK });
    }
    Ok(())
}

/// The strides of C order; all 0 in an empty shape.
#[inline]
pub(crate) fn c_order_strides(shape: &[i64]) -> Result<Dims> {
    strides_in_order(shape, (0..shape.len()).rev())
}

/// Dense strides for axes listed from fastest to slowest; all 0 in an empty shape.
#[inline]
fn strides_in_order(shape: &[i64], fastest_first: impl Iterator<Item = usize>) -> Result<Dims> {
    let mut strides = Dims::from_elem(0, shape.len());
    if shape.contains(&0) {
        return Ok(strides);
    }
    let mut stride = 1_i64;
    for axis in fastest_first {
        strides[axis] = stride;
        stride = stride.checked_mul(shape[axis]).ok_or_else(|| LayoutError::Overflow {
            quantity: Quantity::Volume,
            value: crate::checked::saturating_volume(shape),
        })?;
    }
    Ok(strides)
}

/// The stride a new unit axis gets before an axis of this extent and stride; it carries no meaning,
/// and is the one C order would have.
pub(crate) fn outer_stride(extent: i64, stride: i64, itemsize: i64) -> i64 {
    meaningless_stride(crate::checked::product(extent, stride), itemsize)
}
