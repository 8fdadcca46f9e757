//! The Python class `StridedLayout`, on the C API as `raw` provides it.

mod class;
mod getters;
mod made;
mod object;
mod order;
mod pickle;
mod queries;
mod transforms;

use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;

pub(crate) use class::add_class;
pub(crate) use object::{layout_of, new_layout, try_layout_of};
pub(crate) use pickle::_rebuild_layout;

use crate::errors::OrRaise;
use made::{Made, same};
use object::LayoutObject;
use order::Order;

/// The dense layout like this one: the object itself if it is that layout already.
fn dense(this: &LayoutObject, order: &Order) -> PyResult<NonNull<ffi::PyObject>> {
    let layout = this.layout();
    let dense = layout.to_dense(order.get()).or_raise()?;
    if dense == *layout && !layout.has_implicit_strides() {
        Ok(same(this))
    } else {
        Ok(dense).made()
    }
}

/// The layout with another item size: the object itself if it is the same one.
fn repacked(
    this: &LayoutObject,
    itemsize: i64,
    data_ptr: u64,
    axis: i64,
    keep_dim: bool,
) -> PyResult<NonNull<ffi::PyObject>> {
    if itemsize == this.layout().itemsize() {
        return Ok(same(this));
    }
    this.layout().repacked(itemsize, data_ptr, axis, keep_dim).made()
}
