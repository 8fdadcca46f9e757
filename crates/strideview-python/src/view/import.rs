//! Views of the arrays of others.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use strideview::StridedMemoryView;
use strideview::interop::dlpack::abi::DLDataTypeCode;

use crate::convert::integer;
use crate::raw::lookup::optional_attribute;
use crate::{buffer_protocol, exchange, dlpack};

/// A view of anything that speaks DLPack or the buffer protocol, the first that fits.
#[inline]
pub(super) fn from_any_interface(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<StridedMemoryView> {
    if !dlpack::is_numpy_array(object)
        && let Some(view) = through_table(object, stream)?
    {
        return Ok(view);
    }
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

/// A view through the table of the object's type, where that needs no ordering of streams and gives
/// the values that the object shows.
#[inline]
fn through_table(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<StridedMemoryView>> {
    let Some(view) = exchange::import(object)? else { return Ok(None) };
    let unordered = stream.is_some_and(|stream| integer(stream).is_ok_and(|stream| stream == -1));
    if view.access().device && !unordered {
        return Ok(None); // `__dlpack__` orders
    }
    let complex = view.dtype().is_some_and(|dtype| dtype.code() == DLDataTypeCode::COMPLEX.0);
    Ok(if complex && is_conjugated(object)? { None } else { Some(view) })
}

/// True iff the object is a lazy conjugate, as torch has them, whose memory holds other values.
#[cold]
fn is_conjugated(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match optional_attribute(object, intern!(object.py(), "is_conj"))? {
        Some(is_conj) => is_conj.call0()?.is_truthy(),
        None => Ok(false),
    }
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
