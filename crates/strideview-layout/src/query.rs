//! Sizes and bounds.

use crate::{Dims, LayoutError, Result, StridedLayout};

impl StridedLayout {
    /// Number of elements: the product of the extents, 1 for rank 0. O(rank).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert_eq!(StridedLayout::new(&[2, 3], None, 4)?.volume(), 6);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn volume(&self) -> i64 {
        // Invariant 2: no overflow, except where a zero extent makes the product 0 anyway.
        self.shape().iter().fold(1_i64, |volume, &extent| volume.wrapping_mul(extent))
    }

    /// True iff an extent is 0. O(rank).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// Bytes of all elements together: volume·itemsize. Gaps do not count. O(rank).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert_eq!(StridedLayout::new(&[2, 3], Some(&[100, 1]), 4)?.nbytes(), 24);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn nbytes(&self) -> i64 {
        self.volume() * self.itemsize()
    }

    /// The strides in bytes. O(rank); allocates only beyond rank 8.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert_eq!(StridedLayout::new(&[2, 3], None, 4)?.strides_in_bytes().as_slice(), [12, 4]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn strides_in_bytes(&self) -> Dims {
        // Invariant 3: no overflow.
        self.strides().iter().map(|&stride| stride * self.itemsize()).collect()
    }

    /// Byte offset of index (0, …, 0). O(1).
    #[inline]
    #[must_use]
    pub fn slice_offset_in_bytes(&self) -> i64 {
        // Invariant 4: no overflow.
        self.slice_offset() * self.itemsize()
    }

    /// Smallest and largest element offset, both inclusive, the slice offset included; (0, -1) when
    /// empty. O(rank).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// assert_eq!(StridedLayout::new(&[3, 2], Some(&[-2, 1]), 4)?.offset_bounds(), (-4, 1));
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn offset_bounds(&self) -> (i64, i64) {
        let (mut min, mut max) = (self.slice_offset(), self.slice_offset());
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            if extent == 0 {
                return (0, -1);
            }
            // The bounds fit (invariant 2), so arithmetic modulo 2^64 ends at the right values even
            // where a single term does not fit; in an empty layout the sums are thrown away.
            let reach = stride.wrapping_mul(extent - 1);
            if stride < 0 {
                min = min.wrapping_add(reach);
            } else {
                max = max.wrapping_add(reach);
            }
        }
        (min, max)
    }

    /// Smallest element offset; 0 when empty. O(rank).
    #[inline]
    #[must_use]
    pub fn min_offset(&self) -> i64 {
        self.offset_bounds().0
    }

    /// Largest element offset; -1 when empty. O(rank).
    #[inline]
    #[must_use]
    pub fn max_offset(&self) -> i64 {
        self.offset_bounds().1
    }

    /// Bytes a buffer must have so that every element lies inside: (`max_offset` + 1)·itemsize, 0
    /// when empty. O(rank).
    ///
    /// # Errors
    /// The smallest offset is negative, so that no buffer would do.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let padded = StridedLayout::new(&[100, 3, 3], Some(&[16, 1, 4]), 1)?;
    /// assert_eq!(padded.required_size_in_bytes()?, 1595);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn required_size_in_bytes(&self) -> Result<i64> {
        let (min_offset, max_offset) = self.offset_bounds();
        if min_offset < 0 {
            return Err(LayoutError::NegativeMinOffset { min_offset });
        }
        Ok((max_offset + 1) * self.itemsize())
    }

    /// True iff the two layouts are the same map: same item size and, axes of extent 1 left out,
    /// the same extents and the same offset for every index. O(rank).
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let a = StridedLayout::new(&[1, 3], Some(&[77, 1]), 4)?;
    /// let b = StridedLayout::new(&[3, 1], Some(&[1, 5]), 4)?;
    /// assert!(a != b && a.maps_like(&b));
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn maps_like(&self, other: &Self) -> bool {
        if self.itemsize() != other.itemsize() || self.is_empty() != other.is_empty() {
            return false;
        }
        if self.is_empty() {
            let extents = |layout: &Self| -> Dims { layout.wide_axes().map(|(n, _)| n).collect() };
            return extents(self) == extents(other);
        }
        self.slice_offset() == other.slice_offset() && self.wide_axes().eq(other.wide_axes())
    }

    /// Extent and stride of each axis whose extent is not 1.
    #[inline]
    pub(crate) fn wide_axes(&self) -> impl DoubleEndedIterator<Item = (i64, i64)> + '_ {
        self.shape()
            .iter()
            .copied()
            .zip(self.strides().iter().copied())
            .filter(|&(extent, _)| extent != 1)
    }
}
