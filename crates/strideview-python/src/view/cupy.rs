//! CuPy's arrays. Their DLPack tensors have wrong strides where those of the array are negative, or no
//! multiple of the itemsize; their CUDA Array Interface is right, and takes twice as long to make.
#![forbid(unsafe_code)]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{ffi, intern};
use strideview::StridedMemoryView;

use super::import::UNKNOWN;
use crate::convert::integer;
use crate::dlpack;
use crate::raw::lookup::optional_attribute;
use crate::raw::place::Place;

/// The class of the first array that was seen, which has no table of C functions.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// True iff the object is of the class of an array that was seen before: one comparison.
#[inline]
pub(super) fn is_known_array(object: &Bound<'_, PyAny>) -> bool {
    object.get_type_ptr() == CLASS.load(Ordering::Acquire)
}

/// True iff the object, whose class has no table, is one of CuPy's and has the CUDA Array Interface.
pub(super) fn is_array(object: &Bound<'_, PyAny>) -> bool {
    if !is_of_cupy(object) {
        return false;
    }
    let class = object.get_type();
    let name = intern!(object.py(), "__cuda_array_interface__");
    if !optional_attribute(class.as_any(), name).is_ok_and(|found| found.is_some()) {
        return object.hasattr(name).unwrap_or(false);
    }
    if CLASS.load(Ordering::Acquire).is_null() {
        CLASS.store(class.into_ptr().cast(), Ordering::Release); // kept for good
    }
    true
}

/// True iff the class of the object is one of CuPy's.
fn is_of_cupy(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().getattr(intern!(object.py(), "__module__"));
    let Ok(module) = module else { return false };
    let Ok(module) = module.cast::<PyString>() else { return false };
    module.to_cow().is_ok_and(|name| name == "cupy" || name.starts_with("cupy."))
}

/// Puts a view by DLPack in its place, where that shows the same as the CUDA Array Interface: no
/// ordering is asked for, and the strides are those of the array. None where it does not.
#[inline]
pub(super) fn import(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<Option<i64>> {
    let unordered = stream.is_some_and(|stream| integer(stream).is_ok_and(|number| number == -1));
    if !unordered {
        return Ok(None); // the interface names the stream that `release_to_producer` needs
    }
    match dlpack::import_unordered(object, place) {
        Err(error) if error.is_instance_of::<PyException>(object.py()) => return Ok(None),
        outcome => outcome.map(drop)?,
    }
    if place.get().is_some_and(|view| has_strides_of(view, object).unwrap_or(false)) {
        return Ok(Some(UNKNOWN));
    }
    place.clear();
    Ok(None)
}

/// True iff the strides of the view are those that the array itself says, in bytes.
fn has_strides_of(view: &StridedMemoryView, object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let strides = object.getattr(intern!(object.py(), "strides"))?;
    let Ok(strides) = strides.cast::<PyTuple>() else { return Ok(false) };
    let layout = view.layout();
    if layout.is_empty() || strides.len() != layout.rank() {
        return Ok(false);
    }
    for (&stride, said) in layout.strides().iter().zip(strides.iter_borrowed()) {
        // Fits: it is a stride of a layout.
        if integer(&said)? != stride * layout.itemsize() {
            return Ok(false);
        }
    }
    Ok(true)
}
