//! Views of the arrays of others.
#![forbid(unsafe_code)]

use pyo3::exceptions::PyBufferError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use strideview::StridedMemoryView;

use super::lazy;
use super::object::try_view_of;
use crate::raw::lookup::optional_attribute;
use crate::stream::{order, stream_number};
use crate::{array_interface, buffer_protocol, dlpack, exchange};

/// A view of the array of another library.
pub(super) struct Imported {
    pub(super) view: StridedMemoryView,
    /// The producer's stream, as DLPack counts, where the protocol names one; otherwise -1.
    pub(super) producer: i64,
}

impl From<StridedMemoryView> for Imported {
    #[inline]
    fn from(view: StridedMemoryView) -> Self {
        Self { view, producer: -1 }
    }
}

/// A view of anything that speaks DLPack, the CUDA Array Interface, the buffer protocol or NumPy's
/// array interface: the first that fits.
#[inline]
pub(super) fn from_any_interface(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Imported> {
    if dlpack::is_numpy_array(object) {
        let view = dlpack::import(object, stream, None).map(Imported::from);
        return view.or_else(|error| interface_instead(object, stream, error));
    }
    let imported = from_any_library(object, stream)?;
    lazy::refuse(object, &imported.view)?;
    Ok(imported)
}

/// As [`from_any_interface`], for objects that are no NumPy arrays.
#[inline]
fn from_any_library(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Imported> {
    if let Some(view) = through_table(object, stream)? {
        return Ok(view);
    }
    if has_sound_dlpack(object)? {
        let view = dlpack::import(object, stream, None).map(Imported::from);
        return view.or_else(|error| interface_instead(object, stream, error));
    }
    through_interface(object, stream)?.ok_or_else(|| no_interface(object))
}

/// A view through the table of the object's type. The table orders no streams, so memory of a device
/// is ordered here; `None` where `__dlpack__` has to do it.
#[inline]
fn through_table(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Imported>> {
    let Some((view, table)) = exchange::import(object)? else { return Ok(None) };
    let access = view.access();
    if !access.device {
        return Ok(Some(view.into()));
    }
    let Some(stream) = stream else { return Ok(None) };
    let consumer = stream_number(stream)?;
    if consumer == -1 {
        return Ok(Some(view.into()));
    }
    // The library works on memory of a device in its current stream; a view of ours knows the stream
    // of its own data.
    let is_current = !access.host && try_view_of(object).is_none();
    let producer = is_current.then(|| table.current_stream(object.py(), access.device_id));
    let Some(producer) = producer.flatten() else { return Ok(None) };
    order(consumer, producer, access.device_id)?;
    Ok(Some(view.into()))
}

/// True iff the object has DLPack, and not as CuPy's arrays do: there, negative strides come out
/// wrong.
fn has_sound_dlpack(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    Ok(object.hasattr(intern!(py, "__dlpack__"))?
        && !(is_of_cupy(object) && object.hasattr(intern!(py, "__cuda_array_interface__"))?))
}

/// True iff the class of the object is one of CuPy's.
fn is_of_cupy(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().getattr(intern!(object.py(), "__module__"));
    let Ok(module) = module else { return false };
    let Ok(module) = module.cast::<PyString>() else { return false };
    module.to_cow().is_ok_and(|name| name == "cupy" || name.starts_with("cupy."))
}

/// A view by the protocols after DLPack; None where the object has none of them.
fn through_interface(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Imported>> {
    let py = object.py();
    if let Some(entries) = optional_attribute(object, intern!(py, "__cuda_array_interface__"))? {
        let (view, producer) = array_interface::import_cuda(object, entries, stream)?;
        return Ok(Some(Imported { view, producer }));
    }
    let through_buffer =
        buffer_protocol::is_exporter(object).then(|| buffer_protocol::import(object));
    if let Some(Ok(view)) = through_buffer {
        return Ok(Some(view.into()));
    }
    // A dtype that has no format as a buffer may have a type string.
    let entries = optional_attribute(object, intern!(py, "__array_interface__"))?;
    let through_dict = entries.map(|entries| array_interface::import(object, entries));
    match (through_buffer, through_dict) {
        (_, Some(Ok(view))) => Ok(Some(view.into())),
        (Some(Err(error)), _) | (_, Some(Err(error))) => Err(error),
        _ => Ok(None),
    }
}

/// A dtype or a byte order that DLPack cannot say may be one that another protocol can.
#[cold]
fn interface_instead(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    error: PyErr,
) -> PyResult<Imported> {
    if !error.is_instance_of::<PyBufferError>(object.py()) {
        return Err(error);
    }
    through_interface(object, stream).ok().flatten().ok_or(error)
}

#[cold]
fn no_interface(object: &Bound<'_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(name) => PyBufferError::new_err(format!(
            "expected an object with DLPack, an array interface or the buffer protocol, got {name}"
        )),
        Err(error) => error,
    }
}
