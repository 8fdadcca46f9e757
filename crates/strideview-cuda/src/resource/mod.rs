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
pub(crate) use device::keep_released_memory;
pub use managed::ManagedResource;
pub use pinned::PinnedResource;

use strideview_memory::StreamToken;

use crate::driver::driver;
use crate::driver::sys::{CUstream, STREAM_LEGACY};
use crate::{CudaError, StreamArg};

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
