//! Views of memory that Rust owns.

use std::sync::Arc;

use super::{Element, StridedMemoryView};
use crate::{Access, Buffer, Error, Owner, Result, StridedLayout};

impl StridedMemoryView {
    /// A view of the values, in C order of the shape; the buffer owns the vector. Copies nothing.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when the shape has another number of elements than the vector has
    /// values; those of [`StridedLayout::new`].
    ///
    /// ```
    /// use strideview::{DType, Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1.5_f32, 2.5], &[2, 1])?;
    /// assert_eq!((view.dtype(), view.get::<f32>(&[1, 0])?), (Some(DType::F32), 2.5));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_vec<T: Element>(mut values: Vec<T>, shape: &[i64]) -> Result<Self> {
        let layout = StridedLayout::new(shape, None, size_of::<T>() as i64)?;
        let (wanted, got) = (layout.volume(), values.len());
        if usize::try_from(wanted) != Ok(got) {
            return Err(Error::LengthMismatch { wanted, got });
        }
        let (address, size_in_bytes) = (values.as_mut_ptr().cast(), size_of_val(&values[..]));
        let owner: Arc<dyn Owner> = Arc::new(values);
        // SAFETY: (1) the owner keeps the vector, which nothing reaches any more and whose values
        // stay where they are; (2) they are a slice, and initialised.
        let buffer =
            unsafe { Buffer::from_raw(address, size_in_bytes, Access::host(), Some(owner)) };
        Self::from_buffer(&buffer, &layout, Some(T::DTYPE), false)
    }
}
