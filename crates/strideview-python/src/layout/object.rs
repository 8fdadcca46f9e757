//! The Python object that holds a layout: its memory, its caches and its type.
//!
//! Written against the C API, since a layout operation takes about as long as the calls that PyO3's
//! class machinery adds to it; the figures are in `bench/record`. The bodies of the methods are
//! ordinary safe functions in the modules beside this one.

use std::mem::size_of;
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use strideview::StridedLayout;

use crate::errors::expected;

/// A Python `StridedLayout`.
///
/// # Invariants
///
/// 1. It lies in memory of `PyObject_Malloc` and its type is [`type_object`].
/// 2. `layout` is never changed after construction.
/// 3. Each cache is null or owns one reference to a tuple derived from `layout`.
#[repr(C)]
pub(crate) struct LayoutObject {
    base: ffi::PyObject,
    layout: StridedLayout,
    caches: Caches,
}

/// What has been derived from the layout so far.
#[derive(Default)]
pub(crate) struct Caches {
    pub(super) shape: TupleCache,
    pub(super) strides: TupleCache,
    pub(super) strides_in_bytes: TupleCache,
    pub(super) stride_order: TupleCache,
    pub(super) flags: FlagCache,
}

/// A tuple made when it is first asked for.
#[derive(Default)]
pub(super) struct TupleCache(AtomicPtr<ffi::PyObject>);

/// Answers to yes-or-no questions, computed when first asked for: two bits for each question.
#[derive(Default)]
pub(super) struct FlagCache(AtomicU32);

/// The type `StridedLayout`; null until the module is initialised.
static TYPE: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// Makes `class` the type of all layouts; called once, when the module is initialised.
pub(super) fn set_type_object(class: Bound<'_, PyType>) {
    TYPE.store(class.into_ptr().cast(), Ordering::Release);
}

#[inline]
fn type_object() -> *mut ffi::PyTypeObject {
    TYPE.load(Ordering::Acquire)
}

impl Deref for LayoutObject {
    type Target = Caches;

    #[inline]
    fn deref(&self) -> &Caches {
        &self.caches
    }
}

impl LayoutObject {
    /// Bytes of an instance, for the type's specification.
    pub(super) const SIZE: usize = size_of::<Self>();

    /// A new Python object that holds `layout`.
    #[inline]
    pub(super) fn allocate(layout: StridedLayout) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: `PyObject_Malloc` may be called with the GIL held, which every caller does.
        let memory = unsafe { ffi::PyObject_Malloc(Self::SIZE) }.cast::<Self>();
        let Some(object) = NonNull::new(memory) else {
            return Err(PyErr::new::<pyo3::exceptions::PyMemoryError, _>(()));
        };
        // SAFETY: the memory is large enough, aligned to 16 by `PyObject_Malloc`, and the type is
        // alive; this fills `base` and takes a reference to the type.
        unsafe { ffi::PyObject_Init(memory.cast(), type_object()) };
        // Written piece by piece, so that the layout is moved only once.
        // SAFETY: `memory` is this call's own allocation of a `LayoutObject`.
        let place = unsafe { &raw mut (*memory).layout };
        // SAFETY: as above; nothing was there that would have to be dropped.
        unsafe { place.write(layout) };
        // SAFETY: as above.
        let place = unsafe { &raw mut (*memory).caches };
        // SAFETY: as above.
        unsafe { place.write(Caches::default()) };
        Ok(object.cast())
    }

    /// The layout object behind a pointer.
    ///
    /// # Safety
    ///
    /// 1. `object` is a live instance of [`type_object`].
    #[inline]
    pub(super) unsafe fn from_ptr<'a>(object: *mut ffi::PyObject) -> &'a Self {
        // SAFETY: by (1) and invariant 1 the pointer is to a `LayoutObject`; by invariant 2 no
        // reference to it is exclusive until it is deallocated.
        unsafe { &*object.cast::<Self>() }
    }

    /// The layout.
    #[inline]
    pub(crate) fn layout(&self) -> &StridedLayout {
        &self.layout
    }

    /// A pointer to this object, for the C API.
    pub(super) fn as_ptr(&self) -> NonNull<ffi::PyObject> {
        NonNull::from(self).cast()
    }
}

/// The layout that a Python object holds, or a `TypeError`.
#[inline]
pub(crate) fn layout_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a StridedLayout> {
    match try_layout_of(object) {
        Some(layout) => Ok(layout),
        None => Err(expected("a StridedLayout", object)),
    }
}

/// The layout object that a Python object is, or a `TypeError`.
pub(super) fn object_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a LayoutObject> {
    layout_of(object)?;
    // SAFETY: (1) the line above has found that it is one, and the object is alive for 'a.
    Ok(unsafe { LayoutObject::from_ptr(object.as_ptr()) })
}

/// The layout that a Python object holds, if it is a `StridedLayout`.
#[inline]
pub(crate) fn try_layout_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a StridedLayout> {
    if object.get_type_ptr() != type_object() {
        return None;
    }
    // SAFETY: (1) the type is the one compared with, and the object is alive for 'a.
    let object = unsafe { LayoutObject::from_ptr(object.as_ptr()) };
    Some(object.layout())
}

/// A new Python `StridedLayout`.
#[inline]
pub(crate) fn new_layout(py: Python<'_>, layout: StridedLayout) -> PyResult<Bound<'_, PyAny>> {
    let object = LayoutObject::allocate(layout)?;
    // SAFETY: the object is new and this is its only reference.
    Ok(unsafe { Bound::from_owned_ptr(py, object.as_ptr()) })
}

impl TupleCache {
    /// The tuple as a new reference, made by `make` if there is none yet.
    #[inline]
    pub(super) fn get(
        &self,
        make: impl FnOnce() -> PyResult<NonNull<ffi::PyObject>>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        let tuple = match NonNull::new(self.0.load(Ordering::Acquire)) {
            Some(tuple) => tuple,
            None => self.fill(make()?),
        };
        // SAFETY: the cache owns a reference to the tuple (invariant 3) and the GIL is held.
        unsafe { ffi::Py_INCREF(tuple.as_ptr()) };
        Ok(tuple)
    }

    /// Keeps `tuple`, unless another thread was faster.
    #[cold]
    fn fill(&self, tuple: NonNull<ffi::PyObject>) -> NonNull<ffi::PyObject> {
        let place = &self.0;
        let order = (Ordering::AcqRel, Ordering::Acquire);
        match place.compare_exchange(null_mut(), tuple.as_ptr(), order.0, order.1) {
            Ok(_) => tuple,
            Err(faster) => {
                // SAFETY: `tuple` is the caller's only reference, given to this function.
                unsafe { ffi::Py_DECREF(tuple.as_ptr()) };
                NonNull::new(faster).unwrap_or(tuple)
            }
        }
    }
}

impl Drop for TupleCache {
    fn drop(&mut self) {
        // SAFETY: the cache is null or owns one reference (invariant 3); it is dropped by
        // `deallocate`, with the GIL held.
        unsafe { ffi::Py_XDECREF(*self.0.get_mut()) };
    }
}

impl FlagCache {
    /// The answer to question number `question` (below 16), by `answer` if it is the first time.
    #[inline]
    pub(super) fn get(&self, question: u32, answer: impl FnOnce() -> bool) -> bool {
        let bits = self.0.load(Ordering::Relaxed) >> (2 * question);
        if bits & 1 == 1 {
            return bits & 2 == 2;
        }
        let answer = answer();
        // Two threads may forget each other's answer, which is then computed again.
        let bits = self.0.load(Ordering::Relaxed) | (1 | u32::from(answer) << 1) << (2 * question);
        self.0.store(bits, Ordering::Relaxed);
        answer
    }
}

/// The type's `tp_dealloc`.
///
/// # Safety
///
/// 1. Called by the interpreter, with the GIL held, for an instance without references.
pub(super) unsafe extern "C" fn deallocate(object: *mut ffi::PyObject) {
    // SAFETY: by (1) the object is alive, and nobody else can reach it.
    let class = unsafe { ffi::Py_TYPE(object) };
    // SAFETY: (1) and invariant 1; dropping the Rust fields leaves `base`, which needs no drop.
    unsafe { object.cast::<LayoutObject>().drop_in_place() };
    // SAFETY: the memory is of `PyObject_Malloc` (invariant 1).
    unsafe { ffi::PyObject_Free(object.cast()) };
    // SAFETY: `PyObject_Init` took this reference to the type.
    unsafe { ffi::Py_DECREF(class.cast()) };
}
