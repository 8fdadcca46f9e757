//! The same bytes with another item size.

use super::in_place;
use crate::axis::normalize;
use crate::checked::{meaningless_stride, narrow, product};
use crate::layout::check_itemsize;
use crate::solver::greatest_common_divisor;
use crate::{Dims, LayoutError, Part, Quantity, Result, StridedLayout};

impl StridedLayout {
    /// The same bytes with another item size, packed or unpacked along `axis`. O(rank).
    ///
    /// Packing (a larger item size) needs the extent of the axis, the offset and every other stride
    /// to be multiples of the ratio, and `data_ptr`, the address of element offset 0, to be a
    /// multiple of the new item size. With `keep_dim` false, a packed axis that ends with extent 1
    /// is dropped. The same item size gives the layout itself, whatever the other arguments.
    ///
    /// Law: volume·itemsize, and the bytes visited in C order with `axis` last, are the same.
    ///
    /// # Errors
    /// Neither item size divides the other; the axis is out of range, or has extent 2 or more and
    /// another stride than 1; a part that is not divisible; an empty layout.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[3, 8], None, 4)?;
    /// assert_eq!(layout.repacked(16, 0, -1, true)?.to_string(), "(3, 2):(2, 1) x16");
    /// assert_eq!(layout.repacked(2, 0, -1, true)?.to_string(), "(3, 16):(16, 1) x2");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn repacked(
        &self,
        itemsize: i64,
        data_ptr: u64,
        axis: i64,
        keep_dim: bool,
    ) -> Result<Self> {
        check_itemsize(itemsize)?;
        if itemsize == self.itemsize() {
            return Ok(self.clone());
        }
        let axis = normalize(axis, self.rank())?;
        let (from, to) = (self.itemsize(), itemsize);
        if from % to != 0 && to % from != 0 {
            return Err(LayoutError::ItemsizeRatio { itemsize: from, target: to });
        }
        if self.is_empty() {
            return Err(LayoutError::RepackEmpty { itemsize: from, target: to });
        }
        if !self.is_repackable(axis) {
            return Err(LayoutError::RepackStride { axis, stride: self.strides()[axis] });
        }
        if to > from {
            self.packed(to / from, data_ptr, axis, keep_dim)
        } else {
            self.unpacked(from / to, axis)
        }
    }
    in_place! {
        /// The same bytes with another item size; see [`repacked`](Self::repacked).
        repack, repacked(itemsize: i64, data_ptr: u64, axis: i64, keep_dim: bool)
    }

    /// The largest item size, in bytes, that is a multiple of this one, divides `max_itemsize` and
    /// that [`repacked`](Self::repacked) takes; this item size when there is none. O(rank).
    ///
    /// # Errors
    /// `max_itemsize` is below the item size; the axis is out of range.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[3, 6], None, 4)?;
    /// assert_eq!(layout.max_compatible_itemsize(16, 0, -1)?, 8);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn max_compatible_itemsize(
        &self,
        max_itemsize: i64,
        data_ptr: u64,
        axis: i64,
    ) -> Result<i64> {
        let itemsize = self.itemsize();
        if max_itemsize < itemsize {
            return Err(LayoutError::MaxItemsizeTooSmall { max_itemsize, itemsize });
        }
        let axis = normalize(axis, self.rank())?;
        let pointer = i128::from(data_ptr);
        let aligned = pointer % i128::from(itemsize) == 0 && max_itemsize % itemsize == 0;
        if !aligned || self.is_empty() || !self.is_repackable(axis) {
            return Ok(itemsize);
        }
        let mut ratio = i128::from(max_itemsize / itemsize);
        ratio = greatest_common_divisor(ratio, pointer / i128::from(itemsize));
        ratio = greatest_common_divisor(ratio, i128::from(self.slice_offset()));
        ratio = greatest_common_divisor(ratio, i128::from(self.shape()[axis]));
        for (other, (&extent, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            if other != axis && extent != 1 {
                ratio = greatest_common_divisor(ratio, i128::from(stride));
            }
        }
        Ok(itemsize * ratio as i64) // ratio divides max_itemsize / itemsize
    }

    /// True iff the items of the axis lie side by side.
    fn is_repackable(&self, axis: usize) -> bool {
        self.strides()[axis] == 1 || self.shape()[axis] == 1
    }

    fn packed(&self, ratio: i64, data_ptr: u64, axis: usize, keep_dim: bool) -> Result<Self> {
        let itemsize = self.itemsize() * ratio;
        if i128::from(data_ptr) % i128::from(itemsize) != 0 {
            let value = i128::from(data_ptr);
            return Err(not_divisible(Part::DataPointer, value, itemsize));
        }
        let divided = |part: Part, value: i64| {
            if value % ratio == 0 {
                Ok(value / ratio)
            } else {
                Err(not_divisible(part, i128::from(value), ratio))
            }
        };
        let (mut shape, mut strides) =
            (Dims::from_slice(self.shape()), Dims::from_slice(self.strides()));
        shape[axis] = divided(Part::Extent, shape[axis])?;
        let slice_offset = divided(Part::SliceOffset, self.slice_offset())?;
        for (other, stride) in strides.iter_mut().enumerate() {
            if other == axis {
                *stride = 1;
            } else if shape[other] == 1 {
                *stride /= ratio;
            } else {
                *stride = divided(Part::Stride(other), *stride)?;
            }
        }
        if !keep_dim && shape[axis] == 1 {
            shape.remove(axis);
            strides.remove(axis);
        }
        Self::from_parts(shape, strides, itemsize, slice_offset)
    }

    fn unpacked(&self, ratio: i64, axis: usize) -> Result<Self> {
        let itemsize = self.itemsize() / ratio;
        let (mut shape, mut strides) =
            (Dims::from_slice(self.shape()), Dims::from_slice(self.strides()));
        shape[axis] = narrow(product(shape[axis], ratio), Quantity::Extent)?;
        for (other, stride) in strides.iter_mut().enumerate() {
            *stride = match other == axis {
                true => 1,
                // The byte stride stays the same, so it fits.
                false => meaningless_stride(product(*stride, ratio), itemsize),
            };
        }
        let slice_offset = narrow(product(self.slice_offset(), ratio), Quantity::SliceOffset)?;
        Self::from_parts(shape, strides, itemsize, slice_offset)
    }
}

fn not_divisible(part: Part, value: i128, divisor: i64) -> LayoutError {
    LayoutError::NotDivisible { part, value, divisor }
}
