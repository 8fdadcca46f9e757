//! Which layouts have no gaps.

use crate::{Dims, StridedLayout};

impl StridedLayout {
    /// True iff the elements follow each other in C order without a gap (NumPy's relaxed rule: axes
    /// of extent 1 are ignored, an empty layout is contiguous). The offset is ignored. O(rank).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert!(StridedLayout::new(&[2, 1, 3], Some(&[3, 99, 1]), 4)?.is_contiguous_c());
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn is_contiguous_c(&self) -> bool {
        self.has_implicit_strides() || self.is_empty() || nested(self.wide_axes().rev())
    }

    /// True iff the elements follow each other in F order without a gap; see
    /// [`is_contiguous_c`](Self::is_contiguous_c). O(rank).
    #[inline]
    #[must_use]
    pub fn is_contiguous_f(&self) -> bool {
        self.is_empty() || nested(self.wide_axes())
    }

    /// True iff the layout is contiguous when its axes are walked in
    /// [`stride_order`](Self::stride_order). A reversed axis is not contiguous. The offset is
    /// ignored. O(rank²) at most.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert!(StridedLayout::new(&[2, 3, 4], Some(&[4, 8, 1]), 4)?.is_contiguous_any());
    /// assert!(!StridedLayout::new(&[4], Some(&[-1]), 4)?.is_contiguous_any());
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn is_contiguous_any(&self) -> bool {
        if self.is_contiguous_c() {
            return true;
        }
        let order = self.stride_order();
        let wide = order.iter().rev().filter(|&&axis| self.shape()[axis] != 1);
        nested(wide.map(|&axis| (self.shape()[axis], self.strides()[axis])))
    }

    /// True iff [`is_contiguous_any`](Self::is_contiguous_any) and the offset is 0. O(rank²) at
    /// most.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.slice_offset() == 0 && self.is_contiguous_any()
    }

    /// True iff every offset between the bounds is hit, by one index or by several. A reversed
    /// dense layout is exhaustive, a gapped one is not; an empty one is. O(rank²) at most.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert!(StridedLayout::with_offset(&[4], Some(&[-1]), 4, 3)?.is_exhaustive());
    /// assert!(!StridedLayout::new(&[4], Some(&[2]), 4)?.is_exhaustive());
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn is_exhaustive(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        // Offsets 0 ..= reach are hit. A larger |stride| than reach + 1 leaves reach + 1 out for
        // good, since all that follow are at least as large.
        let mut reach = 0_u64;
        for &axis in self.stride_order().iter().rev() {
            let steps = (self.shape()[axis] - 1) as u64; // the layout is not empty
            if steps == 0 {
                continue;
            }
            let stride = self.strides()[axis].unsigned_abs();
            if stride > reach + 1 {
                return false;
            }
            // max_offset - min_offset fits in u64, and reach never exceeds it.
            reach += stride * steps;
        }
        true
    }

    /// Bit i is set iff axis i can be merged into what lies left of it without changing the map.
    ///
    /// Axes of extent 1 always can, in an empty layout all can; bit 0 is never set. Masks of
    /// layouts with the same shape combine with `&`. O(rank). See
    /// [`flattened`](Self::flattened).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3, 4], Some(&[24, 4, 1]), 4)?;
    /// assert_eq!(layout.flattened_axis_mask(), 0b100);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn flattened_axis_mask(&self) -> u64 {
        if self.has_implicit_strides() || self.is_empty() {
            let all = if self.rank() >= 64 { u64::MAX } else { (1_u64 << self.rank()) - 1 };
            return all & !1;
        }
        let mut mask = 0;
        let mut left: Option<i64> = None; // stride of the nearest axis on the left that is not unit
        for (axis, (&extent, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            let merges = extent == 1 || left.is_none_or(|left| nests(left, extent, stride));
            mask |= u64::from(merges) << axis;
            if extent != 1 {
                left = Some(stride);
            }
        }
        mask & !1
    }

    /// The canonical form: axes of extent 1 dropped, neighbours merged wherever that keeps the map,
    /// in the layout's own axis order. O(rank).
    ///
    /// Law: the offsets in C order are the same. Rank 0 and layouts of unit axes give `()`, empty
    /// ones `(0,):(0,)`.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 1, 3, 4], Some(&[24, 7, 4, 1]), 4)?;
    /// assert_eq!(layout.coalesced().to_string(), "(2, 12):(24, 1) x4");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn coalesced(&self) -> Self {
        let (shape, strides) = self.coalesced_parts();
        self.with_same_offsets(shape, strides)
    }

    /// As [`coalesced`](Self::coalesced), in place.
    pub fn coalesce(&mut self) {
        *self = self.coalesced();
    }

    /// Shape and strides of [`coalesced`](Self::coalesced).
    pub(crate) fn coalesced_parts(&self) -> (Dims, Dims) {
        if self.is_empty() {
            return (Dims::from_elem(0, 1), Dims::from_elem(0, 1));
        }
        let (mut shape, mut strides) = (Dims::new(), Dims::new());
        for (extent, stride) in self.wide_axes() {
            match (shape.last_mut(), strides.last_mut()) {
                (Some(left_extent), Some(left)) if nests(*left, extent, stride) => {
                    *left_extent *= extent; // at most the volume
                    *left = stride;
                }
                _ => {
                    shape.push(extent);
                    strides.push(stride);
                }
            }
        }
        (shape, strides)
    }
}

/// True iff an axis of stride `left` continues where an axis of `extent` and `stride` ends.
#[inline]
pub(crate) fn nests(left: i64, extent: i64, stride: i64) -> bool {
    stride.checked_mul(extent) == Some(left)
}

/// True iff the (extent, stride) pairs, fastest first, are those of a dense layout.
#[inline]
fn nested(fastest_first: impl Iterator<Item = (i64, i64)>) -> bool {
    let mut expected = 1_i64;
    for (extent, stride) in fastest_first {
        if stride != expected {
            return false;
        }
        expected = expected.wrapping_mul(extent); // at most the volume
    }
    true
}
