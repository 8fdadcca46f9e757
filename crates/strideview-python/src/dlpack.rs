//! DLPack capsules, in both directions.

use std::ffi::{CStr, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};
use strideview::interop::dlpack::abi::{
    DLDevice, DLDeviceType, LEGACY_NAME, LEGACY_USED_NAME, MAJOR_VERSION, MINOR_VERSION,
    VERSIONED_NAME, VERSIONED_USED_NAME,
};
use strideview::interop::dlpack::{Managed, Request, device_of, export, inspect, take};
use strideview::{StreamToken, StridedMemoryView};

use crate::convert::integer;
use crate::errors::{OrRaise, expected};
use crate::numpy_array;
use crate::raw::place::Place;
use crate::raw::vectorcall::call_with_keywords;
use crate::stream::{helper_stream, order, settle, stream_number};

/// What a tensor came in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capsule {
    /// One that says whether the tensor may be written.
    Versioned,
    /// One that does not: the view is read-only.
    Legacy,
}

/// Puts a view of the tensor of a producer in its place, by its `__dlpack__`; a NumPy array is read in
/// place, which says the same.
#[inline]
pub(crate) fn import(
    producer: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    readonly: Option<bool>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<Capsule> {
    if let Some(view) = numpy_array::view(producer, readonly) {
        place.put(view);
        return Ok(Capsule::Versioned);
    }
    let capsule = capsule_of(producer, stream)?;
    consume(&capsule, readonly, place)
}

/// Puts a view of the tensor of a capsule in its place. A capsule that is refused stays as it was.
#[inline]
fn consume(
    capsule: &Bound<'_, PyAny>,
    readonly: Option<bool>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<Capsule> {
    let (tensor, used_name) = unused(capsule, readonly.unwrap_or(true))?;
    // SAFETY: the capsule has the name of an unused tensor, so its pointer is to one; it is alive
    // as long as the capsule is.
    let mut described = unsafe { inspect(tensor) }.or_raise()?;
    // Whoever made the capsule may be wrong about the memory, or have freed it.
    described.verify().or_raise()?;
    if readonly == Some(true) {
        described.make_readonly();
    }
    // SAFETY: the name lives as long as the process and the capsule is alive.
    let status = unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used_name.as_ptr()) };
    if status != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    let kind = match tensor {
        Managed::Versioned(_) => Capsule::Versioned,
        Managed::Legacy { .. } => Capsule::Legacy,
    };
    // SAFETY: renamed, the capsule has given the tensor away, and `inspect` described this one.
    place.put(unsafe { take(tensor, described) });
    Ok(kind)
}

/// The tensor of a capsule nobody has used yet, and the name that says it is used.
fn unused(capsule: &Bound<'_, PyAny>, legacy_readonly: bool) -> PyResult<(Managed, &'static CStr)> {
    let name = capsule_name(capsule);
    if name == Some(VERSIONED_NAME) {
        return Ok((Managed::Versioned(pointer(capsule, VERSIONED_NAME)?), VERSIONED_USED_NAME));
    }
    if name == Some(LEGACY_NAME) {
        let tensor = pointer(capsule, LEGACY_NAME)?;
        return Ok((Managed::Legacy { tensor, readonly: legacy_readonly }, LEGACY_USED_NAME));
    }
    Err(PyBufferError::new_err(format!(
        "expected a DLPack capsule that has not been consumed, got {}",
        capsule.repr()?
    )))
}

/// The name of a capsule; `None` for other objects and capsules without one.
fn capsule_name<'a>(capsule: &'a Bound<'_, PyAny>) -> Option<&'a CStr> {
    // SAFETY: any live object may be asked; the GIL is held.
    if unsafe { ffi::PyCapsule_CheckExact(capsule.as_ptr()) } == 0 {
        return None;
    }
    // SAFETY: it is a capsule.
    let name = unsafe { ffi::PyCapsule_GetName(capsule.as_ptr()) };
    if name.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that lives as long as the capsule.
    Some(unsafe { CStr::from_ptr(name) })
}

/// The pointer of a capsule of this name.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    // SAFETY: it is a capsule; under another name, or without a pointer, NULL comes back.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
    NonNull::new(pointer.cast()).ok_or_else(|| PyErr::fetch(capsule.py()))
}

/// Calls the producer's `__dlpack__`, with fewer arguments when it does not take ours.
#[inline]
fn capsule_of<'py>(
    producer: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = producer.py();
    let words = Words::get(py)?;
    let name = words.dlpack.bind(py);
    let version = words.version.bind(py).as_any();
    let Some((number, device_id)) = stream_for(producer, stream)? else {
        let result = call_with_keywords(producer, name, words.max_version.bind(py), [version]);
        return result.or_else(|error| older_call(producer, None, error));
    };
    let call = |number: i64| {
        let stream = number.into_pyobject(py)?.into_any();
        let keywords = words.stream_and_max_version.bind(py);
        let result = call_with_keywords(producer, name, keywords, [&stream, version]);
        result.or_else(|error| older_call(producer, Some(&stream), error))
    };
    call(number).or_else(|error| {
        // torch takes no per-thread stream, and JAX none that asks for no ordering.
        let per_thread = number == PER_THREAD && error.is_instance_of::<PyBufferError>(py);
        let unordered = number == UNORDERED && error.is_instance_of::<PyRuntimeError>(py);
        if !per_thread && !unordered {
            return Err(error);
        }
        let helper = helper_stream(device_id)?;
        let capsule = call(helper)?;
        order(number, helper, device_id)?;
        Ok(capsule)
    })
}

/// The streams that some producers refuse, as DLPack counts.
const PER_THREAD: i64 = 2;
const UNORDERED: i64 = -1;
/// The stream of a consumer that names none.
const LEGACY: i64 = 1;

/// The call for a producer that knows no versions. A `TypeError` of its own comes out as it was.
#[cold]
fn older_call<'py>(
    producer: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, PyAny>>,
    first: PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    let py = producer.py();
    if !first.is_instance_of::<PyTypeError>(py) {
        return Err(first);
    }
    let words = Words::get(py)?;
    let name = words.dlpack.bind(py);
    let result = match stream {
        None => producer.call_method0(name),
        Some(stream) => call_with_keywords(producer, name, words.stream.bind(py), [stream]),
    };
    result.map_err(|error| if error.is_instance_of::<PyTypeError>(py) { first } else { error })
}

/// The names and values of calls to producers, made once.
struct Words {
    dlpack: Py<PyString>,
    max_version: Py<PyTuple>,
    stream: Py<PyTuple>,
    stream_and_max_version: Py<PyTuple>,
    version: Py<PyTuple>,
}

impl Words {
    #[inline]
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static WORDS: PyOnceLock<Words> = PyOnceLock::new();
        WORDS.get_or_try_init(py, || Self::make(py))
    }

    fn make(py: Python<'_>) -> PyResult<Self> {
        let (stream, max_version) = (intern!(py, "stream"), intern!(py, "max_version"));
        Ok(Self {
            dlpack: intern!(py, "__dlpack__").clone().unbind(),
            max_version: PyTuple::new(py, [max_version])?.unbind(),
            stream: PyTuple::new(py, [stream])?.unbind(),
            stream_and_max_version: PyTuple::new(py, [stream, max_version])?.unbind(),
            version: PyTuple::new(py, [MAJOR_VERSION, MINOR_VERSION])?.unbind(),
        })
    }
}

/// True iff the object is exactly a `numpy.ndarray`, whose memory is the host's.
#[inline]
pub(crate) fn is_numpy_array(object: &Bound<'_, PyAny>) -> bool {
    static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());
    let class = CLASS.load(Ordering::Acquire);
    if !class.is_null() {
        return object.get_type_ptr() == class;
    }
    let Some(class) = numpy_array_class(object.py()) else { return false };
    CLASS.store(class.into_ptr().cast(), Ordering::Release); // kept for good
    is_numpy_array(object)
}

/// The class `numpy.ndarray`, once somebody has imported NumPy.
#[cold]
fn numpy_array_class(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    let modules = py.import("sys").and_then(|sys| sys.getattr("modules")).ok()?;
    let numpy = modules.get_item("numpy").ok()?;
    numpy.getattr("ndarray").ok()
}

/// The stream to name to the producer, as DLPack counts, and the device; none for memory of the host.
#[inline]
fn stream_for(
    producer: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(i64, i32)>> {
    if is_numpy_array(producer) {
        return Ok(None);
    }
    let py = producer.py();
    let device = producer.call_method0(intern!(py, "__dlpack_device__"))?;
    let (kind, id): (i32, i32) = device.extract()?;
    if kind != DLDeviceType::CUDA.0 {
        return Ok(None);
    }
    let Some(stream) = stream else { return Err(no_stream()) };
    Ok(Some((stream_number(stream)?, id)))
}

/// What to say where memory of a device is taken over without a stream.
#[cold]
pub(crate) fn no_stream() -> PyErr {
    PyBufferError::new_err(
        "expected a stream for memory of a device, or -1 for no ordering, got None",
    )
}

/// `__dlpack_device__` of a view.
pub(crate) fn device(view: &StridedMemoryView) -> PyResult<(i32, i32)> {
    let device = device_of(view).or_raise()?;
    Ok((device.device_type.0, device.device_id))
}

/// The arguments of `__dlpack__` that are not `None`.
pub(crate) struct Wanted<'a, 'py> {
    pub(crate) stream: Option<Borrowed<'a, 'py, PyAny>>,
    pub(crate) max_version: Option<Borrowed<'a, 'py, PyAny>>,
    pub(crate) dl_device: Option<Borrowed<'a, 'py, PyAny>>,
    pub(crate) copy: Option<Borrowed<'a, 'py, PyAny>>,
}

/// `__dlpack__` of a view: a fresh capsule. `pending` is the stream that the view's data are being
/// made on, -1 when none is known.
pub(crate) fn requested(
    view: &StridedMemoryView,
    pending: i64,
    wanted: Wanted<'_, '_>,
) -> PyResult<NonNull<ffi::PyObject>> {
    let copy: Option<bool> = wanted.copy.map(|copy| copy.extract()).transpose()?;
    let consumer = wanted.stream.as_deref().map(integer).transpose()?;
    let mut request = Request {
        max_version: wanted.max_version.map(|pair| version(&pair)).transpose()?,
        device: wanted.dl_device.map(|pair| device_argument(&pair)).transpose()?,
        copy,
        ..Request::default()
    };
    if view.access().device {
        let for_host = request.device == Some(DLDevice::CPU);
        order_consumer(view, pending, wanted.stream.as_deref(), for_host)?;
        // Whoever asks for no ordering gets a copy that is done.
        request.is_awaited = consumer == Some(UNORDERED);
        let stream = consumer.filter(|stream| *stream != UNORDERED);
        let stream = stream.unwrap_or(if request.is_awaited { pending } else { LEGACY });
        request.stream = StreamToken::new(usize::try_from(stream).unwrap_or(0));
    } else {
        check_host_stream(wanted.stream.as_deref())?;
    }
    let tensor = exported(view, request).or_raise()?;
    let (pointer, name) = match tensor {
        Managed::Versioned(tensor) => (tensor.cast::<c_void>(), VERSIONED_NAME),
        Managed::Legacy { tensor, .. } => (tensor.cast(), LEGACY_NAME),
    };
    // SAFETY: the name lives as long as the process; the destructor is the one for these names.
    let capsule =
        unsafe { ffi::PyCapsule_New(pointer.as_ptr(), name.as_ptr(), Some(destroy_capsule)) };
    NonNull::new(capsule).ok_or_else(|| {
        // SAFETY: the tensor has just been made and nobody else has seen it.
        unsafe { tensor.give_back() };
        Python::attach(PyErr::fetch)
    })
}

/// As [`export`], without the GIL where all elements may be copied.
fn exported(view: &StridedMemoryView, request: Request) -> strideview::Result<Managed> {
    let is_wanted_elsewhere = request.device.is_some() && !view.access().host;
    if request.copy != Some(true) && !is_wanted_elsewhere {
        return export(view, request);
    }
    // SAFETY: called from a method, with the GIL held.
    let py = unsafe { Python::assume_attached() };
    let tensor = py.detach(|| export(view, request).map(Detached));
    tensor.map(|Detached(tensor)| tensor)
}

/// A tensor that nobody else has, on its way back to where the GIL is held.
struct Detached(Managed);

// SAFETY: the tensor is ours alone, and may be used from any thread.
unsafe impl Send for Detached {}

/// The destructor of our capsules: gives the tensor back unless a consumer has taken it.
///
/// # Safety
///
/// Called by the interpreter for a capsule made in [`requested`], with the GIL held.
unsafe extern "C" fn destroy_capsule(capsule: *mut ffi::PyObject) {
    let (mut kind, mut value, mut traceback) = (null_mut(), null_mut(), null_mut());
    // A capsule often dies while an exception unwinds, which must stay as it is.
    // SAFETY: the three places outlive the call and the GIL is held.
    unsafe { ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut traceback) };
    // SAFETY: the capsule is alive during its destructor.
    if let Some(tensor) = unsafe { fresh_tensor(capsule) } {
        // SAFETY: under its fresh name the capsule still owns the tensor.
        unsafe { tensor.give_back() };
    }
    // SAFETY: what was fetched above.
    unsafe { ffi::PyErr_Restore(kind, value, traceback) };
}

/// The tensor of a capsule that still has its fresh name.
///
/// # Safety
///
/// 1. `capsule` is a live capsule and the GIL is held.
unsafe fn fresh_tensor(capsule: *mut ffi::PyObject) -> Option<Managed> {
    let named = |name: &CStr| {
        // SAFETY: (1).
        let valid = unsafe { ffi::PyCapsule_IsValid(capsule, name.as_ptr()) };
        // SAFETY: (1); asked for the name it has, so nothing is raised.
        let pointer = || unsafe { ffi::PyCapsule_GetPointer(capsule, name.as_ptr()) };
        if valid == 0 { None } else { NonNull::new(pointer()) }
    };
    let versioned = named(VERSIONED_NAME).map(|tensor| Managed::Versioned(tensor.cast()));
    versioned.or_else(|| {
        let tensor = named(LEGACY_NAME)?.cast();
        Some(Managed::Legacy { tensor, readonly: false })
    })
}

/// Makes the consumer's stream wait for the view's. `None` is the legacy default stream, -1 asks for
/// no ordering. Where the memory may be read on the host next, the host waits.
fn order_consumer(
    view: &StridedMemoryView,
    pending: i64,
    stream: Option<&Bound<'_, PyAny>>,
    for_host: bool,
) -> PyResult<()> {
    let consumer = stream.map_or(Ok(1), integer)?;
    if consumer == 0 || consumer < -1 {
        return Err(PyValueError::new_err(format!(
            "expected a stream as DLPack counts them (-1, 1, 2 or a handle), got {consumer}"
        )));
    }
    if consumer != UNORDERED && view.access().host && (for_host || stream.is_none()) {
        // Whoever names no stream for memory that the host can reach may be going to read it there.
        // SAFETY: called from a method, with the GIL held.
        let py = unsafe { Python::assume_attached() };
        return settle(py, view.access(), pending);
    }
    order(consumer, pending, view.device_id())
}

/// The only streams that memory of the host knows: none, and -1 for no ordering.
fn check_host_stream(stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(stream) = stream else { return Ok(()) };
    match integer(stream)? {
        -1 => Ok(()),
        other => Err(PyValueError::new_err(format!(
            "expected no stream, or -1, for memory of the host, got {other}"
        ))),
    }
}

/// `max_version`: a pair of integers.
fn version(value: &Bound<'_, PyAny>) -> PyResult<(u32, u32)> {
    let pair = value.cast::<PyTuple>().map_err(|_| expected("max_version as a tuple", value))?;
    pair.extract().map_err(|_| {
        PyTypeError::new_err(format!("expected max_version as a pair of integers, got {pair}"))
    })
}

/// `dl_device`: a pair of integers.
fn device_argument(value: &Bound<'_, PyAny>) -> PyResult<DLDevice> {
    let pair = value.cast::<PyTuple>().map_err(|_| expected("dl_device as a tuple", value))?;
    let (kind, id) = pair.extract().map_err(|_| {
        PyTypeError::new_err(format!("expected dl_device as a pair of integers, got {pair}"))
    })?;
    Ok(DLDevice::new(DLDeviceType(kind), id))
}
