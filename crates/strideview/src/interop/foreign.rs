//! The plain description of a foreign tensor: what every exchange protocol ends in.

use std::sync::Arc;

use super::wrap::{Declared, access_of, has_driver};
use crate::{
    Access, Buffer, DType, Deleter, Error, LayoutError, Owner, Result, StridedLayout,
    StridedMemoryView,
};

/// A tensor as somebody else describes it, unchecked.
///
/// ```
/// use strideview::interop::{Foreign, ForeignStrides};
/// use strideview::{Access, DType, Error};
///
/// let values = [1_i32, 2, 3, 4];
/// let foreign = Foreign {
///     address: values.as_ptr().cast_mut().cast(),
///     shape: &[2, 2],
///     strides: ForeignStrides::Bytes(&[8, 4]),
///     itemsize: 4,
///     dtype: Some(DType::I32),
///     access: Access::host(),
///     readonly: true,
/// };
/// assert_eq!(foreign.describe()?.span_in_bytes(), 16);
///
/// let broken = Foreign { shape: &[2, -1], ..foreign };
/// assert_eq!(broken.describe().unwrap_err().code(), "interop.layout");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Foreign<'a> {
    /// The address of element `[0, …, 0]`; ignored when there are no elements.
    pub address: *mut u8,
    /// The extents.
    pub shape: &'a [i64],
    /// The strides.
    pub strides: ForeignStrides<'a>,
    /// The bytes of one element.
    pub itemsize: i64,
    /// What an element is, if that is known.
    pub dtype: Option<DType>,
    /// Who can reach the memory.
    pub access: Access,
    /// Whether the memory must not be written.
    pub readonly: bool,
}

/// The strides of a foreign tensor, in the unit of its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignStrides<'a> {
    /// None given: C order.
    Implicit,
    /// In elements.
    Elements(&'a [i64]),
    /// In bytes; each a multiple of the item size, where it carries a meaning.
    Bytes(&'a [i64]),
}

impl Foreign<'_> {
    /// The description, checked. Looks at no memory behind the address. O(rank); allocates nothing
    /// for rank 8 or less.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignLayout`], [`Error::ForeignItemsize`], [`Error::NullAddress`] and
    /// [`Error::AddressRange`].
    pub fn describe(&self) -> Result<Described> {
        let layout = self.layout();
        if let (Ok(layout), Some(dtype)) = (&layout, self.dtype) {
            let (dtype_itemsize, itemsize) = (dtype.itemsize_bytes(), layout.itemsize());
            if usize::try_from(itemsize) != Ok(dtype_itemsize) {
                return Err(Error::ForeignItemsize { dtype_itemsize, itemsize });
            }
        }
        Described::new(self.address, layout, self.dtype, self.access, self.readonly)
    }

    /// A view of the memory, which `owner` keeps alive. Costs one small allocation.
    ///
    /// The buffer of the view spans the bytes that the layout covers, from the lowest to the
    /// highest. On failure the owner is dropped.
    ///
    /// # Safety
    ///
    /// As [`Described::into_view`].
    ///
    /// # Errors
    ///
    /// As [`describe`](Self::describe).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use strideview::interop::{Foreign, ForeignStrides};
    /// use strideview::{Access, DType, Error};
    ///
    /// let owner = Arc::new(*b"abcdef");
    /// let foreign = Foreign {
    ///     address: owner.as_ptr().wrapping_add(5).cast_mut(),
    ///     shape: &[3],
    ///     strides: ForeignStrides::Bytes(&[-2]),
    ///     itemsize: 1,
    ///     dtype: Some(DType::U8),
    ///     access: Access::host(),
    ///     readonly: true,
    /// };
    /// // SAFETY: (1, 2) offsets 5, 3 and 1 of six bytes that the owner keeps and nobody writes;
    /// // (3) read-only.
    /// let view = unsafe { foreign.into_view(owner) }?;
    /// assert_eq!(view.to_vec::<u8>()?, *b"fdb");
    /// assert_eq!(view.buffer().len_bytes(), 5);
    /// # Ok::<(), Error>(())
    /// ```
    pub unsafe fn into_view(self, owner: Arc<dyn Owner>) -> Result<StridedMemoryView> {
        let described = self.describe()?;
        // SAFETY: (1 to 3) the caller promises them.
        Ok(unsafe { described.into_view(owner) })
    }

    fn layout(&self) -> std::result::Result<StridedLayout, LayoutError> {
        let Self { shape, itemsize, .. } = *self;
        match self.strides {
            ForeignStrides::Implicit => StridedLayout::new(shape, None, itemsize),
            ForeignStrides::Elements(strides) => StridedLayout::new(shape, Some(strides), itemsize),
            ForeignStrides::Bytes(strides) => {
                StridedLayout::from_byte_strides(shape, strides, itemsize, 0)
            }
        }
    }
}

/// A foreign tensor whose description makes sense: made by [`Foreign::describe`] and
/// [`dlpack::inspect`](super::dlpack::inspect). It owns nothing.
///
/// # Invariants
///
/// 1. `layout` has slice offset 0, and an element of `dtype` takes `layout.itemsize()` bytes.
/// 2. `span_in_bytes` is 0 when the layout is empty. Otherwise it is at most `isize::MAX`, every
///    element lies in as many bytes from `lowest`, which is not null, and they do not wrap around
///    the address space.
/// 3. Element `[0, …, 0]` lies `offset_in_bytes` after `lowest`.
#[derive(Clone, Debug)]
pub struct Described {
    lowest: *mut u8,
    span_in_bytes: usize,
    offset_in_bytes: isize,
    layout: StridedLayout,
    dtype: Option<DType>,
    access: Access,
    readonly: bool,
}

impl Described {
    /// Establishes 2 and 3; the caller says 1.
    ///
    /// The layout comes as its constructor gave it, and goes to its place without a stop: to move
    /// one costs as much as to make one.
    #[inline(always)]
    pub(super) fn new(
        address: *mut u8,
        layout: std::result::Result<StridedLayout, LayoutError>,
        dtype: Option<DType>,
        access: Access,
        readonly: bool,
    ) -> Result<Self> {
        match layout {
            Ok(layout) => {
                let (lowest, span_in_bytes, offset_in_bytes) = reach(address, &layout)?;
                Ok(Self { lowest, span_in_bytes, offset_in_bytes, layout, dtype, access, readonly })
            }
            Err(error) => Err(Error::ForeignLayout(error)),
        }
    }

    /// The layout, which counts from element `[0, …, 0]`. O(1).
    #[must_use]
    pub fn layout(&self) -> &StridedLayout {
        &self.layout
    }

    /// What an element is, if that is known. O(1).
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// Who can reach the memory, as the description says. O(1).
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// Whether the memory must not be written. O(1).
    #[must_use]
    pub fn readonly(&self) -> bool {
        self.readonly
    }

    /// The address of element `[0, …, 0]`. O(1).
    #[must_use]
    pub fn address(&self) -> usize {
        self.lowest.addr().wrapping_add_signed(self.offset_in_bytes)
    }

    /// The bytes from the lowest to the highest one of an element; 0 when there are none. O(1).
    #[must_use]
    pub fn span_in_bytes(&self) -> usize {
        self.span_in_bytes
    }

    /// The same, with who can reach the memory found out better than the description says: by
    /// asking a driver. O(1).
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Lets nobody write the memory through a view of it. O(1).
    pub fn make_readonly(&mut self) {
        self.readonly = true;
    }

    /// Corrects who can reach the memory by what the CUDA driver says: one question, unless the
    /// description says that only the host can. Nothing is asked for 0 bytes, nor without a driver.
    ///
    /// # Errors
    ///
    /// Those of [`access_of`](super::access_of): memory said to be a device's that the driver does
    /// not know, since it was freed, say.
    ///
    /// ```
    /// use strideview::interop::{Foreign, ForeignStrides};
    /// use strideview::{Access, DType, Error};
    /// let bytes = [0_u8; 4];
    /// let foreign = Foreign {
    ///     address: bytes.as_ptr().cast_mut(),
    ///     shape: &[4],
    ///     strides: ForeignStrides::Implicit,
    ///     itemsize: 1,
    ///     dtype: Some(DType::U8),
    ///     access: Access::host(),
    ///     readonly: true,
    /// };
    /// let mut described = foreign.describe()?;
    /// described.verify()?;
    /// assert_eq!(described.access(), Access::host());
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn verify(&mut self) -> Result<()> {
        if self.access.device && self.span_in_bytes > 0 { self.ask_driver() } else { Ok(()) }
    }

    fn ask_driver(&mut self) -> Result<()> {
        if !has_driver() {
            return Ok(());
        }
        let Access { host, managed, .. } = self.access;
        let declared = match host {
            _ if managed => Declared::Managed,
            true => Declared::PinnedHost,
            false => Declared::Device,
        };
        self.access = access_of(self.lowest.addr(), self.span_in_bytes, declared, None)?;
        Ok(())
    }

    /// A view of the memory, which `owner` keeps alive. Costs one small allocation.
    ///
    /// Where the description is read-only, so are the buffer of the view and all others of it.
    ///
    /// # Safety
    ///
    /// 1. Until `owner` is dropped, the bytes from the lowest to the highest one of an element are
    ///    memory that can be reached as `access` says, and initialised where the host can reach it.
    /// 2. Nobody else writes them while a [`HostSlice`](crate::HostSlice) of them lives.
    /// 3. Unless the description is read-only, they may be written.
    #[inline]
    #[must_use]
    pub unsafe fn into_view(self, owner: Arc<dyn Owner>) -> StridedMemoryView {
        let Self { lowest, span_in_bytes, offset_in_bytes, layout, dtype, access, readonly } = self;
        // SAFETY: (1) the caller promises it in (1); (2) invariant 2.
        let buffer = unsafe { Buffer::from_raw(lowest, span_in_bytes, access, Some(owner)) };
        if readonly {
            buffer.make_readonly();
        }
        // Invariants 1 to 3 are those of a view.
        StridedMemoryView::from_parts(buffer, offset_in_bytes, layout, dtype, readonly)
    }

    /// A view of the memory, which `deleter` gives back. Costs one small allocation.
    ///
    /// # Safety
    ///
    /// As [`into_view`](Self::into_view), until `deleter` is called in the place of the owner's drop.
    #[inline(always)]
    #[must_use]
    pub unsafe fn into_view_of(self, deleter: Deleter) -> StridedMemoryView {
        let Self { lowest, span_in_bytes, offset_in_bytes, layout, dtype, access, readonly } = self;
        // SAFETY: (1) the caller promises it in (1); (2) invariant 2.
        let buffer = unsafe { Buffer::from_deleter(lowest, span_in_bytes, access, deleter) };
        if readonly {
            buffer.make_readonly();
        }
        // Invariants 1 to 3 are those of a view.
        StridedMemoryView::from_parts(buffer, offset_in_bytes, layout, dtype, readonly)
    }
}

/// The address of the lowest byte, the bytes from there to the highest, and those from there to
/// element `[0, …, 0]`. The layout counts from `address`.
#[inline]
fn reach(address: *mut u8, layout: &StridedLayout) -> Result<(*mut u8, usize, isize)> {
    let (min, max) = layout.offset_bounds();
    if max < min {
        return Ok((address, 0, 0)); // there are no elements
    }
    if address.is_null() {
        return Err(Error::NullAddress);
    }
    // Both products fit in i64, by the invariants of layouts.
    let (before, after) = (min * layout.itemsize(), (max + 1) * layout.itemsize());
    let fits = || {
        let span = isize::try_from(after.checked_sub(before)?).ok()?;
        let before = isize::try_from(before).ok()?;
        let lowest = address.addr().checked_add_signed(before)?;
        lowest.checked_add_signed(span)?;
        (lowest != 0).then_some((before.checked_neg()?, span.unsigned_abs()))
    };
    let Some((offset_in_bytes, span_in_bytes)) = fits() else {
        let at = |offset: i64| address.addr() as i128 + i128::from(offset);
        return Err(Error::AddressRange { lowest: at(before), end: at(after) });
    };
    Ok((address.wrapping_offset(-offset_in_bytes), span_in_bytes, offset_in_bytes))
}
