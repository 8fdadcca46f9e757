//! What pickle and copy keep of a view.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyTuple};
use strideview::{Dims, Error, StridedLayout, StridedMemoryView};

use super::object::new_view;
use crate::buffer::PyBuffer;
use crate::buffer_protocol;
use crate::convert::integers;
use crate::dtype;
use crate::errors::{OrRaise, exception};
use crate::stream::settle;

/// The elements of a view side by side, each once where an axis repeats it.
struct Packed {
    /// Contiguous in some order of the axes.
    part: StridedMemoryView,
    /// The strides that give the view back, counted from the start of the part.
    strides: Dims,
}

/// The elements packed: in place if they are already, and `in_place`. Waits until the host may read
/// them: `pending` is the stream that they are being made on, -1 when none is known.
fn packed(
    py: Python<'_>,
    view: &StridedMemoryView,
    pending: i64,
    in_place: bool,
) -> PyResult<Packed> {
    if !view.access().host {
        return Err(exception(Error::NotHostAccessible { device_id: view.device_id() }));
    }
    settle(py, view.access(), pending)?;
    let once = view.layout().unbroadcast();
    let part = view.view(Some(&once), None).or_raise()?;
    let part = match in_place && once.is_contiguous_any() {
        true => part,
        false => py.detach(|| gathered(&part)).or_raise()?,
    };
    let both = view.layout().strides().iter().zip(part.layout().strides());
    let strides = both.map(|(&old, &new)| if old == 0 { 0 } else { new }).collect();
    Ok(Packed { part, strides })
}

/// A copy in new memory without gaps.
fn gathered(view: &StridedMemoryView) -> strideview::Result<StridedMemoryView> {
    let dense = strideview::empty_like(view)?;
    strideview::copy(&dense, view)?;
    Ok(if view.readonly() { dense.as_readonly() } else { dense })
}

/// The function that rebuilds the view, and its arguments.
///
/// From protocol 5 on the bytes go as a `PickleBuffer`, which copies nothing when the pickler sends
/// buffers apart. Before, they are `bytes` for a read-only view, and otherwise a `bytearray`.
pub(super) fn reduced<'py>(
    py: Python<'py>,
    view: &StridedMemoryView,
    pending: i64,
    protocol: i64,
) -> PyResult<Bound<'py, PyTuple>> {
    let Packed { part, strides } = packed(py, view, pending, true)?;
    let bytes = new_view(py, part.bytes_view().or_raise()?, None)?;
    let data = if protocol >= 5 {
        py.import("pickle")?.getattr("PickleBuffer")?.call1((bytes,))?
    } else if view.readonly() {
        py.get_type::<PyBytes>().call1((bytes,))?
    } else {
        py.get_type::<PyByteArray>().call1((bytes,))?
    };
    let dtype = view.dtype().map(|dtype| dtype.name());
    let shape = PyTuple::new(py, view.shape())?;
    let strides = PyTuple::new(py, &strides[..])?;
    let rebuild = py.import("strideview._strideview")?.getattr("_rebuild_view")?;
    let arguments = (dtype, view.itemsize(), shape, strides, view.readonly(), data);
    (rebuild, arguments).into_pyobject(py)
}

/// The view from the parts that pickle keeps. Nothing in them can make it reach beyond ``data``.
///
/// It is read-only if the pickled one was, or if ``data`` is.
#[pyfunction]
pub(crate) fn _rebuild_view<'py>(
    dtype: Option<&Bound<'py, PyAny>>,
    itemsize: i64,
    shape: &Bound<'py, PyAny>,
    strides: &Bound<'py, PyAny>,
    readonly: bool,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dtype.map(dtype::from_python).transpose()?;
    let (shape, strides) = (integers(shape)?, integers(strides)?);
    let layout = StridedLayout::new(&shape, Some(&strides), itemsize).or_raise()?;
    let bytes = buffer_protocol::import(data)?.bytes_view().or_raise()?;
    let readonly = readonly || bytes.readonly();
    let view =
        StridedMemoryView::from_buffer(bytes.buffer(), &layout, dtype, readonly).or_raise()?;
    new_view(data.py(), view, Some(data))
}

/// The view of a copy of the elements, for `copy.deepcopy`.
pub(super) fn deep_copy<'py>(
    py: Python<'py>,
    view: &StridedMemoryView,
    pending: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let Packed { part, strides } = packed(py, view, pending, false)?;
    let layout = StridedLayout::new(view.shape(), Some(&strides), view.itemsize()).or_raise()?;
    let copy =
        StridedMemoryView::from_buffer(part.buffer(), &layout, view.dtype(), view.readonly())
            .or_raise()?;
    let buffer = Bound::new(py, PyBuffer::new(part.buffer().clone()))?;
    new_view(py, copy, Some(buffer.as_any()))
}
