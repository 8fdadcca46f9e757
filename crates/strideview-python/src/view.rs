//! The Python class `StridedMemoryView`, and copies between views.

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use strideview::{DType, StridedLayout, StridedMemoryView};

use crate::buffer::PyBuffer;
use crate::convert::{axes, integer, integers, slices};
use crate::errors::{OrRaise, expected, value_error};
use crate::layout::{layout_of, new_layout, try_layout_of};
use crate::{buffer_protocol, dlpack, dtype};

/// Copies of fewer bytes keep the GIL: giving it up and taking it back would cost more.
const BYTES_TO_RELEASE_THE_GIL_FOR: i64 = 1 << 16;

/// A zero-copy view of memory: a buffer, a layout and a dtype.
///
/// ``StridedMemoryView(obj, stream_ptr)`` is ``from_any_interface``.
///
/// Parameters
/// ----------
/// obj : object
///     Anything that speaks DLPack or the buffer protocol.
/// stream_ptr : int or None
///     The stream on which the view will be used; -1 for no ordering. Memory of the host has no
///     stream, so anything is accepted for it.
///
/// Examples
/// --------
/// >>> import numpy
/// >>> view = StridedMemoryView(numpy.arange(6.0).reshape(2, 3)[:, ::2], -1)
/// >>> view.shape, view.strides, view.itemsize
/// ((2, 2), (3, 2), 8)
#[pyclass(frozen, module = "strideview", name = "StridedMemoryView", weakref)]
pub(crate) struct PyView {
    view: StridedMemoryView,
    exporting_obj: Option<Py<PyAny>>,
    layout: PyOnceLock<Py<PyAny>>,
    dtype: PyOnceLock<Option<Py<PyAny>>>,
}

impl PyView {
    fn new(view: StridedMemoryView, exporting_obj: Option<Py<PyAny>>) -> Self {
        Self { view, exporting_obj, layout: PyOnceLock::new(), dtype: PyOnceLock::new() }
    }

    fn of(view: StridedMemoryView, exporter: &Bound<'_, PyAny>) -> Self {
        Self::new(view, Some(exporter.clone().unbind()))
    }

    /// Another view of the same memory.
    fn derived(
        &self,
        py: Python<'_>,
        view: strideview::Result<StridedMemoryView>,
    ) -> PyResult<Self> {
        let exporter = self.exporting_obj.as_ref().map(|object| object.clone_ref(py));
        Ok(Self::new(view.or_raise()?, exporter))
    }
}

/// A dtype argument; `None` stands for none.
fn dtype_argument(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<DType>> {
    value.map(dtype::from_python).transpose()
}

#[pymethods]
impl PyView {
    #[new]
    #[pyo3(signature = (obj, stream_ptr))]
    fn construct(obj: &Bound<'_, PyAny>, stream_ptr: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_any_interface(obj, stream_ptr)
    }

    /// A view of anything that speaks DLPack or the buffer protocol, the first that fits.
    #[staticmethod]
    #[pyo3(signature = (obj, stream_ptr))]
    fn from_any_interface(obj: &Bound<'_, PyAny>, stream_ptr: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = obj.py();
        if obj.hasattr(intern!(py, "__dlpack__"))? {
            return Self::from_dlpack(obj, stream_ptr, None).or_else(|error| {
                // A dtype or a byte order that DLPack cannot say may still be a buffer.
                let refused = error.is_instance_of::<PyBufferError>(py);
                let other = if refused { Self::from_buffer_protocol(obj).ok() } else { None };
                other.ok_or(error)
            });
        }
        if is_buffer_exporter(obj) {
            return Self::from_buffer_protocol(obj);
        }
        Err(PyBufferError::new_err(format!(
            "expected an object with DLPack or the buffer protocol, got {}",
            obj.get_type().name()?
        )))
    }

    /// A view through DLPack.
    ///
    /// Parameters
    /// ----------
    /// obj : object
    ///     Has ``__dlpack__`` and ``__dlpack_device__``.
    /// stream_ptr : int or None
    ///     See the class.
    /// readonly : bool, optional
    ///     Whether the view is read-only. By default a versioned tensor says so itself, and a
    ///     legacy one, which cannot say, is taken as read-only.
    #[staticmethod]
    #[pyo3(signature = (obj, stream_ptr, *, readonly=None))]
    fn from_dlpack(
        obj: &Bound<'_, PyAny>,
        stream_ptr: &Bound<'_, PyAny>,
        readonly: Option<bool>,
    ) -> PyResult<Self> {
        Ok(Self::of(dlpack::import(obj, stream_ptr, readonly)?, obj))
    }

    /// A view through the Python buffer protocol.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView.from_buffer_protocol(memoryview(b"abcdef")[::2]).strides
    /// (2,)
    #[staticmethod]
    fn from_buffer_protocol(obj: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(buffer_protocol::import(obj)?, obj))
    }

    /// A view of a buffer by a layout, or by shape and strides.
    ///
    /// Always checked to lie inside the buffer, negative strides included.
    ///
    /// Parameters
    /// ----------
    /// buffer : Buffer
    /// layout : StridedLayout, or the shape as a sequence of int
    /// strides : sequence of int, optional
    ///     With a shape: in elements; None is C order.
    /// itemsize : int, optional
    ///     With a shape: bytes of one element; the dtype's by default.
    /// dtype : dtype, optional
    ///     Anything ``numpy.dtype`` takes. Without one the view is untyped.
    /// is_readonly : bool
    ///
    /// Examples
    /// --------
    /// >>> buffer = Device("cpu").allocate(48)
    /// >>> layout = StridedLayout((2, 3), (1, 2), 8)
    /// >>> StridedMemoryView.from_buffer(buffer, layout, "float64").shape
    /// (2, 3)
    #[staticmethod]
    #[pyo3(
        signature = (buffer, *args, layout=None, shape=None, strides=None, itemsize=None, dtype=None, is_readonly=None),
        text_signature = "(buffer, layout, strides=None, *, itemsize=None, dtype=None, is_readonly=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "two forms of call in one")]
    fn from_buffer(
        buffer: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        layout: Option<&Bound<'_, PyAny>>,
        shape: Option<&Bound<'_, PyAny>>,
        strides: Option<&Bound<'_, PyAny>>,
        itemsize: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        is_readonly: Option<bool>,
    ) -> PyResult<Self> {
        let owner = buffer.cast::<PyBuffer>().map_err(|_| expected("a Buffer", buffer))?;
        let mut given = Given { layout, shape, strides, itemsize, dtype, is_readonly };
        let rest: Vec<Bound<'_, PyAny>> = args.iter().collect();
        let first = rest.first().or(layout).or(shape);
        let Some(first) = first else {
            return Err(PyTypeError::new_err("expected a layout or a shape, got none"));
        };
        let (layout, dtype) = match try_layout_of(first) {
            Some(layout) => (layout.clone(), given.rest_after_layout(&rest)?),
            None => given.layout_of_shape(first, &rest)?,
        };
        let readonly = given.is_readonly.unwrap_or(false);
        let view = StridedMemoryView::from_buffer(owner.get().buffer(), &layout, dtype, readonly);
        Ok(Self::of(view.or_raise()?, buffer))
    }

    /// Address of index (0, ..., 0); 0 when the buffer is closed.
    #[getter]
    fn ptr(&self) -> usize {
        self.view.address()
    }

    /// Extents, in elements.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.layout(py)?.getattr(intern!(py, "shape"))
    }

    /// Strides, in elements.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view.layout().strides())
    }

    /// The layout, as a map from indices to element offsets from ``ptr``.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.layout.get_or_try_init(py, || {
            new_layout(py, self.view.layout().clone()).map(Bound::unbind)
        })?;
        Ok(layout.bind(py).clone())
    }

    /// The dtype: a ``numpy.dtype`` when NumPy is installed and has it, otherwise a ``DType``.
    ///
    /// None when the view is untyped.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let dtype = self.dtype.get_or_try_init(py, || {
            self.view.dtype().map(|dtype| dtype::to_python(py, dtype)).transpose()
        })?;
        Ok(dtype.as_ref().map(|dtype| dtype.clone_ref(py)))
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> i64 {
        self.view.itemsize()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> i64 {
        self.view.volume()
    }

    /// Bytes of all elements together; gaps do not count.
    #[getter]
    fn nbytes(&self) -> i64 {
        self.view.nbytes()
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.view.rank()
    }

    /// Ordinal of the GPU that the memory belongs to; -1 for memory only the host can reach.
    #[getter]
    fn device_id(&self) -> i32 {
        self.view.device_id()
    }

    /// True iff a GPU can reach the memory at this address.
    #[getter]
    fn is_device_accessible(&self) -> bool {
        self.view.access().device
    }

    /// True iff the host can reach the memory.
    #[getter]
    fn is_host_accessible(&self) -> bool {
        self.view.access().host
    }

    /// True iff the view must not be written through.
    #[getter]
    fn readonly(&self) -> bool {
        self.view.readonly()
    }

    /// The object that the memory came from.
    #[getter]
    fn exporting_obj(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.exporting_obj.as_ref().map(|object| object.clone_ref(py))
    }

    /// The axes in reverse order.
    #[getter(T)]
    fn reversed_axes(&self, py: Python<'_>) -> PyResult<Self> {
        self.derived(py, self.view.reversed_axes())
    }

    /// The same memory by another layout, another dtype, or both.
    ///
    /// The layout counts from this view's first element and must lie inside the buffer. A dtype
    /// alone keeps the shape if the itemsizes agree, and packs or unpacks the last axis otherwise.
    ///
    /// Examples
    /// --------
    /// >>> view = StridedMemoryView(numpy.zeros((2, 4), "int32"), -1)
    /// >>> view.view(dtype="int64").shape, view.view(view.layout.reshaped(8)).shape
    /// ((2, 2), (8,))
    #[pyo3(signature = (layout=None, dtype=None))]
    fn view(
        &self,
        py: Python<'_>,
        layout: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let layout = layout.map(layout_of).transpose()?;
        self.derived(py, self.view.view(layout, dtype_argument(dtype)?))
    }

    /// The bytes of a contiguous view, as a 1-D view of uint8.
    fn bytes_view(&self, py: Python<'_>) -> PyResult<Self> {
        self.derived(py, self.view.bytes_view())
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.derived(index.py(), self.view.sliced(&slices(index)?))
    }

    /// The view in another shape, where the strides allow it without a copy.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros((2, 6)), -1).reshape((3, -1)).shape
    /// (3, 4)
    fn reshape(&self, shape: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.derived(shape.py(), self.view.reshaped(&integers(shape)?))
    }

    /// The axes in another order.
    fn permute(&self, axes: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.derived(axes.py(), self.view.permuted(&crate::convert::axes(axes)?))
    }

    /// Axes of extent 1 dropped: all, or the given ones.
    #[pyo3(signature = (axis=None))]
    fn squeeze(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let axes = axis.map(axes).transpose()?;
        self.derived(py, self.view.squeezed(axes.as_deref()))
    }

    /// Axes of extent 1 added at the given positions of the result.
    fn unsqueeze(&self, axis: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.derived(axis.py(), self.view.unsqueezed(&axes(axis)?))
    }

    /// The view repeated to a larger shape by strides of 0.
    fn broadcast_to(&self, shape: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.derived(shape.py(), self.view.broadcast_to(&integers(shape)?))
    }

    /// Copies the elements of another view, or of anything a view can be made of, into this one.
    ///
    /// Shapes and dtypes must be equal; the source and this view may overlap.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Shapes or dtypes differ, or this view is read-only or has several indices for an element.
    ///
    /// Examples
    /// --------
    /// >>> target = numpy.zeros((2, 3))
    /// >>> StridedMemoryView(target, -1).copy_from(numpy.arange(6.0).reshape(3, 2).T)
    /// >>> target.tolist()
    /// [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    #[pyo3(signature = (src, stream=None, allocator=None, blocking=None))]
    fn copy_from(
        slf: &Bound<'_, Self>,
        src: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
        allocator: Option<&Bound<'_, PyAny>>,
        blocking: Option<bool>,
    ) -> PyResult<()> {
        copy(slf.as_any(), src, stream, allocator, blocking)
    }

    /// Copies the elements of this view into another; see ``copy_from``.
    #[pyo3(signature = (dst, stream=None, allocator=None, blocking=None))]
    fn copy_to(
        slf: &Bound<'_, Self>,
        dst: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
        allocator: Option<&Bound<'_, PyAny>>,
        blocking: Option<bool>,
    ) -> PyResult<()> {
        copy(dst, slf.as_any(), stream, allocator, blocking)
    }

    /// A DLPack capsule of this view.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        dlpack::requested(py, &self.view, stream, max_version, dl_device, copy)
    }

    /// DLPack's device type and id of the memory.
    fn __dlpack_device__(&self) -> PyResult<(i32, i32)> {
        dlpack::device(&self.view)
    }

    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        // SAFETY: the interpreter gives a place to fill, and releases it by `__releasebuffer__`.
        unsafe { buffer_protocol::export(slf.as_any(), &slf.get().view, view, flags) }
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `view` was filled by `__getbuffer__` of this class.
        unsafe { buffer_protocol::release(view) };
    }

    fn __repr__(&self) -> String {
        let dtype = self.view.dtype().map_or("untyped".into(), |dtype| dtype.name());
        let mode = if self.view.readonly() { ", read-only" } else { "" };
        let place = match self.view.is_closed() {
            true => "closed".to_owned(),
            false => format!("at {:#x}", self.view.address()),
        };
        format!("<StridedMemoryView {} {dtype} {place}{mode}>", self.view.layout())
    }
}

/// The arguments of `from_buffer` beside the buffer.
struct Given<'a, 'py> {
    layout: Option<&'a Bound<'py, PyAny>>,
    shape: Option<&'a Bound<'py, PyAny>>,
    strides: Option<&'a Bound<'py, PyAny>>,
    itemsize: Option<&'a Bound<'py, PyAny>>,
    dtype: Option<&'a Bound<'py, PyAny>>,
    is_readonly: Option<bool>,
}

impl<'a, 'py> Given<'a, 'py> {
    /// `from_buffer(buffer, layout, dtype=None, is_readonly=False)`: the dtype.
    fn rest_after_layout(&mut self, rest: &'a [Bound<'py, PyAny>]) -> PyResult<Option<DType>> {
        if self.strides.or(self.itemsize).or(self.shape).is_some() {
            return Err(value_error(
                "expected a layout alone, got shape, strides or itemsize beside it".to_owned(),
            ));
        }
        // The layout may have come by position or by name.
        let after = if self.layout.is_some() { rest } else { rest.get(1..).unwrap_or_default() };
        let (dtype, readonly) = match after {
            [] => (None, None),
            [dtype] => (Some(dtype), None),
            [dtype, readonly] => (Some(dtype), Some(readonly.extract::<bool>()?)),
            _ => return Err(too_many()),
        };
        if (dtype.is_some() && self.dtype.is_some())
            || (readonly.is_some() && self.is_readonly.is_some())
        {
            return Err(PyTypeError::new_err("from_buffer() got an argument twice"));
        }
        self.is_readonly = self.is_readonly.or(readonly);
        dtype_argument(dtype.filter(|dtype| !dtype.is_none()).or(self.dtype))
    }

    /// `from_buffer(buffer, shape, strides=None, *, itemsize, dtype, is_readonly)`.
    fn layout_of_shape(
        &mut self,
        shape: &Bound<'py, PyAny>,
        rest: &'a [Bound<'py, PyAny>],
    ) -> PyResult<(StridedLayout, Option<DType>)> {
        if self.layout.is_some() {
            return Err(expected("a StridedLayout as layout", shape));
        }
        let after = if self.shape.is_some() { rest } else { rest.get(1..).unwrap_or_default() };
        let strides = match after {
            [] => self.strides,
            [strides] if self.strides.is_none() => Some(strides).filter(|it| !it.is_none()),
            _ => return Err(too_many()),
        };
        let dtype = dtype_argument(self.dtype)?;
        let itemsize = match (self.itemsize, dtype) {
            (Some(itemsize), _) => integer(itemsize)?,
            (None, Some(dtype)) => dtype.itemsize_bytes() as i64,
            (None, None) => {
                return Err(value_error("expected an itemsize or a dtype, got neither".to_owned()));
            }
        };
        let (shape, strides) = (integers(shape)?, strides.map(integers).transpose()?);
        let layout = StridedLayout::new(&shape, strides.as_deref(), itemsize).or_raise()?;
        Ok((layout, dtype))
    }
}

fn too_many() -> PyErr {
    PyTypeError::new_err(
        "expected from_buffer(buffer, layout, dtype, is_readonly) or \
         from_buffer(buffer, shape, strides), got more positional arguments",
    )
}

/// True iff the type of the object has the buffer protocol.
fn is_buffer_exporter(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: any live object may be asked; the GIL is held.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
}

/// The object as a view, made if it is none.
fn view_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyView>> {
    match object.cast::<PyView>() {
        Ok(view) => Ok(view.clone()),
        Err(_) => Bound::new(object.py(), PyView::from_any_interface(object, &minus_one(object)?)?),
    }
}

fn minus_one<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Ok((-1_i32).into_pyobject(object.py())?.into_any())
}

/// Copies the elements of one view, or of anything a view can be made of, into another.
///
/// Parameters
/// ----------
/// dst, src : StridedMemoryView or array
///     Of equal shape and dtype; they may overlap.
/// stream, allocator, blocking
///     For memory of devices; copies on the host are done on return.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> numbers = numpy.arange(5)
/// >>> strideview.copy(numbers[1:], numbers[:-1])
/// >>> numbers.tolist()
/// [0, 0, 1, 2, 3]
#[pyfunction]
#[pyo3(signature = (dst, src, stream=None, allocator=None, blocking=None))]
pub(crate) fn copy(
    dst: &Bound<'_, PyAny>,
    src: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
    allocator: Option<&Bound<'_, PyAny>>,
    blocking: Option<bool>,
) -> PyResult<()> {
    // Every copy on the host is finished on return, whatever was asked for.
    let _ = (stream, allocator, blocking);
    let (dst, src) = (view_of(dst)?, view_of(src)?);
    let (dst_view, src_view) = (&dst.get().view, &src.get().view);
    if dst_view.nbytes() < BYTES_TO_RELEASE_THE_GIL_FOR {
        return strideview::copy(dst_view, src_view).or_raise();
    }
    dst.py().detach(|| strideview::copy(dst_view, src_view)).or_raise()
}

/// What a copy would do: axes, kernel and bytes.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> a = numpy.zeros((2, 3), "float32")
/// >>> print(strideview.explain_copy(a, a.copy()).splitlines()[0])
/// kernel: contiguous
#[pyfunction]
pub(crate) fn explain_copy(dst: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>) -> PyResult<String> {
    let (dst, src) = (view_of(dst)?, view_of(src)?);
    let plan = strideview::explain_copy(&dst.get().view, &src.get().view).or_raise()?;
    Ok(plan.to_string())
}

/// A new dense view on the host with the shape, dtype and axis order of another.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> strideview.empty_like(numpy.zeros((3, 4)).T).strides
/// (1, 4)
#[pyfunction]
pub(crate) fn empty_like(view: &Bound<'_, PyAny>) -> PyResult<PyView> {
    let view = view_of(view)?;
    let like = &view.get().view;
    let empty = view.py().detach(|| strideview::empty_like(like)).or_raise()?;
    let buffer = Bound::new(view.py(), PyBuffer::new(empty.buffer().clone(), None))?;
    Ok(PyView::of(empty, buffer.as_any()))
}
