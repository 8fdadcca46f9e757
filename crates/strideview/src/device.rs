//! Where to allocate.
#![forbid(unsafe_code)]

use std::sync::{Arc, LazyLock};

use crate::{Buffer, HostResource, MemoryResource, Result, StreamToken};

/// A place that memory can be allocated in: the host, or a CUDA device.
///
/// ```
/// use strideview::{Device, Error};
///
/// let buffer = Device::cpu().allocate(1024)?;
/// assert_eq!((buffer.len_bytes(), buffer.address() % 64), (1024, 0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// The host.
    Cpu,
    /// The CUDA device with this ordinal.
    Cuda(i32),
}

impl Device {
    /// The host. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().ordinal(), -1);
    /// ```
    #[must_use]
    pub const fn cpu() -> Self {
        Self::Cpu
    }

    /// The CUDA device with this ordinal. Loads the driver, if it is not loaded yet.
    ///
    /// # Errors
    ///
    /// There is no driver, or no such device; [`Error::NoCuda`](crate::Error::NoCuda) in a build
    /// without the feature `cuda`.
    ///
    /// ```
    /// assert!(strideview::Device::cuda(1_000_000).is_err());
    /// ```
    pub fn cuda(ordinal: i32) -> Result<Self> {
        cuda::check(ordinal)?;
        Ok(Self::Cuda(ordinal))
    }

    /// The ordinal of the device, -1 for the host. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::Device::Cuda(3).ordinal(), 3);
    /// ```
    #[must_use]
    pub const fn ordinal(self) -> i32 {
        match self {
            Self::Cpu => -1,
            Self::Cuda(ordinal) => ordinal,
        }
    }

    /// Makes this the device that later work of the calling thread goes to. Nothing to do for the
    /// host.
    ///
    /// # Errors
    ///
    /// As [`cuda`](Self::cuda), and a driver call that fails.
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().set_current(), Ok(()));
    /// ```
    pub fn set_current(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(ordinal) => cuda::set_current(ordinal),
        }
    }

    /// Waits until all work of the device is done. Nothing to do for the host. Synchronises.
    ///
    /// # Errors
    ///
    /// As [`cuda`](Self::cuda), and work that failed.
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().synchronize(), Ok(()));
    /// ```
    pub fn synchronize(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(ordinal) => cuda::synchronize(ordinal),
        }
    }

    /// What the device is called: `"cpu"`, or the driver's name for it. Allocates.
    ///
    /// # Errors
    ///
    /// As [`cuda`](Self::cuda).
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().name()?, "cpu");
    /// # Ok::<(), strideview::Error>(())
    /// ```
    pub fn name(self) -> Result<String> {
        match self {
            Self::Cpu => Ok("cpu".to_owned()),
            Self::Cuda(ordinal) => cuda::name(ordinal),
        }
    }

    /// The resource that memory of this device comes from; for a CUDA device the stream-ordered
    /// pool of the driver. O(1).
    ///
    /// # Errors
    ///
    /// As [`cuda`](Self::cuda).
    ///
    /// ```
    /// use strideview::{Access, Device};
    /// let resource = Device::cpu().memory_resource()?;
    /// assert_eq!(resource.access(), Access::host());
    /// # Ok::<(), strideview::Error>(())
    /// ```
    pub fn memory_resource(self) -> Result<Arc<dyn MemoryResource>> {
        static HOST: LazyLock<Arc<HostResource>> = LazyLock::new(|| Arc::new(HostResource::new()));
        match self {
            Self::Cpu => Ok(Arc::<HostResource>::clone(&HOST)),
            Self::Cuda(ordinal) => cuda::memory_resource(ordinal),
        }
    }

    /// A new resource of memory of the host that is pinned: this CUDA device and all others reach it, and
    /// copies of it run at the speed of the link. Its memory is zeroed. Pinning is slow: allocate once, and
    /// keep it.
    ///
    /// # Errors
    ///
    /// As [`cuda`](Self::cuda); for the host an error as well, since no driver pins its memory.
    ///
    /// ```
    /// assert!(strideview::Device::cpu().pinned_memory_resource().is_err());
    /// ```
    pub fn pinned_memory_resource(self) -> Result<Arc<dyn MemoryResource>> {
        cuda::pinned_memory_resource(self.ordinal())
    }

    /// A new resource of managed memory: CUDA moves it between the host and this device, and both reach it.
    ///
    /// # Errors
    ///
    /// As [`pinned_memory_resource`](Self::pinned_memory_resource).
    ///
    /// ```
    /// assert!(strideview::Device::cpu().managed_memory_resource().is_err());
    /// ```
    pub fn managed_memory_resource(self) -> Result<Arc<dyn MemoryResource>> {
        cuda::managed_memory_resource(self.ordinal())
    }

    /// `size_in_bytes` fresh bytes of this device. Those of the host are zero.
    ///
    /// # Errors
    ///
    /// Those of [`Buffer::allocate`] and of [`memory_resource`](Self::memory_resource).
    ///
    /// ```
    /// assert_eq!(strideview::Device::cpu().allocate(10)?.len_bytes(), 10);
    /// # Ok::<(), strideview::Error>(())
    /// ```
    pub fn allocate(self, size_in_bytes: usize) -> Result<Buffer> {
        self.allocate_on(size_in_bytes, StreamToken::NONE)
    }

    /// As [`allocate`](Self::allocate), in the order of a stream; without one, the device's default
    /// stream.
    ///
    /// # Errors
    ///
    /// As [`allocate`](Self::allocate).
    ///
    /// ```
    /// use strideview::{Device, StreamToken};
    /// assert_eq!(Device::cpu().allocate_on(10, StreamToken::NONE)?.len_bytes(), 10);
    /// # Ok::<(), strideview::Error>(())
    /// ```
    pub fn allocate_on(self, size_in_bytes: usize, stream: StreamToken) -> Result<Buffer> {
        Ok(Buffer::allocate(&self.memory_resource()?, size_in_bytes, stream)?)
    }
}

/// CUDA devices, with CUDA in the build.
#[cfg(feature = "cuda")]
mod cuda {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex, PoisonError};

    use strideview_cuda::{Device, DeviceResource, ManagedResource, PinnedResource};

    use crate::{MemoryResource, Result};

    pub(super) fn check(ordinal: i32) -> Result<()> {
        Device::new(ordinal)?;
        Ok(())
    }

    pub(super) fn set_current(ordinal: i32) -> Result<()> {
        Ok(Device::new(ordinal)?.set_current()?)
    }

    pub(super) fn synchronize(ordinal: i32) -> Result<()> {
        Ok(Device::new(ordinal)?.synchronize()?)
    }

    pub(super) fn name(ordinal: i32) -> Result<String> {
        Ok(Device::new(ordinal)?.name()?)
    }

    pub(super) fn pinned_memory_resource(ordinal: i32) -> Result<Arc<dyn MemoryResource>> {
        Ok(Arc::new(PinnedResource::new(Device::new(ordinal)?)?))
    }

    pub(super) fn managed_memory_resource(ordinal: i32) -> Result<Arc<dyn MemoryResource>> {
        Ok(Arc::new(ManagedResource::new(Device::new(ordinal)?)?))
    }

    /// One resource for each device, made when it is first asked for.
    pub(super) fn memory_resource(ordinal: i32) -> Result<Arc<dyn MemoryResource>> {
        static RESOURCES: Mutex<Option<HashMap<i32, Arc<DeviceResource>>>> = Mutex::new(None);
        let mut resources = RESOURCES.lock().unwrap_or_else(PoisonError::into_inner);
        let resources = resources.get_or_insert_default();
        if let Some(resource) = resources.get(&ordinal) {
            return Ok(Arc::<DeviceResource>::clone(resource));
        }
        let resource = Arc::new(DeviceResource::new(Device::new(ordinal)?)?);
        resources.insert(ordinal, Arc::clone(&resource));
        Ok(resource)
    }
}

/// CUDA devices, without CUDA in the build.
#[cfg(not(feature = "cuda"))]
mod cuda {
    use std::sync::Arc;

    use crate::{Error, MemoryResource, Result};

    pub(super) fn check(ordinal: i32) -> Result<()> {
        Err(Error::NoCuda { ordinal })
    }

    pub(super) fn set_current(ordinal: i32) -> Result<()> {
        Err(Error::NoCuda { ordinal })
    }

    pub(super) fn synchronize(ordinal: i32) -> Result<()> {
        Err(Error::NoCuda { ordinal })
    }

    pub(super) fn name(ordinal: i32) -> Result<String> {
        Err(Error::NoCuda { ordinal })
    }

    pub(super) fn memory_resource(ordinal: i32) -> Result<Arc<dyn MemoryResource>> {
        Err(Error::NoCuda { ordinal })
    }

    pub(super) fn pinned_memory_resource(ordinal: i32) -> Result<Arc<dyn MemoryResource>> {
        Err(Error::NoCuda { ordinal })
    }

    pub(super) fn managed_memory_resource(ordinal: i32) -> Result<Arc<dyn MemoryResource>> {
        Err(Error::NoCuda { ordinal })
    }
}
