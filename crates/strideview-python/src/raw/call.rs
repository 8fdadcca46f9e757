//! Calls from Python: arguments taken apart, results and errors handed back.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::instance::{Class, value_at};
use super::result::IntoRaw;

/// A borrowed argument.
pub(crate) type Arg<'a, 'py> = Borrowed<'a, 'py, PyAny>;

/// The parameters of a function.
pub(crate) struct Signature<const N: usize> {
    pub(crate) function: &'static str,
    /// All parameters in their order.
    pub(crate) names: [Name; N],
    /// How many of them must be given.
    pub(crate) required: usize,
    /// How many of them may be given by position.
    pub(crate) positional: usize,
}

/// The name of a parameter, and the interned str that keyword arguments are compared with first.
pub(crate) struct Name {
    text: &'static CStr,
    interned: AtomicPtr<ffi::PyObject>,
}

impl Name {
    pub(crate) const fn new(text: &'static CStr) -> Self {
        Self { text, interned: AtomicPtr::new(null_mut()) }
    }

    /// The interned str, kept for the life of the process; null if there is no memory for it.
    fn interned(&self) -> *mut ffi::PyObject {
        let known = self.interned.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // SAFETY: a C string; the GIL is held by every caller. Interning twice gives one object.
        let interned = unsafe { ffi::PyUnicode_InternFromString(self.text.as_ptr()) };
        if interned.is_null() {
            // SAFETY: the GIL is held; the slower comparison will do.
            unsafe { ffi::PyErr_Clear() };
        }
        self.interned.store(interned, Ordering::Release);
        interned
    }

    /// True iff `name`, a live str, is this name.
    ///
    /// # Safety
    ///
    /// 1. `name` is a live str and the GIL is held.
    unsafe fn is(&self, name: *mut ffi::PyObject) -> bool {
        // SAFETY: (1), and the text is a C string.
        unsafe { ffi::PyUnicode_CompareWithASCIIString(name, self.text.as_ptr()) == 0 }
    }
}

/// The arguments of a call by the vectorcall convention.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    pub(crate) values: *const *mut ffi::PyObject,
    pub(crate) count: ffi::Py_ssize_t,
    pub(crate) keywords: *mut ffi::PyObject,
}

/// Runs `body` and hands its result to the interpreter: a new reference, or null with an exception.
/// A panic becomes an exception.
#[inline]
pub(crate) fn guarded<R: IntoRaw>(body: impl FnOnce() -> PyResult<R>) -> *mut ffi::PyObject {
    match catch_unwind(AssertUnwindSafe(|| body().and_then(IntoRaw::into_raw))) {
        Ok(Ok(object)) => object.as_ptr(),
        Ok(Err(error)) => raised(error),
        Err(_) => raised(PyRuntimeError::new_err("strideview panicked; please report this")),
    }
}

#[cold]
fn raised(error: PyErr) -> *mut ffi::PyObject {
    Python::attach(|py| error.restore(py));
    null_mut()
}

/// A method: `body` is given the object's value and the arguments by parameter.
///
/// # Safety
///
/// 1. Called by the interpreter with the GIL held, as a method of an object `slf` of the class of `T`.
/// 2. `given` holds the arguments as the vectorcall convention says.
#[inline]
pub(crate) unsafe fn method<T: Class, const N: usize, R: IntoRaw>(
    slf: *mut ffi::PyObject,
    given: Given,
    signature: &Signature<N>,
    body: impl for<'a> FnOnce(&'a T, [Option<Arg<'a, 'a>>; N]) -> PyResult<R>,
) -> *mut ffi::PyObject {
    guarded(|| {
        // SAFETY: (1).
        let this = unsafe { value_at(slf) };
        // SAFETY: (2), and (1): the GIL is held.
        let arguments = unsafe { parsed(given, signature) }?;
        body(this, arguments)
    })
}

/// A static method: as [`method`], without an object.
///
/// # Safety
///
/// As (2) of [`method`], with the GIL held.
#[inline]
pub(crate) unsafe fn function<const N: usize, R: IntoRaw>(
    given: Given,
    signature: &Signature<N>,
    body: impl for<'a> FnOnce([Option<Arg<'a, 'a>>; N]) -> PyResult<R>,
) -> *mut ffi::PyObject {
    guarded(|| {
        // SAFETY: the caller promises the same.
        let arguments = unsafe { parsed(given, signature) }?;
        body(arguments)
    })
}

/// A getter: `body` is given the object's value.
///
/// # Safety
///
/// 1. Called by the interpreter with the GIL held, for an object `slf` of the class of `T`.
#[inline]
pub(crate) unsafe fn getter<T: Class, R: IntoRaw>(
    slf: *mut ffi::PyObject,
    body: impl FnOnce(&T) -> PyResult<R>,
) -> *mut ffi::PyObject {
    guarded(|| {
        // SAFETY: (1).
        let this = unsafe { value_at(slf) };
        body(this)
    })
}

/// The arguments by parameter; those not given are `None`.
///
/// # Safety
///
/// As (2) of [`method`], with the GIL held.
#[inline]
unsafe fn parsed<'a, const N: usize>(
    given: Given,
    signature: &Signature<N>,
) -> PyResult<[Option<Arg<'a, 'a>>; N]> {
    let count = given.count as usize; // at least 0 by the convention
    if count > signature.positional {
        return Err(too_many(signature, count));
    }
    let mut arguments = [None; N];
    for (position, argument) in arguments.iter_mut().enumerate().take(count) {
        // SAFETY: the convention: `count` borrowed references lie at `values`.
        let place = unsafe { given.values.add(position) };
        // SAFETY: as above.
        let value = unsafe { *place };
        // SAFETY: the references are alive during the call.
        *argument = Some(unsafe { borrowed(value) });
    }
    if !given.keywords.is_null() {
        // SAFETY: the caller promises the same.
        unsafe { add_keywords(given, signature, &mut arguments) }?;
    }
    complete(signature, &arguments)?;
    Ok(arguments)
}

/// A live object as an argument.
///
/// # Safety
///
/// 1. `object` is alive for 'a and the GIL is held for 'a.
#[inline]
unsafe fn borrowed<'a>(object: *mut ffi::PyObject) -> Arg<'a, 'a> {
    // SAFETY: (1).
    let py = unsafe { Python::assume_attached() };
    // SAFETY: (1).
    unsafe { Borrowed::from_ptr(py, object) }
}

/// Adds the keyword arguments, which follow the positional ones.
///
/// # Safety
///
/// As (2) of [`method`], with the GIL held, and `keywords` is not null.
unsafe fn add_keywords<'a, const N: usize>(
    given: Given,
    signature: &Signature<N>,
    arguments: &mut [Option<Arg<'a, 'a>>],
) -> PyResult<()> {
    // SAFETY: `keywords` is a tuple.
    let count = unsafe { ffi::PyTuple_Size(given.keywords) };
    for position in 0..count {
        // SAFETY: `position` is inside the tuple.
        let name = unsafe { ffi::PyTuple_GetItem(given.keywords, position) };
        // SAFETY: the convention: one value for each keyword follows the positional ones.
        let place = unsafe { given.values.offset(given.count + position) };
        // SAFETY: as above.
        let value = unsafe { *place };
        // SAFETY: both are alive during the call.
        unsafe { set_keyword(name, value, signature, arguments) }?;
    }
    Ok(())
}

/// Sets one argument by its name.
///
/// # Safety
///
/// 1. `name` (a str) and `value` are alive for 'a and the GIL is held.
unsafe fn set_keyword<'a, const N: usize>(
    name: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    signature: &Signature<N>,
    arguments: &mut [Option<Arg<'a, 'a>>],
) -> PyResult<()> {
    let names = &signature.names;
    let place = names.iter().position(|parameter| parameter.interned() == name).or_else(|| {
        // SAFETY: (1).
        names.iter().position(|parameter| unsafe { parameter.is(name) })
    });
    let place = place.and_then(|place| arguments.get_mut(place));
    let Some(place) = place else {
        // SAFETY: (1).
        let name = unsafe { borrowed(name) };
        return Err(type_error(signature, &format!("has no parameter {:?}", name.to_string())));
    };
    if place.is_some() {
        // SAFETY: (1).
        let name = unsafe { borrowed(name) };
        return Err(type_error(signature, &format!("got {:?} twice", name.to_string())));
    }
    // SAFETY: (1).
    *place = Some(unsafe { borrowed(value) });
    Ok(())
}

/// Every required argument is there.
#[inline]
fn complete<const N: usize>(
    signature: &Signature<N>,
    arguments: &[Option<Arg<'_, '_>>],
) -> PyResult<()> {
    let missing = arguments.iter().take(signature.required).position(Option::is_none);
    missing.map_or(Ok(()), |position| Err(missing_argument(signature, position)))
}

/// An argument that [`complete`] has seen.
#[inline]
pub(crate) fn given<'a>(argument: Option<Arg<'a, 'a>>) -> PyResult<Arg<'a, 'a>> {
    argument.ok_or_else(|| PyTypeError::new_err("a required argument is missing"))
}

#[cold]
fn missing_argument<const N: usize>(signature: &Signature<N>, position: usize) -> PyErr {
    let name = signature.names.get(position).map_or(c"", |name| name.text);
    type_error(signature, &format!("needs the argument {:?}", name.to_string_lossy()))
}

#[cold]
fn too_many<const N: usize>(signature: &Signature<N>, count: usize) -> PyErr {
    let positional = signature.positional;
    type_error(signature, &format!("takes {positional} positional arguments, got {count}"))
}

fn type_error<const N: usize>(signature: &Signature<N>, what: &str) -> PyErr {
    PyTypeError::new_err(format!("{}() {what}", signature.function))
}

/// The arguments of `tp_new`: a tuple and a dict or null.
///
/// # Safety
///
/// 1. `args` is a tuple and `kwargs` a dict or null, as the interpreter gives them to `tp_new`,
///    alive for 'a, with the GIL held.
#[inline]
pub(crate) unsafe fn parsed_tuple<'a, const N: usize>(
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
    signature: &Signature<N>,
) -> PyResult<[Option<Arg<'a, 'a>>; N]> {
    // SAFETY: (1).
    let count = unsafe { ffi::PyTuple_Size(args) } as usize;
    if count > signature.positional {
        return Err(too_many(signature, count));
    }
    let mut arguments = [None; N];
    for (position, argument) in arguments.iter_mut().enumerate().take(count) {
        // SAFETY: (1), and `position` is inside the tuple.
        let item = unsafe { ffi::PyTuple_GetItem(args, position as ffi::Py_ssize_t) };
        // SAFETY: the tuple keeps the item alive.
        *argument = Some(unsafe { borrowed(item) });
    }
    if !kwargs.is_null() {
        let (mut at, mut name, mut value) = (0, null_mut(), null_mut());
        // SAFETY: (1), and the three places outlive the call.
        while unsafe { ffi::PyDict_Next(kwargs, &raw mut at, &raw mut name, &raw mut value) } != 0 {
            // SAFETY: the dict keeps both alive, and nothing changes it meanwhile.
            unsafe { set_keyword(name, value, signature, &mut arguments) }?;
        }
    }
    complete(signature, &arguments)?;
    Ok(arguments)
}
