//! Copies between two places of a device's memory, queued on a stream.
//!
//! A [`CopyPlan`](strideview_copy::CopyPlan) says which bytes go where. [`DevicePlan`] chooses what
//! moves them, a kernel of `kernels/` or a call of the driver: `problem` states the copy, `tile`,
//! `strip`, `interleave` and `direct` plan for a kernel each, `any` is the net. [`enqueue`] queues it: `loaded`
//! finds the kernel, whose compiled `image` is part of this crate.

mod allocation;
mod any;
mod device_plan;
mod direct;
mod divisor;
mod enqueue;
mod geometry;
mod image;
mod interleave;
mod job;
mod kernel;
mod loaded;
mod problem;
mod strip;
mod tile;

pub(crate) use allocation::Allocation;
pub use allocation::Allocator;
pub use device_plan::DevicePlan;
pub use enqueue::{enqueue, enqueue_overlapping};
pub use loaded::{LoadedImage, loaded_images};
