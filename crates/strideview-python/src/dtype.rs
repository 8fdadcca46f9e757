//! Dtypes: our own `DType`, and NumPy's when NumPy is installed.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use strideview::DType;

use crate::errors::value_error;

/// The type of an element, where NumPy is not installed or has no name for it.
///
/// Examples
/// --------
/// >>> DType("float32").itemsize
/// 4
#[pyclass(frozen, eq, hash, module = "strideview", name = "DType")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyDType(pub(crate) DType);

#[pymethods]
impl PyDType {
    #[new]
    fn named(name: &str) -> PyResult<Self> {
        DType::from_name(name).map(Self).ok_or_else(|| unknown(name))
    }

    /// The name, as NumPy or ml_dtypes spell it.
    #[getter]
    fn name(&self) -> String {
        self.0.name().into_owned()
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.itemsize_bytes()
    }

    /// DLPack's type code, bits and lanes.
    #[getter]
    fn dlpack(&self) -> (u8, u8, u16) {
        (self.0.code(), self.0.bits(), self.0.lanes())
    }

    fn __repr__(&self) -> String {
        format!("DType({:?})", self.name())
    }

    fn __str__(&self) -> String {
        self.name()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.name(),))
    }
}

fn unknown(name: &str) -> PyErr {
    value_error(format!("expected the name of a dtype that a view can carry, got {name:?}"))
}

/// NumPy, if it is installed.
fn numpy(py: Python<'_>) -> PyResult<Option<&'static Py<PyAny>>> {
    static NUMPY: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
    let found = NUMPY.get_or_try_init(py, || match py.import("numpy") {
        Ok(module) => Ok(Some(module.into_any().unbind())),
        Err(error) if error.is_instance_of::<PyImportError>(py) => Ok(None),
        Err(error) => Err(error),
    })?;
    Ok(found.as_ref())
}

/// The Python object for a dtype: a `numpy.dtype` when there is one, otherwise a [`PyDType`].
pub(crate) fn to_python(py: Python<'_>, dtype: DType) -> PyResult<Py<PyAny>> {
    static KNOWN: Mutex<Option<HashMap<DType, Py<PyAny>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(object) = known.as_ref().and_then(|known| known.get(&dtype)) {
        return Ok(object.clone_ref(py));
    }
    drop(known); // looking a dtype up runs Python
    let object = match numpy_dtype(py, dtype)? {
        Some(object) => object,
        None => Bound::new(py, PyDType(dtype))?.into_any(),
    };
    known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.get_or_insert_default().insert(dtype, object.clone().unbind());
    Ok(object.unbind())
}

/// The `numpy.dtype` with the same meaning, from NumPy itself or from ml_dtypes.
fn numpy_dtype(py: Python<'_>, dtype: DType) -> PyResult<Option<Bound<'_, PyAny>>> {
    let Some(numpy) = numpy(py)? else { return Ok(None) };
    let class = numpy.bind(py).getattr("dtype")?;
    let name = dtype.name();
    if let Ok(found) = class.call1((name.as_ref(),)) {
        return Ok(Some(found));
    }
    let extension = py.import("ml_dtypes").and_then(|module| module.getattr(name.as_ref()));
    let Ok(scalar) = extension else { return Ok(None) };
    class.call1((scalar,)).map(Some)
}

/// The dtype that a `numpy.dtype` is, where its type string tells; None for those of `ml_dtypes` and of
/// others. Most often one comparison: NumPy has one object for each of its own.
pub(crate) fn of_numpy(object: &Bound<'_, PyAny>) -> Option<DType> {
    /// Those seen first, each with a reference that is kept for good.
    static SEEN: [OnceLock<(usize, DType)>; 16] = [const { OnceLock::new() }; 16];
    let address = object.as_ptr().addr();
    for slot in &SEEN {
        match slot.get() {
            Some((seen, dtype)) if *seen == address => return Some(*dtype),
            Some(_) => {}
            None => {
                let dtype = of_typestr(object)?;
                if slot.set((address, dtype)).is_ok() {
                    std::mem::forget(object.clone());
                }
                return Some(dtype);
            }
        }
    }
    of_typestr(object)
}

fn of_typestr(object: &Bound<'_, PyAny>) -> Option<DType> {
    let typestr = object.getattr(intern!(object.py(), "str")).ok()?.cast_into::<PyString>().ok()?;
    DType::from_typestr(&typestr.to_cow().ok()?)
}

/// The dtype that a Python object names: a [`PyDType`], anything `numpy.dtype` takes, a name.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    if let Ok(own) = value.cast::<PyDType>() {
        return Ok(own.get().0);
    }
    let py = value.py();
    if let Ok(name) = value.cast::<PyString>()
        && let Some(dtype) = DType::from_name(&name.to_cow()?)
    {
        return Ok(dtype);
    }
    let Some(numpy) = numpy(py)? else {
        return Err(PyTypeError::new_err(format!("expected a dtype or its name, got {value}")));
    };
    let dtype = numpy.bind(py).getattr(intern!(py, "dtype"))?.call1((value,))?;
    let name: String = dtype.getattr(intern!(py, "name"))?.extract()?;
    let native: bool = dtype.getattr(intern!(py, "isnative"))?.extract()?;
    if !native {
        return Err(value_error(format!("expected a dtype in native byte order, got {dtype}")));
    }
    DType::from_name(&name).ok_or_else(|| unknown(&name))
}
