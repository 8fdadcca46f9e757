//! DLPack's C exchange API: the table of another library's type, and the table of our views.
//!
//! No function of a table orders streams: whoever calls one adds the ordering that is needed.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use strideview::interop::dlpack::abi::{
    DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackExchangeAPI, DLPackExchangeAPIHeader,
    DLPackVersion, DLTensor, EXCHANGE_API_NAME, Flags, MAJOR_VERSION, SetError,
};
use strideview::interop::dlpack::{
    Managed, allocate_like, describe_borrowed, export_versioned, inspect, take,
};
use strideview::{ErrorKind, StridedMemoryView};

use crate::errors::{OrRaise, exception};
use crate::raw::lookup::optional_attribute;
use crate::raw::place::Place;
use crate::view::{new_view, try_view_of};

/// Puts a view of an object whose type has a table in its place, and returns the table; `None` when it
/// has none, or when the table's function refuses the object, which may still have `__dlpack__`.
#[inline]
pub(crate) fn import(
    object: &Bound<'_, PyAny>,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<Option<ForeignTable>> {
    let Some(table) = table_of(object)? else { return Ok(None) };
    // SAFETY: a table lives as long as the process.
    let function = unsafe { table.as_ref() }.managed_tensor_from_py_object_no_sync;
    let Some(function) = function else { return Ok(None) };
    let mut tensor = null_mut();
    // SAFETY: the object is an instance of the type that the table came from, the GIL is held, and
    // the place outlives the call.
    let status = unsafe { function(object.as_ptr().cast(), &raw mut tensor) };
    if status != 0 {
        drop(PyErr::take(object.py()));
        return Ok(None);
    }
    put_owned(tensor, place)?;
    Ok(Some(ForeignTable(table)))
}

/// The table of another library's type. It lives as long as the process.
pub(crate) struct ForeignTable(NonNull<DLPackExchangeAPI>);

impl ForeignTable {
    /// The stream that the library works on, on a CUDA device and in this thread, as DLPack counts.
    /// `None` where it does not say. A library that says NULL may have no current stream: the legacy
    /// default stream is the safe reading.
    #[inline]
    pub(crate) fn current_stream(&self, py: Python<'_>, device_id: i32) -> Option<i64> {
        // SAFETY: a table lives as long as the process.
        let function = unsafe { self.0.as_ref() }.current_work_stream?;
        let mut stream = null_mut();
        // SAFETY: the contract of the slot: the GIL is held, and the place outlives the call.
        let status = unsafe { function(DLDeviceType::CUDA, device_id, &raw mut stream) };
        if status != 0 {
            drop(PyErr::take(py));
            return None;
        }
        i64::try_from(stream.addr().max(1)).ok()
    }
}

/// Puts a view of a tensor that has been given to us in its place.
#[inline]
fn put_owned(
    tensor: *mut DLManagedTensorVersioned,
    place: &mut Place<'_, StridedMemoryView>,
) -> PyResult<()> {
    let tensor = Managed::versioned(tensor).or_raise()?;
    // SAFETY: the tensor was given to us a moment ago.
    match unsafe { inspect(tensor) } {
        Ok(described) => {
            // SAFETY: it is ours, and `inspect` described this one.
            place.put(unsafe { take(tensor, described) });
            Ok(())
        }
        Err(error) => {
            // SAFETY: it is ours, and nothing uses it.
            unsafe { tensor.give_back() };
            Err(exception(error))
        }
    }
}

/// Types and their tables, found before. A type that is kept here is kept alive, so that its address
/// cannot become another type's.
struct Known {
    class: AtomicPtr<ffi::PyTypeObject>,
    table: AtomicPtr<DLPackExchangeAPI>,
}

const PLACES: usize = 64;

static KNOWN: [Known; PLACES] =
    [const { Known { class: AtomicPtr::new(null_mut()), table: AtomicPtr::new(null_mut()) } };
        PLACES];

/// The table of the type of an object, of our major version.
#[inline]
fn table_of(object: &Bound<'_, PyAny>) -> PyResult<Option<NonNull<DLPackExchangeAPI>>> {
    let class = object.get_type_ptr();
    let place = &KNOWN[class.addr() / 16 % PLACES];
    if place.class.load(Ordering::Acquire) == class {
        return Ok(NonNull::new(place.table.load(Ordering::Acquire)));
    }
    look_up(object, place)
}

/// The table by the attribute of the type. A type without one is asked again each time, since
/// libraries add the attribute late.
fn look_up(
    object: &Bound<'_, PyAny>,
    place: &Known,
) -> PyResult<Option<NonNull<DLPackExchangeAPI>>> {
    let py = object.py();
    let class = object.get_type();
    let name = intern!(py, "__dlpack_c_exchange_api__");
    let Some(capsule) = optional_attribute(class.as_any(), name)? else { return Ok(None) };
    // SAFETY: any object may be asked; the name is a C string and the GIL is held.
    let valid = unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), EXCHANGE_API_NAME.as_ptr()) };
    if valid == 0 {
        return Ok(None);
    }
    // SAFETY: a capsule of this name, as just checked.
    let table = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), EXCHANGE_API_NAME.as_ptr()) };
    let Some(table) = of_our_major(table.cast()) else { return Ok(None) };
    if place.class.load(Ordering::Acquire).is_null() {
        place.table.store(table.as_ptr(), Ordering::Release);
        place.class.store(class.into_ptr().cast(), Ordering::Release); // kept for good
    }
    Ok(Some(table))
}

/// The table of our major version in a chain that starts with the newest.
fn of_our_major(newest: *mut DLPackExchangeAPIHeader) -> Option<NonNull<DLPackExchangeAPI>> {
    let mut header = NonNull::new(newest)?;
    loop {
        // SAFETY: each link of the chain is a table that lives as long as the process, and every
        // major version starts with this header.
        let DLPackExchangeAPIHeader { version, prev_api } = unsafe { *header.as_ptr() };
        if version.major == MAJOR_VERSION {
            return Some(header.cast());
        }
        header = NonNull::new(prev_api)?;
    }
}

/// The table of `StridedMemoryView`.
struct Table(DLPackExchangeAPI);

// SAFETY: the table is never written.
unsafe impl Sync for Table {}

static TABLE: Table = Table(DLPackExchangeAPI {
    header: DLPackExchangeAPIHeader { version: DLPackVersion::CURRENT, prev_api: null_mut() },
    managed_tensor_allocator: Some(allocate),
    managed_tensor_from_py_object_no_sync: Some(tensor_from_object),
    managed_tensor_to_py_object_no_sync: Some(object_from_tensor),
    dltensor_from_py_object_no_sync: Some(borrowed_from_object),
    current_work_stream: Some(current_work_stream),
});

/// The capsule that the class attribute `__dlpack_c_exchange_api__` is.
pub(crate) fn capsule(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let table = (&raw const TABLE.0).cast_mut().cast::<c_void>();
    // SAFETY: table and name live as long as the process, and there is nothing to destroy.
    let capsule = unsafe { ffi::PyCapsule_New(table, EXCHANGE_API_NAME.as_ptr(), None) };
    // SAFETY: a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}

/// Runs a function of the table: 0, or -1 with an exception. A panic becomes an exception.
fn status(body: impl FnOnce() -> PyResult<()>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(body));
    let error = match result {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(_) => PyBufferError::new_err("strideview panicked; please report this"),
    };
    Python::attach(|py| error.restore(py));
    -1
}

/// The view that a `PyObject*` of C is.
///
/// # Safety
///
/// 1. `object` is null or a live object, and the GIL is held for 'a.
unsafe fn view_at<'a>(object: *mut c_void) -> PyResult<&'a StridedMemoryView> {
    let Some(object) = NonNull::new(object.cast::<ffi::PyObject>()) else {
        return Err(PyTypeError::new_err("expected a StridedMemoryView, got NULL"));
    };
    // SAFETY: (1).
    let py = unsafe { Python::assume_attached() };
    // SAFETY: (1).
    let object = unsafe { Borrowed::from_ptr(py, object.as_ptr()) };
    let view = try_view_of(&object).map(NonNull::from);
    // SAFETY: (1): the view lives as long as the object, which is longer than this function.
    let view = view.map(|view| unsafe { view.as_ref() });
    view.ok_or_else(|| PyTypeError::new_err("expected a StridedMemoryView, got another type"))
}

/// `managed_tensor_from_py_object_no_sync`.
///
/// # Safety
///
/// By the contract of the slot: a live object, a place for the result, and the GIL.
unsafe extern "C" fn tensor_from_object(
    object: *mut c_void,
    out: *mut *mut DLManagedTensorVersioned,
) -> c_int {
    status(|| {
        // SAFETY: (1) the contract of the slot.
        let view = unsafe { view_at(object) }?;
        let place = place(out)?;
        let tensor = export_versioned(view, Flags::NONE).or_raise()?;
        // SAFETY: the contract of the slot: a place for the result.
        unsafe { place.write(tensor.as_ptr()) };
        Ok(())
    })
}

/// `managed_tensor_to_py_object_no_sync`: takes the tensor over, also when it fails.
///
/// # Safety
///
/// By the contract of the slot: a tensor that is given away, a place for the result, and the GIL.
unsafe extern "C" fn object_from_tensor(
    tensor: *mut DLManagedTensorVersioned,
    out: *mut *mut c_void,
) -> c_int {
    status(|| {
        let mut slot = MaybeUninit::uninit();
        let mut view = Place::new(&mut slot);
        put_owned(tensor, &mut view)?;
        let place = place(out)?;
        let view = view.take().ok_or_else(|| PyBufferError::new_err("nothing was imported"))?;
        let object = Python::attach(|py| new_view(py, view, None).map(Bound::into_ptr))?;
        // SAFETY: the contract of the slot: a place for the result.
        unsafe { place.write(object.cast()) };
        Ok(())
    })
}

/// `dltensor_from_py_object_no_sync`: shape and strides stay the view's. Read-only and padded views
/// are refused, since a plain tensor cannot say that it is either.
///
/// # Safety
///
/// By the contract of the slot: a live object, a place for the result, and the GIL.
unsafe extern "C" fn borrowed_from_object(object: *mut c_void, out: *mut DLTensor) -> c_int {
    status(|| {
        // SAFETY: (1) the contract of the slot.
        let view = unsafe { view_at(object) }?;
        let place = place(out)?;
        let tensor = describe_borrowed(view).or_raise()?;
        // SAFETY: the contract of the slot: a place for the result.
        unsafe { place.write(tensor) };
        Ok(())
    })
}

/// `current_work_stream`: the library has no current stream of its own, so NULL for every device.
///
/// # Safety
///
/// By the contract of the slot: a place for the result, and the GIL.
unsafe extern "C" fn current_work_stream(
    device_type: DLDeviceType,
    device_id: i32,
    out: *mut *mut c_void,
) -> c_int {
    status(|| {
        let place = place(out)?;
        let known = [
            DLDeviceType::CPU,
            DLDeviceType::CUDA,
            DLDeviceType::CUDA_HOST,
            DLDeviceType::CUDA_MANAGED,
        ];
        if !known.contains(&device_type) || device_id < 0 {
            let device = DLDevice::new(device_type, device_id);
            return Err(PyBufferError::new_err(format!(
                "expected a device of the host or of CUDA, got type {} with id {}",
                device.device_type.0, device.device_id
            )));
        }
        // SAFETY: the contract of the slot: a place for the result.
        unsafe { place.write(null_mut()) };
        Ok(())
    })
}

/// A place for a result, which must not be null.
fn place<T>(out: *mut T) -> PyResult<*mut T> {
    match out.is_null() {
        true => Err(PyBufferError::new_err("expected a place for the result, got NULL")),
        false => Ok(out),
    }
}

/// `managed_tensor_allocator`: a new dense tensor on the host, like the prototype. Needs no GIL.
///
/// # Safety
///
/// By the contract of the slot: a prototype, a place for the result, and a function to tell of a
/// failure.
unsafe extern "C" fn allocate(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    context: *mut c_void,
    set_error: Option<SetError>,
) -> c_int {
    let result = catch_unwind(|| {
        if out.is_null() {
            return Err((c"BufferError", "expected a place for the result, got NULL".to_owned()));
        }
        // SAFETY: (1) the contract of the slot.
        let tensor = unsafe { allocate_like(prototype) };
        tensor.map_err(|error| {
            let kind = match error.kind() {
                ErrorKind::Memory => c"MemoryError",
                _ => c"BufferError",
            };
            (kind, error.to_string())
        })
    });
    let failure = match result {
        Ok(Ok(tensor)) => {
            // SAFETY: the contract of the slot, and not null.
            unsafe { out.write(tensor.as_ptr()) };
            return 0;
        }
        Ok(Err(failure)) => failure,
        Err(_) => (c"BufferError", "strideview panicked; please report this".to_owned()),
    };
    let message = CString::new(failure.1).unwrap_or_default();
    tell(set_error, context, failure.0, &message);
    -1
}

/// Tells of a failure, once.
fn tell(set_error: Option<SetError>, context: *mut c_void, kind: &CStr, message: &CStr) {
    let text = |text: &CStr| -> *const c_char { text.as_ptr() };
    if let Some(set_error) = set_error {
        // SAFETY: the contract of the slot: the function takes the context it came with, and two C
        // strings that it copies.
        unsafe { set_error(context, text(kind), text(message)) };
    }
}
