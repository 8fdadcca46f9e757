//! Memory of a device as [`strideview_memory::MemoryResource`].
//!
//! The token that orders an allocation or a release is a stream handle of the driver, as
//! [`Stream::token`](crate::Stream::token) gives it; 0 is the legacy default stream of the device.
//! A stream created by this crate lives at least as long as the memory allocated on it. A handle
//! that came from elsewhere must be alive whenever it is used: at the allocation, and at the
//! release, which names the stream of the allocation when it is given no other.

mod device;
mod held;
mod managed;
mod pinned;

pub use device::DeviceResource;
pub use managed::ManagedResource;
pub use pinned::PinnedResource;

use strideview_memory::{MemoryError, StreamToken};

use crate::driver::driver;
use crate::driver::sys::{CUresult, CUstream, STREAM_LEGACY};
use crate::{CudaError, StreamArg};

/// The largest span that Rust can address.
const LIMIT_IN_BYTES: usize = isize::MAX.unsigned_abs();

fn check_size(size_in_bytes: usize) -> Result<(), MemoryError> {
    if size_in_bytes > LIMIT_IN_BYTES {
        return Err(MemoryError::SizeTooLarge { size_in_bytes, limit_in_bytes: LIMIT_IN_BYTES });
    }
    Ok(())
}

/// The stream that a token names.
fn stream_of(token: StreamToken) -> CUstream {
    StreamArg::from_handle(token.raw()).handle().map_or(STREAM_LEGACY, CUstream)
}

/// Waits for a stream before memory is freed that the driver frees at once. Nothing is waited for
/// without a stream: the caller promises that the memory is not in use. The context of the device
/// is current.
fn wait_for(token: StreamToken) -> Result<(), CudaError> {
    if token.is_none() {
        return Ok(());
    }
    // SAFETY: the module's contract of tokens: the stream is alive.
    unsafe { driver()?.cuStreamSynchronize(stream_of(token)) }
}

/// The outcome of a release: a driver that is gone has released everything itself.
fn released(outcome: Result<(), CudaError>, size_in_bytes: usize) -> Result<(), MemoryError> {
    match outcome {
        Err(error) if error.has_status(CUresult::DEINITIALIZED) => Ok(()),
        outcome => outcome.map_err(|error| error.for_memory(size_in_bytes)),
    }
}
