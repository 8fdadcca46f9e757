//! Slices of cudarc as views: owned, and for the time of a call.

use std::sync::Arc;

use ::cudarc::driver::sys::CUdeviceptr;
use ::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, SyncOnDrop};

use super::context::{Before, failed};
use super::stream::from_stream;
use super::{ordinal, token};
use crate::interop::foreign::{Described, Foreign, ForeignStrides};
use crate::{
    Access, Buffer, Element, Error, MemoryError, Result, StreamToken, StridedLayout,
    StridedMemoryView,
};

/// A view of a slice, in C order of the shape; the buffer owns the slice. One question to the driver;
/// copies nothing.
///
/// Work that the slice's stream has still to do on it is not waited for: queue what comes next on
/// that stream ([`token`](super::token)). The memory goes back to cudarc in the order of that stream,
/// after the work of the stream that [`Buffer::close`] names.
///
/// # Errors
///
/// [`Error::LengthMismatch`] when the shape has another number of elements than the slice; those of
/// [`StridedLayout::new`]; the slice is dropped then.
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::{CopyOptions, interop::cudarc::from_slice, to_host};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stream = CudaContext::new(0)?.default_stream();
/// let view = from_slice(stream.clone_htod(&[1_f32, 2.0, 3.0, 4.0])?, &[2, 2])?;
/// let column = to_host(&view.transposed(0, 1)?, CopyOptions::default())?;
/// assert_eq!(column.to_vec::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub fn from_slice<T: Element>(slice: CudaSlice<T>, shape: &[i64]) -> Result<StridedMemoryView> {
    let _before = Before::enter(slice.context())?;
    let slice = slice; // after an error cudarc frees it, on the context that is current then
    let (address, synced) = slice.device_ptr(slice.stream());
    drop(synced); // nothing is queued here
    let described = describe::<T>(address, slice.len(), shape, slice.context(), false)?;
    let (access, layout) = (described.access(), described.layout().clone());
    let size_in_bytes = slice.num_bytes();
    let release = move |stream| give_back(slice, stream);
    let address = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: (1) the closure keeps the slice, which nobody else has; (2) it is an allocation, which
    // only a device reaches, or memory that cudarc's `upgrade_device_ptr` was promised to be one.
    let buffer = unsafe { Buffer::from_raw_with(address, size_in_bytes, access, release) };
    StridedMemoryView::from_buffer(&buffer, &layout, Some(T::DTYPE), false)
}

/// Frees a slice in the order of its stream, after the work of another one.
fn give_back<T>(slice: CudaSlice<T>, stream: StreamToken) -> std::result::Result<(), MemoryError> {
    // cudarc frees on whatever context is current, and the dropping thread may have none.
    let before = Before::enter(slice.context());
    let ordered = if stream.is_none() || stream == token(slice.stream()) {
        Ok(())
    } else {
        follow(slice.stream(), stream)
    };
    drop(slice);
    match before.and(ordered) {
        Ok(()) => Ok(()),
        Err(_) => Err(MemoryError::Resource { call: "cuStreamWaitEvent", status: -1 }),
    }
}

/// Makes a stream of cudarc wait for one of ours.
fn follow(stream: &Arc<CudaStream>, earlier: StreamToken) -> Result<()> {
    let stream = from_stream(stream)?;
    // SAFETY: the contract of tokens: the stream is alive.
    let earlier =
        unsafe { crate::cuda::Stream::from_handle(earlier.raw(), Some(stream.device()), None) }?;
    Ok(stream.wait_for(&earlier)?)
}

/// Calls `work` with a read-only view of a slice, in C order of the shape; returns what it returns.
/// One question to the driver; copies nothing. The buffer of the view is read-only too.
///
/// `stream` waits for writes of the slice that cudarc knows of, and later writes wait for what `work`
/// queues on `stream`: name it in [`CopyOptions::stream`](crate::CopyOptions). Memory that the host
/// reaches too, a `UnifiedSlice`, is waited for: what `stream` has been given until then is done
/// before `work` is called. Afterwards the buffer of the view is closed: clones and parts of the view
/// that `work` kept are of a closed buffer. A lease that is still alive then is waited for, so keep
/// none where nobody gives it up.
///
/// # Errors
///
/// As [`from_slice`], and a failed call of the driver; then `work` is not called.
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::{CopyOptions, StridedMemoryView, copy_with, interop::cudarc::{lend, token}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stream = CudaContext::new(0)?.default_stream();
/// let slice = stream.clone_htod(&[1_i32, 2, 3, 4, 5, 6])?;
/// let host = StridedMemoryView::from_vec(vec![0_i32; 4], &[2, 2])?;
/// let options = CopyOptions { stream: token(&stream), ..CopyOptions::default() };
/// lend(&slice.slice(1..5), &stream, &[2, 2], |view| {
///     copy_with(&host, &view.transposed(0, 1)?, options)
/// })??;
/// assert_eq!(host.to_vec::<i32>()?, [2, 4, 3, 5]);
/// # Ok(())
/// # }
/// ```
pub fn lend<T: Element, S: DevicePtr<T>, R>(
    slice: &S,
    stream: &CudaStream,
    shape: &[i64],
    work: impl FnOnce(&StridedMemoryView) -> R,
) -> Result<R> {
    let len = slice.len();
    let (before, context) = (Before::enter(stream.context())?, slice.stream().context());
    let (address, synced) = slice.device_ptr(stream);
    let _synced = Synced { synced: Some(synced), stream };
    let described = describe::<T>(address, len, shape, context, true)?;
    settle(&described, stream)?;
    drop(before);
    // SAFETY: (1) the slice is borrowed, and `lend` closes the buffer before that ends; (2) which
    // keeps others from writing; (3) read-only, and so is the buffer of the view.
    let view = unsafe { described.into_view(Arc::new(())) };
    Ok(crate::interop::lend::lend(view, work))
}

/// As [`lend`], with a view that may be written: `stream` waits for reads of the slice too, and later
/// uses of any kind wait for what `work` queues on `stream`.
///
/// # Errors
///
/// As [`lend`].
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::{CopyOptions, StridedMemoryView, copy_with, interop::cudarc::{lend_mut, token}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stream = CudaContext::new(0)?.default_stream();
/// let mut slice = stream.alloc_zeros::<f32>(6)?;
/// let columns = StridedMemoryView::from_vec(vec![1_f32, 2.0, 3.0, 4.0], &[2, 2])?.reversed_axes()?;
/// let options = CopyOptions { stream: token(&stream), ..CopyOptions::default() };
/// lend_mut(&mut slice.slice_mut(2..), &stream, &[2, 2], |view| copy_with(view, &columns, options))??;
/// assert_eq!(stream.clone_dtoh(&slice)?, [0.0, 0.0, 1.0, 3.0, 2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub fn lend_mut<T: Element, S: DevicePtrMut<T>, R>(
    slice: &mut S,
    stream: &CudaStream,
    shape: &[i64],
    work: impl FnOnce(&StridedMemoryView) -> R,
) -> Result<R> {
    let (len, context) = (slice.len(), Arc::clone(slice.stream().context()));
    let before = Before::enter(stream.context())?;
    let (address, synced) = slice.device_ptr_mut(stream);
    let _synced = Synced { synced: Some(synced), stream };
    let described = describe::<T>(address, len, shape, &context, false)?;
    settle(&described, stream)?;
    drop(before);
    // SAFETY: (1) the slice is borrowed, and `lend` closes the buffer before that ends; (2, 3) the
    // borrow is the only one.
    let view = unsafe { described.into_view(Arc::new(())) };
    Ok(crate::interop::lend::lend(view, work))
}

/// Lets cudarc record what its stream has been given, when this is dropped, on its context.
struct Synced<'a> {
    synced: Option<SyncOnDrop<'a>>,
    stream: &'a CudaStream,
}

impl Drop for Synced<'_> {
    fn drop(&mut self) {
        let _before = Before::enter(self.stream.context());
        self.synced = None;
    }
}

/// Waits for a stream where the host reaches memory that the stream may still be writing.
fn settle(described: &Described, stream: &CudaStream) -> Result<()> {
    if described.access().host {
        stream.synchronize().map_err(failed("cuStreamSynchronize"))?;
    }
    Ok(())
}

/// Elements of cudarc, in C order of the shape, with who can reach them as the driver says.
fn describe<T: Element>(
    address: CUdeviceptr,
    len: usize,
    shape: &[i64],
    context: &CudaContext,
    readonly: bool,
) -> Result<Described> {
    let layout = StridedLayout::new(shape, None, size_of::<T>() as i64)?;
    let (wanted, got) = (layout.volume(), len);
    if usize::try_from(wanted) != Ok(got) {
        return Err(Error::LengthMismatch { wanted, got });
    }
    let foreign = Foreign {
        address: std::ptr::with_exposed_provenance_mut(address as usize),
        shape,
        strides: ForeignStrides::Implicit,
        itemsize: size_of::<T>() as i64,
        dtype: Some(T::DTYPE),
        access: Access::device(ordinal(context)),
        readonly,
    };
    let mut described = foreign.describe()?;
    described.verify()?;
    Ok(described)
}
