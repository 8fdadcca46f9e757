//! Python objects that keep memory alive for Rust.
#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

/// A Python object that owns memory, until it is released or dropped.
///
/// Dropped on any thread, with or without the GIL; when the interpreter is gone the reference is
/// leaked, since nobody is left to take it back. Not shown to the garbage collector: whoever
/// borrows the memory keeps this, not the Python object around it, and a collector that knew of the
/// object could clear it under them.
pub(crate) struct PyOwner(Mutex<Option<Py<PyAny>>>);

impl PyOwner {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Self {
        Self(Mutex::new(Some(object.clone().unbind())))
    }

    /// The object, unless it has been released.
    pub(crate) fn object(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let object = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        object.as_ref().map(|object| object.clone_ref(py))
    }

    /// Gives up the reference.
    pub(crate) fn release(&self, py: Python<'_>) {
        let object = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The lock is free again: dropping an object runs Python.
        drop(object.map(|object| object.into_bound(py)));
    }
}

impl Drop for PyOwner {
    fn drop(&mut self) {
        let Some(object) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        let mut kept = Some(object);
        let released =
            Python::try_attach(|py| drop(kept.take().map(|object| object.into_bound(py))));
        if released.is_none() {
            std::mem::forget(kept);
        }
    }
}
