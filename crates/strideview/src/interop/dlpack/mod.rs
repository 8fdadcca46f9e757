//! DLPack 1.3: tensors of others as views, and views as tensors for others. No Python here.
//!
//! Import is in two steps, so that whoever holds the tensor gives up nothing before it is known to
//! be good: [`inspect`] checks everything and takes nothing; then the tensor is marked as taken (a
//! capsule renamed), and [`take`] makes the view, which calls the deleter exactly once, from
//! whatever thread drops the last handle. [`import_managed`] does both for a caller that has
//! nothing to mark.
//!
//! Export makes a tensor that leases the buffer: [`export_versioned`], [`export_legacy`],
//! [`export_copy`], or [`export`], which weighs the wishes of a consumer as `__dlpack__` states
//! them. Whoever receives the tensor calls its deleter once, from any thread.
//!
//! ```
//! use strideview::interop::dlpack::{Flags, Managed, export_versioned, import_managed};
//! use strideview::{Error, StridedMemoryView};
//!
//! let view = StridedMemoryView::from_vec(vec![1_i16, 2, 3, 4], &[2, 2])?;
//! let tensor = export_versioned(&view.reversed_axes()?, Flags::NONE)?;
//! // SAFETY: (1 to 3) a tensor from `export_versioned`, given to nobody else.
//! let again = unsafe { import_managed(Managed::Versioned(tensor)) }?;
//! assert_eq!(again.to_vec::<i16>()?, [1, 3, 2, 4]);
//! assert_eq!(again.address(), view.address());
//! # Ok::<(), Error>(())
//! ```

pub mod abi;
mod block;
mod borrow;
mod device;
mod export;
mod import;
mod request;

pub use abi::{DLDevice, DLManagedTensor, DLManagedTensorVersioned, Flags};
pub use borrow::{allocate_like, describe_borrowed};
pub use device::device_of;
pub use export::{export_copy, export_legacy, export_versioned};
pub use import::{Managed, import_managed, inspect, take};
pub use request::{Request, export};
