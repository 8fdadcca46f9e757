//! Memory of a device for the work of one call.

use crate::driver::driver;
use crate::driver::sys::CUdeviceptr;
use crate::{CudaError, Stream};

/// Memory for the work of a stream.
pub(crate) struct Allocation<'a> {
    pub(crate) address: CUdeviceptr,
    is_ordered: bool,
    stream: &'a Stream,
}

impl<'a> Allocation<'a> {
    pub(crate) fn new(size_in_bytes: usize, stream: &'a Stream) -> Result<Self, CudaError> {
        let is_ordered = stream.device().traits()?.memory_pools;
        let _guard = stream.enter()?;
        let mut address: CUdeviceptr = 0;
        if is_ordered {
            // SAFETY: the output is valid for its type; the stream is alive, its context current.
            unsafe { driver()?.cuMemAllocAsync(&mut address, size_in_bytes, stream.raw()) }?;
        } else {
            // SAFETY: the output is valid for its type, and a context is current.
            unsafe { driver()?.cuMemAlloc(&mut address, size_in_bytes) }?;
        }
        Ok(Self { address, is_ordered, stream })
    }

    /// Releases it after the work queued until now; waits for that where the device has no pools.
    pub(crate) fn release(self) -> Result<(), CudaError> {
        // Once more where it fails, so that the memory is not lost; the failure is said all the same.
        let (_guard, entered) = match self.stream.enter() {
            Ok(guard) => (Some(guard), Ok(())),
            Err(error) => (self.stream.enter().ok(), Err(error)),
        };
        self.free().and(entered)
    }

    /// Releases it, with the context of the stream current.
    fn free(&self) -> Result<(), CudaError> {
        let driver = driver()?;
        if self.is_ordered {
            // SAFETY: allocated above, released once, after the work that uses it.
            let released = unsafe { driver.cuMemFreeAsync(self.address, self.stream.raw()) };
            if released.is_ok() {
                return Ok(());
            }
        }
        let waited = self.stream.synchronize();
        // SAFETY: as above; the work is done, or has failed with its context.
        unsafe { driver.cuMemFree(self.address) }.and(waited)
    }
}
