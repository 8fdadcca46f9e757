//! Copies between views.
#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use strideview::StridedMemoryView;
use strideview::cuda::{Device, Stream};

use super::import::from_any_interface;
use super::object::{new_view, try_view_of};
use crate::buffer::PyBuffer;
use crate::errors::OrRaise;
use crate::raw::place::Place;
use crate::stream::stream_argument;

/// Copies of fewer bytes keep the GIL: giving it up and taking it back would cost more.
const BYTES_TO_RELEASE_THE_GIL_FOR: i64 = 1 << 16;

/// The object as a view, made if it is none.
pub(super) enum AnyView<'a> {
    Ours(&'a StridedMemoryView),
    Made(StridedMemoryView),
}

impl AnyView<'_> {
    pub(super) fn get(&self) -> &StridedMemoryView {
        match self {
            Self::Ours(view) => view,
            Self::Made(view) => view,
        }
    }
}

pub(super) fn view_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<AnyView<'a>> {
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

/// In which order a copy between places of a device is done, and whether the host waits.
pub(super) struct Order {
    /// None for the stream that the destination is used on, or else the legacy default stream.
    stream: Option<Stream>,
    is_blocking: bool,
}

impl Order {
    pub(super) fn of(
        stream: Option<&Bound<'_, PyAny>>,
        blocking: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let stream = stream.map(stream_argument).transpose()?.flatten();
        let is_blocking = blocking.map(|blocking| blocking.is_truthy()).transpose()?;
        Ok(Self { stream, is_blocking: is_blocking.unwrap_or(false) })
    }
}

/// Copies the elements of one object into another.
pub(super) fn copy_objects(
    dst: &Bound<'_, PyAny>,
    src: &Bound<'_, PyAny>,
    order: &Order,
) -> PyResult<()> {
    let (dst_view, src_view) = (view_of(dst)?, view_of(src)?);
    let (to, from) = (dst_view.get(), src_view.get());
    let device = to.device_id();
    if device >= 0 && !(to.access().host && from.access().host) {
        return copy_on_device(dst.py(), to, from, order, device);
    }
    if to.nbytes() < BYTES_TO_RELEASE_THE_GIL_FOR {
        return strideview::copy(to, from).or_raise();
    }
    dst.py().detach(|| strideview::copy(to, from)).or_raise()
}

/// Queues a copy on the stream that was named, or on the legacy default stream.
fn copy_on_device(
    py: Python<'_>,
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
    order: &Order,
    device: i32,
) -> PyResult<()> {
    let stream = match &order.stream {
        Some(stream) => stream.clone(),
        None => Device::new(device).and_then(Device::default_stream).or_raise()?,
    };
    strideview::copy_on(dst, src, &stream).or_raise()?;
    if order.is_blocking {
        return py.detach(|| stream.synchronize()).or_raise();
    }
    Ok(())
}

/// Copies the elements of one view, or of anything a view can be made of, into another.
///
/// Parameters
/// ----------
/// dst, src : StridedMemoryView or array
///     Of equal shape and dtype; they may overlap.
/// stream : stream, optional
///     For two places of a device: where the copy is queued; the legacy default stream without one.
/// allocator : optional
///     Not used yet.
/// blocking : bool, optional
///     True: the host waits for the copy on a device. Copies on the host are done on return.
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
    blocking: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let _ = allocator;
    copy_objects(dst, src, &Order::of(stream, blocking)?)
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
