//! Exchange of memory with others: DLPack, and the plain description that every protocol ends in.
//!
//! # What is guaranteed, refused, and cannot be prevented
//!
//! *Guaranteed.* Shape, strides, offsets and dtype of a tensor from outside are checked before
//! anything is taken over: [`Foreign::describe`] and [`dlpack::inspect`] read the description and
//! nothing behind the data pointer. No number in it can make this crate read or write outside of
//! the span that the description itself covers. Whoever keeps the memory alive is let go of exactly
//! once. A tensor that we give out leases the buffer, so the buffer cannot be closed under it.
//!
//! *Refused though harmless.* A packed dtype of less than a byte, even where the tensor is empty; a
//! read-only or padded view as a legacy tensor; memory of devices other than the host and CUDA.
//!
//! *Cannot be prevented.* A description may lie about how much memory there is, who can reach it,
//! and whether it is read-only: importing is `unsafe`. Others who share the memory may write it at
//! any time. While a [`HostSlice`](crate::HostSlice) lives they must not: Rust takes its bytes for
//! constant, and the copies of this crate keep to that. [`StridedMemoryView::get`] and
//! [`values`](crate::StridedMemoryView::values) hold no reference between two reads: read while
//! somebody writes, an element may be a mixture of old and new bytes, and so may the destination of
//! two copies at once, in two threads, into the same bytes.
//!
//! [`StridedMemoryView::get`]: crate::StridedMemoryView::get

#[cfg(feature = "candle")]
pub mod candle;
#[cfg(feature = "cudarc")]
pub mod cudarc;
pub mod dlpack;
#[cfg(any(feature = "ndarray", feature = "candle"))]
mod extents;
mod foreign;
#[cfg(any(feature = "ndarray", feature = "candle", feature = "cudarc"))]
mod lend;
#[cfg(feature = "ndarray")]
pub mod ndarray;
mod wrap;

pub use foreign::{Described, Foreign, ForeignStrides};
pub use wrap::{Declared, access_of, wrap};
