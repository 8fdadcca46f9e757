//! The elements of a view one by one.

use std::iter::FusedIterator;

use super::access::TypedAccess;
use super::{Element, StridedMemoryView};
use crate::{Offsets, Result};

impl StridedMemoryView {
    /// The element at an index, each entry of which may be negative and then counts from the end.
    /// O(rank). Any strides and any alignment will do.
    ///
    /// # Errors
    ///
    /// Those of [`values`](Self::values), and those of
    /// [`StridedLayout::offset_of`](crate::StridedLayout::offset_of).
    ///
    /// ```
    /// use strideview::{Error, ErrorKind, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u32, 2, 3, 4], &[2, 2])?;
    /// assert_eq!(view.get::<u32>(&[-1, 0])?, 3);
    /// assert_eq!(view.get::<u32>(&[0, 2]).unwrap_err().kind(), ErrorKind::Index);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get<T: Element>(&self, index: &[i64]) -> Result<T> {
        let access = TypedAccess::new(self)?;
        let offset = self.layout().offset_of(index)?;
        // SAFETY: (1) it is that of `index`.
        Ok(unsafe { access.read(offset) })
    }

    /// The elements in C order of the index. Lazy; O(1) amortised for each.
    ///
    /// The iterator leases the buffer and borrows nothing else: each element is read when its turn
    /// comes.
    ///
    /// # Errors
    ///
    /// [`Error::DTypeMismatch`](crate::Error::DTypeMismatch) or [`Error::Untyped`](crate::Error),
    /// [`Error::NotHostAccessible`](crate::Error), and [`MemoryError::Closed`](crate::MemoryError).
    ///
    /// ```
    /// use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4, 5, 6], &[2, 3])?;
    /// let sum: u8 = view.transposed(0, 1)?.values::<u8>()?.take(3).sum();
    /// assert_eq!(sum, 1 + 4 + 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn values<T: Element>(&self) -> Result<Values<T>> {
        Ok(Values { access: TypedAccess::new(self)?, offsets: self.layout().offsets() })
    }

    /// The elements in C order of the index, copied.
    ///
    /// # Errors
    ///
    /// Those of [`values`](Self::values).
    ///
    /// ```
    /// use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4], &[2, 2])?;
    /// assert_eq!(view.reversed_axes()?.to_vec::<u8>()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        Ok(self.values()?.collect())
    }
}

/// Iterator over the elements of a view; see [`StridedMemoryView::values`].
///
/// # Invariants
///
/// 1. The offsets are those of the view that `access` was made for.
pub struct Values<T> {
    access: TypedAccess<T>,
    offsets: Offsets,
}

impl<T: Element> Iterator for Values<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let offset = self.offsets.next()?;
        // SAFETY: (1) invariant 1.
        Some(unsafe { self.access.read(offset) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl<T: Element> FusedIterator for Values<T> {}
