//! Memory of a device, in the order of streams.

use std::ptr::without_provenance_mut;

use strideview_memory::{Access, MemoryError, MemoryResource, StreamToken};

use super::held::Held;
use super::{stream_of, wait_for};
use crate::driver::driver;
use crate::driver::sys::{CUdeviceptr, CUmemoryPool, MEMPOOL_RELEASE_THRESHOLD};
use crate::{CudaError, Device};

/// Memory of a device from its default pool.
///
/// Allocation and release are ordered on a stream, and the host waits for neither: about a
/// microsecond each once the pool is warm. The pool keeps what is released for later allocations
/// instead of handing it back to the system at the next synchronisation; a release threshold that
/// somebody else has set is left as it is.
///
/// On a device without pools the memory comes from `cuMemAlloc`, and a release waits for its
/// stream.
///
/// A request for 0 bytes gives a null pointer. Under stream capture the memory belongs to the
/// graph.
///
/// ```
/// use std::sync::Arc;
/// use strideview_cuda::{Device, DeviceResource};
/// use strideview_memory::{Buffer, MemoryResource};
///
/// if let Ok(device) = Device::new(0) {
///     let resource: Arc<dyn MemoryResource> = Arc::new(DeviceResource::new(device)?);
///     let stream = device.create_stream()?;
///     let buffer = Buffer::allocate(&resource, 1 << 20, stream.token())?;
///     assert!(buffer.access().device);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DeviceResource {
    device: Device,
    has_pool: bool,
    held: Held,
}

impl DeviceResource {
    /// The resource of a device. Retains the primary context; a handful of calls.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn new(device: Device) -> Result<Self, CudaError> {
        let _guard = device.enter()?;
        let has_pool = device.traits()?.memory_pools;
        if has_pool {
            keep_released_memory(device)?;
        }
        Ok(Self { device, has_pool, held: Held::default() })
    }

    /// The device that the memory belongs to. O(1).
    pub fn device(&self) -> Device {
        self.device
    }

    /// Whether allocations are ordered on streams: whether the device has pools. O(1).
    pub fn is_stream_ordered(&self) -> bool {
        self.has_pool
    }

    fn allocate_here(&self, size_in_bytes: usize, stream: StreamToken) -> Result<u64, CudaError> {
        let driver = driver()?;
        let _guard = self.device.enter()?;
        let mut address: CUdeviceptr = 0;
        if self.has_pool {
            let stream = stream_of(stream);
            // SAFETY: the output is valid for its type; the stream is alive by the contract of
            // tokens, and a context of the device is current.
            unsafe { driver.cuMemAllocAsync(&mut address, size_in_bytes, stream) }?;
        } else {
            // SAFETY: the output is valid for its type, and a context of the device is current.
            unsafe { driver.cuMemAlloc(&mut address, size_in_bytes) }?;
        }
        Ok(address)
    }

    /// # Safety
    ///
    /// `address` was allocated here, and is released once.
    unsafe fn release_here(&self, address: u64, stream: StreamToken) -> Result<(), CudaError> {
        let driver = driver()?;
        let _guard = self.device.enter()?;
        if self.has_pool {
            // SAFETY: the caller promises the address; the stream is alive by the contract of
            // tokens, and a context of the device is current.
            return unsafe { driver.cuMemFreeAsync(address, stream_of(stream)) };
        }
        wait_for(stream)?;
        // SAFETY: as above, and what the stream did with the memory is done.
        unsafe { driver.cuMemFree(address) }
    }
}

/// Lets the default pool keep memory that is released, unless its threshold was set already.
pub(crate) fn keep_released_memory(device: Device) -> Result<(), CudaError> {
    let driver = driver()?;
    let mut pool = CUmemoryPool::NULL;
    let handle = device.handle()?;
    // SAFETY: the output is valid for its type.
    unsafe { driver.cuDeviceGetDefaultMemPool(&mut pool, handle) }?;
    let mut threshold: u64 = 0;
    let place = (&raw mut threshold).cast();
    // SAFETY: the threshold is a 64-bit number, and the pool lives as long as the device.
    unsafe { driver.cuMemPoolGetAttribute(pool, MEMPOOL_RELEASE_THRESHOLD, place) }?;
    if threshold != 0 {
        return Ok(());
    }
    threshold = u64::MAX;
    let place = (&raw mut threshold).cast();
    // SAFETY: as above.
    unsafe { driver.cuMemPoolSetAttribute(pool, MEMPOOL_RELEASE_THRESHOLD, place) }
}

// SAFETY: (1) a successful allocation of the driver is a fresh span of the size asked for; (2) the
// size is checked, and the driver gives no span that wraps; (3) only the device can reach it;
// (4) the release makes its own context current, so any thread will do.
unsafe impl MemoryResource for DeviceResource {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        self.held.allocate(size_in_bytes, stream, || {
            let address = self.allocate_here(size_in_bytes, stream)?;
            // The host never looks behind it.
            Ok(without_provenance_mut(address as usize))
        })
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError> {
        self.held.release(address, size_in_bytes, || {
            // SAFETY: the caller promises it (1, 2).
            unsafe { self.release_here(address.addr() as u64, stream) }
        })
    }

    fn access(&self) -> Access {
        Access::device(self.device.ordinal())
    }
}
