//! What a consumer may wish for in a call of `__dlpack__`, and what it gets.
#![forbid(unsafe_code)]

use super::abi::{DLDevice, Flags, MAJOR_VERSION};
use super::device::{device_of, resource_for, serves};
use super::export::{dtype_of, legacy, versioned};
use super::import::Managed;
use crate::transfer::empty_from;
use crate::{CopyOptions, Error, Result, StreamToken, StridedMemoryView, copy_with};

/// The wishes of a DLPack consumer: the keywords of `__dlpack__`.
///
/// ```
/// use strideview::interop::dlpack::Request;
/// assert_eq!(Request::default().max_version, None); // a legacy tensor
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Request {
    /// The newest version that the consumer knows. None, or a major version of 0, gets a legacy
    /// tensor; any other a tensor stamped 1.3, which the consumer checks.
    pub max_version: Option<(u32, u32)>,
    /// The device that the consumer wants the memory for; None for the one it is of.
    pub device: Option<DLDevice>,
    /// Whether to copy: always, never, or (None) only where it cannot be helped.
    pub copy: Option<bool>,
    /// The stream that a copy is made on.
    pub stream: StreamToken,
    /// Whether a copy is done on return, also where it need not be.
    pub is_awaited: bool,
}

/// The view as a tensor that meets the wishes of a consumer.
///
/// The wish for the host is met without a copy by pinned and managed memory, as is the wish for the
/// CUDA device that can reach them. A copy is made in memory of the kind that is wanted, in the order of
/// the stream, and flagged in the versioned form. One that the host can reach is done on return.
///
/// The tensor is the caller's: its deleter is to be called once, by the caller or by a consumer.
///
/// # Errors
///
/// Those of [`export_versioned`](super::export_versioned) or
/// [`export_legacy`](super::export_legacy); [`Error::DeviceRequest`]; [`Error::CopyNeeded`];
/// [`Error::CopyDevice`]; those of [`copy()`](crate::copy()). All that the wishes themselves bring
/// about are of kind [`Interop`](crate::ErrorKind::Interop).
///
/// ```
/// use strideview::interop::dlpack::{Managed, Request, export};
/// use strideview::{Error, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?;
/// let tensor = export(&view, Request { max_version: Some((1, 0)), ..Request::default() })?;
/// assert!(matches!(tensor, Managed::Versioned(_)));
/// // SAFETY: (1, 2) just made, and given to nobody else.
/// unsafe { tensor.give_back() };
/// # Ok::<(), Error>(())
/// ```
pub fn export(view: &StridedMemoryView, request: Request) -> Result<Managed> {
    let own = device_of(view)?;
    let wanted = request.device.unwrap_or(own);
    let without_copy = wanted == own || serves(view.access(), wanted);
    match (request.copy, without_copy) {
        (None | Some(false), true) => give_out(view, request, Flags::NONE, wanted),
        (Some(false), false) if wanted == DLDevice::CPU => Err(Error::CopyNeeded {
            wanted_type: wanted.device_type.0,
            wanted_id: wanted.device_id,
        }),
        (_, false) if wanted != DLDevice::CPU => Err(Error::DeviceRequest {
            wanted_type: wanted.device_type.0,
            wanted_id: wanted.device_id,
            device_type: own.device_type.0,
            device_id: own.device_id,
        }),
        _ => give_out(&copied(view, request, wanted)?, request, Flags::IS_COPIED, wanted),
    }
}

/// A dense copy in memory of the kind that is wanted.
fn copied(
    view: &StridedMemoryView,
    request: Request,
    wanted: DLDevice,
) -> Result<StridedMemoryView> {
    dtype_of(view)?;
    let blocking = request.is_awaited.then_some(true);
    let options = CopyOptions { stream: request.stream, blocking, allocator: None };
    let made = resource_for(wanted, view.device_id()).and_then(|resource| {
        let new = empty_from(&resource, view, request.stream)?;
        copy_with(&new, view, options)?;
        Ok(new)
    });
    made.map_err(|error| match error {
        error if is_no_device(&error) => Error::CopyDevice { device_type: wanted.device_type.0 },
        error => error,
    })
}

/// Whether there is no such device here, or none at all: the consumer hears that the copy cannot be made.
fn is_no_device(error: &Error) -> bool {
    match error {
        Error::NoCuda { .. } => true,
        #[cfg(feature = "cuda")]
        Error::Cuda(error) => {
            error.is_unavailable()
                || matches!(error, strideview_cuda::CudaError::NoSuchDevice { .. })
        }
        _ => false,
    }
}

fn give_out(
    view: &StridedMemoryView,
    request: Request,
    flags: Flags,
    device: DLDevice,
) -> Result<Managed> {
    match request.max_version {
        Some((major, _)) if major >= MAJOR_VERSION => {
            versioned(view, flags, device).map(Managed::Versioned)
        }
        _ => legacy(view, device).map(|tensor| Managed::Legacy { tensor, readonly: false }),
    }
}
