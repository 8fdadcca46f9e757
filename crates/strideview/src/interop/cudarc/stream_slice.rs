//! A contiguous view as a slice that cudarc takes.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use ::cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut};

use super::check_reach;
use super::context::Before;
use crate::view::{Writing, check_dtype, writing_on_device};
use crate::{Element, Error, Lease, Result, StridedMemoryView};

/// The elements of a C-contiguous view as a slice of cudarc that is used on `stream`. Copies nothing.
///
/// What cudarc queues on it comes after what `stream` has been given until then, and after nothing
/// else. The slice leases the buffer; work that is still queued when it goes must be done before the
/// memory is given back, as for every use of a device.
///
/// # Errors
///
/// [`Error::DTypeMismatch`] or [`Error::Untyped`], [`Error::NotContiguous`], [`Error::NotOnDevice`]
/// for memory that the stream's device does not reach, [`Error::Misaligned`],
/// [`MemoryError::Closed`](crate::MemoryError); [`Error::SliceAlive`] for memory that the host reaches
/// too and has borrowed, unless the view is read-only.
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::interop::cudarc::as_stream_slice;
/// use strideview::{CopyOptions, Device, StridedMemoryView, to_device, to_host};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stream = CudaContext::new(0)?.default_stream();
/// let host = StridedMemoryView::from_vec(vec![1_u32, 2, 3], &[3])?;
/// let view = to_device(&host, Device::cuda(0)?, CopyOptions::default())?;
/// let mut slice = as_stream_slice::<u32>(&view, &stream)?;
/// assert_eq!(stream.clone_dtoh(&slice.as_view())?, [1, 2, 3]);
/// stream.memset_zeros(&mut slice.as_view_mut()?.slice_mut(1..))?;
/// assert_eq!(to_host(&view, CopyOptions::default())?.to_vec::<u32>()?, [1, 0, 0]);
/// # Ok(())
/// # }
/// ```
pub fn as_stream_slice<T: Element>(
    view: &StridedMemoryView,
    stream: &Arc<CudaStream>,
) -> Result<StreamSlice<T>> {
    check_dtype::<T>(view)?;
    if !view.layout().is_contiguous_c() {
        return Err(Error::NotContiguous);
    }
    check_reach(view, stream.context())?;
    let lease = view.buffer().lease()?;
    let address = view.address();
    if !address.is_multiple_of(align_of::<T>()) && !view.layout().is_empty() {
        return Err(Error::Misaligned { address, alignment: align_of::<T>() });
    }
    let readonly = view.readonly();
    let writing = if readonly { None } else { writing_on_device(view, address)? };
    let _before = Before::enter(stream.context())?;
    // At least 0, by the layout, and inside a buffer.
    let len = view.volume() as usize;
    // SAFETY: memory that the device reaches, with as many elements, kept by the lease; it is not
    // freed by this slice, which is never dropped, and initialised or written before it is read, as
    // for every view of a device.
    let slice = unsafe { stream.upgrade_device_ptr(address as u64, len) };
    Ok(StreamSlice { slice: ManuallyDrop::new(slice), readonly, _writing: writing, lease })
}

/// A slice of device memory, kept in place: made by [`as_stream_slice`], gives out views of cudarc,
/// which copies and kernels of cudarc take.
///
/// # Invariants
///
/// 1. `slice` is of memory that `lease` keeps, and is never dropped as a slice, which would free it.
pub struct StreamSlice<T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    readonly: bool,
    /// Keeps the host from borrowing what it reaches too.
    _writing: Option<Writing>,
    lease: Lease,
}

impl<T> StreamSlice<T> {
    /// The elements, to be read. O(1).
    pub fn as_view(&self) -> CudaView<'_, T> {
        self.slice.as_view()
    }

    /// The elements, to be written. O(1).
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`].
    pub fn as_view_mut(&mut self) -> Result<CudaViewMut<'_, T>> {
        if self.readonly { Err(Error::ReadOnly) } else { Ok(self.slice.as_view_mut()) }
    }
}

impl<T> Drop for StreamSlice<T> {
    /// Its stream waits for what other streams of cudarc do with it.
    fn drop(&mut self) {
        let _before = Before::enter(self.slice.context());
        // SAFETY: taken here alone.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        slice.leak(); // the memory is the buffer's
    }
}

impl<T> fmt::Debug for StreamSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamSlice")
            .field("len", &self.slice.len())
            .field("readonly", &self.readonly)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}
