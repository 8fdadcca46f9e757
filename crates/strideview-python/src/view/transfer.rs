//! Copies between views.
#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use strideview::cuda::Stream;
use strideview::{Access, CopyOptions, Device, StreamToken, StridedMemoryView};

use super::import::from_any_interface;
use super::object::{Streams, new_view_on, try_view_on};
use crate::buffer::PyBuffer;
use crate::device::PyDevice;
use crate::errors::OrRaise;
use crate::memory_resource::Temporaries;
use crate::raw::place::Place;
use crate::stream::{Ordered, order, settle, stream_argument, stream_number};

/// Copies of fewer bytes keep the GIL: giving it up and taking it back would cost more.
const BYTES_TO_RELEASE_THE_GIL_FOR: i64 = 1 << 16;

/// No stream is known, or no ordering is wanted, as DLPack counts.
pub(super) const UNKNOWN: i64 = -1;
/// The legacy default stream, as DLPack counts.
const LEGACY: i64 = 1;

/// The object as a view, made if it is none.
pub(super) enum AnyView<'a> {
    Ours(&'a StridedMemoryView, i64),
    Made(StridedMemoryView),
}

impl AnyView<'_> {
    pub(super) fn get(&self) -> &StridedMemoryView {
        match self {
            Self::Ours(view, _) => view,
            Self::Made(view) => view,
        }
    }

    /// The stream that its data are being made on; one that was made here is ordered already.
    fn pending(&self) -> i64 {
        match self {
            Self::Ours(_, pending) => *pending,
            Self::Made(_) => UNKNOWN,
        }
    }
}

/// A view of an object, for use on a stream.
pub(super) fn view_of<'a>(
    object: &'a Bound<'_, PyAny>,
    stream: &Bound<'_, PyAny>,
) -> PyResult<AnyView<'a>> {
    match try_view_on(object) {
        Some((view, pending)) => Ok(AnyView::Ours(view, pending)),
        None => {
            let mut slot = MaybeUninit::uninit();
            let mut place = Place::new(&mut slot);
            from_any_interface(object, Some(stream), &mut place)?;
            let nothing = || PyBufferError::new_err("nothing was imported");
            place.take().map(AnyView::Made).ok_or_else(nothing)
        }
    }
}

/// The arguments of a copy beside its sides; each may be left out.
#[derive(Clone, Copy, Default)]
pub(super) struct Arguments<'a, 'py> {
    pub(super) stream: Option<&'a Bound<'py, PyAny>>,
    pub(super) allocator: Option<&'a Bound<'py, PyAny>>,
    pub(super) blocking: Option<&'a Bound<'py, PyAny>>,
}

/// What the arguments of a copy say.
struct Wanted {
    /// As DLPack counts; none where it was left out.
    stream: Option<i64>,
    blocking: Option<bool>,
    allocator: Option<Temporaries>,
}

impl Wanted {
    fn new(arguments: Arguments<'_, '_>) -> PyResult<Self> {
        let allocator = arguments.allocator.map(Temporaries::of).transpose()?;
        let blocking = arguments.blocking.map(|blocking| {
            let blocking = blocking.cast::<PyBool>();
            blocking
                .map(|blocking| blocking.is_true())
                .map_err(|_| PyTypeError::new_err("expected True, False or None as blocking"))
        });
        let stream = arguments.stream.map(stream_number).transpose()?;
        Ok(Self { stream, blocking: blocking.transpose()?, allocator })
    }

    /// The number of the stream that work on a device is queued on.
    fn number(&self) -> i64 {
        match self.stream {
            None | Some(UNKNOWN) => LEGACY,
            Some(number) => number,
        }
    }

    /// The stream is named by number, as imports take it.
    fn for_imports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.stream.unwrap_or(LEGACY).into_pyobject(py)?.into_any())
    }

    fn options(&self) -> CopyOptions<'_> {
        CopyOptions {
            stream: token(self.number()),
            blocking: self.blocking,
            allocator: self.allocator.as_ref().map(Temporaries::resource),
        }
    }

    /// The stream that temporaries of an allocator are ordered on, which may be let go of while the copy
    /// is queued: what is allocated while this is held keeps it.
    fn kept(&self, stream: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Stream>> {
        let (Some(allocator), Some(stream)) = (&self.allocator, stream) else { return Ok(None) };
        let stream = stream_argument(stream)?;
        if let Some(stream) = &stream {
            allocator.keep(stream);
        }
        Ok(stream)
    }

    /// The result of a copy, or the exception that the allocator raised meanwhile.
    fn raised(&self, outcome: strideview::Result<()>) -> PyResult<()> {
        match (outcome, self.allocator.as_ref().and_then(Temporaries::raised)) {
            (Err(_), Some(error)) => Err(error),
            (outcome, _) => outcome.or_raise(),
        }
    }

    /// Whether what is pending is waited for: not where -1 asks for no ordering.
    fn orders(&self) -> bool {
        self.stream != Some(UNKNOWN)
    }
}

fn token(number: i64) -> StreamToken {
    StreamToken::new(usize::try_from(number).unwrap_or(0))
}

/// Copies the elements of one object into another.
pub(super) fn copy_objects(
    dst: &Bound<'_, PyAny>,
    src: &Bound<'_, PyAny>,
    arguments: Arguments<'_, '_>,
) -> PyResult<()> {
    let py = dst.py();
    let wanted = Wanted::new(arguments)?;
    let streams = wanted.for_imports(py)?;
    let (dst_view, src_view) = (view_of(dst, &streams)?, view_of(src, &streams)?);
    let (to, from) = (dst_view.get(), src_view.get());
    if !to.access().device && !from.access().device {
        if to.nbytes() < BYTES_TO_RELEASE_THE_GIL_FOR {
            return wanted.raised(strideview::copy_with(to, from, wanted.options()));
        }
        let options = wanted.options();
        return wanted.raised(py.detach(|| strideview::copy_with(to, from, options)));
    }
    let _kept = wanted.kept(arguments.stream)?;
    let sides = [(to.access(), dst_view.pending()), (from.access(), src_view.pending())];
    let mut options = wanted.options();
    if to.access().host && from.access().host {
        // Nothing is queued where nobody named a stream.
        options.stream = wanted.stream.map_or(StreamToken::NONE, |_| options.stream);
        wait_for(py, sides, wanted.orders())?;
        return wanted.raised(py.detach(|| strideview::copy_with(to, from, options)));
    }
    let number = wanted.number();
    order_all(sides, |pending| (number, pending), wanted.orders())?;
    wanted.raised(py.detach(|| strideview::copy_with(to, from, options)))?;
    // What is next on the streams of the views comes after the copy.
    order_all(sides, |pending| (pending, number), wanted.orders())
}

/// Waits for what is pending on both sides, which the host may touch next.
fn wait_for(py: Python<'_>, sides: [(Access, i64); 2], orders: bool) -> PyResult<()> {
    for (access, pending) in sides {
        settle(py, access, if orders { pending } else { UNKNOWN })?;
    }
    Ok(())
}

/// Orders the streams of the sides that a device reaches: `pair` says which is the later one.
fn order_all(
    sides: [(Access, i64); 2],
    pair: impl Fn(i64) -> (i64, i64),
    orders: bool,
) -> PyResult<()> {
    for (access, pending) in sides.into_iter().filter(|(access, _)| orders && access.device) {
        let (later, earlier) = pair(pending);
        order(later, earlier, access.device_id)?;
    }
    Ok(())
}

/// Copies the elements of one view, or of anything a view can be made of, into another.
///
/// The two may be memory of the host, of a GPU, of both, or of two GPUs.
///
/// Parameters
/// ----------
/// dst, src : StridedMemoryView or array
///     Of equal shape and dtype; they may overlap.
/// stream : stream, optional
///     Orders a copy of memory of a GPU, after the work that the streams of the views hold; without
///     one, the default stream of the GPU. -1 asks for no ordering. Memory of the host has no stream.
/// allocator : MemoryResource, optional
///     Where temporaries come from: those that its memory is fit for. Memory of a GPU holds what overlaps and
///     what is permuted there, pinned memory what is staged, and memory of the host what overlaps there.
///     By default they come from the pool of the GPU, from pinned memory that is kept, and from the heap.
/// blocking : bool, optional
///     Whether the copy is done on return. By default it is, unless both sides are memory that only
///     GPUs reach. A copy with the host that does not block keeps both sides until it is done.
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
    copy_objects(dst, src, Arguments { stream, allocator, blocking })
}

/// Frees the pinned memory that is kept for copies of pageable memory, and is not in use.
///
/// Waits for the work that was queued with it, and until what queued copies have kept is let go of. It
/// is allocated again when it is needed.
///
/// Examples
/// --------
/// >>> import strideview
/// >>> strideview.release_staging()
#[pyfunction]
pub(crate) fn release_staging(py: Python<'_>) {
    py.detach(|| {
        strideview::cuda::wait_for_retired();
        strideview::cuda::release_staging();
    });
}

/// A device argument: a Device, an ordinal or "cpu"; the host where it is left out.
fn device_argument(device: Option<&Bound<'_, PyAny>>) -> PyResult<Device> {
    device.map_or(Ok(Device::cpu()), PyDevice::of_argument)
}

/// A new dense view with the shape, dtype and axis order of another, on the host or on a GPU.
///
/// Memory of the host is zero, that of a GPU is not set.
///
/// Parameters
/// ----------
/// view : StridedMemoryView or array
/// device : Device, int or "cpu", optional
///     The host by default.
/// stream : stream, optional
///     Orders the allocation on a GPU, and is the one that the view is used on.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> strideview.empty_like(numpy.zeros((3, 4)).T).strides
/// (1, 4)
#[pyfunction]
#[pyo3(signature = (view, device=None, stream=None))]
pub(crate) fn empty_like<'py>(
    view: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = view.py();
    let (device, wanted) =
        (device_argument(device)?, Wanted::new(Arguments { stream, ..Arguments::default() })?);
    let unordered = UNKNOWN.into_pyobject(py)?.into_any();
    let like = view_of(view, &unordered)?;
    let _kept = kept(device, stream)?;
    let token = token(wanted.number());
    let empty = py.detach(|| strideview::empty_like_on(like.get(), device, token)).or_raise()?;
    made(py, empty, wanted.number(), stream)
}

/// Keeps the stream that memory of a GPU is allocated on; for the host it may be anything.
fn kept(device: Device, stream: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Ordered>> {
    match device {
        Device::Cpu => Ok(None),
        _ => Ordered::on(stream).map(Some),
    }
}

/// The Python view of a buffer of its own.
fn made<'py>(
    py: Python<'py>,
    view: StridedMemoryView,
    number: i64,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let buffer = Bound::new(py, PyBuffer::new(view.buffer().clone()))?;
    let streams = match view.access().device {
        true => Streams::of_argument(number, stream),
        false => Streams::NONE,
    };
    new_view_on(py, view, Some(buffer.as_any()), streams)
}

/// A new dense view of a copy of the elements, as `copy_objects` copies them.
pub(super) fn moved<'py>(
    view: &Bound<'py, PyAny>,
    device: Device,
    arguments: Arguments<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = view.py();
    let wanted = Wanted::new(arguments)?;
    let streams = wanted.for_imports(py)?;
    let from = view_of(view, &streams)?;
    let _kept = kept(device, arguments.stream)?;
    let token = token(wanted.number());
    let new = py.detach(|| strideview::empty_like_on(from.get(), device, token)).or_raise()?;
    let new = made(py, new, wanted.number(), arguments.stream)?;
    copy_objects(&new, view, arguments)?;
    Ok(new)
}

/// A new dense view on a GPU, or on the host, with the elements of another, its axes in the same order.
///
/// Always copies; see ``copy`` for ``stream`` and ``blocking``.
///
/// Parameters
/// ----------
/// view : StridedMemoryView or array
/// device : Device, int or "cpu"
/// stream : stream, optional
/// blocking : bool, optional
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> strideview.to_device(numpy.arange(6).reshape(2, 3).T, "cpu").strides
/// (1, 3)
#[pyfunction]
#[pyo3(signature = (view, device, stream=None, blocking=None))]
pub(crate) fn to_device<'py>(
    view: &Bound<'py, PyAny>,
    device: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, PyAny>>,
    blocking: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments { stream, blocking, allocator: None };
    moved(view, PyDevice::of_argument(device)?, arguments)
}

/// A new dense view on the host with the elements of another: ``to_device`` for the host.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> numpy.asarray(strideview.to_host(numpy.arange(4)[::-1])).tolist()
/// [3, 2, 1, 0]
#[pyfunction]
#[pyo3(signature = (view, stream=None, blocking=None))]
pub(crate) fn to_host<'py>(
    view: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, PyAny>>,
    blocking: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    moved(view, Device::cpu(), Arguments { stream, blocking, allocator: None })
}
