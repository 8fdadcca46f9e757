//! A view as a Rust slice.

use std::fmt;
use std::ops::Deref;

use super::borrow::Reading;
use super::{Element, StridedMemoryView, access};
use crate::{Error, Lease, Result};

impl StridedMemoryView {
    /// The elements of a C-contiguous view as a slice of `T`. Copies nothing.
    ///
    /// The slice leases the buffer, and while it lives, copies into its bytes are refused.
    ///
    /// # Errors
    ///
    /// [`Error::DTypeMismatch`](crate::Error::DTypeMismatch) or [`Error::Untyped`](crate::Error),
    /// [`Error::NotContiguous`](crate::Error), [`Error::Misaligned`](crate::Error),
    /// [`Error::NotHostAccessible`](crate::Error), [`Error::BeingWritten`](crate::Error), and
    /// [`MemoryError::Closed`](crate::MemoryError).
    ///
    /// ```
    /// use strideview::{Error, Slice, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_i64, 2, 3, 4], &[2, 2])?;
    /// let row = view.sliced(&[Slice::Index(1)])?.as_slice::<i64>()?;
    /// assert_eq!(row[..], [3, 4]);
    /// assert_eq!(view.copy_from(&view.transposed(0, 1)?), Err(Error::SliceAlive));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn as_slice<T: Element>(&self) -> Result<HostSlice<T>> {
        HostSlice::new(self)
    }
}

/// A slice of host memory, kept in place: made by
/// [`as_slice`](StridedMemoryView::as_slice), dereferences to `[T]`.
///
/// It holds a lease, so the buffer cannot be closed before it goes, and it may outlive the view.
///
/// # Invariants
///
/// 1. `first` is aligned, and valid for reads of `len` values while `lease` lives.
/// 2. Nothing writes them while `reading` lives.
pub struct HostSlice<T> {
    first: *const T,
    len: usize,
    /// Declared first, so dropped before the lease.
    _reading: Option<Reading>,
    lease: Lease,
}

// SAFETY: it gives out `&[T]` and nothing else, to memory that stays in place; `T` is Sync and Send.
unsafe impl<T: Element> Send for HostSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for HostSlice<T> {}

impl<T: Element> HostSlice<T> {
    fn new(view: &StridedMemoryView) -> Result<Self> {
        access::check_dtype::<T>(view)?;
        if !view.layout().is_contiguous_c() {
            return Err(Error::NotContiguous);
        }
        // The law of `borrow` is invariants 1 and 2, as the offsets are those from 0 up to `len`,
        // which is at most `isize::MAX`: as many elements lie in a buffer.
        let access::Borrowed { first, lease, reading } = access::borrow(view)?;
        Ok(Self { first, len: view.volume() as usize, _reading: reading, lease })
    }

    /// The lease of the buffer. O(1).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let slice = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?.as_slice::<u8>()?;
    /// assert_eq!(slice.lease().len_bytes(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lease(&self) -> &Lease {
        &self.lease
    }
}

impl<T: Element> Deref for HostSlice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: invariants 1 and 2, for as long as `self` is borrowed; every initialised byte
        // sequence is a `T` (Element 1), and the values lie inside one buffer of at most
        // `isize::MAX` bytes.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for HostSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
