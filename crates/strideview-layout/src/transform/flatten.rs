//! Neighbouring axes merged.

use crate::axis::normalize;
use crate::checked::narrow;
use crate::{Dims, LayoutError, Quantity, Result, ShortVec, StridedLayout};

impl StridedLayout {
    /// All neighbours from axis `start_axis` to `end_axis` merged whose merge keeps the map; axes of
    /// extent 1 among them dissolve, those that do not fit stay apart. O(rank).
    ///
    /// A mask (bit i: axis i may be merged into what lies left of it) restricts the merges further;
    /// every merge is verified, so a mask of another layout of the same shape is safe. The whole
    /// range is `(0, -1, None)`, which turns rank 0 into shape (1,).
    ///
    /// Law: the offsets in C order are the same.
    ///
    /// # Errors
    /// An axis out of range or `start_axis` after `end_axis`, also when there is a mask; with rank 0
    /// any range but the whole; an extent that does not fit in `i64` in an empty layout.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3, 4], Some(&[24, 4, 1]), 8)?;
    /// assert_eq!(layout.flattened(0, -1, None)?.to_string(), "(2, 12):(24, 1) x8");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn flattened(&self, start_axis: i64, end_axis: i64, mask: Option<u64>) -> Result<Self> {
        let mut layout = self.clone();
        layout.flatten(start_axis, end_axis, mask)?;
        Ok(layout)
    }

    /// Neighbouring axes merged; see [`flattened`](Self::flattened).
    ///
    /// In place; the layout stays as it was when this fails. Does not allocate.
    ///
    /// # Errors
    /// As [`flattened`](Self::flattened).
    #[inline]
    pub fn flatten(&mut self, start_axis: i64, end_axis: i64, mask: Option<u64>) -> Result<()> {
        let rank = self.rank();
        if rank == 0 && (start_axis, end_axis) == (0, -1) {
            let offset = self.slice_offset();
            self.assign(Dims::from_elem(1, 1), Dims::from_elem(1, 1), offset);
            return Ok(());
        }
        let (start, end) = (normalize(start_axis, rank)?, normalize(end_axis, rank)?);
        if start > end {
            return Err(LayoutError::AxisRange { start: start_axis, end: end_axis, rank });
        }
        let mask = mask.unwrap_or(u64::MAX);
        let may_merge = |axis: usize| axis > start && axis <= end && mask >> axis & 1 == 1;
        if self.is_empty() {
            *self = self.flattened_empty(may_merge)?;
        } else {
            self.merge_axes(may_merge);
        }
        Ok(())
    }

    /// An empty layout with every axis that `may_merge` merged into the one on its left.
    #[cold]
    fn flattened_empty(&self, may_merge: impl Fn(usize) -> bool) -> Result<Self> {
        // Saturating: an extent of 0 that comes later still makes a product 0.
        let mut products: ShortVec<i128> = ShortVec::new();
        for (axis, &extent) in self.shape().iter().enumerate() {
            match products.last_mut() {
                Some(left) if may_merge(axis) => *left = left.saturating_mul(i128::from(extent)),
                _ => products.push(i128::from(extent)),
            }
        }
        let mut shape = Dims::new();
        for &product in &products {
            shape.push(narrow(product, Quantity::Extent)?);
        }
        self.emptied(shape, self.slice_offset())
    }
}
