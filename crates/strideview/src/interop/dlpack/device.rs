//! Between who can reach memory and the devices of DLPack.
#![forbid(unsafe_code)]

use super::abi::{DLDevice, DLDeviceType};
use std::sync::Arc;

use crate::{Access, Error, MemoryResource, Result, StridedMemoryView};

/// The DLPack device of a view, as `__dlpack_device__` gives it. O(1).
///
/// Host memory is `(1, 0)`, pinned memory `(3, 0)`, managed memory `(13, 0)`, and memory of a CUDA
/// device `(2, id)`.
///
/// # Errors
///
/// [`Error::Unreachable`] for memory that neither the host nor a device can reach.
///
/// ```
/// use strideview::interop::dlpack::{DLDevice, device_of};
/// use strideview::{Error, StridedMemoryView};
/// let view = StridedMemoryView::from_vec(vec![0_u8], &[1])?;
/// assert_eq!(device_of(&view)?, DLDevice::CPU);
/// # Ok::<(), Error>(())
/// ```
pub fn device_of(view: &StridedMemoryView) -> Result<DLDevice> {
    let access = view.access();
    let (device_type, device_id) = match (access.host, access.device) {
        (false, false) => return Err(Error::Unreachable),
        (_, true) if access.managed => (DLDeviceType::CUDA_MANAGED, 0),
        (true, true) => (DLDeviceType::CUDA_HOST, 0),
        (true, false) => (DLDeviceType::CPU, 0),
        (false, true) => (DLDeviceType::CUDA, access.device_id),
    };
    Ok(DLDevice::new(device_type, device_id))
}

/// Whether memory may be given out as memory of `device`: it can be reached from there, at the same
/// address.
pub(super) fn serves(access: Access, device: DLDevice) -> bool {
    match device.device_type {
        DLDeviceType::CPU => access.host && device.device_id == 0,
        DLDeviceType::CUDA => access.device && device.device_id == access.device_id,
        _ => false,
    }
}

/// Who can reach the memory of a tensor, as it says. The device id of host memory has no meaning.
#[inline]
pub(super) fn access_of(device: DLDevice) -> Result<Access> {
    let DLDevice { device_type, device_id } = device;
    let access = match device_type {
        DLDeviceType::CPU => return Ok(Access::host()),
        DLDeviceType::CUDA => Access::device(device_id),
        DLDeviceType::CUDA_HOST => Access::pinned(device_id),
        DLDeviceType::CUDA_MANAGED => Access::managed(device_id),
        DLDeviceType(device_type) => return Err(Error::UnknownDevice { device_type }),
    };
    if device_id < 0 {
        return Err(Error::NegativeDeviceId { device_id });
    }
    Ok(access)
}

/// What memory that is given out as that of `device` comes from; `device_id` is the CUDA device of
/// pinned and managed memory.
#[cfg(feature = "cuda")]
pub(super) fn resource_for(device: DLDevice, device_id: i32) -> Result<Arc<dyn MemoryResource>> {
    use strideview_cuda::{Device, ManagedResource, PinnedResource};
    Ok(match device.device_type {
        DLDeviceType::CUDA_HOST => Arc::new(PinnedResource::new(Device::new(device_id)?)?),
        DLDeviceType::CUDA_MANAGED => Arc::new(ManagedResource::new(Device::new(device_id)?)?),
        DLDeviceType::CUDA => crate::Device::Cuda(device.device_id).memory_resource()?,
        _ => crate::Device::cpu().memory_resource()?,
    })
}

/// As above; without CUDA in the build, that of the host alone.
#[cfg(not(feature = "cuda"))]
pub(super) fn resource_for(device: DLDevice, device_id: i32) -> Result<Arc<dyn MemoryResource>> {
    match device {
        DLDevice::CPU => crate::Device::cpu().memory_resource(),
        _ => Err(Error::NoCuda { ordinal: device_id }),
    }
}
