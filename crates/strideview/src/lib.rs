#![doc = include_str!("../README.md")]
// Unsafe code lives in `bytes`, `view::{access, element, on_device, owned, slice, values}`, `interop::{candle, foreign, ndarray, wrap}`,
// `interop::cudarc::{argument, context, slice, stream, stream_slice}` and `interop::dlpack::{block, borrow, export, import}`; every
// other file forbids it, but for the `mod.rs` above these, which hold no unsafe code.

mod bytes;
mod device;
mod dtype;
mod error;
mod explanation;
pub mod interop;
mod route;
mod transfer;
mod view;

pub use bytes::{copy_bytes, fill_bytes};
pub use device::Device;
pub use dtype::DType;
pub use error::{CODES, Error, ErrorKind};
pub use explanation::CopyExplanation;
pub use transfer::{
    CopyOptions, copy, copy_with, empty_like, empty_like_on, explain_copy, to_device, to_host,
};
pub use view::{Element, HostSlice, StridedMemoryView, Values};
#[cfg(feature = "cuda")]
pub use view::{TensorMap, TensorMapOptions};

pub use strideview_copy::{CopyError, CopyPlan, Kernel, PlanAxis};
pub use strideview_layout::{
    Axes, Dims, LayoutError, MAX_RANK, Offsets, Part, Quantity, Run, Runs, ShortVec, Slice,
    StrideOrder, StridedLayout, Uniqueness,
};
pub use strideview_memory::{
    Access, Buffer, Deleter, HostResource, Lease, MemoryError, MemoryResource, Owner,
    ReleaseErrorHook, StreamToken, TrackingResource, set_release_error_hook,
};

/// CUDA devices, streams, events and memory resources; see [`strideview_cuda`].
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use strideview_cuda::{
        Allocator, CudaError, Device, DevicePlan, DeviceResource, Event, ManagedResource,
        PinnedResource, Stream, StreamArg, TensorMapDescriptor, TensorMapFault, TensorMapFill,
        TensorMapInterleave, TensorMapL2Promotion, TensorMapModes, TensorMapSwizzle, TensorMapType,
        TiledTensor, driver_version, is_available, order_after, release_staging, staging_bytes,
        wait_for_retired,
    };
}

/// The result of an operation on views.
pub type Result<T> = std::result::Result<T, Error>;
