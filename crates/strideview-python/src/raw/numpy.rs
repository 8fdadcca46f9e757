//! What a NumPy array is made of, read in place.
//!
//! Its protocols take from half to several times the time of a view to say it. NumPy's own headers read
//! these fields in place too, from every extension that was compiled with them, so they are part of its
//! binary interface: they are the same since 1.7, and in 2. They are compared once, on an array of known
//! parts, with what NumPy says in Python; where they differ they are not read again.

use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use strideview::Dims;

/// `PyArrayObject_fields` of numpy/ndarraytypes.h, up to the flags.
#[repr(C)]
struct Fields {
    head: ffi::PyObject,
    data: *mut u8,
    rank: c_int,
    shape: *const isize,
    strides: *const isize,
    base: *mut ffi::PyObject,
    dtype: *mut ffi::PyObject,
    flags: c_int,
}

/// `NPY_ARRAY_WRITEABLE`.
const WRITEABLE: c_int = 0x400;
/// The most axes that an array of any version has.
const MOST_AXES: c_int = 64;

/// What an array is made of.
pub(crate) struct Parts<'py> {
    pub(crate) address: usize,
    pub(crate) shape: Dims,
    /// In bytes.
    pub(crate) strides: Dims,
    pub(crate) dtype: Bound<'py, PyAny>,
    pub(crate) readonly: bool,
}

/// The class `numpy.ndarray` itself, once its fields were compared.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// The parts of an object that is exactly a `numpy.ndarray`; None of every other, and where this NumPy has
/// other fields.
#[inline]
pub(crate) fn parts<'py>(array: &Bound<'py, PyAny>) -> Option<Parts<'py>> {
    let class = array.get_type_ptr();
    if class != CLASS.load(Ordering::Acquire) && !is_known(array) {
        return None;
    }
    // SAFETY: an array of the class whose fields were compared, alive and with the GIL held.
    unsafe { read(array) }
}

/// # Safety
///
/// 1. The object has the fields, and nothing changes them during the call: the GIL is held.
#[inline]
unsafe fn read<'py>(array: &Bound<'py, PyAny>) -> Option<Parts<'py>> {
    // SAFETY: (1).
    let fields = unsafe { &*array.as_ptr().cast::<Fields>() };
    if !(0..=MOST_AXES).contains(&fields.rank) || fields.dtype.is_null() {
        return None;
    }
    let dims = |first: *const isize| {
        let mut dims = Dims::from_elem(0, fields.rank as usize);
        for (axis, value) in dims.iter_mut().enumerate() {
            // SAFETY: (1) there are as many as the rank says.
            *value = unsafe { *first.wrapping_add(axis) } as i64;
        }
        dims
    };
    Some(Parts {
        address: fields.data.addr(),
        shape: dims(fields.shape),
        strides: dims(fields.strides),
        // SAFETY: (1) the array has a reference to it.
        dtype: unsafe { Bound::from_borrowed_ptr(array.py(), fields.dtype) },
        readonly: fields.flags & WRITEABLE == 0,
    })
}

/// Whether the object is exactly a `numpy.ndarray` with these fields; the first one has them compared.
#[cold]
fn is_known(array: &Bound<'_, PyAny>) -> bool {
    static IS_AS_EXPECTED: OnceLock<bool> = OnceLock::new();
    let Some(numpy) = imported(array.py()) else { return false };
    let Ok(class) = numpy.getattr("ndarray") else { return false };
    if !array.get_type().is(&class) {
        return false;
    }
    // Asked without a lock, as it runs Python: two threads may both ask, and get the same answer.
    let is_as_expected = match IS_AS_EXPECTED.get() {
        Some(known) => *known,
        None => *IS_AS_EXPECTED.get_or_init({
            let answer = compare(&numpy).unwrap_or(false);
            move || answer
        }),
    };
    if is_as_expected {
        CLASS.store(class.into_ptr().cast(), Ordering::Release); // kept for good
    }
    is_as_expected
}

/// NumPy, if somebody has imported it.
fn imported(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    py.import("sys").and_then(|sys| sys.getattr("modules")?.get_item("numpy")).ok()
}

/// Whether the fields of an array of known parts are where they are expected.
fn compare(numpy: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_gil_enabled = numpy.py().import("sys")?.call_method0("_is_gil_enabled");
    if is_gil_enabled.is_ok_and(|answer| !answer.is_truthy().unwrap_or(false)) {
        return Ok(false); // another thread may change an array while it is read
    }
    let names = PyDict::new(numpy.py());
    names.set_item("numpy", numpy)?;
    let code = c"numpy.arange(12, dtype='i2').reshape(2, 6)[:, ::-2]";
    let probe = numpy.py().eval(code, Some(&names), None)?;
    let size: usize = probe.get_type().getattr("__basicsize__")?.extract()?;
    if size < size_of::<Fields>() {
        return Ok(false);
    }
    let interface = probe.getattr("__array_interface__")?;
    let (address, _): (usize, bool) = interface.get_item("data")?.extract()?;
    let dtype = probe.getattr("dtype")?;
    // SAFETY: the object has at least as many bytes, any of which are values of these types.
    let fields = unsafe { &*probe.as_ptr().cast::<Fields>() };
    let is_alike =
        fields.data.addr() == address && fields.rank == 2 && fields.dtype == dtype.as_ptr();
    if !is_alike || fields.shape.is_null() || fields.strides.is_null() {
        return Ok(false);
    }
    let says = |readonly: bool| {
        // SAFETY: (1) what was compared says that the object has the fields.
        let parts = unsafe { read(&probe) };
        parts.is_some_and(|parts| {
            parts.shape[..] == [2, 3] && parts.strides[..] == [12, -4] && parts.readonly == readonly
        })
    };
    let is_writable = says(false);
    probe.call_method1("setflags", (false,))?;
    Ok(is_writable && says(true))
}
