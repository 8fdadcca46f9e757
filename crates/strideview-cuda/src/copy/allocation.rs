//! Memory of a device for the work of one call.

use std::sync::Arc;

use strideview_memory::{Buffer, MemoryResource};

use crate::driver::driver;
use crate::driver::sys::CUdeviceptr;
use crate::{CudaError, Stream};

/// Where the temporaries of a copy come from; None for the driver's pool, and pinned memory that is kept.
///
/// A resource is asked for what its memory is fit for: temporaries of a device where that device reaches
/// it, and slots for pageable memory where the host does too.
pub type Allocator<'a> = Option<&'a Arc<dyn MemoryResource>>;

/// Memory for the work of a stream.
pub(crate) struct Allocation<'a> {
    pub(crate) address: CUdeviceptr,
    source: Source,
    stream: &'a Stream,
}

/// Whose memory it is.
enum Source {
    /// The driver's, released in the order of the stream.
    Pool,
    /// The driver's, released when the stream is done.
    Driver,
    /// That of a resource, which is told the stream.
    Resource(Buffer),
}

impl<'a> Allocation<'a> {
    pub(crate) fn new(
        size_in_bytes: usize,
        stream: &'a Stream,
        allocator: Allocator<'_>,
    ) -> Result<Self, CudaError> {
        if let Some(resource) = fit_for_device(allocator, stream) {
            let buffer = Buffer::allocate(resource, size_in_bytes, stream.token())
                .map_err(CudaError::Allocator)?;
            let address = buffer.address() as CUdeviceptr;
            return Ok(Self { address, source: Source::Resource(buffer), stream });
        }
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
        let source = if is_ordered { Source::Pool } else { Source::Driver };
        Ok(Self { address, source, stream })
    }

    /// Releases it after the work queued until now; waits for that where the device has no pools.
    pub(crate) fn release(self) -> Result<(), CudaError> {
        if let Source::Resource(buffer) = &self.source {
            return buffer.close(self.stream.token()).map_err(CudaError::Allocator);
        }
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
        if matches!(self.source, Source::Pool) {
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

/// The resource, where the device of the stream reaches its memory.
fn fit_for_device<'r>(
    allocator: Allocator<'r>,
    stream: &Stream,
) -> Option<&'r Arc<dyn MemoryResource>> {
    allocator.filter(|resource| {
        let access = resource.access();
        access.device && access.device_id == stream.device().ordinal()
    })
}
