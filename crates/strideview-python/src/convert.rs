//! Integers, shapes, axes and slices from Python.
//!
//! Everything that `operator.index` takes is an integer here, but for `bool`.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyEllipsis, PyInt, PyList, PySlice, PyString, PyTuple};
use strideview::{Dims, ShortVec, Slice};

use crate::errors::{exception, value_error};

/// The entries of an index.
pub(crate) type Slices = ShortVec<Slice, 8>;

/// An integer that fits in 64 bits.
#[inline(always)]
pub(crate) fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    if !value.is_exact_instance_of::<PyInt>() {
        return index_of_object(value)?.extract();
    }
    // SAFETY: `value` is a live int and the GIL is held; -1 may mean an exception.
    let number = unsafe { as_i64(value.as_ptr()) };
    if number == -1 && PyErr::occurred(value.py()) {
        return Err(PyErr::fetch(value.py()));
    }
    Ok(number as i64)
}

#[cfg(not(target_pointer_width = "64"))]
use ffi::PyLong_AsLongLong as as_i64;
/// The value of an int: of the forms with 64 bits the one that takes a single call.
#[cfg(target_pointer_width = "64")]
use ffi::PyLong_AsSsize_t as as_i64;

/// An integer, with those that do not fit replaced by the nearest that does: no axis and no index
/// is that large, so it is refused as out of range.
#[inline]
pub(crate) fn clamped_integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    integer(value).or_else(|error| clamped(value, error))
}

#[cold]
fn clamped(value: &Bound<'_, PyAny>, error: PyErr) -> PyResult<i64> {
    if !error.is_instance_of::<PyOverflowError>(value.py()) {
        return Err(error);
    }
    let negative = index_of_object(value)?.lt(0)?;
    Ok(if negative { i64::MIN } else { i64::MAX })
}

/// An address or a mask: an integer from 0 to 2^64 - 1.
pub(crate) fn unsigned(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    index_of_object(value)?.extract()
}

/// A bool.
#[inline]
pub(crate) fn truth(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match value.cast_exact::<PyBool>() {
        Ok(truth) => Ok(truth.is_true()),
        Err(_) => value.extract(),
    }
}

/// A size in bytes.
pub(crate) fn size(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let size = integer(value)?;
    usize::try_from(size)
        .map_err(|_| value_error(format!("expected a size of at least 0 bytes, got {size}")))
}

/// `operator.index(value)`, but not of a `bool`.
#[cold]
fn index_of_object<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err("expected an integer, got bool"));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(value.clone());
    }
    // SAFETY: `value` is a live object and the GIL is held.
    let index = unsafe { ffi::PyNumber_Index(value.as_ptr()) };
    // SAFETY: a new reference, or NULL with an exception.
    unsafe { Bound::from_owned_ptr_or_err(value.py(), index) }
}

/// A sequence of integers, or one integer.
#[inline]
pub(crate) fn integers(value: &Bound<'_, PyAny>) -> PyResult<Dims> {
    let mut dims = Dims::new();
    read_integers(value, &mut dims)?;
    Ok(dims)
}

/// As [`integers`], into a list that is empty so far, which spares a move.
#[inline]
pub(crate) fn read_integers(value: &Bound<'_, PyAny>, dims: &mut Dims) -> PyResult<()> {
    let Ok(tuple) = value.cast_exact::<PyTuple>() else {
        *dims = integers_of_object(value, integer)?;
        return Ok(());
    };
    *dims = Dims::from_elem(0, tuple.len());
    for (value, item) in dims.iter_mut().zip(tuple.iter_borrowed()) {
        *value = integer(&item)?;
    }
    Ok(())
}

/// A sequence of axes or positions, or one.
#[inline]
pub(crate) fn axes(value: &Bound<'_, PyAny>) -> PyResult<Dims> {
    let Ok(tuple) = value.cast_exact::<PyTuple>() else {
        return integers_of_object(value, clamped_integer);
    };
    let mut dims = Dims::new();
    for item in tuple.iter_borrowed() {
        dims.push(clamped_integer(&item)?);
    }
    Ok(dims)
}

fn integers_of_object(
    value: &Bound<'_, PyAny>,
    convert: impl Fn(&Bound<'_, PyAny>) -> PyResult<i64>,
) -> PyResult<Dims> {
    if let Ok(list) = value.cast::<PyList>() {
        let mut dims = Dims::new();
        for item in list.iter() {
            dims.push(convert(&item)?);
        }
        return Ok(dims);
    }
    if value.is_exact_instance_of::<PyInt>() || !is_sequence(value) {
        return Ok(Dims::from_slice(&[convert(value)?]));
    }
    let mut dims = Dims::new();
    for position in 0..value.len()? {
        dims.push(convert(&value.get_item(position)?)?);
    }
    Ok(dims)
}

/// True iff the object has a length and items by position: tuple, list, range, array, ….
fn is_sequence(value: &Bound<'_, PyAny>) -> bool {
    let other = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyDict>();
    !other && value.len().is_ok()
}

/// The entries of `layout[...]`: one entry or a tuple of them.
#[inline]
pub(crate) fn slices(value: &Bound<'_, PyAny>) -> PyResult<Slices> {
    let mut entries = Slices::new();
    if let Ok(tuple) = value.cast::<PyTuple>() {
        for item in tuple.iter_borrowed() {
            entries.push(slice_entry(&item)?);
        }
    } else {
        entries.push(slice_entry(value)?);
    }
    Ok(entries)
}

#[inline]
fn slice_entry(value: &Bound<'_, PyAny>) -> PyResult<Slice> {
    if let Ok(slice) = value.cast_exact::<PySlice>() {
        return unpacked(slice);
    }
    if value.is_none() {
        return Ok(Slice::NewAxis);
    }
    if value.is_instance_of::<PyEllipsis>() {
        return Ok(Slice::Ellipsis);
    }
    if value.is_instance_of::<PyBool>() || !is_index(value) {
        return Err(PyTypeError::new_err(format!(
            "expected an integer, a slice, ... or None as index, got {}",
            value.get_type().name()?
        )));
    }
    clamped_integer(value).map(Slice::Index)
}

/// True iff `operator.index` takes the object.
pub(crate) fn is_index(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: `value` is a live object and the GIL is held; the check reads its type only.
    unsafe { ffi::PyIndex_Check(value.as_ptr()) == 1 }
}

/// `start:stop:step` with CPython's clamping of bounds that do not fit in 64 bits.
#[inline]
fn unpacked(slice: &Bound<'_, PySlice>) -> PyResult<Slice> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: `slice` is a slice, the GIL is held, and the three places outlive the call.
    let status = unsafe {
        ffi::PySlice_Unpack(slice.as_ptr(), &raw mut start, &raw mut stop, &raw mut step)
    };
    if status < 0 {
        return Err(unpack_error(slice));
    }
    Ok(Slice::range(start as i64, stop as i64, step as i64))
}

/// What CPython raised for the slice; a step of 0 is said our way.
#[cold]
fn unpack_error(slice: &Bound<'_, PySlice>) -> PyErr {
    let error = PyErr::fetch(slice.py());
    let zero_step = slice.getattr("step").and_then(|step| step.eq(0)).unwrap_or(false);
    if zero_step {
        return exception(strideview::LayoutError::ZeroStep { axis: 0 }.into());
    }
    error
}
