//! Attributes that may be missing.
//!
//! `PyObject_GetOptionalAttr` tells of a missing attribute without an exception, which takes a
//! twentieth of the time. It is part of CPython since 3.13; before, it had another name.

use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::OnceLock;

use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::vectorcall::symbol;

type OptionalAttribute =
    unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject, *mut *mut ffi::PyObject) -> c_int;

/// The function, if the interpreter has it under one of its names.
fn function() -> Option<OptionalAttribute> {
    static FUNCTION: OnceLock<Option<OptionalAttribute>> = OnceLock::new();
    *FUNCTION.get_or_init(|| {
        let names = [c"PyObject_GetOptionalAttr", c"_PyObject_LookupAttr"];
        let address = names.into_iter().map(symbol).find(|address| !address.is_null())?;
        // SAFETY: both names stand for a function of this type.
        Some(unsafe { std::mem::transmute::<*mut std::ffi::c_void, OptionalAttribute>(address) })
    })
}

/// The attribute of an object; `None` when it has none of that name.
#[inline]
pub(crate) fn optional_attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let Some(function) = function() else {
        return match object.getattr(name) {
            Err(error) if error.is_instance_of::<PyAttributeError>(py) => Ok(None),
            result => result.map(Some),
        };
    };
    let mut found = null_mut();
    // SAFETY: both objects are alive, the GIL is held, and the place outlives the call.
    let status = unsafe { function(object.as_ptr(), name.as_ptr(), &raw mut found) };
    if status < 0 {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: a new reference, or null when there is no such attribute.
    Ok(unsafe { Bound::from_owned_ptr_or_opt(py, found) })
}
