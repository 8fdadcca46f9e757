//! Memory that the driver moves between host and device.

use std::ptr::with_exposed_provenance_mut;

use strideview_memory::{Access, MemoryError, MemoryResource, StreamToken};

use super::held::Held;
use super::wait_for;
use crate::driver::driver;
use crate::driver::sys::{CUdeviceptr, CUstream, MEM_ATTACH_GLOBAL};
use crate::{CudaError, Device, Stream};

/// Managed memory, zeroed by the device: the driver moves pages to whoever touches them.
///
/// It is not ordered on streams: an allocation waits until it is zeroed and is ready at once, and
/// a release waits for the stream that it is given. A request for 0 bytes gives a null pointer.
///
/// Where [`DeviceTraits::concurrent_managed_access`](crate::DeviceTraits) is false, the host may
/// touch the memory only while the device is idle.
#[derive(Debug)]
pub struct ManagedResource {
    device: Device,
    /// Zeroing does not wait for the work of others, nor join their captures.
    zeroing: Stream,
    held: Held,
}

impl ManagedResource {
    /// Managed memory of a device. Retains the primary context, and creates a stream.
    ///
    /// # Errors
    ///
    /// [`CudaError::Unsupported`] when the device has no managed memory, or a failed call.
    pub fn new(device: Device) -> Result<Self, CudaError> {
        if !device.traits()?.managed_memory {
            let ordinal = device.ordinal();
            return Err(CudaError::Unsupported { feature: "managed memory", ordinal });
        }
        Ok(Self { device, zeroing: Stream::new(device)?, held: Held::default() })
    }

    /// The device that the memory belongs to at first. O(1).
    pub fn device(&self) -> Device {
        self.device
    }

    fn allocate_here(&self, size_in_bytes: usize) -> Result<u64, CudaError> {
        let driver = driver()?;
        let _guard = self.device.enter()?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: the output is valid for its type, and a context of the device is current.
        unsafe { driver.cuMemAllocManaged(&mut address, size_in_bytes, MEM_ATTACH_GLOBAL) }?;
        if let Err(error) = self.zero(address, size_in_bytes) {
            // The first error is the one to report.
            // SAFETY: allocated above, and nobody else knows of it; a failed memset is not at work.
            let _ = unsafe { driver.cuMemFree(address) };
            return Err(error);
        }
        Ok(address)
    }

    /// Zeroes memory just allocated. The context of the device is current.
    fn zero(&self, address: CUdeviceptr, size_in_bytes: usize) -> Result<(), CudaError> {
        let driver = driver()?;
        let stream = CUstream(self.zeroing.handle());
        // SAFETY: the caller just allocated the span, and the stream is alive as long as `self`.
        unsafe { driver.cuMemsetD8Async(address, 0, size_in_bytes, stream) }?;
        // SAFETY: as above.
        unsafe { driver.cuStreamSynchronize(stream) }
    }

    /// # Safety
    ///
    /// `address` was allocated here, and is released once.
    unsafe fn release_here(&self, address: u64, stream: StreamToken) -> Result<(), CudaError> {
        let driver = driver()?;
        let _guard = self.device.enter()?;
        wait_for(stream)?;
        // SAFETY: the caller promises the address, and what the stream did with it is done.
        unsafe { driver.cuMemFree(address) }
    }
}

// SAFETY: (1) a successful allocation of the driver is a fresh span of the size asked for; (2) the
// size is checked, and the driver gives no span that wraps; (3) host and device reach it at one
// address, and the device has zeroed it; (4) the release makes its own context current.
unsafe impl MemoryResource for ManagedResource {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        self.held.allocate(size_in_bytes, stream, || {
            let address = self.allocate_here(size_in_bytes)?;
            // The driver made the memory outside of Rust, so its provenance is exposed.
            Ok(with_exposed_provenance_mut(address as usize))
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
        Access::managed(self.device.ordinal())
    }
}
