//! Views of the same memory with another layout or another dtype.
#![forbid(unsafe_code)]

use super::StridedMemoryView;
use super::strided_view::check_itemsize;
use crate::{DType, Error, MemoryError, Result, StridedLayout};

impl StridedMemoryView {
    /// The view of the same buffer with another layout, another dtype, or both.
    ///
    /// The layout counts from the first element of this view, and is checked against the whole
    /// buffer, so it may reach elements that this view leaves out. Without a layout, a dtype of
    /// the same item size keeps the layout, and one of another size repacks the last axis, as
    /// NumPy's `view` does: its stride must be 1, and the address a multiple of a larger item size.
    /// Without a dtype the view keeps its own. O(rank).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`], [`Error::ItemsizeMismatch`], [`MemoryError::Closed`], and those of
    /// [`StridedLayout::repacked`].
    ///
    /// ```
    /// use strideview::{DType, Error, StridedLayout, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u16, 2, 3, 4], &[4])?;
    /// let square = view.view(Some(&StridedLayout::new(&[2, 2], None, 2)?), None)?;
    /// assert_eq!(square.transposed(0, 1)?.to_vec::<u16>()?, [1, 3, 2, 4]);
    /// let bytes = view.view(None, Some(DType::U8))?;
    /// assert_eq!(bytes.shape(), [8]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view(&self, layout: Option<&StridedLayout>, dtype: Option<DType>) -> Result<Self> {
        if self.is_closed() {
            return Err(MemoryError::Closed.into());
        }
        match (layout, dtype) {
            (None, None) => Ok(self.clone()),
            (None, Some(dtype)) => self.retyped(dtype),
            (Some(layout), dtype) => self.placed_again(layout, dtype.or(self.dtype())),
        }
    }

    /// The bytes of a contiguous view, as a dense view of one axis and dtype `uint8`. O(rank²) at
    /// most.
    ///
    /// Contiguous in any order of the axes: the bytes come as they lie in memory.
    ///
    /// # Errors
    ///
    /// [`Error::NotContiguous`] when there are gaps, or axes that run backwards;
    /// [`MemoryError::Closed`].
    ///
    /// ```
    /// use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0x0201_u16, 0x0403], &[2])?;
    /// assert_eq!(view.bytes_view()?.shape(), [4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bytes_view(&self) -> Result<Self> {
        if !self.layout().is_contiguous_any() {
            return Err(Error::NotContiguous);
        }
        let bytes = StridedLayout::new(&[self.nbytes()], None, 1)?;
        self.placed_again(&bytes, Some(DType::U8))
    }

    fn retyped(&self, dtype: DType) -> Result<Self> {
        if check_itemsize(self.layout(), Some(dtype)).is_ok() {
            return self.placed_again(self.layout(), Some(dtype));
        }
        let itemsize = dtype.itemsize_bytes() as i64; // at most 255 * 65535 / 8
        let layout = self.layout().repacked(itemsize, self.address() as u64, -1, true)?;
        self.placed_again(&layout, Some(dtype))
    }

    fn placed_again(&self, layout: &StridedLayout, dtype: Option<DType>) -> Result<Self> {
        Self::placed(self.buffer(), self.offset_in_bytes(), layout, dtype, self.readonly())
    }
}
