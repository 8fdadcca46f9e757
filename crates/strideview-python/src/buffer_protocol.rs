//! The buffer protocol, in both directions.

use std::ffi::{CStr, CString, c_int};
use std::ptr::null_mut;
use std::sync::Arc;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use strideview::interop::{Foreign, ForeignStrides};
use strideview::{Access, DType, Dims, Lease, StridedMemoryView};

use crate::errors::OrRaise;
use crate::stream::settle;

/// A filled `Py_buffer`, released once. It stays where it was filled: some exporters let shape and
/// strides point into the structure itself.
struct Filled(Box<ffi::Py_buffer>);

// SAFETY: the structure is only read while it is alive, and released with the GIL held.
unsafe impl Send for Filled {}
// SAFETY: as above.
unsafe impl Sync for Filled {}

impl Drop for Filled {
    fn drop(&mut self) {
        // When the interpreter is gone nobody is left to release it to.
        let _ = Python::try_attach(|_| {
            // SAFETY: filled by `PyObject_GetBuffer`, not released yet, and the GIL is held.
            unsafe { ffi::PyBuffer_Release(&raw mut *self.0) };
        });
    }
}

/// True iff the type of an object has the buffer protocol.
pub(crate) fn is_exporter(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: any live object may be asked; the GIL is held.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
}

/// A view of the memory of an object that has the buffer protocol.
pub(crate) fn import(exporter: &Bound<'_, PyAny>) -> PyResult<StridedMemoryView> {
    let filled = filled(exporter)?;
    let buffer = &*filled.0;
    check_direct(buffer)?;
    let dtype = dtype_of(buffer)?;
    let (shape, strides) = (shape_of(buffer)?, strides_of(buffer));
    let foreign = Foreign {
        address: buffer.buf.cast(),
        shape: &shape,
        strides: strides.as_deref().map_or(ForeignStrides::Implicit, ForeignStrides::Bytes),
        itemsize: buffer.itemsize as i64,
        dtype: Some(dtype),
        access: Access::host(),
        readonly: buffer.readonly != 0,
    };
    let described = foreign.describe().or_raise()?;
    // SAFETY: the exporter keeps the memory it described as long as the buffer is not released,
    // which the owner does when it is dropped.
    Ok(unsafe { described.into_view(Arc::new(filled)) })
}

/// Asks for everything, and for less when that is refused.
fn filled(exporter: &Bound<'_, PyAny>) -> PyResult<Filled> {
    let mut filled = Box::new(ffi::Py_buffer::new());
    let mut ask = |flags: c_int| {
        // SAFETY: a place for the structure that does not move; the GIL is held.
        unsafe { ffi::PyObject_GetBuffer(exporter.as_ptr(), &raw mut *filled, flags) == 0 }
    };
    if ask(ffi::PyBUF_FULL_RO) {
        return Ok(Filled(filled));
    }
    let first = PyErr::fetch(exporter.py());
    if ask(ffi::PyBUF_RECORDS_RO) {
        return Ok(Filled(filled));
    }
    // The structure is not filled, so it must not be released.
    let _second = PyErr::fetch(exporter.py());
    let error = PyBufferError::new_err(format!("the exporter refuses its buffer: {first}"));
    error.set_cause(exporter.py(), Some(first));
    Err(error)
}

/// No axis goes through pointers.
fn check_direct(buffer: &ffi::Py_buffer) -> PyResult<()> {
    if buffer.suboffsets.is_null() {
        return Ok(());
    }
    for (axis, suboffset) in numbers(buffer.suboffsets, buffer.ndim).iter().enumerate() {
        if *suboffset >= 0 {
            return Err(PyBufferError::new_err(format!(
                "expected memory without pointers in it, got suboffset {suboffset} at axis {axis}"
            )));
        }
    }
    Ok(())
}

/// The dtype, whose size is the item size.
fn dtype_of(buffer: &ffi::Py_buffer) -> PyResult<DType> {
    let format = if buffer.format.is_null() {
        c"B"
    } else {
        // SAFETY: where a format is given it is a C string that lives as long as the buffer.
        unsafe { CStr::from_ptr(buffer.format) }
    };
    let itemsize = usize::try_from(buffer.itemsize).unwrap_or(0);
    DType::from_buffer_format(format.to_bytes(), itemsize).ok_or_else(|| {
        PyBufferError::new_err(format!(
            "expected a format that a view can carry, got {:?} with itemsize {itemsize}",
            format.to_string_lossy()
        ))
    })
}

/// The extents: without a shape the memory is one-dimensional, or one item.
fn shape_of(buffer: &ffi::Py_buffer) -> PyResult<Dims> {
    if !buffer.shape.is_null() {
        return Ok(numbers(buffer.shape, buffer.ndim));
    }
    match buffer.ndim {
        0 => Ok(Dims::new()),
        1 if buffer.itemsize > 0 => Ok(Dims::from_slice(&[(buffer.len / buffer.itemsize) as i64])),
        ndim => Err(PyBufferError::new_err(format!("expected a shape for {ndim} axes, got none"))),
    }
}

fn strides_of(buffer: &ffi::Py_buffer) -> Option<Dims> {
    (!buffer.strides.is_null()).then(|| numbers(buffer.strides, buffer.ndim))
}

/// One number for each axis.
fn numbers(numbers: *const ffi::Py_ssize_t, ndim: c_int) -> Dims {
    let mut list = Dims::new();
    for axis in 0..ndim.max(0) as usize {
        // SAFETY: the protocol: where the array is given it has one entry for each axis.
        let place = unsafe { numbers.add(axis) };
        // SAFETY: as above.
        list.push(unsafe { *place } as i64);
    }
    list
}

/// What an exported buffer keeps until it is released.
struct Exported {
    _lease: Lease,
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
    format: Option<CString>,
}

/// Fills `buffer` with the view of `exporter`, by the consumer's flags, once the host may read the
/// memory. `pending` is the stream that the view's data are being made on, -1 when none is known.
///
/// # Safety
///
/// 1. `buffer` is null or a place for the structure, given by the interpreter, that is released
///    with [`release`].
pub(crate) unsafe fn export(
    exporter: &Bound<'_, PyAny>,
    view: &StridedMemoryView,
    pending: i64,
    buffer: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if buffer.is_null() {
        return Err(PyBufferError::new_err("expected a place for the buffer, got NULL"));
    }
    // SAFETY: (1).
    let exporter_place = unsafe { &raw mut (*buffer).obj };
    // SAFETY: (1); `obj` must be NULL if this fails.
    unsafe { exporter_place.write(null_mut()) };
    let asked = |wanted: c_int| flags & wanted == wanted;
    check_flags(view, &asked)?;
    let kept = Box::new(Exported {
        _lease: view.buffer().lease().or_raise()?,
        shape: view.shape().iter().map(|&extent| extent as ffi::Py_ssize_t).collect(),
        strides: strides_for(view),
        format: format_for(view, &asked)?,
    });
    settle(exporter.py(), view.access(), pending)?;
    let kept = Box::into_raw(kept);
    // SAFETY: just made; it is freed by `release` only.
    let exported = unsafe { &mut *kept };
    let or_null = |wanted: bool, numbers: &mut Vec<ffi::Py_ssize_t>| {
        if wanted && !numbers.is_empty() { numbers.as_mut_ptr() } else { null_mut() }
    };
    let filled = ffi::Py_buffer {
        buf: first_byte(view).cast(),
        obj: exporter.clone().into_ptr(),
        len: view.nbytes() as ffi::Py_ssize_t,
        itemsize: view.itemsize() as ffi::Py_ssize_t,
        readonly: c_int::from(view.readonly()),
        ndim: if asked(ffi::PyBUF_ND) { view.rank() as c_int } else { 1 },
        format: exported.format.as_ref().map_or(null_mut(), |format| format.as_ptr().cast_mut()),
        shape: or_null(asked(ffi::PyBUF_ND), &mut exported.shape),
        strides: or_null(asked(ffi::PyBUF_STRIDES), &mut exported.strides),
        suboffsets: null_mut(),
        internal: kept.cast(),
    };
    // SAFETY: (1).
    unsafe { buffer.write(filled) };
    Ok(())
}

/// The strides in bytes; in an empty view those of C order, since consumers look at strides that carry
/// no meaning.
fn strides_for(view: &StridedMemoryView) -> Vec<ffi::Py_ssize_t> {
    if !view.layout().is_empty() {
        let strides = view.layout().strides_in_bytes();
        return strides.iter().map(|&stride| stride as ffi::Py_ssize_t).collect();
    }
    let mut stride = view.itemsize() as ffi::Py_ssize_t;
    let mut strides = vec![0; view.rank()];
    for (place, &extent) in strides.iter_mut().zip(view.shape()).rev() {
        *place = stride;
        stride = stride.saturating_mul(extent.max(1) as ffi::Py_ssize_t);
    }
    strides
}

/// The address of index (0, …, 0); any address that is not null when there are no elements.
fn first_byte(view: &StridedMemoryView) -> *mut u8 {
    let first = view.as_ptr();
    if first.is_null() { std::ptr::without_provenance_mut(64) } else { first }
}

/// The view can be had the way the consumer wants it.
fn check_flags(view: &StridedMemoryView, asked: &impl Fn(c_int) -> bool) -> PyResult<()> {
    let refuse = |what: &str| Err(PyBufferError::new_err(what.to_owned()));
    if !view.access().host {
        return refuse("expected memory the host can reach, got memory of a device");
    }
    if asked(ffi::PyBUF_WRITABLE) && view.readonly() {
        return refuse("expected a writable view, got a read-only one");
    }
    let (c, f) = (view.layout().is_contiguous_c(), view.layout().is_contiguous_f());
    if asked(ffi::PyBUF_C_CONTIGUOUS) && !c {
        return refuse("expected a C-contiguous view, got another order");
    }
    if asked(ffi::PyBUF_F_CONTIGUOUS) && !f {
        return refuse("expected an F-contiguous view, got another order");
    }
    if asked(ffi::PyBUF_ANY_CONTIGUOUS) && !c && !f {
        return refuse("expected a contiguous view, got one with gaps or another order");
    }
    if !asked(ffi::PyBUF_STRIDES) && !c {
        return refuse("expected a C-contiguous view where strides are not asked for");
    }
    Ok(())
}

/// The format, if it is asked for.
fn format_for(
    view: &StridedMemoryView,
    asked: &impl Fn(c_int) -> bool,
) -> PyResult<Option<CString>> {
    if !asked(ffi::PyBUF_FORMAT) {
        return Ok(None);
    }
    let format = view.dtype().and_then(DType::buffer_format).ok_or_else(|| {
        PyBufferError::new_err("the dtype has no format in the buffer protocol; use DLPack")
    })?;
    Ok(Some(CString::from(format)))
}

/// Frees what [`export`] kept.
///
/// # Safety
///
/// 1. `buffer` was filled by [`export`] and is released once.
pub(crate) unsafe fn release(buffer: *mut ffi::Py_buffer) {
    // SAFETY: (1).
    let kept = unsafe { (*buffer).internal }.cast::<Exported>();
    // SAFETY: (1): `internal` is what `export` made.
    drop(unsafe { Box::from_raw(kept) });
}
