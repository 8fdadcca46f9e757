//! Host memory that the device reaches, and copies fastest.

use std::ffi::c_void;
use std::ptr::null_mut;

use strideview_memory::{Access, MemoryError, MemoryResource, StreamToken};

use super::held::Held;
use super::wait_for;
use crate::driver::driver;
use crate::driver::sys::MEMHOSTALLOC_PORTABLE;
use crate::{CudaError, Device};

/// Host memory that is pinned for every device, and zeroed.
///
/// Pinning is slow, some gigabytes a second, and takes memory from the system: allocate once and
/// keep it. It is not ordered on streams: an allocation is ready at once, and a release waits for
/// the stream that it is given. A request for 0 bytes gives a null pointer.
#[derive(Debug)]
pub struct PinnedResource {
    device: Device,
    held: Held,
}

impl PinnedResource {
    /// Pinned memory, allocated in the primary context of a device, which is retained.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn new(device: Device) -> Result<Self, CudaError> {
        device.primary_context()?;
        Ok(Self { device, held: Held::default() })
    }

    /// The device that the memory is allocated with. O(1).
    pub fn device(&self) -> Device {
        self.device
    }

    fn allocate_here(&self, size_in_bytes: usize) -> Result<*mut c_void, CudaError> {
        let driver = driver()?;
        let _guard = self.device.enter()?;
        let mut address = null_mut();
        // SAFETY: the output is valid for its type, and a context is current.
        unsafe { driver.cuMemHostAlloc(&mut address, size_in_bytes, MEMHOSTALLOC_PORTABLE) }?;
        Ok(address)
    }

    /// # Safety
    ///
    /// `address` was allocated here, and is released once.
    unsafe fn release_here(
        &self,
        address: *mut c_void,
        stream: StreamToken,
    ) -> Result<(), CudaError> {
        let driver = driver()?;
        let _guard = self.device.enter()?;
        wait_for(stream)?;
        // SAFETY: the caller promises the address, and what the stream did with it is done.
        unsafe { driver.cuMemFreeHost(address) }
    }
}

// SAFETY: (1) a successful allocation of the driver is a fresh span of the size asked for; (2) the
// size is checked, and it is host memory; (3) it is host memory, zeroed below, that the device
// reaches at the same address; (4) the release makes its own context current.
unsafe impl MemoryResource for PinnedResource {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        self.held.allocate(size_in_bytes, stream, || {
            let address: *mut u8 = self.allocate_here(size_in_bytes)?.cast();
            // SAFETY: the driver just gave this many bytes of host memory to this call alone.
            unsafe { address.write_bytes(0, size_in_bytes) };
            Ok(address)
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
            unsafe { self.release_here(address.cast(), stream) }
        })
    }

    fn access(&self) -> Access {
        Access::pinned(self.device.ordinal())
    }
}
