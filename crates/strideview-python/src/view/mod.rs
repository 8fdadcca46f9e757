//! The Python class `StridedMemoryView`, on the C API as `raw` provides it, and copies.

mod class;
mod cupy;
mod explanation;
mod from_buffer;
mod getters;
mod import;
mod lazy;
mod methods;
mod object;
mod pickle;
mod transfer;

pub(crate) use class::add_class;
pub(crate) use explanation::{PyCopyExplanation, explain_copy};
pub(crate) use object::{new_view, try_view_of};
pub(crate) use pickle::_rebuild_view;
pub(crate) use transfer::{copy, empty_like, release_staging, to_device, to_host};
