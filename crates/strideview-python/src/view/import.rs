//! Views of the arrays of others.
#![forbid(unsafe_code)]

use pyo3::exceptions::PyBufferError;
use pyo3::intern;
use pyo3::prelude::*;
use strideview::StridedMemoryView;

use super::object::try_view_of;
use super::{cupy, lazy};
use crate::dlpack::Capsule;
use crate::raw::lookup::optional_attribute;
use crate::raw::place::Place;
use crate::stream::{order, stream_number};
use crate::{array_interface, buffer_protocol, dlpack, exchange};

/// The stream of a producer whose protocol names none.
pub(super) const UNKNOWN: i64 = -1;

/// Puts a view of anything that speaks DLPack, the CUDA Array Interface, the buffer protocol or NumPy's
/// array interface in its place: by the first that fits. Returns the producer's stream, as DLPack
/// counts, where the protocol names one.
#[inline]
pub(super) fn from_any_interface(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<i64> {
    if dlpack::is_numpy_array(object) {
        return match dlpack::import(object, stream, None, place) {
            Ok(Capsule::Versioned) => Ok(UNKNOWN),
            Ok(Capsule::Legacy) => interface_of_older_numpy(object, stream, place),
            Err(error) => interface_instead(object, stream, place, error),
        };
    }
    let producer = from_any_library(object, stream, place)?;
    lazy::refuse(object, place.get())?;
    Ok(producer)
}

/// As [`from_any_interface`], for objects that are no NumPy arrays.
#[inline]
fn from_any_library(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<i64> {
    let is_of_cupy = cupy::is_known_array(object);
    if !is_of_cupy && through_table(object, stream, place)? {
        return Ok(UNKNOWN);
    }
    if is_of_cupy || cupy::is_array(object) {
        if let Some(producer) = cupy::import(object, stream, place)? {
            return Ok(producer);
        }
    } else if optional_attribute(object, intern!(object.py(), "__dlpack__"))?.is_some() {
        return match dlpack::import(object, stream, None, place) {
            Ok(_) => Ok(UNKNOWN),
            Err(error) => interface_instead(object, stream, place, error),
        };
    }
    through_interface(object, stream, place)?.ok_or_else(|| no_interface(object))
}

/// Puts a view through the table of the object's type in its place. The table orders no streams, so
/// memory of a device is ordered here; false where `__dlpack__` has to do it.
#[inline]
fn through_table(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<bool> {
    let Some(table) = exchange::import(object, place)? else { return Ok(false) };
    let Some(access) = place.get().map(StridedMemoryView::access) else { return Ok(false) };
    if !access.device {
        return Ok(true);
    }
    let consumer = stream.map(stream_number).transpose()?;
    if consumer == Some(-1) {
        return Ok(true);
    }
    // The library works on memory of a device in its current stream; a view of ours knows the stream
    // of its own data.
    let is_current = !access.host && try_view_of(object).is_none();
    let producer = is_current.then(|| table.current_stream(object.py(), access.device_id));
    let (Some(consumer), Some(producer)) = (consumer, producer.flatten()) else {
        place.clear();
        return Ok(false);
    };
    order(consumer, producer, access.device_id)?;
    Ok(true)
}

/// Puts a view by the protocols after DLPack in its place; None where the object has none of them.
fn through_interface(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<Option<i64>> {
    let py = object.py();
    if let Some(entries) = optional_attribute(object, intern!(py, "__cuda_array_interface__"))? {
        let (view, producer) = array_interface::import_cuda(object, entries, stream)?;
        place.put(view);
        return Ok(Some(producer));
    }
    let through_buffer =
        buffer_protocol::is_exporter(object).then(|| buffer_protocol::import(object));
    if let Some(Ok(view)) = through_buffer {
        place.put(view);
        return Ok(Some(UNKNOWN));
    }
    // A dtype that has no format as a buffer may have a type string.
    let entries = optional_attribute(object, intern!(py, "__array_interface__"))?;
    let through_dict = entries.map(|entries| array_interface::import(object, entries));
    match (through_buffer, through_dict) {
        (_, Some(Ok(view))) => {
            place.put(view);
            Ok(Some(UNKNOWN))
        }
        (Some(Err(error)), _) | (_, Some(Err(error))) => Err(error),
        _ => Ok(None),
    }
}

/// NumPy before 2.1 makes capsules that cannot say who may write; its other protocols can. What these
/// cannot carry stays as it came.
#[cold]
fn interface_of_older_numpy(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<i64> {
    Ok(through_interface(object, stream, place).ok().flatten().unwrap_or(UNKNOWN))
}

/// A dtype or a byte order that DLPack cannot say may be one that another protocol can.
#[cold]
fn interface_instead(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    place: &mut Place<'_, StridedMemoryView>,
    error: PyErr,
) -> PyResult<i64> {
    if !error.is_instance_of::<PyBufferError>(object.py()) {
        return Err(error);
    }
    through_interface(object, stream, place).ok().flatten().ok_or(error)
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
