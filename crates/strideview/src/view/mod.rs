//! Views: a buffer, a layout and a dtype.
//!
//! Clones and transforms of a view share its memory, and so do the views and arrays of others that
//! it was made from. Rust's rules for references hold all the same: while a [`HostSlice`] lives,
//! [`copy`](crate::copy()) refuses to write the bytes that it borrows. See
//! [`interop`](crate::interop) for what others can do.

mod access;
mod borrow;
mod element;
mod last_plan;
#[cfg(feature = "cuda")]
mod on_device;
mod owned;
mod place;
mod reinterpret;
mod slice;
mod strided_view;
#[cfg(feature = "cuda")]
mod tensor_map;
mod transform;
mod values;

#[cfg(feature = "cuda")]
pub(crate) use access::writing_of;
#[cfg(feature = "ndarray")]
pub(crate) use access::{Borrowed, borrow};
#[cfg(feature = "cudarc")]
pub(crate) use access::{check_dtype, writing_on_device};
pub(crate) use access::{copy_on_host, plan_copy};
#[cfg(feature = "ndarray")]
pub(crate) use borrow::Reading;
#[cfg(feature = "cudarc")]
pub(crate) use borrow::Writing;
pub use element::Element;
#[cfg(feature = "cuda")]
pub(crate) use on_device::{copy_by, has_driver, host_memory, settle};
pub use slice::HostSlice;
pub use strided_view::StridedMemoryView;
#[cfg(feature = "cuda")]
pub use tensor_map::{TensorMap, TensorMapOptions};
pub use values::Values;
