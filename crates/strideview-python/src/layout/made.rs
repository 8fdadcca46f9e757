//! Layouts as Python objects.

use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;
use strideview::StridedLayout;

use super::object::LayoutObject;
use crate::raw::instance::object_holding;

/// Turns what the layout crate made into a Python object.
pub(crate) trait Made {
    /// A new layout object, or the exception that says what was wrong.
    fn made(self) -> PyResult<NonNull<ffi::PyObject>>;
}

impl Made for Result<StridedLayout, strideview::LayoutError> {
    /// One match and no intermediate result: a layout is moved once, to where it stays.
    #[inline]
    fn made(self) -> PyResult<NonNull<ffi::PyObject>> {
        match self {
            Ok(layout) => LayoutObject::allocate(layout),
            Err(error) => Err(crate::errors::exception(error.into())),
        }
    }
}

/// A new reference to the object itself.
#[inline]
pub(crate) fn same(object: &LayoutObject) -> NonNull<ffi::PyObject> {
    // SAFETY: (1) the value of a layout object is never anywhere else.
    let object = unsafe { object_holding(object) };
    // SAFETY: it comes from a reference, so the object is alive; the GIL is held by every caller.
    unsafe { ffi::Py_INCREF(object.as_ptr()) };
    object
}
