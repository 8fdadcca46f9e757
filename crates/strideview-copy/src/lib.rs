//! Strided copies: a safe planner and private host kernels.
//!
//! A copy is planned first, and then done. [`CopyPlan`] says which bytes go where, in the order
//! that suits the memory; it is made by safe code, from shapes and strides alone, and can be
//! printed, kept and used again. [`host::copy`] does what a plan says to two pointers.
//!
//! ```
//! use strideview_copy::{CopyPlan, Kernel};
//!
//! // A 2 x 3 matrix of u16, from rows to columns.
//! let plan = CopyPlan::new(&[2, 3], &[2, 4], &[6, 2], 2)?;
//! assert_eq!(plan.kernel(), Kernel::Transposed);
//! assert_eq!((plan.run_bytes(), plan.bytes()), (2, 12));
//! # Ok::<(), strideview_copy::CopyError>(())
//! ```
//!
//! This crate does not know who owns memory, nor what the items mean: an item is a number of
//! bytes. Unsafe code lives in `host`; everything else forbids it.

mod error;
pub mod host;
mod plan;

pub use error::{ALL_CODES, CopyError, Quantity, Side};
pub use plan::{CopyPlan, Kernel, MAX_RANK, PlanAxis, Temporary, plan_for};
