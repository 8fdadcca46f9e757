//! From a DLPack tensor to a view: check everything, then take it.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;

use super::abi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Flags, MAJOR_VERSION,
    MINOR_VERSION,
};
use super::device::access_of;
use crate::interop::Described;
use crate::{DType, Deleter, Error, MAX_RANK, Result, StridedLayout, StridedMemoryView};

/// A managed tensor of either form. A plain pointer: it owns nothing, and dropping it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Managed {
    /// With version and flags.
    Versioned(NonNull<DLManagedTensorVersioned>),
    /// As before version 1.0.
    Legacy {
        /// The tensor.
        tensor: NonNull<DLManagedTensor>,
        /// Whether the view of it is read-only. A legacy tensor cannot say; true is the safe answer.
        readonly: bool,
    },
}

impl Managed {
    /// The tensor at this address. O(1).
    ///
    /// # Errors
    ///
    /// [`Error::NullTensor`].
    ///
    /// ```
    /// use strideview::{Error, interop::dlpack::Managed};
    /// assert_eq!(Managed::versioned(std::ptr::null_mut()), Err(Error::NullTensor));
    /// ```
    pub fn versioned(tensor: *mut DLManagedTensorVersioned) -> Result<Self> {
        NonNull::new(tensor).map(Self::Versioned).ok_or(Error::NullTensor)
    }

    /// The legacy tensor at this address, to be viewed read-only or not. O(1).
    ///
    /// # Errors
    ///
    /// [`Error::NullTensor`].
    ///
    /// ```
    /// use strideview::{Error, interop::dlpack::Managed};
    /// assert_eq!(Managed::legacy(std::ptr::null_mut(), true), Err(Error::NullTensor));
    /// ```
    pub fn legacy(tensor: *mut DLManagedTensor, readonly: bool) -> Result<Self> {
        let tensor = NonNull::new(tensor).ok_or(Error::NullTensor)?;
        Ok(Self::Legacy { tensor, readonly })
    }

    /// What gives the tensor back when the memory is released. O(1).
    ///
    /// # Safety
    ///
    /// 1. The tensor is the caller's, who gives it up; its deleter may be called from any thread.
    #[inline]
    unsafe fn deleter(self) -> Deleter {
        let (function, tensor): (unsafe fn(*mut c_void), _) = match self {
            Self::Versioned(tensor) => (give_back_versioned, tensor.as_ptr().cast()),
            Self::Legacy { tensor, .. } => (give_back_legacy, tensor.as_ptr().cast()),
        };
        // SAFETY: (1) the function is the one for this form of a tensor, and the caller gives up the
        // right to call it.
        unsafe { Deleter::new(function, tensor) }
    }

    /// Calls the deleter, if there is one.
    ///
    /// # Safety
    ///
    /// 1. The tensor is there, as its producer made it.
    /// 2. Its deleter has not been called, the right to call it is the caller's, and it may be
    ///    called from this thread. Nothing uses the tensor any more.
    ///
    /// ```
    /// use strideview::interop::dlpack::{Flags, Managed, export_versioned};
    /// use strideview::{Error, StreamToken, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8], &[1])?;
    /// let tensor = Managed::Versioned(export_versioned(&view, Flags::NONE)?);
    /// assert_eq!(view.buffer().leases(), 1);
    /// // SAFETY: (1, 2) just made, and given to nobody else.
    /// unsafe { tensor.give_back() };
    /// assert_eq!(view.buffer().leases(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub unsafe fn give_back(self) {
        match self {
            Self::Versioned(tensor) => {
                let deleter = tensor.as_ptr().cast::<VersionedPrefix>();
                // SAFETY: (1) the caller promises it; every major version starts like this.
                let VersionedPrefix { deleter, .. } = unsafe { deleter.read() };
                if let Some(deleter) = deleter {
                    // SAFETY: (2) the caller promises it.
                    unsafe { deleter(tensor.as_ptr()) };
                }
            }
            Self::Legacy { tensor, .. } => {
                // SAFETY: (1) the caller promises it.
                let DLManagedTensor { deleter, .. } = unsafe { tensor.read() };
                if let Some(deleter) = deleter {
                    // SAFETY: (2) the caller promises it.
                    unsafe { deleter(tensor.as_ptr()) };
                }
            }
        }
    }
}

/// Gives a versioned tensor back.
///
/// # Safety
///
/// 1. As [`Managed::give_back`], with the address of a versioned tensor.
unsafe fn give_back_versioned(tensor: *mut c_void) {
    if let Some(tensor) = NonNull::new(tensor.cast()) {
        // SAFETY: (1).
        unsafe { Managed::Versioned(tensor).give_back() };
    }
}

/// Gives a legacy tensor back.
///
/// # Safety
///
/// 1. As [`Managed::give_back`], with the address of a legacy tensor.
unsafe fn give_back_legacy(tensor: *mut c_void) {
    if let Some(tensor) = NonNull::new(tensor.cast()) {
        // SAFETY: (1).
        unsafe { Managed::Legacy { tensor, readonly: false }.give_back() };
    }
}

/// What a [`DLManagedTensorVersioned`] of any major version starts with, as far as it may be read.
#[repr(C)]
struct VersionedPrefix {
    version: DLPackVersion,
    manager_ctx: *mut std::ffi::c_void,
    deleter: Option<super::abi::VersionedDeleter>,
}

/// Checks a tensor, and takes nothing: after an error, and after success too, it is the caller's as
/// it was. Looks at nothing behind its data pointer. O(rank); allocates nothing for rank 8 or less.
///
/// Strides that are null mean C order, whatever the version. The byte offset is added. A tensor of
/// no elements may have any address. The id of a host device is ignored.
///
/// # Safety
///
/// 1. The tensor is there: a structure of the form that [`Managed`] says, or, where its major
///    version is unknown, at least a version.
/// 2. Its shape and its strides are null, or `ndim` numbers that nobody writes during the call.
///
/// # Errors
///
/// [`Error::MajorVersion`], [`Error::UnknownFlags`], [`Error::ForeignRank`], [`Error::NullShape`],
/// [`Error::ForeignLayout`], those of [`DType::from_dlpack`], [`Error::UnknownDevice`],
/// [`Error::NegativeDeviceId`], [`Error::NullAddress`] and [`Error::AddressRange`]. All are of kind
/// [`Interop`](crate::ErrorKind::Interop).
///
/// ```
/// use strideview::interop::dlpack::{Flags, Managed, export_versioned, inspect};
/// use strideview::{DType, Error, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3], &[3])?;
/// let tensor = Managed::Versioned(export_versioned(&view, Flags::NONE)?);
/// // SAFETY: (1, 2) just made.
/// let described = unsafe { inspect(tensor) }?;
/// assert_eq!((described.dtype(), described.span_in_bytes()), (Some(DType::U8), 3));
/// // SAFETY: (1, 2) just made, and given to nobody else.
/// unsafe { tensor.give_back() };
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub unsafe fn inspect(tensor: Managed) -> Result<Described> {
    match tensor {
        Managed::Versioned(tensor) => {
            // SAFETY: (1) the caller promises at least a version.
            let version = unsafe { tensor.cast::<DLPackVersion>().read() };
            if version.major != MAJOR_VERSION {
                let (major, supported) = (version.major, MAJOR_VERSION);
                return Err(Error::MajorVersion { major, supported });
            }
            // SAFETY: (1) the caller promises it; the major version is the one known here.
            let DLManagedTensorVersioned { flags, dl_tensor, .. } = unsafe { tensor.read() };
            if version.minor > MINOR_VERSION && !Flags::KNOWN.contains(flags) {
                return Err(Error::UnknownFlags { flags: flags.0, minor: version.minor });
            }
            // SAFETY: the caller promises (2).
            unsafe { describe(&dl_tensor, flags) }
        }
        Managed::Legacy { tensor, readonly } => {
            // SAFETY: (1) the caller promises it.
            let DLManagedTensor { dl_tensor, .. } = unsafe { tensor.read() };
            // SAFETY: the caller promises (2).
            unsafe { describe(&dl_tensor, Flags::READ_ONLY.when(readonly)) }
        }
    }
}

/// Takes a tensor that [`inspect`] found good: the view gives it back when its buffer is released.
/// Costs one small allocation.
///
/// # Safety
///
/// 1. `described` is what `inspect` said of this tensor, except for its access.
/// 2. The tensor is the caller's, who gives it up: nobody else will call its deleter, which may be
///    called from any thread.
/// 3. What it says is true: until its deleter is called, the bytes from the lowest to the highest
///    one of an element are memory that can be reached from its device, initialised where that is
///    the host, and writable unless the view is read-only.
/// 4. Nobody else writes them while a [`HostSlice`](crate::HostSlice) of them lives.
#[inline]
#[must_use]
pub unsafe fn take(tensor: Managed, described: Described) -> StridedMemoryView {
    // SAFETY: (1) the caller promises it in (2).
    let deleter = unsafe { tensor.deleter() };
    // SAFETY: (1 to 3) the caller promises them in (1), (3) and (4).
    unsafe { described.into_view_of(deleter) }
}

/// [`inspect`] and [`take`] in one. On failure the tensor is the caller's as it was.
///
/// # Safety
///
/// 1. As for `inspect`.
/// 2. On success, the tensor is the view's, as for `take` (2).
/// 3. What the tensor says is true, as for `take` (3 and 4).
///
/// # Errors
///
/// Those of [`inspect`].
///
/// ```
/// use strideview::interop::dlpack::{Flags, Managed, export_versioned, import_managed};
/// use strideview::{Error, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_f32, 2.0], &[2])?;
/// let tensor = export_versioned(&view.as_readonly(), Flags::NONE)?;
/// // SAFETY: (1 to 3) just made by `export_versioned`, and given to nobody else.
/// let again = unsafe { import_managed(Managed::Versioned(tensor)) }?;
/// assert!(again.readonly());
/// assert_eq!(again.get::<f32>(&[1])?, 2.0);
/// # Ok::<(), Error>(())
/// ```
pub unsafe fn import_managed(tensor: Managed) -> Result<StridedMemoryView> {
    // SAFETY: (1, 2) the caller promises them in (1).
    let described = unsafe { inspect(tensor) }?;
    // SAFETY: (1) the line above; (2 to 4) the caller promises them in (2) and (3).
    Ok(unsafe { take(tensor, described) })
}

/// Checks what is common to both forms.
///
/// # Safety
///
/// 1. Shape and strides are null, or `ndim` numbers that nobody writes during the call.
#[inline(always)]
unsafe fn describe(tensor: &DLTensor, flags: Flags) -> Result<Described> {
    let padded = flags.contains(Flags::IS_SUBBYTE_TYPE_PADDED);
    let dtype = tensor.dtype;
    let dtype = DType::from_dlpack(dtype.code.0, dtype.bits, dtype.lanes, padded)?;
    let access = access_of(tensor.device)?;
    let readonly = flags.contains(Flags::READ_ONLY);
    let itemsize = dtype.itemsize_bytes() as i64; // at most 255 * 65535 / 8
    // SAFETY: the caller promises (1).
    let (shape, strides) = unsafe { arrays_of(tensor) }?;
    let first = first_element(tensor, shape)?;
    let layout = StridedLayout::new(shape, strides, itemsize);
    Described::new(first, layout, Some(dtype), access, readonly)
}

/// The shape, and the strides where there are any.
///
/// # Safety
///
/// 1. Shape and strides are null, or `ndim` numbers that nobody writes while the slices are used.
#[inline(always)]
unsafe fn arrays_of<'a>(tensor: &DLTensor) -> Result<(&'a [i64], Option<&'a [i64]>)> {
    let ndim = tensor.ndim;
    let rank = usize::try_from(ndim).ok().filter(|&rank| rank <= MAX_RANK);
    let rank = rank.ok_or(Error::ForeignRank { ndim, limit: MAX_RANK })?;
    if rank == 0 {
        return Ok((&[], None)); // neither pointer is looked at
    }
    // SAFETY: the caller promises (1) for the shape, and `rank` is `ndim`.
    let shape = unsafe { numbers(tensor.shape, rank) }.ok_or(Error::NullShape { ndim })?;
    // SAFETY: the caller promises (1) for the strides, and `rank` is `ndim`.
    let strides = unsafe { numbers(tensor.strides, rank) };
    Ok((shape, strides))
}

/// The numbers at an address; None when it is null.
///
/// # Safety
///
/// 1. The address is null, or that of `len` numbers that nobody writes while the slice is used.
#[inline]
unsafe fn numbers<'a>(address: *const i64, len: usize) -> Option<&'a [i64]> {
    if address.is_null() {
        return None;
    }
    // SAFETY: (1) the caller promises it, and the address is not null.
    Some(unsafe { slice::from_raw_parts(address, len) })
}

/// The address of element `[0, …, 0]`: null where the data pointer is, and anything when there is no
/// element.
#[inline]
fn first_element(tensor: &DLTensor, shape: &[i64]) -> Result<*mut u8> {
    let data = tensor.data.cast::<u8>();
    if data.is_null() {
        return Ok(data);
    }
    let first = data.wrapping_add(tensor.byte_offset as usize);
    let lowest = data.addr() as i128 + i128::from(tensor.byte_offset);
    if lowest != first.addr() as i128 && !shape.contains(&0) {
        return Err(Error::AddressRange { lowest, end: lowest + 1 });
    }
    Ok(first)
}
