#![doc = include_str!("../README.md")]
// Unsafe code lives in `bytes`, `view::{access, element, owned, slice, values}`, `interop::{foreign, wrap}` and
// `interop::dlpack::{block, borrow, export, import}`; every other file forbids it, but for the `mod.rs`
// above these, which hold no code.

mod bytes;
mod device;
mod dtype;
mod error;
pub mod interop;
mod transfer;
mod view;

pub use bytes::{copy_bytes, fill_bytes};
pub use device::Device;
pub use dtype::DType;
pub use error::{CODES, Error, ErrorKind};
pub use transfer::{copy, empty_like, explain_copy};
#[cfg(feature = "cuda")]
pub use transfer::{copy_on, explain_copy_on_device};
pub use view::{Element, HostSlice, StridedMemoryView, Values};

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
        CudaError, Device, DevicePlan, DeviceResource, Event, ManagedResource, PinnedResource,
        Stream, StreamArg, driver_version, is_available, order_after,
    };
}

/// The result of an operation on views.
pub type Result<T> = std::result::Result<T, Error>;
