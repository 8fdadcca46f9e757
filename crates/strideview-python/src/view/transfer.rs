//! Copies between views.
#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use strideview::StridedMemoryView;

use super::import::from_any_interface;
use super::object::{new_view, try_view_of};
use crate::buffer::PyBuffer;
use crate::errors::OrRaise;
use crate::raw::place::Place;

/// Copies of fewer bytes keep the GIL: giving it up and taking it back would cost more.
const BYTES_TO_RELEASE_THE_GIL_FOR: i64 = 1 << 16;

/// The object as a view, made if it is none.
enum AnyView<'a> {
    Ours(&'a StridedMemoryView),
    Made(StridedMemoryView),
}

impl AnyView<'_> {
    fn get(&self) -> &StridedMemoryView {
        match self {
            Self::Ours(view) => view,
            Self::Made(view) => view,
        }
    }
}

fn view_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<AnyView<'a>> {
    match try_view_of(object) {
        Some(view) => Ok(AnyView::Ours(view)),
        None => {
            let mut slot = MaybeUninit::uninit();
            let mut place = Place::new(&mut slot);
            from_any_interface(object, None, &mut place)?;
            let nothing = || PyBufferError::new_err("nothing was imported");
            place.take().map(AnyView::Made).ok_or_else(nothing)
        }
    }
}

/// Copies the elements of one object into another.
pub(super) fn copy_objects(dst: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>) -> PyResult<()> {
    let (dst_view, src_view) = (view_of(dst)?, view_of(src)?);
    let (to, from) = (dst_view.get(), src_view.get());
    if to.nbytes() < BYTES_TO_RELEASE_THE_GIL_FOR {
        return strideview::copy(to, from).or_raise();
    }
    dst.py().detach(|| strideview::copy(to, from)).or_raise()
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
    copy_objects(dst, src)
}

/// What a copy would do: axes, kernel and bytes.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> a = numpy.zeros((2, 3), "float32")
/// >>> print(strideview.explain_copy(a, a.copy()).splitlines()[0])
/// kernel: contiguous, runs of 24 bytes
#[pyfunction]
pub(crate) fn explain_copy(dst: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>) -> PyResult<String> {
    let (dst, src) = (view_of(dst)?, view_of(src)?);
    let plan = strideview::explain_copy(dst.get(), src.get()).or_raise()?;
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
pub(crate) fn empty_like<'py>(view: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = view.py();
    let like = view_of(view)?;
    let empty = py.detach(|| strideview::empty_like(like.get())).or_raise()?;
    let buffer = Bound::new(py, PyBuffer::new(empty.buffer().clone()))?;
    new_view(py, empty, Some(buffer.as_any()))
}
