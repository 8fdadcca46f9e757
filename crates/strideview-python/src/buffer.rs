//! The Python class `Buffer`.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use strideview::interop::{Declared, wrap};
use strideview::{Buffer, DType, StridedLayout, StridedMemoryView};

use crate::stream::stream_token;

use crate::buffer_protocol;
use crate::convert::{size, unsigned};
use crate::dlpack::{Wanted, requested};
use crate::errors::{OrRaise, expected, value_error};
use crate::memory_resource::PyMemoryResource;
use crate::owner::PyOwner;

/// A span of memory, who may touch it, and who frees it.
///
/// Made by ``Device.allocate`` or ``Buffer.from_handle``.
///
/// Examples
/// --------
/// >>> with Device("cpu").allocate(64) as buffer:
/// ...     buffer.size, buffer.is_host_accessible
/// (64, True)
#[pyclass(frozen, module = "strideview", name = "Buffer", weakref)]
pub(crate) struct PyBuffer {
    buffer: Buffer,
    /// The owner for Python to see; the buffer has its own reference, which `close` releases.
    owner: Option<Arc<PyOwner>>,
}

impl PyBuffer {
    pub(crate) fn new(buffer: Buffer, owner: Option<Arc<PyOwner>>) -> Self {
        Self { buffer, owner }
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The bytes as a view, which is what is exported.
    fn bytes(&self) -> PyResult<StridedMemoryView> {
        let len = self.buffer.lease().or_raise()?.len_bytes();
        let layout = StridedLayout::new(&[len as i64], None, 1).or_raise()?;
        StridedMemoryView::from_buffer(&self.buffer, &layout, Some(DType::U8), false).or_raise()
    }
}

#[pymethods]
impl PyBuffer {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn refuse(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Err(PyTypeError::new_err(
            "a Buffer is made by Device.allocate or Buffer.from_handle, not by its class",
        ))
    }

    /// Wraps memory that is there already.
    ///
    /// Parameters
    /// ----------
    /// ptr : int
    ///     Address of the first byte.
    /// size : int
    ///     Length in bytes.
    /// mr : None
    ///     A memory resource that frees the memory; not together with ``owner``.
    /// owner : object, optional
    ///     Kept alive until the buffer is closed.
    ///
    /// Examples
    /// --------
    /// >>> data = bytearray(16)
    /// >>> import ctypes
    /// >>> address = ctypes.addressof(ctypes.c_char.from_buffer(data))
    /// >>> Buffer.from_handle(address, 16, owner=data).size
    /// 16
    #[staticmethod]
    #[pyo3(signature = (ptr, size, mr=None, owner=None, *, stream=None))]
    fn from_handle(
        ptr: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        mr: Option<&Bound<'_, PyAny>>,
        owner: Option<&Bound<'_, PyAny>>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        match (mr, owner, stream) {
            (Some(_), Some(_), _) => {
                return Err(value_error("expected mr or owner, got both".to_owned()));
            }
            (Some(mr), ..) => return Err(expected("no memory resource for this pointer", mr)),
            (None, _, Some(_)) => {
                return Err(value_error(
                    "expected a stream with mr only, got one without".to_owned(),
                ));
            }
            _ => {}
        }
        let (address, size) = (unsigned(ptr)?, self::size(size)?);
        let owner = owner.map(|owner| Arc::new(PyOwner::new(owner)));
        let kept = owner.clone().map(|owner| owner as Arc<dyn strideview::Owner>);
        if (address == 0 && size > 0) || (address as usize).checked_add(size).is_none() {
            return Err(value_error(format!(
                "expected the address of {size} bytes, got {address:#x}"
            )));
        }
        let start = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: (1, 2) whoever calls `from_handle` says in Python what nobody can check: that the
        // bytes are there as long as the owner, or the buffer, lives.
        let buffer = unsafe { wrap(start, size, Declared::Host, kept) }.or_raise()?;
        Ok(Self { buffer, owner })
    }

    /// Address of the first byte; 0 when closed.
    #[getter]
    fn handle(&self) -> usize {
        self.buffer.address()
    }

    /// Length in bytes; 0 when closed.
    #[getter]
    fn size(&self) -> usize {
        self.buffer.len_bytes()
    }

    /// Ordinal of the GPU that the memory belongs to; -1 for memory only the host can reach.
    #[getter]
    fn device_id(&self) -> i32 {
        self.buffer.access().device_id
    }

    /// True iff the host can read and write the memory.
    #[getter]
    fn is_host_accessible(&self) -> bool {
        self.buffer.access().host
    }

    /// True iff a GPU can read and write the memory at this address.
    #[getter]
    fn is_device_accessible(&self) -> bool {
        self.buffer.access().device
    }

    /// True iff the memory is managed by CUDA.
    #[getter]
    fn is_managed(&self) -> bool {
        self.buffer.access().managed
    }

    /// True iff ``close`` has been called.
    #[getter]
    fn is_closed(&self) -> bool {
        self.buffer.is_closed()
    }

    /// The object that keeps the memory alive; None without one, or when closed.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.owner.as_ref().and_then(|owner| owner.object(py))
    }

    /// What the memory came from; None for memory that was wrapped, or when closed.
    #[getter]
    fn memory_resource(&self) -> Option<PyMemoryResource> {
        self.buffer.resource().map(PyMemoryResource)
    }

    /// Releases the memory or its owner, once; a second call does nothing.
    ///
    /// Raises
    /// ------
    /// BufferError
    ///     A DLPack consumer or a Python buffer of the memory is alive.
    #[pyo3(signature = (stream=None))]
    fn close(&self, py: Python<'_>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let stream = stream_token(stream)?;
        py.detach(|| self.buffer.close(stream)).or_raise()?;
        if let Some(owner) = &self.owner {
            owner.release(py);
        }
        Ok(())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py, None)
    }

    /// The bytes as a DLPack capsule of a 1-D uint8 tensor.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = Wanted {
            stream: stream.map(|value| value.as_borrowed()),
            max_version: max_version.map(|value| value.as_borrowed()),
            dl_device: dl_device.map(|value| value.as_borrowed()),
            copy: copy.map(|value| value.as_borrowed()),
        };
        let capsule = requested(&self.bytes()?, -1, wanted)?;
        // SAFETY: a new reference.
        Ok(unsafe { Bound::from_owned_ptr(py, capsule.as_ptr()) })
    }

    /// DLPack's device type and id of the memory.
    fn __dlpack_device__(&self) -> PyResult<(i32, i32)> {
        crate::dlpack::device(&self.bytes()?)
    }

    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        let bytes = slf.get().bytes()?;
        // SAFETY: the interpreter gives a place to fill, and releases it by `__releasebuffer__`.
        unsafe { buffer_protocol::export(slf.as_any(), &bytes, -1, view, flags) }
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `view` was filled by `__getbuffer__` of this class.
        unsafe { buffer_protocol::release(view) };
    }

    fn __repr__(&self) -> String {
        if self.buffer.is_closed() {
            return "<Buffer, closed>".to_owned();
        }
        format!("<Buffer of {} bytes at {:#x}>", self.size(), self.handle())
    }
}
