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

/// Takes one more reference to an object.
///
/// The stable ABI of Python 3.11, which the package is built for, has code count by itself, and later
/// Pythons let it, immortal objects included. A call of the function that does the same would be a
/// tenth of the time of a property.
///
/// # Safety
///
/// 1. `object` is alive and the GIL is held.
#[inline]
pub(super) unsafe fn take_reference(object: NonNull<ffi::PyObject>) {
    // SAFETY: (1), and every object starts with its count of references.
    let count = unsafe { &raw mut (*object.as_ptr()).ob_refcnt }.cast::<ffi::Py_ssize_t>();
    // SAFETY: (1): nobody else counts meanwhile.
    unsafe { *count += 1 };
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
        let answer = match self {
            // SAFETY: the address of an object that lives as long as the interpreter.
            true => unsafe { ffi::Py_True() },
            // SAFETY: as above.
            false => unsafe { ffi::Py_False() },
        };
        let answer = owned(answer)?;
        // SAFETY: (1) alive, and the GIL is held by every caller.
        unsafe { take_reference(answer) };
        Ok(answer)
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
