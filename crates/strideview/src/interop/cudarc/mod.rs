//! Device memory and streams of [cudarc] as views and streams of this crate, and back.
//! Nothing is copied.
//!
//! | from | to | by |
//! |---|---|---|
//! | `CudaSlice` | a view that owns it | [`from_slice`] |
//! | `CudaView`, or `&` of a slice, unified ones too | a read-only view, for the time of a call | [`lend`] |
//! | `CudaViewMut`, or `&mut` of a slice, unified ones too | a view, for the time of a call | [`lend_mut`] |
//! | a view, any strides | an argument of a kernel: the address of its first element | [`as_kernel_argument`] |
//! | a C-contiguous view | `CudaView`, `CudaViewMut` | [`as_stream_slice`] |
//! | `CudaStream` | [`Stream`](crate::cuda::Stream), [`StreamToken`](crate::StreamToken) | [`from_stream`], [`token`] |
//! | [`Stream`](crate::cuda::Stream) | `CudaStream` | [`to_stream`], unsafe |
//!
//! # Order
//!
//! cudarc orders the use of a slice on several streams by events that it keeps with the slice; copies
//! of this crate know nothing of these. So work on memory of cudarc is to be queued on the stream
//! that the conversion was given, by [`CopyOptions::stream`](crate::CopyOptions), or after it, by
//! [`order_after`](crate::cuda::order_after). [`lend`] and [`lend_mut`] see to both ends: the stream
//! waits for earlier uses of the slice, and later ones wait for what was queued meanwhile.
//!
//! # Context
//!
//! cudarc makes its context current and leaves it so; what is here puts the caller's back. Both crates
//! retain the primary context of a device, so they share memory and streams.
//!
//! # Version
//!
//! The program chooses the CUDA version that cudarc is built for, by one of its `cuda-*` features or
//! by the variable `CUDARC_CUDA_VERSION`: two of the features together do not build, so none is chosen
//! here. Nothing is linked: the driver is loaded at run time.

mod argument;
mod context;
mod slice;
mod stream;
mod stream_slice;

pub use argument::{KernelArgument, as_kernel_argument};
pub use slice::{from_slice, lend, lend_mut};
pub use stream::{from_stream, to_stream, token};
pub use stream_slice::{StreamSlice, as_stream_slice};

use ::cudarc::driver::CudaContext;

use crate::{Error, Result, StridedMemoryView};

/// The ordinal of the device of a context.
fn ordinal(context: &CudaContext) -> i32 {
    i32::try_from(context.ordinal()).unwrap_or(i32::MAX)
}

/// Whether the device of a context reaches the memory of a view at its address.
fn check_reach(view: &StridedMemoryView, context: &CudaContext) -> Result<()> {
    let (access, wanted) = (view.access(), ordinal(context));
    if access.device && access.device_id == wanted {
        return Ok(());
    }
    Err(Error::NotOnDevice { wanted, device_id: access.device_id })
}
