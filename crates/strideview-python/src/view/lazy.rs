//! Tensors whose memory holds other values than they show: torch's lazy conjugates and negatives.
#![forbid(unsafe_code)]

use pyo3::exceptions::PyBufferError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use strideview::interop::dlpack::abi::DLDataTypeCode;
use strideview::{DType, StridedMemoryView};

use crate::raw::lookup::optional_attribute;

/// Refuses a tensor that is a lazy conjugate or negative. Asked only where it can be one: a conjugate
/// is complex, and a negative is the imaginary part of one, which has gaps.
#[inline]
pub(super) fn refuse(object: &Bound<'_, PyAny>, view: Option<&StridedMemoryView>) -> PyResult<()> {
    let Some(view) = view else { return Ok(()) };
    let Some(dtype) = view.dtype() else { return Ok(()) };
    let complex = dtype.code() == DLDataTypeCode::COMPLEX.0;
    let part = matches!(dtype, DType::F16 | DType::F32 | DType::F64)
        && !(view.layout().is_contiguous_c() && view.volume() > 1);
    if complex || part { ask(object) } else { Ok(()) }
}

#[cold]
fn ask(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = object.py();
    if says(object, intern!(py, "is_conj"))? || says(object, intern!(py, "is_neg"))? {
        return Err(PyBufferError::new_err(
            "expected a tensor that shows what its memory holds, got a lazy conjugate or negative; \
             use resolve_conj() and resolve_neg()",
        ));
    }
    Ok(())
}

/// The answer of a method without arguments; false where there is none.
fn says(object: &Bound<'_, PyAny>, method: &Bound<'_, PyString>) -> PyResult<bool> {
    match optional_attribute(object, method)? {
        Some(method) if method.is_callable() => method.call0()?.is_truthy(),
        _ => Ok(false),
    }
}
