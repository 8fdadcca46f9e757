//! The Python classes `Stream` and `Event`, and streams as arguments.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use strideview::cuda::{Device, Event, Stream, StreamArg};
use strideview::{Access, StreamToken};

use crate::convert::integer;
use crate::errors::{OrRaise, expected};
use crate::owner::PyOwner;
use crate::raw::lookup::optional_attribute;

/// A stream of work of a CUDA device.
///
/// Made by ``Device.create_stream``, ``Device.default_stream`` or ``Stream.from_handle``.
#[pyclass(frozen, module = "strideview", name = "Stream", weakref)]
pub(crate) struct PyStream(pub(crate) Stream);

#[pymethods]
impl PyStream {
    /// A stream that somebody else made, by its raw handle; 0 is the legacy default stream.
    ///
    /// Parameters
    /// ----------
    /// handle : int
    /// owner : object, optional
    ///     Kept alive as long as the stream.
    #[staticmethod]
    #[pyo3(signature = (handle, owner=None))]
    fn from_handle(handle: &Bound<'_, PyAny>, owner: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let handle = handle_of_number(integer(handle)?)?;
        from_raw(handle, owner).map(Self)
    }

    /// The raw handle; 1 and 2 are the default streams.
    #[getter]
    fn handle(&self) -> usize {
        self.0.handle()
    }

    /// The ordinal of the device.
    #[getter]
    fn device_id(&self) -> i32 {
        self.0.device().ordinal()
    }

    /// Waits until all work queued so far is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.synchronize()).or_raise()
    }

    /// Waits until all work queued so far is done: another name for ``synchronize``.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.synchronize(py)
    }

    /// A new event after the work queued so far.
    fn record(&self) -> PyResult<PyEvent> {
        self.0.record().or_raise().map(PyEvent)
    }

    /// Makes work queued from now on wait for an event, or for the work that another stream has.
    ///
    /// Parameters
    /// ----------
    /// earlier : Event or stream
    fn wait(&self, earlier: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(event) = earlier.cast::<PyEvent>() {
            return self.0.wait(&event.get().0).or_raise();
        }
        match stream_argument(earlier)? {
            Some(stream) => self.0.wait_for(&stream).or_raise(),
            None => Ok(()),
        }
    }

    /// The version of the protocol and the handle, for other libraries.
    fn __cuda_stream__(&self) -> (i32, usize) {
        (0, self.0.handle())
    }

    fn __repr__(&self) -> String {
        format!("<Stream {:#x} of device {}>", self.0.handle(), self.0.device().ordinal())
    }
}

/// A point in the work of a stream.
#[pyclass(frozen, module = "strideview", name = "Event", weakref)]
pub(crate) struct PyEvent(Event);

#[pymethods]
impl PyEvent {
    /// The raw handle.
    #[getter]
    fn handle(&self) -> usize {
        self.0.handle()
    }

    /// True iff the work before the event is done.
    #[getter]
    fn is_done(&self) -> PyResult<bool> {
        self.0.is_done().or_raise()
    }

    /// Waits until the work before the event is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.synchronize()).or_raise()
    }

    /// Waits until the work before the event is done: another name for ``synchronize``.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.synchronize(py)
    }

    fn __repr__(&self) -> String {
        format!("<Event {:#x}>", self.0.handle())
    }
}

/// A raw handle from a number of an exchange protocol or of a user; 0 is the legacy default stream.
fn handle_of_number(number: i64) -> PyResult<usize> {
    usize::try_from(number)
        .map_err(|_| PyValueError::new_err(format!("expected a stream handle, got {number}")))
}

/// A stream by its raw handle, with the object that keeps it.
fn from_raw(handle: usize, keeper: Option<&Bound<'_, PyAny>>) -> PyResult<Stream> {
    let keeper = keeper.map(|keeper| Arc::new(PyOwner::new(keeper)) as Arc<_>);
    // SAFETY: whoever gives a handle says in Python what nobody can check: that it is a stream, and
    // stays one as long as its owner, or what is made of it, lives.
    unsafe { Stream::from_handle(handle, None, keeper) }.or_raise()
}

/// The number of a stream argument, as DLPack counts: -1 for no ordering, 1 and 2 for the default
/// streams, or a handle.
///
/// Taken are integers (0 is the legacy default stream), objects with `__cuda_stream__`, as those of
/// this package, cuda.core, torch, CuPy and Numba have it, and CuPy's and Numba's older attributes.
#[inline]
pub(crate) fn stream_number(argument: &Bound<'_, PyAny>) -> PyResult<i64> {
    // As below, without its exceptions and calls: a microsecond less.
    if let Ok(stream) = argument.cast_exact::<PyStream>() {
        return Ok(stream.get().0.arg().number());
    }
    let number = match integer(argument) {
        Ok(number) => number,
        Err(error) if error.is_instance_of::<PyTypeError>(argument.py()) => {
            i64::try_from(handle_of_object(argument)?)?
        }
        Err(error) => return Err(error),
    };
    match number {
        0 => Ok(1),
        -1 | 1.. => Ok(number),
        _ => Err(PyValueError::new_err(format!(
            "expected a stream handle, or -1 for no ordering, got {number}"
        ))),
    }
}

/// The handle of an object that is a stream of some library.
fn handle_of_object(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let py = object.py();
    if let Some(protocol) = optional_attribute(object, intern!(py, "__cuda_stream__"))? {
        let pair = if protocol.is_callable() { protocol.call0()? } else { protocol };
        let (version, handle): (i64, Bound<'_, PyAny>) = pair.extract()?;
        if version != 0 {
            return Err(PyTypeError::new_err(format!(
                "expected __cuda_stream__ of version 0, got {version}"
            )));
        }
        return handle_of_number(integer(&handle)?);
    }
    for name in [intern!(py, "cuda_stream"), intern!(py, "ptr")] {
        if let Some(handle) = optional_attribute(object, name)? {
            return handle_of_number(integer(&handle)?);
        }
    }
    Err(expected("a stream: a handle, or an object with __cuda_stream__", object))
}

/// A stream argument as a stream; `None` for -1.
pub(crate) fn stream_argument(argument: &Bound<'_, PyAny>) -> PyResult<Option<Stream>> {
    if let Ok(stream) = argument.cast::<PyStream>() {
        return Ok(Some(stream.get().0.clone()));
    }
    match stream_number(argument)? {
        -1 => Ok(None),
        number => {
            let keeper = (!argument.is_exact_instance_of::<PyInt>()).then_some(argument);
            from_raw(handle_of_number(number)?, keeper).map(Some)
        }
    }
}

/// A stream as memory resources take it. The stream stays alive as long as this, and what is allocated on
/// it meanwhile keeps it.
pub(crate) struct Ordered(Option<Stream>);

impl Ordered {
    /// The stream that an argument is; none for `None` and -1.
    pub(crate) fn on(argument: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        argument.map(stream_argument).transpose().map(|stream| Self(stream.flatten()))
    }

    pub(crate) fn token(&self) -> StreamToken {
        self.0.as_ref().map_or(StreamToken::NONE, Stream::token)
    }
}

/// Makes the stream `later` wait for what `earlier` has queued; both are numbers as DLPack counts.
/// Nothing to do where one of them is -1, or both are the same.
pub(crate) fn order(later: i64, earlier: i64, device_id: i32) -> PyResult<()> {
    if later == earlier || later < 0 || earlier < 0 {
        return Ok(());
    }
    let device = Device::new(device_id).or_raise()?;
    let stream = |number: i64| {
        let argument = StreamArg::from_dlpack(number).or_raise()?;
        let handle = argument.handle().unwrap_or(1);
        // SAFETY: the streams were named by the consumer and the producer of the memory, who keep
        // them for the exchange.
        unsafe { Stream::from_handle(handle, Some(device), None) }.or_raise()
    };
    strideview::cuda::order_after(&stream(later)?, &stream(earlier)?).or_raise()
}

/// The number of a stream of our own on a device, made when it is first needed, for producers that
/// refuse the stream they are asked for.
pub(crate) fn helper_stream(device_id: i32) -> PyResult<i64> {
    static STREAMS: Mutex<Option<HashMap<i32, Stream>>> = Mutex::new(None);
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let streams = streams.get_or_insert_default();
    if let Some(stream) = streams.get(&device_id) {
        return Ok(stream.arg().number());
    }
    let stream = Device::new(device_id).and_then(Stream::new).or_raise()?;
    let number = stream.arg().number();
    streams.insert(device_id, stream);
    Ok(number)
}

/// Waits until the host may read memory: until the stream that its data are being made on, where one
/// is known, has done what it holds. The GIL is given up meanwhile. Memory that a device or the host
/// cannot reach is nothing to wait for.
pub(crate) fn settle(py: Python<'_>, access: Access, pending: i64) -> PyResult<()> {
    if !access.device || !access.host {
        return Ok(());
    }
    if access.managed {
        settle_managed(py, access.device_id)?;
    }
    if pending < 0 {
        return Ok(());
    }
    let handle = handle_of_number(pending)?;
    let device = Device::new(access.device_id).or_raise()?;
    // SAFETY: the stream was named when the view was made, by its user, who keeps it.
    let stream = unsafe { Stream::from_handle(handle, Some(device), None) }.or_raise()?;
    py.detach(|| stream.synchronize()).or_raise()
}

/// Waits for a device under whose work the host must not touch managed memory. Without a driver
/// there is no such work.
fn settle_managed(py: Python<'_>, device_id: i32) -> PyResult<()> {
    let device = match Device::new(device_id) {
        Err(error) if error.is_unavailable() => return Ok(()),
        device => device.or_raise()?,
    };
    if device.traits().or_raise()?.concurrent_managed_access {
        return Ok(());
    }
    py.detach(|| device.synchronize()).or_raise()
}
