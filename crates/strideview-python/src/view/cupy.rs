//! CuPy's arrays. Their DLPack tensors have wrong strides where those of the array are negative, or no
//! multiple of the itemsize; their CUDA Array Interface is right, and takes three times as long to make
//! as to read the attributes it is made of.
#![forbid(unsafe_code)]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use pyo3::{ffi, intern};
use strideview::{Dims, StridedMemoryView};

use super::import::UNKNOWN;
use crate::array_interface::{self, Tensor};
use crate::convert::{integer, read_integers};
use crate::dtype;
use crate::raw::lookup::optional_attribute;
use crate::raw::place::Place;

/// The class `cupy.ndarray`, once an array of it was seen; it has no table of C functions.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// True iff the object is an array, and one was seen before: one comparison.
#[inline]
pub(super) fn is_known_array(object: &Bound<'_, PyAny>) -> bool {
    object.get_type_ptr() == CLASS.load(Ordering::Acquire)
}

/// True iff the object, whose class has no table, is one of CuPy's and has the CUDA Array Interface.
pub(super) fn is_array(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    let Some(is_ndarray) = is_ndarray(class.as_any()) else { return false };
    let name = intern!(object.py(), "__cuda_array_interface__");
    if !optional_attribute(class.as_any(), name).is_ok_and(|found| found.is_some()) {
        return object.hasattr(name).unwrap_or(false);
    }
    if is_ndarray && CLASS.load(Ordering::Acquire).is_null() {
        CLASS.store(class.into_ptr().cast(), Ordering::Release); // kept for good
    }
    true
}

/// Whether a class is `cupy.ndarray` itself; None where it is none of CuPy's.
fn is_ndarray(class: &Bound<'_, PyAny>) -> Option<bool> {
    let text = |name| class.getattr(name).ok()?.cast_into::<PyString>().ok();
    let module = text(intern!(class.py(), "__module__"))?;
    let module = module.to_cow().ok()?;
    let name = text(intern!(class.py(), "__name__"))?;
    (module == "cupy" || module.starts_with("cupy."))
        .then(|| name.to_cow().is_ok_and(|name| name == "ndarray"))
}

/// Puts a view in its place by what the attributes of an array say, where no ordering is asked for; None
/// where its CUDA Array Interface has to be read.
#[inline]
pub(super) fn import(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<Option<i64>> {
    let unordered = stream.is_some_and(|stream| integer(stream).is_ok_and(|number| number == -1));
    if !unordered || !is_known_array(object) {
        return Ok(None); // the interface names the stream that `release_to_producer` needs
    }
    let view = match attributes(object) {
        Err(error) if error.is_instance_of::<PyException>(object.py()) => return Ok(None),
        attributes => match attributes? {
            Some(attributes) => attributes.view(object)?,
            None => return Ok(None),
        },
    };
    place.put(view);
    Ok(Some(UNKNOWN))
}

/// What an array says of itself.
struct Attributes {
    tensor: Tensor,
    address: i64,
    device: Option<i32>,
}

impl Attributes {
    fn view(&self, object: &Bound<'_, PyAny>) -> PyResult<StridedMemoryView> {
        array_interface::of_device_memory(object, &self.tensor, self.address as usize, self.device)
    }
}

/// None where the dtype is one that only the interface can tell.
#[inline]
fn attributes(object: &Bound<'_, PyAny>) -> PyResult<Option<Attributes>> {
    let py = object.py();
    let Some(dtype) = dtype::of_numpy(&object.getattr(intern!(py, "dtype"))?) else {
        return Ok(None);
    };
    let data = object.getattr(intern!(py, "data"))?;
    let address = integer(&data.getattr(intern!(py, "ptr"))?)?;
    let dims = |name| {
        let mut dims = Dims::new();
        read_integers(&object.getattr(name)?, &mut dims)?;
        PyResult::Ok(dims)
    };
    let shape = dims(intern!(py, "shape"))?;
    let strides = match is_contiguous(object)? {
        true => None,
        false => Some(dims(intern!(py, "strides"))?),
    };
    // The driver knows the device of any address but that of no bytes.
    let device = match shape.contains(&0) {
        true => i32::try_from(integer(&data.getattr(intern!(py, "device_id"))?)?).ok(),
        false => None,
    };
    Ok(Some(Attributes { tensor: Tensor { shape, strides, dtype }, address, device }))
}

/// Whether the array says that it is in C order, which is quicker to read than its strides. Releases that
/// do not say it that way are asked for the strides.
fn is_contiguous(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let said = optional_attribute(object, intern!(object.py(), "_c_contiguous"))?;
    Ok(said.is_some_and(|said| said.is(PyBool::new(object.py(), true))))
}
