//! From a view to a DLPack tensor.

use std::ptr::{NonNull, null_mut};

use super::abi::{
    DLDataType, DLDataTypeCode, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion,
    DLTensor, Flags,
};
use super::block::{self, Arrays};
use super::device::device_of;
use crate::{DType, Error, Lease, Result, StridedMemoryView, copy, empty_like};

/// The view as a versioned tensor, stamped 1.3, without copying. Costs one allocation.
///
/// The data pointer is the address of element `[0, …, 0]`, null when there are no elements, and the
/// byte offset is 0. Strides are spelled out. The tensor leases the buffer until its deleter is
/// called: once, from any thread. The flags that follow from the view are set; of `flags`, those of
/// [`Flags::READ_ONLY`] and [`Flags::IS_COPIED`] are added.
///
/// # Errors
///
/// [`Error::UntypedExport`]; [`Error::Unreachable`];
/// [`MemoryError::Closed`](crate::MemoryError), and
/// [`MemoryError::OutOfMemory`](crate::MemoryError).
///
/// ```
/// use strideview::interop::dlpack::{Flags, Managed, export_versioned};
/// use strideview::{Error, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?.as_readonly();
/// let tensor = export_versioned(&view, Flags::NONE)?;
/// // SAFETY: just made, and not given back yet.
/// assert_eq!(unsafe { tensor.as_ref() }.flags, Flags::READ_ONLY);
/// // SAFETY: (1, 2) just made, and given to nobody else.
/// unsafe { Managed::Versioned(tensor).give_back() };
/// # Ok::<(), Error>(())
/// ```
pub fn export_versioned(
    view: &StridedMemoryView,
    flags: Flags,
) -> Result<NonNull<DLManagedTensorVersioned>> {
    versioned(view, flags, device_of(view)?)
}

/// The view as a legacy tensor, without copying. As [`export_versioned`] otherwise.
///
/// # Errors
///
/// Those of [`export_versioned`]; [`Error::LegacyReadOnly`] and [`Error::LegacyPadded`], since the
/// consumer could not be told.
///
/// ```
/// use strideview::interop::dlpack::export_legacy;
/// use strideview::{Error, StridedMemoryView};
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?.as_readonly();
/// assert_eq!(export_legacy(&view), Err(Error::LegacyReadOnly));
/// # Ok::<(), Error>(())
/// ```
pub fn export_legacy(view: &StridedMemoryView) -> Result<NonNull<DLManagedTensor>> {
    legacy(view, device_of(view)?)
}

/// A dense copy of the view on the host as a versioned tensor with [`Flags::IS_COPIED`]. Copies.
///
/// The axes keep their order in memory. The copy is writable, whatever the view is.
///
/// # Errors
///
/// Those of [`export_versioned`] and of [`copy()`](crate::copy()).
///
/// ```
/// use strideview::interop::dlpack::{Flags, Managed, export_copy, import_managed};
/// use strideview::{Error, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?;
/// // SAFETY: (1 to 3) just made, and given to nobody else.
/// let copy = unsafe { import_managed(Managed::Versioned(export_copy(&view)?)) }?;
/// assert_ne!(copy.address(), view.address());
/// assert_eq!(copy.to_vec::<u8>()?, [1, 2]);
/// # Ok::<(), Error>(())
/// ```
pub fn export_copy(view: &StridedMemoryView) -> Result<NonNull<DLManagedTensorVersioned>> {
    export_versioned(&copied(view)?, Flags::IS_COPIED)
}

/// A dense copy on the host, of a view that can be exported.
fn copied(view: &StridedMemoryView) -> Result<StridedMemoryView> {
    dtype_of(view)?;
    let new = empty_like(view)?;
    copy(&new, view)?;
    Ok(new)
}

/// As [`export_versioned`], given out as memory of `device`.
pub(super) fn versioned(
    view: &StridedMemoryView,
    flags: Flags,
    device: DLDevice,
) -> Result<NonNull<DLManagedTensorVersioned>> {
    let (dtype, lease) = (dtype_of(view)?, view.buffer().lease()?);
    let layout = view.layout();
    let mut all = Flags(flags.0 & (Flags::READ_ONLY | Flags::IS_COPIED).0);
    all |= Flags::READ_ONLY.when(view.readonly());
    all |= Flags::IS_SUBBYTE_TYPE_PADDED.when(dtype.is_padded());
    let tensor = tensor(view, &lease, dtype, device);
    block::give_out(lease, layout.shape(), layout.strides(), |arrays| DLManagedTensorVersioned {
        version: DLPackVersion::CURRENT,
        manager_ctx: null_mut(),
        deleter: Some(delete_versioned),
        flags: all,
        dl_tensor: with_arrays(tensor, arrays),
    })
}

/// As [`export_legacy`], given out as memory of `device`.
pub(super) fn legacy(
    view: &StridedMemoryView,
    device: DLDevice,
) -> Result<NonNull<DLManagedTensor>> {
    let (dtype, lease) = (dtype_of(view)?, view.buffer().lease()?);
    if view.readonly() {
        return Err(Error::LegacyReadOnly);
    }
    if dtype.is_padded() {
        return Err(Error::LegacyPadded);
    }
    let tensor = tensor(view, &lease, dtype, device);
    let layout = view.layout();
    block::give_out(lease, layout.shape(), layout.strides(), |arrays| DLManagedTensor {
        dl_tensor: with_arrays(tensor, arrays),
        manager_ctx: null_mut(),
        deleter: Some(delete_legacy),
    })
}

/// The tensor of a leased view, but for its shape and strides.
fn tensor(view: &StridedMemoryView, lease: &Lease, dtype: DType, device: DLDevice) -> DLTensor {
    let layout = view.layout();
    let first = lease.as_ptr().wrapping_offset(view.offset_in_bytes());
    DLTensor {
        data: if layout.is_empty() { null_mut() } else { first.cast() },
        device,
        ndim: layout.rank() as i32, // at most 64
        dtype: DLDataType {
            code: DLDataTypeCode(dtype.code()),
            bits: dtype.bits(),
            lanes: dtype.lanes(),
        },
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    }
}

fn with_arrays(tensor: DLTensor, arrays: Arrays) -> DLTensor {
    DLTensor { shape: arrays.shape, strides: arrays.strides, ..tensor }
}

pub(super) fn dtype_of(view: &StridedMemoryView) -> Result<DType> {
    view.dtype().ok_or(Error::UntypedExport)
}

/// The deleter of [`export_versioned`].
///
/// # Safety
///
/// 1. The tensor is null, or from there, not given back yet, and used by nobody any more.
unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: (1, 2) the caller promises them in (1).
    unsafe { block::free(tensor) };
}

/// The deleter of [`export_legacy`].
///
/// # Safety
///
/// 1. The tensor is null, or from there, not given back yet, and used by nobody any more.
unsafe extern "C" fn delete_legacy(tensor: *mut DLManagedTensor) {
    // SAFETY: (1, 2) the caller promises them in (1).
    unsafe { block::free(tensor) };
}
