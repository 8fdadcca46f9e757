//! What an object keeps of what it was asked for.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

use super::result::take_reference;

/// A Python object made when it is first asked for.
///
/// # Invariants
///
/// 1. Null, or owns one reference.
/// 2. Dropped with the GIL held, as the object that holds it is deallocated.
#[derive(Default)]
pub(crate) struct ObjectCache(AtomicPtr<ffi::PyObject>);

impl ObjectCache {
    /// The object as a new reference, made by `make` if there is none yet.
    #[inline]
    pub(crate) fn get(
        &self,
        make: impl FnOnce() -> PyResult<NonNull<ffi::PyObject>>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        let object = match NonNull::new(self.0.load(Ordering::Acquire)) {
            Some(object) => object,
            None => self.make(make)?,
        };
        // SAFETY: (1) the cache owns a reference (invariant 1).
        unsafe { take_reference(object) };
        Ok(object)
    }

    /// Kept out of the way of those who find an object.
    #[cold]
    #[inline(never)]
    fn make(
        &self,
        make: impl FnOnce() -> PyResult<NonNull<ffi::PyObject>>,
    ) -> PyResult<NonNull<ffi::PyObject>> {
        make().map(|object| self.fill(object))
    }

    /// Keeps `object`, unless another thread was faster.
    fn fill(&self, object: NonNull<ffi::PyObject>) -> NonNull<ffi::PyObject> {
        let order = (Ordering::AcqRel, Ordering::Acquire);
        match self.0.compare_exchange(null_mut(), object.as_ptr(), order.0, order.1) {
            Ok(_) => object,
            Err(faster) => {
                // SAFETY: `object` is the caller's only reference, given to this function.
                unsafe { ffi::Py_DECREF(object.as_ptr()) };
                NonNull::new(faster).unwrap_or(object)
            }
        }
    }
}

impl Drop for ObjectCache {
    fn drop(&mut self) {
        // SAFETY: invariants 1 and 2.
        unsafe { ffi::Py_XDECREF(*self.0.get_mut()) };
    }
}

/// Answers to yes-or-no questions, computed when first asked for: two bits for each question.
#[derive(Default)]
pub(crate) struct FlagCache(AtomicU32);

impl FlagCache {
    /// The answer to question number `question` (below 16), by `answer` if it is the first time.
    #[inline]
    pub(crate) fn get(&self, question: u32, answer: impl FnOnce() -> bool) -> bool {
        let bits = self.0.load(Ordering::Relaxed) >> (2 * question);
        if bits & 1 == 1 {
            return bits & 2 == 2;
        }
        self.ask(question, answer)
    }

    /// Kept out of the way of those who find an answer.
    #[cold]
    #[inline(never)]
    fn ask(&self, question: u32, answer: impl FnOnce() -> bool) -> bool {
        let answer = answer();
        // Two threads may forget each other's answer, which is then computed again.
        let bits = self.0.load(Ordering::Relaxed) | (1 | u32::from(answer) << 1) << (2 * question);
        self.0.store(bits, Ordering::Relaxed);
        answer
    }
}

/// A Python object that is kept as long as the object that holds this, or none.
///
/// # Invariants
///
/// 1. `None`, or owns one reference.
/// 2. Dropped with the GIL held, as the object that holds it is deallocated.
pub(crate) struct Kept(Option<NonNull<ffi::PyObject>>);

// SAFETY: the pointer is used with the GIL held only.
unsafe impl Send for Kept {}
// SAFETY: as above.
unsafe impl Sync for Kept {}

impl Kept {
    /// Takes a reference to `object`.
    #[inline]
    pub(crate) fn new(object: Option<&Bound<'_, PyAny>>) -> Self {
        let kept = object.and_then(|object| NonNull::new(object.as_ptr()));
        if let Some(object) = kept {
            // SAFETY: alive, as it was borrowed, and the GIL is held.
            unsafe { ffi::Py_INCREF(object.as_ptr()) };
        }
        Self(kept)
    }

    /// The object, borrowed.
    #[inline]
    pub(crate) fn get<'a, 'py>(&'a self, py: Python<'py>) -> Option<Borrowed<'a, 'py, PyAny>> {
        // SAFETY: alive by invariant 1, and the GIL is held for 'py.
        self.0.map(|object| unsafe { Borrowed::from_ptr(py, object.as_ptr()) })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(object) = self.0 {
            // SAFETY: invariants 1 and 2.
            unsafe { ffi::Py_DECREF(object.as_ptr()) };
        }
    }
}
