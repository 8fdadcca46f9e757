//! Views of the arrays of others.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use strideview::StridedMemoryView;

use crate::{buffer_protocol, dlpack};

/// A view of anything that speaks DLPack or the buffer protocol, the first that fits.
#[inline]
pub(super) fn from_any_interface(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<StridedMemoryView> {
    if dlpack::is_numpy_array(object) || object.hasattr(intern!(object.py(), "__dlpack__"))? {
        return dlpack::import(object, stream, None).or_else(|error| buffer_instead(object, error));
    }
    if is_buffer_exporter(object) {
        return buffer_protocol::import(object);
    }
    Err(PyBufferError::new_err(format!(
        "expected an object with DLPack or the buffer protocol, got {}",
        object.get_type().name()?
    )))
}

/// A dtype or a byte order that DLPack cannot say may still be a buffer.
#[cold]
fn buffer_instead(object: &Bound<'_, PyAny>, error: PyErr) -> PyResult<StridedMemoryView> {
    if error.is_instance_of::<PyBufferError>(object.py()) && is_buffer_exporter(object) {
        return buffer_protocol::import(object).map_err(|_| error);
    }
    Err(error)
}

/// True iff the type of the object has the buffer protocol.
fn is_buffer_exporter(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: any live object may be asked; the GIL is held.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
}
