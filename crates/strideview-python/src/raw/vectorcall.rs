//! Method calls by the vectorcall convention.
//!
//! `PyObject_VectorcallMethod` is part of CPython since 3.9 and of its stable ABI since 3.12. So it
//! is looked up when it is first needed; where it is not found, the slower general call serves.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

type VectorcallMethod = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    usize,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Lets the callee use the place before the arguments.
const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

/// The function, if the interpreter has it.
fn vectorcall_method() -> Option<VectorcallMethod> {
    static FUNCTION: OnceLock<Option<VectorcallMethod>> = OnceLock::new();
    *FUNCTION.get_or_init(|| {
        let address = symbol(c"PyObject_VectorcallMethod");
        // SAFETY: the symbol of that name has this type since Python 3.9.
        (!address.is_null())
            .then(|| unsafe { std::mem::transmute::<*mut c_void, VectorcallMethod>(address) })
    })
}

/// The address of a symbol of the process; null when there is none.
#[cfg(unix)]
pub(super) fn symbol(name: &CStr) -> *mut c_void {
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    }
    // SAFETY: null is the handle of the whole process on Linux; the name is a C string.
    unsafe { dlsym(null_mut(), name.as_ptr()) }
}

#[cfg(not(unix))]
pub(super) fn symbol(_name: &CStr) -> *mut c_void {
    null_mut()
}

/// Calls `object.name(...)` with keyword arguments only: one value for each name of `keywords`.
#[inline]
pub(crate) fn call_with_keywords<'py, const N: usize>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    keywords: &Bound<'py, PyTuple>,
    values: [&Bound<'py, PyAny>; N],
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let Some(function) = vectorcall_method() else {
        return general_call(object, name, keywords, &values);
    };
    // A place that the callee may use, the object, and the values; eight are enough for every
    // protocol.
    let mut stack = [null_mut(); 8];
    let Some(places) = stack.get_mut(1..N + 2) else {
        return general_call(object, name, keywords, &values);
    };
    let arguments = std::iter::once(object).chain(values);
    for (place, argument) in places.iter_mut().zip(arguments) {
        *place = argument.as_ptr();
    }
    let arguments = places.as_ptr();
    // SAFETY: the convention: one positional argument, which is the object, then one value for each
    // keyword; the place before them is this function's; all are alive and the GIL is held.
    let result =
        unsafe { function(name.as_ptr(), arguments, 1 | ARGUMENTS_OFFSET, keywords.as_ptr()) };
    // SAFETY: a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, result) }
}

/// The same without vectorcall.
fn general_call<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    keywords: &Bound<'py, PyTuple>,
    values: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let named = PyDict::new(object.py());
    for (keyword, value) in keywords.iter().zip(values) {
        named.set_item(keyword, value)?;
    }
    object.call_method(name, (), Some(&named))
}
