//! What every resource does around a call of the driver, and the streams that live allocations were
//! made on.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use strideview_memory::{MemoryError, StreamToken};

use crate::driver::sys::CUresult;
use crate::{CudaError, Stream};

/// The largest span that Rust can address.
const LIMIT_IN_BYTES: usize = isize::MAX.unsigned_abs();

/// Keeps a stream as long as memory is allocated on it, where this crate created it or knows its keeper:
/// the release is ordered on it, long after its last user may have let go of it.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<HashMap<usize, Stream>>);

impl Held {
    /// Checks the size, allocates with `make`, and keeps the stream. `make` is not called for 0
    /// bytes: they have a null pointer.
    pub(super) fn allocate(
        &self,
        size_in_bytes: usize,
        stream: StreamToken,
        make: impl FnOnce() -> Result<*mut u8, CudaError>,
    ) -> Result<*mut u8, MemoryError> {
        if size_in_bytes > LIMIT_IN_BYTES {
            return Err(MemoryError::SizeTooLarge {
                size_in_bytes,
                limit_in_bytes: LIMIT_IN_BYTES,
            });
        }
        if size_in_bytes == 0 {
            return Ok(null_mut());
        }
        let address = make().map_err(|error| error.for_memory(size_in_bytes))?;
        self.keep(address.addr(), stream);
        Ok(address)
    }

    /// Releases with `free`, then lets go of the stream. `free` is not called for 0 bytes. A driver
    /// that is gone has released everything itself.
    pub(super) fn release(
        &self,
        address: *mut u8,
        size_in_bytes: usize,
        free: impl FnOnce() -> Result<(), CudaError>,
    ) -> Result<(), MemoryError> {
        if size_in_bytes == 0 {
            return Ok(());
        }
        // Taken before the address is free for another thread to get.
        let _stream = self.take(address.addr());
        match free() {
            Err(error) if error.has_status(CUresult::DEINITIALIZED) => Ok(()),
            outcome => outcome.map_err(|error| error.for_memory(size_in_bytes)),
        }
    }

    /// Notes an allocation. Nothing to do for the default streams and those that nothing keeps.
    fn keep(&self, address: usize, stream: StreamToken) {
        if let Some(stream) = Stream::of_token(stream) {
            self.lock().insert(address, stream);
        }
    }

    /// The stream to let go of once the memory at this address is released.
    fn take(&self, address: usize) -> Option<Stream> {
        self.lock().remove(&address)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
