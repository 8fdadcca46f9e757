//! The array interfaces of NumPy and CUDA, in both directions.
//!
//! They are dicts that describe memory by an address. Nothing in them keeps the memory alive, so
//! whoever reads one keeps the object it came from. An exporter does not learn when its last reader
//! is gone: unlike the buffer protocol and DLPack, these cannot keep a `Buffer` from being closed.

use std::ffi::c_void;

use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use strideview::interop::{Declared, Described, Foreign, ForeignStrides, access_of};
use strideview::{Access, DType, Deleter, Dims, Error, Slice, StridedLayout, StridedMemoryView};

use crate::buffer_protocol;
use crate::convert::{integer, integers, unsigned};
use crate::dlpack::no_stream;
use crate::errors::{OrRaise, exception, expected};
use crate::raw::lookup::optional_attribute;
use crate::stream::{order, settle, stream_number};

/// The version that is written.
const VERSION: i64 = 3;

/// The address that stands for memory of no bytes, where null would be misread.
const NO_BYTES: usize = 64;

/// A view through the `__array_interface__` of an object.
pub(crate) fn from_object(object: &Bound<'_, PyAny>) -> PyResult<StridedMemoryView> {
    import(object, object.getattr(intern!(object.py(), "__array_interface__"))?)
}

/// A view through the `__cuda_array_interface__` of an object, for use on a stream.
pub(crate) fn from_cuda_object(
    object: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<(StridedMemoryView, i64)> {
    let entries = object.getattr(intern!(object.py(), "__cuda_array_interface__"))?;
    import_cuda(object, entries, stream)
}

/// A view through an array interface, as it was read from an object.
pub(crate) fn import<'py>(
    object: &Bound<'py, PyAny>,
    entries: Bound<'py, PyAny>,
) -> PyResult<StridedMemoryView> {
    let interface = Interface::of(object, "__array_interface__", entries)?;
    interface.check(3)?;
    let tensor = interface.tensor()?;
    let data = interface.required(intern!(object.py(), "data"))?;
    if let Some(pair) = pair(&data) {
        let [address, readonly] = pair;
        let described = tensor.at(address_of(&address)?, readonly.is_truthy()?, Access::host())?;
        return Ok(owned_by(object, described));
    }
    let offset = interface
        .optional(intern!(object.py(), "offset"))?
        .map_or(Ok(0), |offset| integer(&offset))?;
    tensor.inside(if data.is_none() { object } else { &data }, offset)
}

/// A view through a CUDA Array Interface, as it was read from an object, for use on a stream; and
/// the producer's stream, -1 when it names none.
pub(crate) fn import_cuda<'py>(
    object: &Bound<'py, PyAny>,
    entries: Bound<'py, PyAny>,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<(StridedMemoryView, i64)> {
    let consumer = stream_number(stream.ok_or_else(no_stream)?)?;
    let interface = Interface::of(object, "__cuda_array_interface__", entries)?;
    interface.check(2)?;
    let data = interface.required(intern!(object.py(), "data"))?;
    let pair = pair(&data).ok_or_else(|| expected("data as (address, read-only)", &data))?;
    let [address, readonly] = pair;
    let (address, readonly) = (address_of(&address)?, readonly.is_truthy()?);
    let described = interface.tensor()?.at(address, readonly, Access::device(0))?;
    let producer = interface.optional(intern!(object.py(), "stream"))?;
    let producer = producer.map(|stream| producer_stream(&stream)).transpose()?;
    let access = device_access(&described, None)?;
    if let Some(producer) = producer {
        order_after_producer(producer, consumer, access.device_id)?;
    }
    Ok((owned_by(object, described.with_access(access)), producer.unwrap_or(-1)))
}

/// A view of memory of a device that `object` keeps, with element (0, ..., 0) at an address. `device` is
/// asked where there are no bytes.
#[inline]
pub(crate) fn of_device_memory(
    object: &Bound<'_, PyAny>,
    tensor: &Tensor,
    address: usize,
    device: Option<i32>,
) -> PyResult<StridedMemoryView> {
    let described = tensor.at(address, false, Access::device(0))?;
    let access = device_access(&described, device)?;
    Ok(owned_by(object, described.with_access(access)))
}

/// A view of memory of the host that `object` keeps, with element (0, ..., 0) at an address.
#[inline]
pub(crate) fn of_host_memory(
    object: &Bound<'_, PyAny>,
    tensor: &Tensor,
    address: usize,
    readonly: bool,
) -> PyResult<StridedMemoryView> {
    Ok(owned_by(object, tensor.at(address, readonly, Access::host())?))
}

/// A view of the memory that `object` keeps.
fn owned_by(object: &Bound<'_, PyAny>, described: Described) -> StridedMemoryView {
    let context = object.clone().into_ptr().cast();
    // SAFETY: (1) the function takes back the reference that is given up here.
    let deleter = unsafe { Deleter::new(let_go, context) };
    // SAFETY: (1 to 3) the interface says so, and that the object keeps the memory as long as it
    // lives; nobody can check it.
    unsafe { described.into_view_of(deleter) }
}

/// Gives up a reference to an object, on any thread. When the interpreter is gone it is leaked, since
/// nobody is left to take it back.
///
/// # Safety
///
/// 1. `object` is a reference that is given up.
unsafe fn let_go(object: *mut c_void) {
    let _ = Python::try_attach(|py| {
        // SAFETY: (1), and the GIL is held.
        drop(unsafe { Bound::from_owned_ptr(py, object.cast()) });
    });
}

/// Who can reach the memory of a CUDA Array Interface, which has no entry for it: the driver knows.
/// Without a driver it counts as memory of `device`, or of device 0, and so does memory of no bytes.
fn device_access(described: &Described, device: Option<i32>) -> PyResult<Access> {
    let (address, size) = (described.address(), described.span_in_bytes());
    access_of(address, size, Declared::Device, device).or_raise()
}

/// Makes what follows on the stream of the consumer wait for what the producer's holds.
///
/// Both are numbers as DLPack counts; -1 for the consumer asks for no ordering.
fn order_after_producer(producer: i64, consumer: i64, device_id: i32) -> PyResult<()> {
    order(consumer, producer, device_id)
}

/// The entry `stream` of an interface.
fn producer_stream(stream: &Bound<'_, PyAny>) -> PyResult<i64> {
    match integer(stream)? {
        handle if handle > 0 => Ok(handle),
        other => Err(unfit(
            "interface.stream",
            format!(
                "expected the stream of the producer as None, 1, 2 or a handle, got {other}, which the protocol forbids"
            ),
        )),
    }
}

/// The dict of an object, as it was read.
struct Interface<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    name: &'static str,
    entries: Bound<'py, PyDict>,
}

impl<'a, 'py> Interface<'a, 'py> {
    fn of(
        object: &'a Bound<'py, PyAny>,
        name: &'static str,
        entries: Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        let entries = entries
            .cast_into::<PyDict>()
            .map_err(|error| expected(&format!("a dict as {name}"), &error.into_inner()))?;
        Ok(Self { object, name, entries })
    }

    /// An entry; None where it is missing or None. Keys are interned: a dict finds them without a
    /// comparison.
    #[inline]
    fn optional(&self, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.entries.get_item(key)?.filter(|value| !value.is_none()))
    }

    /// An entry that must be there.
    #[inline]
    fn required(&self, key: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.entries.get_item(key)?.ok_or_else(|| {
            let message = format!("{} has no entry \"{key}\"", self.name);
            unfit("interface.missing_key", message)
        })
    }

    /// The version is known, and no element is masked.
    fn check(&self, oldest: i64) -> PyResult<()> {
        let version = integer(&self.required(intern!(self.object.py(), "version"))?)?;
        if version < oldest {
            return Err(unfit(
                "interface.version",
                format!("expected {} of version {oldest} or newer, got {version}", self.name),
            ));
        }
        match self.optional(intern!(self.object.py(), "mask"))? {
            None => Ok(()),
            Some(_) => Err(unfit(
                "interface.mask",
                format!("expected {} without a mask, got one", self.name),
            )),
        }
    }

    fn tensor(&self) -> PyResult<Tensor> {
        let numbers = |key: &str, value: Bound<'py, PyAny>| match list(&value) {
            true => integers(&value),
            false => Err(expected(&format!("a tuple as {key}"), &value)),
        };
        let shape = numbers("shape", self.required(intern!(self.object.py(), "shape"))?)?;
        let strides = self.optional(intern!(self.object.py(), "strides"))?;
        let strides = strides.map(|strides| numbers("strides", strides)).transpose()?;
        Ok(Tensor { shape, strides, dtype: self.dtype()? })
    }

    fn dtype(&self) -> PyResult<DType> {
        let typestr = self.required(intern!(self.object.py(), "typestr"))?;
        let typestr =
            typestr.cast::<PyString>().map_err(|_| expected("a str as typestr", &typestr))?;
        let typestr = typestr.to_cow()?;
        let structured = self.has_fields()?;
        let dtype = match DType::from_typestr(&typestr) {
            _ if structured => None,
            Some(dtype) => Some(dtype),
            None => DType::from_void_typestr(&typestr, self.dtype_name()?.as_deref()),
        };
        dtype.ok_or_else(|| {
            let fields = if structured { " with fields" } else { "" };
            unfit(
                "interface.typestr",
                format!("expected a typestr that a view can carry, got {typestr:?}{fields}"),
            )
        })
    }

    /// True iff `descr` describes a structure.
    fn has_fields(&self) -> PyResult<bool> {
        let Some(descr) = self.optional(intern!(self.object.py(), "descr"))? else {
            return Ok(false);
        };
        let Ok(fields) = descr.cast::<PyList>() else { return Ok(true) };
        if fields.len() != 1 {
            return Ok(true);
        }
        let field = fields.get_item(0)?;
        let Ok(field) = field.cast::<PyTuple>() else { return Ok(true) };
        let Ok(name) = field.get_borrowed_item(0) else { return Ok(true) };
        let is_nameless =
            name.cast::<PyString>().is_ok_and(|name| name.is_empty().unwrap_or(false));
        Ok(field.len() != 2 || !is_nameless)
    }

    /// The name of the dtype of the object, where it has such.
    fn dtype_name(&self) -> PyResult<Option<String>> {
        let py = self.object.py();
        let Some(dtype) = optional_attribute(self.object, intern!(py, "dtype"))? else {
            return Ok(None);
        };
        let Some(name) = optional_attribute(&dtype, intern!(py, "name"))? else { return Ok(None) };
        Ok(name.extract().ok())
    }
}

/// What an interface says but for where the memory is.
pub(crate) struct Tensor {
    pub(crate) shape: Dims,
    /// In bytes.
    pub(crate) strides: Option<Dims>,
    pub(crate) dtype: DType,
}

impl Tensor {
    /// The description with element (0, ..., 0) at an address.
    #[inline]
    fn at(&self, address: usize, readonly: bool, access: Access) -> PyResult<Described> {
        let strides = self.strides.as_deref();
        let foreign = Foreign {
            address: std::ptr::with_exposed_provenance_mut(address),
            shape: &self.shape,
            strides: strides.map_or(ForeignStrides::Implicit, ForeignStrides::Bytes),
            itemsize: self.itemsize(),
            dtype: Some(self.dtype),
            access,
            readonly,
        };
        foreign.describe().map_err(|error| match error {
            Error::ForeignLayout(error) => exception(error.into()),
            other => exception(other),
        })
    }

    /// The view with element (0, ..., 0) `offset` bytes after the start of an object's buffer.
    fn inside(&self, exporter: &Bound<'_, PyAny>, offset: i64) -> PyResult<StridedMemoryView> {
        let bytes = buffer_protocol::import(exporter)?.bytes_view().or_raise()?;
        let size = bytes.nbytes();
        if !(0..=size).contains(&offset) {
            return Err(unfit(
                "interface.offset",
                format!("expected an offset of 0 to {size} bytes, got {offset}"),
            ));
        }
        let from_offset = bytes.sliced(&[Slice::range(offset, size, 1)]).or_raise()?;
        from_offset.view(Some(&self.layout()?), Some(self.dtype)).or_raise()
    }

    fn layout(&self) -> PyResult<StridedLayout> {
        let itemsize = self.itemsize();
        match &self.strides {
            None => StridedLayout::new(&self.shape, None, itemsize),
            Some(strides) => StridedLayout::from_byte_strides(&self.shape, strides, itemsize, 0),
        }
        .or_raise()
    }

    fn itemsize(&self) -> i64 {
        self.dtype.itemsize_bytes() as i64 // at most 255 * 65535 / 8
    }
}

/// An address: an integer from 0 to 2^64 - 1, most often one of the lower half.
fn address_of(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    if let Some(address) = integer(value).ok().and_then(|value| usize::try_from(value).ok()) {
        return Ok(address);
    }
    Ok(unsigned(value)? as usize)
}

/// True iff the object is a tuple, or a list in its place.
fn list(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>()
}

/// The entry `data` where it is a pair of address and read-only flag.
fn pair<'py>(data: &Bound<'py, PyAny>) -> Option<[Bound<'py, PyAny>; 2]> {
    if !list(data) || data.len().ok()? != 2 {
        return None;
    }
    let item = |index| match data.cast::<PyTuple>() {
        Ok(tuple) => tuple.get_item(index).ok(),
        Err(_) => data.get_item(index).ok(),
    };
    Some([item(0)?, item(1)?])
}

/// An interface that makes no view, or a view that makes no interface.
#[cold]
fn unfit(code: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let class = py.import("strideview.exceptions").and_then(|it| it.getattr("ExchangeError"));
        match class.and_then(|class| class.call1((message, code))) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

/// `__array_interface__` of a view; an `AttributeError` where the host cannot reach the memory, so
/// that `hasattr` says False. Waits until the host may read the memory: `pending` is the stream that
/// the data are being made on, -1 when none is known.
pub(crate) fn of_host<'py>(
    py: Python<'py>,
    view: &StridedMemoryView,
    pending: i64,
) -> PyResult<Bound<'py, PyDict>> {
    let lease = view.buffer().lease().or_raise()?;
    if !view.access().host {
        return Err(unreachable(
            "__array_interface__ is for memory that the host can reach, this is of a device",
        ));
    }
    let (dict, typestr) = described(py, view)?;
    settle(py, view.access(), pending)?;
    let address = match view.address() {
        0 => NO_BYTES,
        address => address,
    };
    drop(lease);
    dict.set_item("data", (address, view.readonly()))?;
    dict.set_item("descr", [("", typestr)])?;
    Ok(dict)
}

/// `__cuda_array_interface__` of a view; an `AttributeError` where no device can reach the memory.
/// `pending` is the stream that the data are being made on, -1 when none is known.
pub(crate) fn of_device<'py>(
    py: Python<'py>,
    view: &StridedMemoryView,
    pending: i64,
) -> PyResult<Bound<'py, PyDict>> {
    let lease = view.buffer().lease().or_raise()?;
    if !view.access().device {
        return Err(unreachable(
            "__cuda_array_interface__ is for memory that a device can reach, this is the host's",
        ));
    }
    let (dict, _) = described(py, view)?;
    let address = if view.layout().is_empty() { 0 } else { view.address() };
    drop(lease);
    dict.set_item("data", (address, view.readonly()))?;
    dict.set_item("stream", (pending > 0).then_some(pending))?;
    Ok(dict)
}

fn unreachable(message: &'static str) -> PyErr {
    PyAttributeError::new_err(message)
}

/// The entries that both interfaces have, and the type string.
fn described<'py>(
    py: Python<'py>,
    view: &StridedMemoryView,
) -> PyResult<(Bound<'py, PyDict>, String)> {
    let dtype = view.dtype().ok_or_else(|| {
        unfit("interface.untyped", "expected a view with a dtype, got an untyped one".to_owned())
    })?;
    let layout = view.layout();
    let strides = match layout.is_contiguous_c() {
        true => None,
        false => Some(PyTuple::new(py, &layout.strides_in_bytes()[..])?),
    };
    let dict = PyDict::new(py);
    dict.set_item("version", VERSION)?;
    dict.set_item("shape", PyTuple::new(py, layout.shape())?)?;
    dict.set_item("strides", strides)?;
    let typestr = dtype.typestr();
    dict.set_item("typestr", &typestr)?;
    Ok((dict, typestr))
}
