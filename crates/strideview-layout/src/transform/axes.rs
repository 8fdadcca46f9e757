//! Axes reordered, dropped or added.

use super::in_place;
use crate::axis::{AxisSet, check_permutation, from_start, normalize, normalize_distinct};
use crate::dense::outer_stride;
use crate::{Axes, Dims, LayoutError, MAX_RANK, Result, StridedLayout};

impl StridedLayout {
    /// The axes in another order: axis k of the result is axis `axes[k]`. O(rank).
    ///
    /// Law: `result(i) = self(j)` with `j[axes[k]] = i[k]`.
    ///
    /// # Errors
    /// `axes` is no permutation of the axes (negative ones count from the end).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3, 4], None, 8)?.permuted(&[2, 0, 1])?;
    /// assert_eq!(layout.to_string(), "(4, 2, 3):(1, 12, 4) x8");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn permuted(&self, axes: &[i64]) -> Result<Self> {
        let mut layout = self.clone();
        layout.permute(axes)?;
        Ok(layout)
    }

    /// The axes in another order; see [`permuted`](Self::permuted).
    ///
    /// In place; the layout stays as it was when this fails. Allocates only beyond rank 8.
    ///
    /// # Errors
    /// As [`permuted`](Self::permuted).
    #[inline]
    pub fn permute(&mut self, axes: &[i64]) -> Result<()> {
        let rank = self.rank();
        check_permutation(axes, rank)?;
        self.reorder(axes.iter().map(|&axis| from_start(axis, rank)));
        Ok(())
    }

    /// Two axes exchanged. O(rank).
    ///
    /// Law: `result(i) = self(i)` with entries `axis1` and `axis2` of the index exchanged.
    ///
    /// # Errors
    /// An axis out of range.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3], None, 8)?.transposed(0, 1)?;
    /// assert_eq!(layout.strides(), [1, 3]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn transposed(&self, axis1: i64, axis2: i64) -> Result<Self> {
        let mut axes: Axes = (0..self.rank()).collect();
        axes.swap(normalize(axis1, self.rank())?, normalize(axis2, self.rank())?);
        Ok(self.with_axes(&axes))
    }
    in_place! {
        /// Two axes exchanged; see [`transposed`](Self::transposed).
        transpose, transposed(axis1: i64, axis2: i64)
    }

    /// One axis moved to another place, the others in their order. O(rank).
    ///
    /// Law: axis `destination` of the result is axis `source`; the rest keep their order.
    ///
    /// # Errors
    /// An axis out of range.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3, 4], None, 8)?.moved_axis(0, -1)?;
    /// assert_eq!(layout.shape(), [3, 4, 2]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn moved_axis(&self, source: i64, destination: i64) -> Result<Self> {
        let source = normalize(source, self.rank())?;
        let destination = normalize(destination, self.rank())?;
        let mut axes: Axes = (0..self.rank()).filter(|&axis| axis != source).collect();
        axes.insert(destination, source);
        Ok(self.with_axes(&axes))
    }
    in_place! {
        /// One axis moved to another place; see [`moved_axis`](Self::moved_axis).
        move_axis, moved_axis(source: i64, destination: i64)
    }

    /// The axes in reverse order, as NumPy's `.T`. O(rank).
    ///
    /// Law: `result(i) = self(reversed i)`.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert_eq!(StridedLayout::new(&[2, 3, 4], None, 8)?.reversed_axes().strides(), [1, 4, 12]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn reversed_axes(&self) -> Self {
        let axes: Axes = (0..self.rank()).rev().collect();
        self.with_axes(&axes)
    }

    /// The axes in reverse order, in place; see [`reversed_axes`](Self::reversed_axes).
    pub fn reverse_axes(&mut self) {
        *self = self.reversed_axes();
    }

    /// Axes of extent 1 dropped: all of them, or those listed. O(rank).
    ///
    /// Law: the offsets in C order are the same. Without a list an empty layout becomes
    /// `(0,):(0,)`.
    ///
    /// # Errors
    /// A listed axis is out of range, listed twice, or has another extent.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[1, 3, 1], None, 8)?;
    /// assert_eq!(layout.squeezed(None)?.shape(), [3]);
    /// assert_eq!(layout.squeezed(Some(&[0]))?.shape(), [3, 1]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn squeezed(&self, axes: Option<&[i64]>) -> Result<Self> {
        let Some(axes) = axes else {
            return Ok(self.without_unit_axes());
        };
        let mut dropped = AxisSet::default();
        for &axis in &normalize_distinct(axes, self.rank())? {
            if self.shape()[axis] != 1 {
                return Err(LayoutError::NotUnitExtent { axis, extent: self.shape()[axis] });
            }
            dropped.insert(axis)?;
        }
        let kept: Axes = (0..self.rank()).filter(|&axis| !dropped.contains(axis)).collect();
        Ok(self.with_axes(&kept))
    }
    in_place! {
        /// Axes of extent 1 dropped; see [`squeezed`](Self::squeezed).
        squeeze, squeezed(axes: Option<&[i64]>)
    }

    fn without_unit_axes(&self) -> Self {
        if self.is_empty() {
            return self.with_same_offsets(Dims::from_elem(0, 1), Dims::from_elem(0, 1));
        }
        let (shape, strides) = self.wide_axes().unzip();
        self.with_same_offsets(shape, strides)
    }

    /// Axes of extent 1 added at the given positions of the **result**. O(rank).
    ///
    /// Law: the offsets in C order are the same.
    ///
    /// # Errors
    /// A position is out of range for the result or listed twice; more than 64 axes.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[3, 4], None, 8)?.unsqueezed(&[0, -1])?;
    /// assert_eq!(layout.shape(), [1, 3, 4, 1]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn unsqueezed(&self, axes: &[i64]) -> Result<Self> {
        let rank = self.rank() + axes.len();
        if rank > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank, limit: MAX_RANK });
        }
        let mut added = AxisSet::default();
        for &axis in &normalize_distinct(axes, rank)? {
            added.insert(axis)?;
        }
        let (mut shape, mut strides) = (Dims::from_elem(1, rank), Dims::from_elem(1, rank));
        let mut axis = self.rank();
        for position in (0..rank).rev() {
            if added.contains(position) {
                if let (Some(&extent), Some(&stride)) =
                    (shape.get(position + 1), strides.get(position + 1))
                {
                    strides[position] = outer_stride(extent, stride, self.itemsize());
                }
            } else {
                axis -= 1;
                shape[position] = self.shape()[axis];
                strides[position] = self.strides()[axis];
            }
        }
        Ok(self.with_same_offsets(shape, strides))
    }
    in_place! {
        /// Axes of extent 1 added; see [`unsqueezed`](Self::unsqueezed).
        unsqueeze, unsqueezed(axes: &[i64])
    }

    /// Only the listed axes, in that order; the others are held at index 0. O(rank).
    ///
    /// Law: `result(i) = self(j)` with `j[axes[k]] = i[k]` and 0 elsewhere.
    ///
    /// # Errors
    /// An axis is out of range or listed twice. In an empty layout strides carry no meaning and may
    /// overflow once the empty axis is left out.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3, 4], None, 8)?.sub(&[2, 0])?;
    /// assert_eq!(layout.to_string(), "(4, 2):(1, 12) x8");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn sub(&self, axes: &[i64]) -> Result<Self> {
        let axes = normalize_distinct(axes, self.rank())?;
        let shape = axes.iter().map(|&axis| self.shape()[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides()[axis]).collect();
        Self::from_parts(shape, strides, self.itemsize(), self.slice_offset())
    }
    in_place! {
        /// Only the listed axes; see [`sub`](Self::sub).
        sub_in_place, sub(axes: &[i64])
    }

    /// Without one axis, which is held at index 0; the layout has elements.
    pub(crate) fn without_axis(&self, axis: usize) -> Self {
        let (mut shape, mut strides) =
            (Dims::from_slice(self.shape()), Dims::from_slice(self.strides()));
        shape.remove(axis);
        strides.remove(axis);
        self.with_same_offsets(shape, strides)
    }

    /// The given axes, counted from 0, in that order; those left out have extent 1.
    #[inline]
    fn with_axes(&self, axes: &[usize]) -> Self {
        let shape = axes.iter().map(|&axis| self.shape()[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides()[axis]).collect();
        self.with_same_offsets(shape, strides)
    }
}
