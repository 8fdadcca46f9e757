//! Memory that is there already, as a buffer.

use std::sync::Arc;

use crate::{Access, Buffer, Error, Owner, Result};

/// What whoever hands memory over says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Declared {
    /// Memory of the host.
    Host,
    /// Memory of a CUDA device.
    Device,
    /// Memory of the host that CUDA has pinned.
    PinnedHost,
    /// Memory that CUDA moves between host and device.
    Managed,
}

/// Who can reach `size_in_bytes` bytes at `address`, as the CUDA driver says: one question to the
/// driver. Without a driver, or for 0 bytes, as declared.
///
/// `device` names the device that is asked about; without one it is the one the memory is of.
///
/// # Errors
///
/// Memory declared to be a device's that the driver does not know.
///
/// ```
/// use strideview::interop::{Declared, access_of};
/// use strideview::{Access, Error};
/// let bytes = [0_u8; 8];
/// assert!(access_of(bytes.as_ptr() as usize, 8, Declared::Host, None)?.host);
/// assert_eq!(access_of(0, 0, Declared::Device, Some(1))?, Access::device(1));
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "cuda")]
pub fn access_of(
    address: usize,
    size_in_bytes: usize,
    declared: Declared,
    device: Option<i32>,
) -> Result<Access> {
    let declared = match declared {
        Declared::Host => strideview_cuda::Declared::Host,
        Declared::Device => strideview_cuda::Declared::Device,
        Declared::PinnedHost => strideview_cuda::Declared::PinnedHost,
        Declared::Managed => strideview_cuda::Declared::Managed,
    };
    match strideview_cuda::classify(address, size_in_bytes, declared, device) {
        Ok(facts) => Ok(facts.access),
        // Mapped, but access was granted to nobody: that is an answer, too.
        Err(strideview_cuda::CudaError::Unreachable { .. }) => Ok(Access::NONE),
        Err(error) => Err(error.into()),
    }
}

/// Who can reach `size_in_bytes` bytes at `address`: in a build without CUDA, as declared.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "cuda"))]
pub fn access_of(
    _address: usize,
    _size_in_bytes: usize,
    declared: Declared,
    device: Option<i32>,
) -> Result<Access> {
    Ok(match declared {
        Declared::Host => Access::host(),
        Declared::Device => Access::device(device.unwrap_or(0)),
        Declared::PinnedHost => Access::pinned(device.unwrap_or(0)),
        Declared::Managed => Access::managed(device.unwrap_or(0)),
    })
}

/// Whether there is a driver to ask; the first call may load it.
#[cfg(feature = "cuda")]
pub(super) fn has_driver() -> bool {
    strideview_cuda::is_available()
}

/// There is none in a build without CUDA.
#[cfg(not(feature = "cuda"))]
pub(super) fn has_driver() -> bool {
    false
}

/// A buffer of memory that is there already. The driver is asked once who can reach it.
///
/// # Errors
///
/// A null address of bytes, a span that leaves the address space, and those of [`access_of`].
///
/// # Safety
///
/// 1. The bytes stay allocated as long as the owner lives or, without one, as the buffer and every
///    view of it does.
/// 2. They may be read and written, under the rules at the top of [`interop`](crate::interop).
///
/// ```
/// use std::sync::Arc;
/// use strideview::interop::{Declared, wrap};
/// let mut bytes = Arc::new(vec![0_u8; 16]);
/// let address = Arc::get_mut(&mut bytes).map(|bytes| bytes.as_mut_ptr()).unwrap();
/// // SAFETY: (1) the vector is the owner; (2) nobody else uses it.
/// let buffer = unsafe { wrap(address, 16, Declared::Host, Some(bytes)) }?;
/// assert_eq!(buffer.len_bytes(), 16);
/// # Ok::<(), strideview::Error>(())
/// ```
pub unsafe fn wrap(
    address: *mut u8,
    size_in_bytes: usize,
    declared: Declared,
    owner: Option<Arc<dyn Owner>>,
) -> Result<Buffer> {
    let start = address.addr();
    if start == 0 && size_in_bytes > 0 {
        return Err(Error::NullAddress);
    }
    if start.checked_add(size_in_bytes).is_none() {
        let end = start as i128 + size_in_bytes as i128;
        return Err(Error::AddressRange { lowest: start as i128, end });
    }
    let access = access_of(start, size_in_bytes, declared, None)?;
    // SAFETY: (1, 2) the caller promises them.
    Ok(unsafe { Buffer::from_raw(address, size_in_bytes, access, owner) })
}
