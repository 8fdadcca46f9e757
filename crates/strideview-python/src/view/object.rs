//! What a Python `StridedMemoryView` holds.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use strideview::StridedMemoryView;

use crate::errors::OrRaise;
use crate::raw::cache::{Kept, ObjectCache};
use crate::raw::instance::{Class, Instance, TypeCell, value_of};
use crate::raw::place::Place;
use crate::stream::{order, stream_number};

/// A view, where it came from, and what has been derived from it so far.
pub(crate) struct ViewObject {
    pub(super) view: StridedMemoryView,
    pub(super) beside: Beside,
}

/// What a Python object has beside its view.
pub(crate) struct Beside {
    pub(super) exporting_obj: Kept,
    /// The stream that the data are being made on, as DLPack counts; -1 when none is known.
    pub(super) stream: i64,
    /// The object that is this stream, where it is none of the numbers: it must not be destroyed before.
    stream_object: Kept,
    /// The stream of the producer, as the CUDA Array Interface names it; -1 when it names none.
    producer: i64,
    pub(super) layout: ObjectCache,
    pub(super) shape: ObjectCache,
    pub(super) strides: ObjectCache,
    pub(super) dtype: ObjectCache,
    weak_references: WeakReferences,
}

/// The head of the list of weak references, which the interpreter writes.
#[repr(transparent)]
struct WeakReferences(UnsafeCell<*mut ffi::PyObject>);

// SAFETY: only the interpreter writes it, and it is read with the GIL held.
unsafe impl Send for WeakReferences {}
// SAFETY: as above.
unsafe impl Sync for WeakReferences {}

impl Class for ViewObject {
    #[inline]
    fn type_cell() -> &'static TypeCell {
        static TYPE: TypeCell = TypeCell::new();
        &TYPE
    }

    #[inline]
    fn weak_references(&self) -> Option<NonNull<ffi::PyObject>> {
        // SAFETY: read with the GIL held, when nothing writes it.
        NonNull::new(unsafe { *self.beside.weak_references.0.get() })
    }
}

impl Beside {
    #[inline]
    fn new(exporter: Option<&Bound<'_, PyAny>>, streams: Streams<'_, '_>) -> Self {
        Self {
            exporting_obj: Kept::new(exporter),
            stream: streams.stream,
            stream_object: Kept::new(streams.object),
            producer: streams.producer,
            layout: ObjectCache::default(),
            shape: ObjectCache::default(),
            strides: ObjectCache::default(),
            dtype: ObjectCache::default(),
            weak_references: WeakReferences(UnsafeCell::new(null_mut())),
        }
    }
}

/// The streams of a view.
#[derive(Clone, Copy)]
pub(super) struct Streams<'a, 'py> {
    /// The one that it is used on, as DLPack counts; -1 when none is known.
    stream: i64,
    /// The object that is this stream, if it is one.
    object: Option<&'a Bound<'py, PyAny>>,
    /// That of the producer, as the CUDA Array Interface names it; -1 when it names none.
    producer: i64,
}

impl<'a, 'py> Streams<'a, 'py> {
    pub(super) const NONE: Self = Self { stream: -1, object: None, producer: -1 };

    /// The stream that an argument names by a number, and the argument where it is an object.
    #[inline]
    pub(super) fn of_argument(number: i64, argument: Option<&'a Bound<'py, PyAny>>) -> Self {
        let object = argument.filter(|argument| !argument.is_exact_instance_of::<PyInt>());
        Self { stream: number, object, producer: -1 }
    }
}

impl ViewObject {
    /// Where the list of weak references lies in an object, for the type's specification.
    pub(super) const WEAK_REFERENCES_OFFSET: usize =
        Instance::<Self>::VALUE_OFFSET + std::mem::offset_of!(Self, beside.weak_references);

    /// A new Python object for a view of the memory of `exporter`, with no stream.
    #[inline]
    pub(super) fn allocate(
        view: StridedMemoryView,
        exporter: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        Self::allocate_on(view, exporter, Streams::NONE)
    }

    /// A new Python object for a view of the memory of `exporter`, used on a stream.
    #[inline]
    pub(super) fn allocate_on(
        view: StridedMemoryView,
        exporter: Option<&Bound<'_, PyAny>>,
        streams: Streams<'_, '_>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        Instance::holding(Self { view, beside: Beside::new(exporter, streams) })
    }

    /// A new Python object for what `import` takes over from `exporter`, for use on a stream argument.
    /// `import` puts the view in its place, and returns the stream of the producer, as DLPack counts,
    /// where the protocol names one; otherwise -1.
    #[inline]
    pub(super) fn imported(
        exporter: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
        import: impl FnOnce(&mut Place<'_, StridedMemoryView>) -> PyResult<i64>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        let write = |object: *mut Self| {
            // SAFETY: the place of a new object.
            let slot = unsafe { &raw mut (*object).view }.cast::<MaybeUninit<StridedMemoryView>>();
            // SAFETY: as above; nothing is in it yet, and nobody else knows of it.
            let mut place = Place::new(unsafe { &mut *slot });
            let producer = import(&mut place)?;
            let is_of_device = place.get().is_some_and(|view| view.access().device);
            let streams = match stream {
                Some(argument) if is_of_device => {
                    Streams::of_argument(stream_number(argument)?, Some(argument))
                }
                _ => Streams::NONE,
            };
            if !place.keep() {
                return Err(PyBufferError::new_err("nothing was imported"));
            }
            let beside = Beside::new(Some(exporter), Streams { producer, ..streams });
            // SAFETY: the place of a new object, whose view is there already.
            let place = unsafe { &raw mut (*object).beside };
            // SAFETY: as above.
            unsafe { place.write(beside) };
            Ok(())
        };
        // SAFETY: (1) the view is put and kept, and the rest is written; nothing is kept otherwise.
        unsafe { Instance::build(write) }
    }

    /// Makes the producer's stream wait for the stream that the view is used on.
    pub(super) fn release_to_producer(&self) -> PyResult<()> {
        order(self.beside.producer, self.beside.stream, self.view.device_id())
    }

    /// A new Python object for another view of the same memory.
    #[inline]
    pub(super) fn derived(
        &self,
        view: strideview::Result<StridedMemoryView>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: methods are called with the GIL held.
        let py = unsafe { Python::assume_attached() };
        let Beside { exporting_obj, stream, stream_object, producer, .. } = &self.beside;
        let (exporter, object) = (exporting_obj.get(py), stream_object.get(py));
        let streams = Streams { stream: *stream, object: object.as_deref(), producer: *producer };
        Self::allocate_on(view.or_raise()?, exporter.as_deref(), streams)
    }
}

/// The view that a Python object is, if it is one of ours.
#[inline]
pub(crate) fn try_view_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a StridedMemoryView> {
    value_of(object).map(|object: &ViewObject| &object.view)
}

/// As [`try_view_of`], with the stream that its data are being made on; -1 when none is known.
pub(super) fn try_view_on<'a>(
    object: &'a Bound<'_, PyAny>,
) -> Option<(&'a StridedMemoryView, i64)> {
    value_of(object).map(|object: &ViewObject| (&object.view, object.beside.stream))
}

/// A new Python `StridedMemoryView`.
pub(crate) fn new_view<'py>(
    py: Python<'py>,
    view: StridedMemoryView,
    exporter: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    new_view_on(py, view, exporter, Streams::NONE)
}

/// As [`new_view`], for use on a stream.
pub(super) fn new_view_on<'py>(
    py: Python<'py>,
    view: StridedMemoryView,
    exporter: Option<&Bound<'py, PyAny>>,
    streams: Streams<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let object = ViewObject::allocate_on(view, exporter, streams)?;
    // SAFETY: the object is new and this is its only reference.
    Ok(unsafe { Bound::from_owned_ptr(py, object.as_ptr()) })
}
