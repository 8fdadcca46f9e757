//! Axes split, cut into windows, or read along a diagonal.

use super::in_place;
use crate::axis::normalize;
use crate::checked::{meaningless_stride, narrow, product, stride_of};
use crate::{Dims, LayoutError, Quantity, Result, StridedLayout};

impl StridedLayout {
    /// Sliding windows along an axis: the axis counts windows, and a new last axis of extent `size`
    /// walks one. O(rank).
    ///
    /// Law: `result(…, w, …, k) = self(…, w·step + k, …)`, for each window that fits.
    ///
    /// # Errors
    /// The axis is out of range, `size` is negative or larger than its extent, `step` is below 1,
    /// more than 64 axes, a volume or size that does not fit in `i64`.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[7], None, 8)?;
    /// assert_eq!(layout.windows(0, 3, 2)?.to_string(), "(3, 3):(2, 1) x8");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn windows(&self, axis: i64, size: i64, step: i64) -> Result<Self> {
        let axis = normalize(axis, self.rank())?;
        let (extent, stride) = (self.shape()[axis], self.strides()[axis]);
        if size < 0 || size > extent {
            return Err(LayoutError::WindowSize { size, extent });
        }
        if step < 1 {
            return Err(LayoutError::WindowStep { step });
        }
        let (mut shape, mut strides) =
            (Dims::from_slice(self.shape()), Dims::from_slice(self.strides()));
        shape[axis] = narrow(i128::from((extent - size) / step) + 1, Quantity::Extent)?;
        shape.push(size);
        strides.push(stride);
        if shape.contains(&0) {
            return self.emptied(shape, self.slice_offset());
        }
        strides[axis] = stride_of(shape[axis], product(stride, step), self.itemsize())?;
        Self::from_parts(shape, strides, self.itemsize(), self.slice_offset())
    }
    in_place! {
        /// Sliding windows along an axis; see [`windows`](Self::windows).
        windows_in_place, windows(axis: i64, size: i64, step: i64)
    }

    /// One axis of extent e split into two of extents (e / inner, inner). O(rank).
    ///
    /// Law: the offsets in C order are the same.
    ///
    /// # Errors
    /// The axis is out of range, `inner` is below 1 or does not divide its extent, more than 64
    /// axes.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[6, 2], None, 8)?;
    /// assert_eq!(layout.split_axis(0, 3)?.to_string(), "(2, 3, 2):(6, 2, 1) x8");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn split_axis(&self, axis: i64, inner: i64) -> Result<Self> {
        let axis = normalize(axis, self.rank())?;
        let (extent, stride) = (self.shape()[axis], self.strides()[axis]);
        if inner < 1 || extent % inner != 0 {
            return Err(LayoutError::SplitExtent { axis, extent, inner });
        }
        let (mut shape, mut strides) =
            (Dims::from_slice(self.shape()), Dims::from_slice(self.strides()));
        let (outer, outer_stride) = (extent / inner, product(stride, inner));
        shape[axis] = inner;
        shape.insert(axis, outer);
        let outer_stride = match self.is_empty() {
            true => meaningless_stride(outer_stride, self.itemsize()),
            false => stride_of(outer, outer_stride, self.itemsize())?,
        };
        strides.insert(axis, outer_stride);
        Self::from_parts(shape, strides, self.itemsize(), self.slice_offset())
    }
    in_place! {
        /// One axis split into two; see [`split_axis`](Self::split_axis).
        split_axis_in_place, split_axis(axis: i64, inner: i64)
    }

    /// A diagonal of two axes, as NumPy's `diagonal`: both are removed, and one that walks the
    /// diagonal is appended. `offset` moves it along `axis2` (positive) or `axis1` (negative).
    /// O(rank).
    ///
    /// Law: `result(…, k)` is `self` at index k along `axis1` and k + offset along `axis2` (offset
    /// at least 0), or k - offset along `axis1` and k along `axis2` (offset negative).
    ///
    /// # Errors
    /// An axis is out of range, or both are the same.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[3, 4], None, 8)?;
    /// assert_eq!(layout.diagonal(0, 1, 1)?.to_string(), "(3,):(5,) x8 @1");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn diagonal(&self, axis1: i64, axis2: i64, offset: i64) -> Result<Self> {
        let (axis1, axis2) = (normalize(axis1, self.rank())?, normalize(axis2, self.rank())?);
        if axis1 == axis2 {
            return Err(LayoutError::DuplicateAxis { axis: axis1 });
        }
        let (skip1, skip2) = if offset < 0 { (offset.saturating_neg(), 0) } else { (0, offset) };
        let (extent1, extent2) = (self.shape()[axis1], self.shape()[axis2]);
        let count = (extent1 - skip1.min(extent1)).min(extent2 - skip2.min(extent2));
        let (stride1, stride2) = (self.strides()[axis1], self.strides()[axis2]);
        let kept = |axis: &usize| *axis != axis1 && *axis != axis2;
        let mut shape: Dims = (0..self.rank()).filter(kept).map(|a| self.shape()[a]).collect();
        let mut strides: Dims = (0..self.rank()).filter(kept).map(|a| self.strides()[a]).collect();
        shape.push(count);
        strides.push(0);
        if shape.contains(&0) {
            return self.emptied(shape, self.slice_offset());
        }
        let along = i128::from(stride1) + i128::from(stride2);
        let last = strides.len() - 1;
        strides[last] = stride_of(count, along, self.itemsize())?;
        // The first element kept is one of the layout's, so this is right modulo 2^64.
        let moved = skip1.wrapping_mul(stride1).wrapping_add(skip2.wrapping_mul(stride2));
        let slice_offset = self.slice_offset().wrapping_add(moved);
        Self::from_parts(shape, strides, self.itemsize(), slice_offset)
    }
    in_place! {
        /// A diagonal of two axes; see [`diagonal`](Self::diagonal).
        diagonal_in_place, diagonal(axis1: i64, axis2: i64, offset: i64)
    }
}
