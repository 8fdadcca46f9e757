//! CUDA without a toolkit: the driver is loaded at run time, and only when asked for.
//!
//! | type | what it says |
//! |---|---|
//! | [`Device`] | a GPU: its properties, its primary context, its streams |
//! | [`Stream`], [`Event`] | the order in which a device works |
//! | [`StreamArg`] | a stream as DLPack and the CUDA Array Interface number it |
//! | [`classify`] | who can reach the memory at an address, as the driver says |
//! | [`DeviceResource`], [`PinnedResource`], [`ManagedResource`] | memory of a device, for [`strideview_memory::Buffer`] |
//! | [`DevicePlan`], [`enqueue`] | a copy between two places of a device, done in the order of a stream |
//! | [`TransferPlan`], [`transfer()`] | a copy between the host and a device |
//! | [`TiledTensor`] | a tensor and its boxes, for the descriptors of the Tensor Memory Accelerator |
//! | [`CudaError`] | what went wrong, with the name and status of the call |
//!
//! Where there is no driver, every operation is [`CudaError::Unavailable`]: an ordinary value.
//! The variable `STRIDEVIEW_CUDA_DRIVER` names another library to load, for tests.
//!
//! A call that needs a context pushes the primary context of its device, the one that the CUDA
//! runtime and the large libraries use, and pops it again: the caller's current context is the same
//! afterwards. Only [`Device::set_current`] changes it.
//!
//! ```
//! use strideview_cuda::Device;
//!
//! match Device::new(0) {
//!     Ok(device) => println!("{}", device.name()?),
//!     Err(error) => println!("{error}"), // wanted a CUDA driver, got none: ...
//! }
//! # Ok::<(), strideview_cuda::CudaError>(())
//! ```
//!
//! Unsafe code lives in `driver`, `bytes`, `device`, `context`, `stream`, `event`, `pointer::query`,
//! `resource`, `copy::{allocation, enqueue, loaded}`, `tensor_map::encode` and
//! `transfer::{direct, driver_copy, inline, peer, queued, ring, run}`; the other modules forbid it.

mod bytes;
mod context;
mod copy;
mod device;
mod driver;
mod error;
mod event;
mod ordering;
mod pointer;
mod resource;
mod stream;
mod stream_arg;
mod tensor_map;
mod transfer;

pub use copy::{Allocator, DevicePlan, LoadedImage, enqueue, enqueue_overlapping, loaded_images};
pub use device::{Device, DeviceTraits, driver_version, is_available};
pub use error::{ALL_CODES, CudaError};
pub use event::Event;
pub use ordering::order_after;
pub use pointer::{Declared, PointerFacts, classify, is_pinned};
pub use resource::{DeviceResource, ManagedResource, PinnedResource};
pub use stream::{CaptureStatus, Stream};
pub use stream_arg::StreamArg;
pub use tensor_map::{
    TensorMapDescriptor, TensorMapFault, TensorMapFill, TensorMapInterleave, TensorMapL2Promotion,
    TensorMapModes, TensorMapSwizzle, TensorMapType, TiledTensor,
};
pub use transfer::{
    Direction, HostMemory, Keep, TransferPlan, enqueue_peer, enqueue_transfer, release_staging,
    staging_bytes, transfer, wait_for_retired,
};
