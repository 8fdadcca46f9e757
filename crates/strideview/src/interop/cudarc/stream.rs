//! Streams, both ways.

use std::sync::Arc;

use ::cudarc::driver::sys::CUstream;
use ::cudarc::driver::{CudaContext, CudaStream};

use super::ordinal;
use crate::cuda::{CudaError, Device, Stream, StreamArg};
use crate::{Error, Result, StreamToken};

/// The stream as copies and buffers take it; the caller keeps it alive. O(1).
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::{StreamToken, interop::cudarc::token};
///
/// let stream = CudaContext::new(0)?.default_stream();
/// assert_eq!(token(&stream), StreamToken::new(1)); // the legacy default stream has a number
/// # Ok::<(), cudarc::driver::DriverError>(())
/// ```
#[must_use]
pub fn token(stream: &CudaStream) -> StreamToken {
    let number = StreamArg::from_handle(stream.cu_stream().addr()).handle();
    StreamToken::new(number.unwrap_or_default())
}

/// A stream of cudarc as one of ours, which keeps it alive. A few calls of the driver.
///
/// # Errors
///
/// A failed call; [`CudaError::Unsupported`] for the default stream of a context that is not the
/// primary one of its device.
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::interop::cudarc::from_stream;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stream = CudaContext::new(0)?.new_stream()?;
/// let ours = from_stream(&stream)?;
/// assert_eq!((ours.handle(), ours.device().ordinal()), (stream.cu_stream() as usize, 0));
/// # Ok(())
/// # }
/// ```
pub fn from_stream(stream: &Arc<CudaStream>) -> Result<Stream> {
    let (context, handle) = (stream.context(), stream.cu_stream().addr());
    let is_default = !matches!(StreamArg::from_handle(handle), StreamArg::Handle(_));
    if is_default && !context.is_primary() {
        let feature = "the default stream of a context that is not the primary one";
        return Err(CudaError::Unsupported { feature, ordinal: ordinal(context) }.into());
    }
    let device = Device::new(ordinal(context))?;
    let keeper: Arc<CudaStream> = Arc::clone(stream);
    // SAFETY: a stream of cudarc, of this device; the keeper holds it and its context.
    Ok(unsafe { Stream::from_handle(handle, Some(device), Some(keeper)) }?)
}

/// A stream of ours as one of cudarc, which does not keep it alive. O(1).
///
/// # Errors
///
/// [`Error::NotOnDevice`] for a context of another device.
///
/// # Safety
///
/// 1. The stream is of this context, which is the primary one unless the stream was made elsewhere.
/// 2. A clone of `stream` is kept for as long as anything uses the result.
///
/// ```no_run
/// use cudarc::driver::CudaContext;
/// use strideview::{cuda::Device, interop::cudarc::to_stream};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (context, ours) = (CudaContext::new(0)?, Device::new(0)?.create_stream()?);
/// // SAFETY: (1) both are of the primary context; (2) dropped in the opposite order.
/// let stream = unsafe { to_stream(&ours, &context) }?;
/// let zeros = stream.alloc_zeros::<f32>(1024)?;
/// # drop(zeros);
/// # Ok(())
/// # }
/// ```
pub unsafe fn to_stream(stream: &Stream, context: &Arc<CudaContext>) -> Result<Arc<CudaStream>> {
    let (wanted, device_id) = (ordinal(context), stream.device().ordinal());
    if wanted != device_id {
        return Err(Error::NotOnDevice { wanted, device_id });
    }
    Ok(match stream.arg() {
        StreamArg::Handle(handle) => {
            let handle: CUstream = std::ptr::with_exposed_provenance_mut(handle);
            // SAFETY: the caller promises in (1) that it is of this context, and in (2) that it is
            // kept; the order is the caller's, as for every stream.
            unsafe { context.wrap_borrowed_stream(handle) }
        }
        StreamArg::PerThreadDefault => context.per_thread_stream(),
        _ => context.default_stream(),
    })
}
