//! The type object of `StridedMemoryView`: its slots, constructor and static methods.

use std::ffi::{CStr, c_void};
use std::os::raw::c_int;
use std::ptr::null_mut;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use strideview::Slice;

use super::from_buffer::Arguments;
use super::getters::GETTERS;
use super::import::from_any_interface;
use super::lazy;
use super::methods::{METHODS, optional};
use super::object::ViewObject;
use crate::raw::call::{Given, Signature, function, given, guarded, parsed_tuple};
use crate::raw::class::{self, Specification, slot, static_method};
use crate::raw::instance::value_at;
use crate::raw::table::signature;
use crate::{array_interface, buffer_protocol, dlpack, exchange};

const DOC: &CStr = cr#"StridedMemoryView(obj, stream_ptr)
--

A zero-copy view of memory: a buffer, a layout and a dtype.

``StridedMemoryView(obj, stream_ptr)`` is ``from_any_interface``.

Parameters
----------
obj : object
    Anything that speaks DLPack, the CUDA Array Interface, the buffer protocol or NumPy's array
    interface.
stream_ptr : int or None
    The stream on which the view will be used; -1 for no ordering. Memory of the host has no stream,
    so anything is accepted for it.

Examples
--------
>>> import numpy
>>> view = StridedMemoryView(numpy.arange(6.0).reshape(2, 3)[:, ::2], -1)
>>> view.shape, view.strides, view.itemsize
((2, 2), (3, 2), 8)
"#;

const FROM_ANY_INTERFACE_DOC: &CStr = cr#"from_any_interface(obj, stream_ptr)
--

A view through DLPack, the CUDA Array Interface, the buffer protocol or NumPy's array interface: the
first that fits.

An array of CuPy comes through the CUDA Array Interface, since some releases export wrong negative
strides through DLPack.

Examples
--------
>>> StridedMemoryView.from_any_interface(bytearray(6), -1).shape
(6,)
"#;

const FROM_DLPACK_DOC: &CStr = cr#"from_dlpack(obj, stream_ptr, *, readonly=None)
--

A view through DLPack.

Parameters
----------
obj : object
    Has ``__dlpack__`` and ``__dlpack_device__``.
stream_ptr : int or None
    See the class.
readonly : bool, optional
    Whether the view is read-only. By default a versioned tensor says so itself, and a legacy one,
    which cannot say, is taken as read-only.
"#;

const FROM_BUFFER_PROTOCOL_DOC: &CStr = cr#"from_buffer_protocol(obj)
--

A view through the Python buffer protocol.

Examples
--------
>>> StridedMemoryView.from_buffer_protocol(memoryview(b"abcdef")[::2]).strides
(2,)
"#;

const FROM_ARRAY_INTERFACE_DOC: &CStr = cr#"from_array_interface(obj)
--

A view through NumPy's ``__array_interface__``, version 3 or newer.

The object is kept alive. Where its ``data`` is a buffer, or None for a buffer of its own, that is
held too, and the view is checked to lie inside.

Parameters
----------
obj : object
    Its ``__array_interface__`` is a dict. Type strings that only count bytes, such as ``<V1``, are
    explained by ``obj.dtype.name``; without a name ``<V2`` is bfloat16.

Raises
------
ExchangeError
    An entry is missing or has a value that no view can carry: an old version, a mask, a structure,
    another byte order. It is a BufferError and a ValueError.
LayoutError
    Shape and strides do not make a layout: a stride is no multiple of the itemsize, for example.

Examples
--------
>>> class Grid:
...     __array_interface__ = {
...         "version": 3, "shape": (2, 2), "typestr": "|u1", "data": bytearray(16), "offset": 8,
...         "strides": (-8, 2),
...     }
>>> StridedMemoryView.from_array_interface(Grid()).strides
(-8, 2)
"#;

const FROM_CUDA_ARRAY_INTERFACE_DOC: &CStr = cr#"from_cuda_array_interface(obj, stream_ptr)
--

A view through the CUDA Array Interface, version 2 or newer.

The object is kept alive. Where it names a stream, ``stream_ptr`` waits for what that holds.

Parameters
----------
obj : object
    Its ``__cuda_array_interface__`` is a dict.
stream_ptr : int or stream
    The stream on which the view will be used; -1 for no ordering.

Raises
------
BufferError
    ``stream_ptr`` is None, or as for ``from_array_interface``; a stream of 0 is refused as well,
    which the protocol forbids.
"#;

const FROM_BUFFER_DOC: &CStr =
    cr#"from_buffer(buffer, layout, strides=None, *, itemsize=None, dtype=None, is_readonly=False)
--

A view of a buffer by a layout, or by shape and strides.

Always checked to lie inside the buffer, negative strides included.

Parameters
----------
buffer : Buffer
layout : StridedLayout, or the shape as a sequence of int
    After a layout the dtype and is_readonly may follow by position.
strides : sequence of int, optional
    With a shape: in elements; None is C order.
itemsize : int, optional
    With a shape: bytes of one element; the dtype's by default.
dtype : dtype, optional
    Anything ``numpy.dtype`` takes. Without one the view is untyped.
is_readonly : bool

Examples
--------
>>> buffer = Device("cpu").allocate(48)
>>> layout = StridedLayout((2, 3), (1, 2), 8)
>>> StridedMemoryView.from_buffer(buffer, layout, "float64").shape
(2, 3)
"#;

/// Creates the type and adds it to the module.
pub(crate) fn add_class(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let statics = [
        static_method(c"from_any_interface", any_interface, FROM_ANY_INTERFACE_DOC),
        static_method(c"from_dlpack", from_dlpack, FROM_DLPACK_DOC),
        static_method(c"from_buffer_protocol", from_buffer_protocol, FROM_BUFFER_PROTOCOL_DOC),
        static_method(c"from_array_interface", from_array_interface, FROM_ARRAY_INTERFACE_DOC),
        static_method(
            c"from_cuda_array_interface",
            from_cuda_array_interface,
            FROM_CUDA_ARRAY_INTERFACE_DOC,
        ),
        static_method(c"from_buffer", from_buffer, FROM_BUFFER_DOC),
    ];
    let class = Specification {
        name: c"strideview.StridedMemoryView",
        doc: DOC,
        new,
        getters: GETTERS,
        methods: statics.into_iter().chain(METHODS.iter().copied()).collect(),
        members: vec![ffi::PyMemberDef {
            name: c"__weaklistoffset__".as_ptr(),
            type_code: ffi::Py_T_PYSSIZET,
            offset: ViewObject::WEAK_REFERENCES_OFFSET as ffi::Py_ssize_t,
            flags: ffi::Py_READONLY,
            doc: null_mut(),
        }],
        attributes: vec![("__dlpack_c_exchange_api__", exchange::capsule(module.py())?.unbind())],
        slots: vec![
            slot(ffi::Py_tp_repr, print_repr as ffi::reprfunc as *mut c_void),
            slot(ffi::Py_mp_subscript, subscript as ffi::binaryfunc as *mut c_void),
            slot(ffi::Py_sq_length, length as ffi::lenfunc as *mut c_void),
            slot(ffi::Py_sq_item, item as ffi::ssizeargfunc as *mut c_void),
            slot(ffi::Py_bf_getbuffer, get_buffer as ffi::getbufferproc as *mut c_void),
            slot(ffi::Py_bf_releasebuffer, release_buffer as ffi::releasebufferproc as *mut c_void),
        ],
    };
    class::add::<ViewObject>(module, class)
}

/// `tp_new`.
///
/// # Safety
///
/// Called by the interpreter with a tuple and a dict or null. The type is final, so it is ours.
unsafe extern "C" fn new(
    _class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static NEW: Signature<2> = signature!(StridedMemoryView(obj, stream_ptr;;));
    guarded(|| {
        // SAFETY: the caller promises the same.
        let [object, stream] = unsafe { parsed_tuple::<2>(args, kwargs, &NEW) }?;
        let (object, stream) = (given(object)?, optional(stream));
        let stream = stream.as_deref();
        ViewObject::imported(&object, stream, |place| from_any_interface(&object, stream, place))
    })
}

/// `StridedMemoryView.from_any_interface`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn any_interface(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<2> = signature!(from_any_interface(obj, stream_ptr;;));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[object, stream]| {
            let (object, stream) = (given(object)?, optional(stream));
            let stream = stream.as_deref();
            ViewObject::imported(&object, stream, |place| {
                from_any_interface(&object, stream, place)
            })
        })
    }
}

/// `StridedMemoryView.from_dlpack`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn from_dlpack(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<3> = signature!(from_dlpack(obj, stream_ptr;; readonly));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[object, stream, readonly]| {
            let (object, stream) = (given(object)?, optional(stream));
            let readonly = optional(readonly).map(|readonly| readonly.extract()).transpose()?;
            let stream = stream.as_deref();
            ViewObject::imported(&object, stream, |place| {
                dlpack::import(&object, stream, readonly, place)?;
                if !dlpack::is_numpy_array(&object) {
                    lazy::refuse(&object, place.get())?;
                }
                Ok(-1)
            })
        })
    }
}

/// `StridedMemoryView.from_buffer_protocol`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn from_buffer_protocol(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<1> = signature!(from_buffer_protocol(obj;;));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[object]| {
            let object = given(object)?;
            ViewObject::allocate(buffer_protocol::import(&object)?, Some(&object))
        })
    }
}

/// `StridedMemoryView.from_array_interface`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn from_array_interface(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<1> = signature!(from_array_interface(obj;;));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[object]| {
            let object = given(object)?;
            ViewObject::allocate(array_interface::from_object(&object)?, Some(&object))
        })
    }
}

/// `StridedMemoryView.from_cuda_array_interface`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn from_cuda_array_interface(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<2> = signature!(from_cuda_array_interface(obj, stream_ptr;;));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[object, stream]| {
            let (object, stream) = (given(object)?, optional(stream));
            let stream = stream.as_deref();
            ViewObject::imported(&object, stream, |place| {
                let (view, producer) = array_interface::from_cuda_object(&object, stream)?;
                place.put(view);
                lazy::refuse(&object, place.get())?;
                Ok(producer)
            })
        })
    }
}

/// `StridedMemoryView.from_buffer`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn from_buffer(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<10> = signature!(from_buffer(
        buffer; _first, _second, _third; layout, shape, strides, itemsize, dtype, is_readonly
    ));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |arguments| {
            let [buffer, first, second, third, layout, shape, strides, itemsize, dtype, readonly] =
                arguments;
            let buffer = given(buffer)?;
            let arguments = Arguments {
                buffer,
                positional: [first, second, third],
                layout,
                shape,
                strides,
                itemsize,
                dtype,
                is_readonly: readonly,
            };
            ViewObject::allocate(arguments.view()?, Some(&buffer))
        })
    }
}

/// `tp_repr`.
///
/// # Safety
///
/// Called by the interpreter for a view object.
unsafe extern "C" fn print_repr(slf: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller promises the same.
    guarded(|| Ok(unsafe { value_at::<ViewObject>(slf) }.repr()))
}

/// `mp_subscript`: `view[index]`.
///
/// # Safety
///
/// Called by the interpreter for a view object and any index.
unsafe extern "C" fn subscript(
    slf: *mut ffi::PyObject,
    index: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|| {
        // SAFETY: the GIL is held.
        let py = unsafe { Python::assume_attached() };
        // SAFETY: the index is alive during the call.
        let index = unsafe { Borrowed::from_ptr(py, index) };
        // SAFETY: the caller promises the same.
        unsafe { value_at::<ViewObject>(slf) }.item(&index)
    })
}

/// `sq_length`: the extent of the first axis.
///
/// # Safety
///
/// Called by the interpreter for a view object.
unsafe extern "C" fn length(slf: *mut ffi::PyObject) -> ffi::Py_ssize_t {
    // SAFETY: the caller promises the same.
    match unsafe { value_at::<ViewObject>(slf) }.view.shape().first() {
        Some(&extent) => extent as ffi::Py_ssize_t,
        None => {
            let error = PyTypeError::new_err("expected a view with axes, got one of rank 0");
            Python::attach(|py| error.restore(py));
            -1
        }
    }
}

/// `sq_item`: the part at an index of the first axis, by which iteration goes.
///
/// # Safety
///
/// Called by the interpreter for a view object.
unsafe extern "C" fn item(slf: *mut ffi::PyObject, index: ffi::Py_ssize_t) -> *mut ffi::PyObject {
    guarded(|| {
        // SAFETY: the caller promises the same.
        let this = unsafe { value_at::<ViewObject>(slf) };
        this.derived(this.view.sliced(&[Slice::Index(index as i64)]))
    })
}

/// `bf_getbuffer`.
///
/// # Safety
///
/// Called by the interpreter for a view object, with a place to fill.
unsafe extern "C" fn get_buffer(
    slf: *mut ffi::PyObject,
    buffer: *mut ffi::Py_buffer,
    flags: c_int,
) -> c_int {
    let filled = guarded(|| {
        // SAFETY: the GIL is held.
        let py = unsafe { Python::assume_attached() };
        // SAFETY: the object is alive during the call.
        let exporter = unsafe { Borrowed::from_ptr(py, slf) };
        // SAFETY: the caller promises the same.
        let ViewObject { view, beside } = unsafe { value_at(slf) };
        // SAFETY: (1) the interpreter gives the place, and releases it by `release_buffer`.
        unsafe { buffer_protocol::export(&exporter, view, beside.stream, buffer, flags) }
    });
    if filled.is_null() {
        return -1;
    }
    // SAFETY: the reference to None that `guarded` made.
    unsafe { ffi::Py_DECREF(filled) };
    0
}

/// `bf_releasebuffer`.
///
/// # Safety
///
/// Called by the interpreter for what `get_buffer` filled, once.
unsafe extern "C" fn release_buffer(_slf: *mut ffi::PyObject, buffer: *mut ffi::Py_buffer) {
    // SAFETY: the caller promises the same.
    unsafe { buffer_protocol::release(buffer) };
}
