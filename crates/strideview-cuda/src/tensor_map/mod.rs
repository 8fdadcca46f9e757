//! Descriptors of tiled tensors for the Tensor Memory Accelerator, since compute capability 9.0.
//!
//! A [`TiledTensor`] says where the elements are and how large a box is, in `kind`'s terms; its check
//! is safe code that says no where the driver would, with a [`TensorMapFault`]. `encode` asks the
//! driver for the descriptor.

mod encode;
mod fault;
mod kind;
mod tiled;

pub use encode::TensorMapDescriptor;
pub use fault::TensorMapFault;
pub use kind::{
    TensorMapFill, TensorMapInterleave, TensorMapL2Promotion, TensorMapSwizzle, TensorMapType,
};
pub use tiled::{TensorMapModes, TiledTensor};
