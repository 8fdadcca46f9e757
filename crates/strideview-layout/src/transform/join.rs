//! Layouts put together.

use super::in_place;
use crate::axis::normalize_position;
use crate::checked::narrow;
use crate::{Dims, LayoutError, Quantity, Result, StridedLayout};

impl StridedLayout {
    /// The axes of `other` inserted before position `axis` (0 … rank; -1 is the end). O(rank).
    ///
    /// Law: `result(i joined with j) = self(i) + other(j)`: the offsets of the two add.
    ///
    /// # Errors
    /// The position is out of range, the item sizes differ, more than 64 axes, or a quantity that
    /// does not fit in `i64`.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let rows = StridedLayout::new(&[3], Some(&[8]), 4)?;
    /// let columns = StridedLayout::new(&[5], None, 4)?;
    /// assert_eq!(rows.extended(&columns, -1)?.to_string(), "(3, 5):(8, 1) x4");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn extended(&self, other: &Self, axis: i64) -> Result<Self> {
        let position = normalize_position(axis, self.rank())?;
        if self.itemsize() != other.itemsize() {
            return Err(LayoutError::ItemsizeMismatch {
                itemsize: other.itemsize(),
                expected: self.itemsize(),
            });
        }
        let mut shape = Dims::from_slice(self.shape());
        shape.insert_from_slice(position, other.shape());
        let mut strides = Dims::from_slice(self.strides());
        strides.insert_from_slice(position, other.strides());
        let offset = i128::from(self.slice_offset()) + i128::from(other.slice_offset());
        let slice_offset = narrow(offset, Quantity::SliceOffset)?;
        Self::from_parts(shape, strides, self.itemsize(), slice_offset)
    }
    in_place! {
        /// The axes of `other` inserted; see [`extended`](Self::extended).
        extend, extended(other: &StridedLayout, axis: i64)
    }
}
