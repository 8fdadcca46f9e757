//! Descriptions that own nothing, and tensors made after one.

use std::ptr::{NonNull, null_mut};
use std::slice;

use super::abi::{DLDataType, DLDataTypeCode, DLDevice, DLManagedTensorVersioned, DLTensor, Flags};
use super::device::device_of;
use super::export::export_versioned;
use crate::{
    DType, Device, Error, MAX_RANK, Result, StrideOrder, StridedLayout, StridedMemoryView,
};

/// A plain tensor of a view. Shape and strides are the view's own, and nothing keeps the memory: good
/// for as long as the view is there and its buffer is not closed. O(1).
///
/// # Errors
///
/// The view is untyped, read-only or padded (a plain tensor cannot say so), closed, or out of reach.
///
/// ```
/// use strideview::{Error, StridedMemoryView, interop::dlpack::describe_borrowed};
/// let view = StridedMemoryView::from_vec(vec![0_f32; 6], &[2, 3])?;
/// assert_eq!(describe_borrowed(&view)?.ndim, 2);
/// # Ok::<(), Error>(())
/// ```
pub fn describe_borrowed(view: &StridedMemoryView) -> Result<DLTensor> {
    let dtype = view.dtype().ok_or(Error::UntypedExport)?;
    if view.readonly() {
        return Err(Error::LegacyReadOnly);
    }
    if dtype.is_padded() {
        return Err(Error::LegacyPadded);
    }
    let device = device_of(view)?;
    drop(view.buffer().lease()?); // a closed buffer is an error
    let layout = view.layout();
    Ok(DLTensor {
        data: if layout.is_empty() { null_mut() } else { view.as_ptr().cast() },
        device,
        ndim: view.rank() as i32, // at most MAX_RANK
        dtype: DLDataType {
            code: DLDataTypeCode(dtype.code()),
            bits: dtype.bits(),
            lanes: dtype.lanes(),
        },
        shape: layout.shape().as_ptr().cast_mut(),
        strides: layout.strides().as_ptr().cast_mut(),
        byte_offset: 0,
    })
}

/// A new dense tensor on the host with the dtype and shape of a prototype, its bytes zero.
/// Allocates.
///
/// # Errors
///
/// A null or malformed prototype, a dtype that no view carries, another device than the host, not
/// enough memory.
///
/// # Safety
///
/// 1. `prototype` is null or a description whose shape has `ndim` entries.
///
/// ```
/// use strideview::{Error, StridedMemoryView};
/// use strideview::interop::dlpack::{Managed, allocate_like, describe_borrowed, import_managed};
/// let view = StridedMemoryView::from_vec(vec![0_f32; 6], &[2, 3])?;
/// let mut prototype = describe_borrowed(&view)?;
/// // SAFETY: (1) the view is alive.
/// let tensor = unsafe { allocate_like(&raw mut prototype) }?;
/// // SAFETY: just made, and nobody else has seen it.
/// let other = unsafe { import_managed(Managed::Versioned(tensor)) }?;
/// assert_eq!(other.shape(), [2, 3]);
/// # Ok::<(), Error>(())
/// ```
pub unsafe fn allocate_like(prototype: *mut DLTensor) -> Result<NonNull<DLManagedTensorVersioned>> {
    let prototype = NonNull::new(prototype).ok_or(Error::NullTensor)?;
    // SAFETY: (1).
    let DLTensor { device, ndim, dtype, shape, .. } = unsafe { *prototype.as_ptr() };
    if device != DLDevice::CPU {
        return Err(Error::CopyDevice { device_type: device.device_type.0 });
    }
    let rank = usize::try_from(ndim).ok().filter(|&rank| rank <= MAX_RANK);
    let rank = rank.ok_or(Error::ForeignRank { ndim, limit: MAX_RANK })?;
    if rank > 0 && shape.is_null() {
        return Err(Error::NullShape { ndim });
    }
    let extents = match rank {
        0 => &[],
        // SAFETY: (1), and not null.
        _ => unsafe { slice::from_raw_parts(shape, rank) },
    };
    let padded = false; // a prototype has no flags, and packed dtypes are not carried
    let dtype = DType::from_dlpack(dtype.code.0, dtype.bits, dtype.lanes, padded)?;
    let layout = StridedLayout::dense(extents, dtype.itemsize_bytes() as i64, StrideOrder::C)
        .map_err(Error::ForeignLayout)?;
    let size_in_bytes = usize::try_from(layout.nbytes()).unwrap_or(usize::MAX);
    let buffer = Device::cpu().allocate(size_in_bytes)?;
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(dtype), false)?;
    export_versioned(&view, Flags::NONE)
}
