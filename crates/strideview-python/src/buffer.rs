//! The Python class `Buffer`.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use strideview::interop::{Declared, wrap};
use strideview::{Buffer, DType, StreamToken, StridedLayout, StridedMemoryView};

use crate::buffer_protocol;
use crate::convert::{integer, is_index, size, unsigned};
use crate::deallocation::{Deallocation, Failure};
use crate::dlpack::{Wanted, requested};
use crate::errors::{OrRaise, expected, value_error};
use crate::memory_resource::{PyMemoryResource, access_of, allocated};
use crate::owner::PyOwner;
use crate::stream::Ordered;

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
    keeper: Keeper,
}

/// A Python object behind the memory, for Python to see. The buffer has its own reference.
enum Keeper {
    /// None that Python does not see in the buffer itself.
    None,
    /// The owner, which `close` releases.
    Owner(Arc<PyOwner>),
    /// A memory resource written in Python, and what it raises when the buffer is closed.
    Resource(PyOwner, Arc<Failure>),
}

impl PyBuffer {
    pub(crate) fn new(buffer: Buffer) -> Self {
        Self { buffer, keeper: Keeper::None }
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Memory that a resource is to free.
    fn of_resource(
        start: *mut u8,
        size_in_bytes: usize,
        resource: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let known = resource.cast::<PyMemoryResource>();
        let known = known.map_err(|_| expected("a MemoryResource as mr", resource))?;
        if let Some(native) = known.get().native() {
            let (native, stream) = (Arc::clone(native), Ordered::on(stream)?.token());
            // SAFETY: (1 to 3) whoever calls `from_handle` with a resource says in Python what nobody
            // can check: that the memory came from it, and nobody else will give it back.
            let buffer = unsafe { Buffer::from_resource(start, size_in_bytes, native, stream) };
            return Ok(Self::new(buffer));
        }
        let (access, failure) = (access_of(resource)?, Arc::<Failure>::default());
        let owed = Deallocation {
            resource: resource.clone().unbind(),
            address: start.addr(),
            size_in_bytes,
            stream: stream.map(|stream| stream.clone().unbind()),
            failure: Arc::clone(&failure),
        };
        let release = move |_| owed.run();
        // SAFETY: (1, 2) as above, and that the memory can be reached as the resource says.
        let buffer = unsafe { Buffer::from_raw_with(start, size_in_bytes, access, release) };
        Ok(Self { buffer, keeper: Keeper::Resource(PyOwner::new(resource), failure) })
    }

    /// A new buffer of the same size, from the resource of this one.
    fn like<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let size = self.buffer.lease().or_raise()?.len_bytes();
        let resource = self.memory_resource(py)?.ok_or_else(|| {
            value_error("expected dst, since this buffer has no memory resource".to_owned())
        })?;
        allocated(&resource, size, stream)
    }

    /// The bytes as a view, which is what is exported.
    fn bytes(&self) -> PyResult<StridedMemoryView> {
        let len = self.buffer.lease().or_raise()?.len_bytes();
        let layout = StridedLayout::new(&[len as i64], None, 1).or_raise()?;
        let readonly = self.buffer.readonly();
        StridedMemoryView::from_buffer(&self.buffer, &layout, Some(DType::U8), readonly).or_raise()
    }
}

/// Copies all bytes without the GIL, in the order of a stream argument.
fn copy(
    py: Python<'_>,
    dst: &Buffer,
    src: &Buffer,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let stream = Ordered::on(stream)?;
    py.detach(|| strideview::copy_bytes(dst, src, stream.token())).or_raise()
}

/// What to fill a buffer with: a byte as an integer, or the bytes of an object.
fn pattern(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    // Arrays have `__index__` too, which works for those of one element only.
    let byte = is_index(value).then(|| integer(value));
    let byte = byte.filter(|byte| byte.is_ok() || !buffer_protocol::is_exporter(value));
    if let Some(byte) = byte.transpose()? {
        let byte = u8::try_from(byte)
            .map_err(|_| value_error(format!("expected a byte, 0 to 255, got {byte}")))?;
        return Ok(vec![byte]);
    }
    if !buffer_protocol::is_exporter(value) {
        return Err(expected("an integer or a bytes-like object", value));
    }
    buffer_protocol::import(value)?.bytes_view().and_then(|bytes| bytes.to_vec()).or_raise()
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
    /// mr : MemoryResource, optional
    ///     Frees the memory, once, and says who can reach it; not together with ``owner``.
    /// owner : object, optional
    ///     Kept alive until the buffer is closed.
    /// stream : stream, optional
    ///     With ``mr``: orders the release, unless ``close`` names another one.
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
            (None, _, Some(_)) => {
                return Err(value_error(
                    "expected a stream with mr only, got one without".to_owned(),
                ));
            }
            _ => {}
        }
        let (address, size) = (unsigned(ptr)?, self::size(size)?);
        if (address == 0 && size > 0) || (address as usize).checked_add(size).is_none() {
            return Err(value_error(format!(
                "expected the address of {size} bytes, got {address:#x}"
            )));
        }
        let start = std::ptr::with_exposed_provenance_mut(address as usize);
        if let Some(resource) = mr {
            return Self::of_resource(start, size, resource, stream);
        }
        let owner = owner.map(|owner| Arc::new(PyOwner::new(owner)));
        let kept = owner.clone().map(|owner| owner as Arc<dyn strideview::Owner>);
        // SAFETY: (1, 2) whoever calls `from_handle` says in Python what nobody can check: that the
        // bytes are there as long as the owner, or the buffer, lives.
        let buffer = unsafe { wrap(start, size, Declared::Host, kept) }.or_raise()?;
        Ok(Self { buffer, keeper: owner.map_or(Keeper::None, Keeper::Owner) })
    }

    /// Copies the bytes into another buffer of the same size; returns that.
    ///
    /// A copy with memory that the host can reach is done on return; one between memory of GPUs is
    /// queued on ``stream``, and both buffers stay open until it is done. The two may overlap.
    ///
    /// Parameters
    /// ----------
    /// dst : Buffer, optional
    ///     Without one, a new buffer of the memory resource of this buffer.
    /// stream : stream, optional
    ///     For memory of a GPU; without one, its default stream.
    ///
    /// Examples
    /// --------
    /// >>> buffer = Device("cpu").allocate(4)
    /// >>> buffer.fill(7)
    /// >>> bytes(memoryview(buffer.copy_to()))
    /// b'\x07\x07\x07\x07'
    #[pyo3(signature = (dst=None, stream=None))]
    fn copy_to<'py>(
        &self,
        py: Python<'py>,
        dst: Option<&Bound<'py, PyAny>>,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let dst = match dst {
            Some(dst) => dst.cast::<Self>().map_err(|_| expected("a Buffer as dst", dst))?.clone(),
            None => self.like(py, stream)?,
        };
        copy(py, &dst.get().buffer, &self.buffer, stream)?;
        Ok(dst)
    }

    /// Copies the bytes of another buffer of the same size into this one; see ``copy_to``.
    #[pyo3(signature = (src, stream=None))]
    fn copy_from(
        &self,
        py: Python<'_>,
        src: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let src = src.cast::<Self>().map_err(|_| expected("a Buffer as src", src))?;
        copy(py, &self.buffer, &src.get().buffer, stream)
    }

    /// Fills the buffer with a byte, or with a pattern that is repeated.
    ///
    /// Parameters
    /// ----------
    /// value : int or bytes-like
    ///     A byte, 0 to 255; or a pattern of 1, 2, 4 or 8 bytes that divides the size.
    /// stream : stream, optional
    ///     For memory of a GPU, where the work is queued; without one, its default stream.
    ///
    /// Examples
    /// --------
    /// >>> buffer = Device("cpu").allocate(6)
    /// >>> buffer.fill(b"ab")
    /// >>> bytes(memoryview(buffer))
    /// b'ababab'
    #[pyo3(signature = (value, stream=None))]
    fn fill(
        &self,
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (pattern, stream) = (pattern(value)?, Ordered::on(stream)?);
        let fill = || strideview::fill_bytes(&self.buffer, &pattern, stream.token());
        py.detach(fill).or_raise()
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
        match &self.keeper {
            Keeper::Owner(owner) => owner.object(py),
            _ => None,
        }
    }

    /// What frees the memory; None for memory that was wrapped without it, or when closed.
    #[getter]
    fn memory_resource<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Keeper::Resource(resource, _) = &self.keeper {
            return Ok(resource.object(py).map(|resource| resource.into_bound(py)));
        }
        let native = self.buffer.resource().map(PyMemoryResource::new);
        native.map(|native| Bound::new(py, native).map(Bound::into_any)).transpose()
    }

    /// Releases the memory or its owner, once; a second call does nothing.
    ///
    /// Whatever ``deallocate`` of a memory resource written in Python raises is raised here; the buffer
    /// is closed all the same.
    ///
    /// Raises
    /// ------
    /// BufferError
    ///     A DLPack consumer or a Python buffer of the memory is alive.
    #[pyo3(signature = (stream=None))]
    fn close(&self, py: Python<'_>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Keeper::Resource(resource, failure) = &self.keeper else {
            let stream = Ordered::on(stream)?;
            py.detach(|| self.buffer.close(stream.token())).or_raise()?;
            if let Keeper::Owner(owner) = &self.keeper {
                owner.release(py);
            }
            return Ok(());
        };
        // The resource is given the stream as it is.
        let close = || py.detach(|| Ok(self.buffer.close(StreamToken::NONE)?));
        let outcome = failure.raised_by(stream, close);
        if self.buffer.is_closed() {
            resource.release(py);
        }
        outcome
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
