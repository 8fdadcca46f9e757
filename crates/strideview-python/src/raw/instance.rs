//! The memory of a Python object that holds a Rust value.

use std::mem::size_of;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// A Rust value that Python objects of one type hold. The type is final, so an object of it is an
/// [`Instance`].
pub(crate) trait Class: Sized + Send + Sync + 'static {
    /// Where the type is kept once it exists.
    fn type_cell() -> &'static TypeCell;

    /// The list of weak references, for types that allow them.
    fn weak_references(&self) -> Option<NonNull<ffi::PyObject>> {
        None
    }
}

/// A type object; null until the module is initialised.
pub(crate) struct TypeCell(AtomicPtr<ffi::PyTypeObject>);

impl TypeCell {
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    /// Keeps the type for good; called once, when the module is initialised.
    pub(crate) fn set(&self, class: Bound<'_, PyType>) {
        self.0.store(class.into_ptr().cast(), Ordering::Release);
    }

    #[inline]
    pub(crate) fn get(&self) -> *mut ffi::PyTypeObject {
        self.0.load(Ordering::Acquire)
    }
}

/// A Python object that holds a `T`.
///
/// # Invariants
///
/// 1. It lies in memory of `PyObject_Malloc`, and its type is that of `T::type_cell()`.
/// 2. `value` is never borrowed exclusively until the object is deallocated.
#[repr(C)]
pub(crate) struct Instance<T> {
    base: ffi::PyObject,
    value: T,
}

impl<T: Class> Instance<T> {
    /// Bytes of an object, for the type's specification.
    pub(super) const SIZE: usize = size_of::<Self>();
    /// Where the value lies in an object.
    pub(crate) const VALUE_OFFSET: usize = std::mem::offset_of!(Self, value);

    /// A new object. `write` fills the place for the value, piece by piece if that saves a move.
    ///
    /// # Safety
    ///
    /// 1. `write` initialises all of the place it is given.
    #[inline]
    pub(crate) unsafe fn allocate(write: impl FnOnce(*mut T)) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: `PyObject_Malloc` may be called with the GIL held, which every caller does.
        let memory = unsafe { ffi::PyObject_Malloc(Self::SIZE) }.cast::<Self>();
        let Some(object) = NonNull::new(memory) else {
            return Err(PyErr::new::<pyo3::exceptions::PyMemoryError, _>(()));
        };
        // SAFETY: the memory is large enough, aligned to 16 by `PyObject_Malloc`, and the type is
        // alive; this fills `base` and takes a reference to the type.
        unsafe { ffi::PyObject_Init(memory.cast(), T::type_cell().get()) };
        // SAFETY: `memory` is this call's own allocation of an `Instance<T>`.
        write(unsafe { &raw mut (*memory).value });
        Ok(object.cast())
    }

    /// A new object whose value `write` makes in its place; an error of `write` comes out.
    ///
    /// # Safety
    ///
    /// 1. `write` initialises all of the place it is given, or fails and leaves nothing in it.
    #[inline]
    pub(crate) unsafe fn build(
        write: impl FnOnce(*mut T) -> PyResult<()>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: `PyObject_Malloc` may be called with the GIL held, which every caller does.
        let memory = unsafe { ffi::PyObject_Malloc(Self::SIZE) }.cast::<Self>();
        let Some(object) = NonNull::new(memory) else {
            return Err(PyErr::new::<pyo3::exceptions::PyMemoryError, _>(()));
        };
        // SAFETY: `memory` is this call's own allocation of an `Instance<T>`.
        let outcome = write(unsafe { &raw mut (*memory).value });
        if let Err(error) = outcome {
            // SAFETY: of `PyObject_Malloc`, and nothing is in it (1).
            unsafe { ffi::PyObject_Free(memory.cast()) };
            return Err(error);
        }
        // SAFETY: the memory is large enough, aligned to 16 by `PyObject_Malloc`, and the type is
        // alive; this fills `base` and takes a reference to the type.
        unsafe { ffi::PyObject_Init(memory.cast(), T::type_cell().get()) };
        Ok(object.cast())
    }

    /// A new object that holds `value`.
    #[inline]
    pub(crate) fn holding(value: T) -> PyResult<NonNull<ffi::PyObject>> {
        // SAFETY: a place for a value that is not initialised yet.
        let write = |place: *mut T| unsafe { place.write(value) };
        // SAFETY: (1) the whole value is written.
        unsafe { Self::allocate(write) }
    }
}

/// The value behind a pointer to an object.
///
/// # Safety
///
/// 1. `object` is a live instance of the type of `T`.
#[inline]
pub(crate) unsafe fn value_at<'a, T: Class>(object: *mut ffi::PyObject) -> &'a T {
    // SAFETY: by (1) and invariant 1 the pointer is to an `Instance<T>`; invariant 2.
    unsafe { &(*object.cast::<Instance<T>>()).value }
}

/// The value that a Python object holds, if it is of the type of `T`.
#[inline]
pub(crate) fn value_of<'a, T: Class>(object: &'a Bound<'_, PyAny>) -> Option<&'a T> {
    if object.get_type_ptr() != T::type_cell().get() {
        return None;
    }
    // SAFETY: (1) the type is the one compared with, and the object is alive for 'a.
    Some(unsafe { value_at(object.as_ptr()) })
}

/// The object that holds a value. The value must be one that an object holds, which every shared
/// reference that a method is given is.
///
/// # Safety
///
/// 1. `value` lies in an [`Instance`].
#[inline]
pub(crate) unsafe fn object_holding<T: Class>(value: &T) -> NonNull<ffi::PyObject> {
    let value = NonNull::from(value).cast::<u8>();
    // SAFETY: (1): the object starts that many bytes before the value.
    unsafe { value.sub(Instance::<T>::VALUE_OFFSET) }.cast()
}

/// The `tp_dealloc` of the type of `T`.
///
/// # Safety
///
/// 1. Called by the interpreter, with the GIL held, for an instance without references.
pub(super) unsafe extern "C" fn deallocate<T: Class>(object: *mut ffi::PyObject) {
    // SAFETY: by (1) the object is alive, and nobody else can reach it.
    let class = unsafe { ffi::Py_TYPE(object) };
    // SAFETY: (1).
    if unsafe { value_at::<T>(object) }.weak_references().is_some() {
        // SAFETY: (1); the type has a list of weak references, which is not empty.
        unsafe { ffi::PyObject_ClearWeakRefs(object) };
    }
    // SAFETY: (1) and invariants 1 and 2; `base` needs no drop.
    unsafe { object.cast::<Instance<T>>().drop_in_place() };
    // SAFETY: the memory is of `PyObject_Malloc` (invariant 1).
    unsafe { ffi::PyObject_Free(object.cast()) };
    // SAFETY: `PyObject_Init` took this reference to the type.
    unsafe { ffi::Py_DECREF(class.cast()) };
}
