//! The view itself: its invariants, its checked constructor, and what it says of itself.
#![forbid(unsafe_code)]

use super::place;
use crate::{Access, Buffer, DType, Error, LayoutError, MemoryError, Result, StridedLayout};

/// A zero-copy view of strided memory: a buffer, a layout and a dtype.
///
/// Element `[0, …, 0]` lies [`offset_in_bytes`](Self::offset_in_bytes) after the start of the
/// buffer, and the layout, whose slice offset is 0, counts from there. A view without a dtype is
/// untyped: it knows how many bytes an element takes, and nothing else.
///
/// A view keeps a handle of its buffer. Once the buffer is closed, the view still says what it was,
/// and its memory can no longer be reached.
///
/// # Invariants
///
/// 1. `layout.slice_offset()` is 0.
/// 2. Every byte of every element lies inside the span that the buffer has while it is open:
///    `offset_in_bytes` plus any byte offset of the layout is in `0 .. len_bytes`.
/// 3. An element of `dtype`, where there is one, takes `layout.itemsize()` bytes.
///
/// ```
/// use strideview::{DType, Device, Error, Slice, StridedLayout, StridedMemoryView};
///
/// let buffer = Device::cpu().allocate(48)?;
/// let layout = StridedLayout::new(&[3, 4], None, 4)?;
/// let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::F32), false)?;
/// let column = view.sliced(&[Slice::ALL, Slice::Index(1)])?;
/// assert_eq!(column.layout().strides(), [4]);
/// assert_eq!(column.address(), buffer.address() + 4);
///
/// let too_large = StridedLayout::new(&[13], None, 4)?;
/// let error = StridedMemoryView::from_buffer(&buffer, &too_large, None, false).unwrap_err();
/// assert_eq!(error, Error::OutOfBounds { lowest: 0, end: 52, size_in_bytes: 48 });
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StridedMemoryView {
    buffer: Buffer,
    offset_in_bytes: isize,
    layout: StridedLayout,
    dtype: Option<DType>,
    readonly: bool,
}

impl StridedMemoryView {
    /// The view of `buffer` with this layout, whose element offset 0 is the start of the buffer.
    ///
    /// Every byte of the layout is checked to lie inside the buffer, those before its first element
    /// included. An empty layout always fits. O(rank); allocates nothing for rank 8 or less.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::ItemsizeMismatch`] when the dtype has another item size
    /// than the layout; [`Error::ReadOnly`] for a view that may be written of a buffer that may
    /// not ([`Buffer::readonly`]); [`MemoryError::Closed`].
    ///
    /// ```
    /// use strideview::{Device, Error, StridedLayout, StridedMemoryView};
    ///
    /// let buffer = Device::cpu().allocate(40)?;
    /// let backwards = StridedLayout::with_offset(&[10], Some(&[-1]), 4, 9)?;
    /// let view = StridedMemoryView::from_buffer(&buffer, &backwards, None, false)?;
    /// assert_eq!((view.offset_in_bytes(), view.layout().slice_offset()), (36, 0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_buffer(
        buffer: &Buffer,
        layout: &StridedLayout,
        dtype: Option<DType>,
        readonly: bool,
    ) -> Result<Self> {
        Self::placed(buffer, 0, layout, dtype, readonly)
    }

    /// The view with element offset 0 of the layout `origin_in_bytes` after the start of the
    /// buffer. Establishes the invariants.
    #[inline]
    pub(super) fn placed(
        buffer: &Buffer,
        origin_in_bytes: isize,
        layout: &StridedLayout,
        dtype: Option<DType>,
        readonly: bool,
    ) -> Result<Self> {
        check_itemsize(layout, dtype)?;
        if buffer.is_closed() {
            return Err(MemoryError::Closed.into());
        }
        if buffer.readonly() && !readonly {
            return Err(Error::ReadOnly);
        }
        // A buffer that is closed from here on has size 0, and is refused as too small.
        let size_in_bytes = buffer.len_bytes();
        place::check_inside(size_in_bytes, origin_in_bytes, layout)?;
        let offset_in_bytes = place::first_element(size_in_bytes, origin_in_bytes, layout);
        let (buffer, layout) = (buffer.clone(), layout.clone());
        let mut view = Self { buffer, offset_in_bytes, layout, dtype, readonly };
        view.rebase()?;
        Ok(view)
    }

    /// The view of these parts. The caller establishes the invariants.
    #[inline]
    pub(crate) fn from_parts(
        buffer: Buffer,
        offset_in_bytes: isize,
        layout: StridedLayout,
        dtype: Option<DType>,
        readonly: bool,
    ) -> Self {
        Self { buffer, offset_in_bytes, layout, dtype, readonly }
    }

    /// The view with another layout, whose elements are among those of this view (2); it counts
    /// from the first element of this view.
    ///
    /// The layout comes as the transform gave it, and goes to its place without a stop: to move one
    /// costs as much as to make one.
    #[inline(always)]
    pub(super) fn with_elements_among(
        &self,
        layout: std::result::Result<StridedLayout, LayoutError>,
    ) -> Result<Self> {
        match layout {
            Ok(layout) => {
                let size_in_bytes = self.buffer.len_bytes();
                let offset_in_bytes =
                    place::first_element(size_in_bytes, self.offset_in_bytes, &layout);
                let (buffer, dtype, readonly) = (self.buffer.clone(), self.dtype, self.readonly);
                let mut view = Self { buffer, offset_in_bytes, layout, dtype, readonly };
                view.rebase()?;
                Ok(view)
            }
            Err(error) => Err(Error::Layout(error)),
        }
    }

    /// Establishes invariant 1 for a view whose offset is that of the first element already.
    #[inline]
    fn rebase(&mut self) -> Result<()> {
        let layout = &self.layout;
        if layout.slice_offset() != 0 {
            let strides = (!layout.has_implicit_strides()).then_some(layout.strides());
            // Cannot overflow inside a buffer, whose span is at most `isize::MAX` bytes.
            self.layout = StridedLayout::new(layout.shape(), strides, layout.itemsize())?;
        }
        Ok(())
    }

    /// The same view, read-only. O(rank).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8], &[1])?.as_readonly();
    /// assert_eq!(view.copy_from(&view).unwrap_err(), Error::ReadOnly);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn as_readonly(&self) -> Self {
        Self { readonly: true, ..self.clone() }
    }

    /// The address of element `[0, …, 0]`; 0 once the buffer is closed. O(1).
    ///
    /// Hold a lease of the buffer while using it. In an empty view nothing lies there.
    #[must_use]
    pub fn address(&self) -> usize {
        self.as_ptr().addr()
    }

    /// The address of element `[0, …, 0]` as a pointer; null once the buffer is closed. O(1).
    #[must_use]
    pub fn as_ptr(&self) -> *mut u8 {
        let start = self.buffer.as_ptr();
        if self.buffer.is_closed() { start } else { start.wrapping_offset(self.offset_in_bytes) }
    }

    /// The buffer. O(1).
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Where element `[0, …, 0]` lies, in bytes from the start of the buffer. O(1).
    #[must_use]
    pub fn offset_in_bytes(&self) -> isize {
        self.offset_in_bytes
    }

    /// The layout, which counts from element `[0, …, 0]`: its slice offset is 0. O(1).
    #[must_use]
    pub fn layout(&self) -> &StridedLayout {
        &self.layout
    }

    /// The dtype; None for an untyped view. O(1).
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// The extents. O(1).
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.layout.shape()
    }

    /// The number of axes. O(1).
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The bytes of one element. O(1).
    #[must_use]
    pub fn itemsize(&self) -> i64 {
        self.layout.itemsize()
    }

    /// The number of elements. O(rank).
    #[must_use]
    pub fn volume(&self) -> i64 {
        self.layout.volume()
    }

    /// The bytes of all elements together, without the gaps between them. O(rank).
    ///
    /// ```
    /// # use strideview::{Error, Slice, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_f64; 10], &[10])?;
    /// assert_eq!(view.sliced(&[Slice::step(5)])?.nbytes(), 16);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn nbytes(&self) -> i64 {
        self.layout.nbytes()
    }

    /// Whether writing through the view is refused. O(1).
    #[must_use]
    pub fn readonly(&self) -> bool {
        self.readonly
    }

    /// Who can reach the memory. O(1).
    #[must_use]
    pub fn access(&self) -> Access {
        self.buffer.access()
    }

    /// The ordinal of the device that the memory belongs to; -1 when only the host can reach it.
    /// O(1).
    #[must_use]
    pub fn device_id(&self) -> i32 {
        self.access().device_id
    }

    /// Whether the buffer has been closed. O(1).
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.buffer.is_closed()
    }

    /// Whether both are the same elements at the same addresses, in the same order. O(rank).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1, 2, 3, 4], &[2, 2])?;
    /// assert!(view.is_same_memory(&view.transposed(0, 1)?.transposed(0, 1)?));
    /// assert!(!view.is_same_memory(&view.transposed(0, 1)?));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn is_same_memory(&self, other: &Self) -> bool {
        !self.is_closed()
            && self.address() == other.address()
            && self.layout.maps_like(&other.layout)
    }
}

/// Invariant 3.
#[inline]
pub(super) fn check_itemsize(layout: &StridedLayout, dtype: Option<DType>) -> Result<()> {
    let Some(dtype) = dtype else { return Ok(()) };
    let (dtype_itemsize, itemsize) = (dtype.itemsize_bytes(), layout.itemsize());
    if usize::try_from(itemsize) == Ok(dtype_itemsize) {
        return Ok(());
    }
    Err(Error::ItemsizeMismatch { dtype_itemsize, itemsize })
}
