//! Results as new references.

use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;
use strideview::Dims;

/// A value that becomes a new reference to a Python object.
pub(crate) trait IntoRaw {
    /// The new reference, or the exception that prevented it.
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>>;
}

/// A reference the C API returned; null means that it raised.
#[inline]
fn owned(object: *mut ffi::PyObject) -> PyResult<NonNull<ffi::PyObject>> {
    NonNull::new(object).ok_or_else(|| Python::attach(PyErr::fetch))
}

impl IntoRaw for NonNull<ffi::PyObject> {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        Ok(self)
    }
}

impl IntoRaw for i64 {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        // Where `long` has 64 bits it is the form with a fast path for small numbers.
        #[cfg(all(unix, target_pointer_width = "64"))]
        // SAFETY: the GIL is held by every caller.
        let number = unsafe { ffi::PyLong_FromLong(self) };
        #[cfg(not(all(unix, target_pointer_width = "64")))]
        // SAFETY: the GIL is held by every caller.
        let number = unsafe { ffi::PyLong_FromLongLong(self) };
        owned(number)
    }
}

impl IntoRaw for usize {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: the GIL is held by every caller.
        owned(unsafe { ffi::PyLong_FromSize_t(self) })
    }
}

impl IntoRaw for u64 {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: the GIL is held by every caller.
        owned(unsafe { ffi::PyLong_FromUnsignedLongLong(self) })
    }
}

impl IntoRaw for bool {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: the GIL is held by every caller.
        owned(unsafe { ffi::PyBool_FromLong(self.into()) })
    }
}

impl IntoRaw for () {
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: `None` is immortal or counted; the GIL is held by every caller.
        let none = unsafe { ffi::Py_None() };
        // SAFETY: as above.
        unsafe { ffi::Py_INCREF(none) };
        owned(none)
    }
}

impl IntoRaw for &str {
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        let len = self.len() as ffi::Py_ssize_t;
        // SAFETY: pointer and length are those of a str; the GIL is held by every caller.
        owned(unsafe { ffi::PyUnicode_FromStringAndSize(self.as_ptr().cast(), len) })
    }
}

impl IntoRaw for String {
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        self.as_str().into_raw()
    }
}

/// A tuple of integers.
pub(crate) struct Tuple<'a>(pub(crate) &'a [i64]);

impl IntoRaw for Tuple<'_> {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: the GIL is held by every caller; a slice is never longer than isize::MAX.
        let tuple = owned(unsafe { ffi::PyTuple_New(self.0.len() as ffi::Py_ssize_t) })?;
        for (position, &value) in self.0.iter().enumerate() {
            let item = value.into_raw().inspect_err(|_| release(tuple))?;
            // SAFETY: the tuple is new and has this place; it takes over the reference.
            unsafe { ffi::PyTuple_SetItem(tuple.as_ptr(), position as isize, item.as_ptr()) };
        }
        Ok(tuple)
    }
}

/// Gives up a reference that was owned.
#[cold]
fn release(object: NonNull<ffi::PyObject>) {
    // SAFETY: the caller owned the reference; the GIL is held.
    unsafe { ffi::Py_DECREF(object.as_ptr()) };
}

impl IntoRaw for (i64, i64) {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        Tuple(&[self.0, self.1]).into_raw()
    }
}

impl IntoRaw for Dims {
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        Tuple(&self).into_raw()
    }
}

impl<T: IntoRaw> IntoRaw for Option<T> {
    #[inline]
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        match self {
            Some(value) => value.into_raw(),
            None => ().into_raw(),
        }
    }
}

impl<T> IntoRaw for Bound<'_, T> {
    fn into_raw(self) -> PyResult<NonNull<ffi::PyObject>> {
        owned(self.into_ptr())
    }
}
