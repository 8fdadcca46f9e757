//! Memory that a resource written in Python gives back.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use strideview::{MemoryError, Result};

use crate::errors::{OrRaise, aside};

/// A stream as it was given in Python, for a resource to read.
type StreamObject = Option<Py<PyAny>>;

thread_local! {
    /// While this thread closes a buffer: the stream that was named. An exception then goes to whoever
    /// closes; at any other time nobody is there for it.
    static CLOSING: RefCell<Option<StreamObject>> = const { RefCell::new(None) };
}

/// What a resource raised when a buffer was closed.
#[derive(Default)]
pub(crate) struct Failure(Mutex<Option<PyErr>>);

impl Failure {
    fn put(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Runs `close` on this thread, and raises what the resource raised meanwhile.
    pub(crate) fn raised_by(
        &self,
        stream: Option<&Bound<'_, PyAny>>,
        close: impl FnOnce() -> Result<()>,
    ) -> PyResult<()> {
        let before = CLOSING.replace(Some(stream.map(|stream| stream.clone().unbind())));
        let outcome = close();
        CLOSING.replace(before);
        match (outcome, self.take()) {
            (Err(_), Some(error)) => Err(error),
            (outcome, _) => outcome.or_raise(),
        }
    }
}

/// The one call of a resource's `deallocate` that is owed for a span of memory.
pub(crate) struct Deallocation {
    pub(crate) resource: Py<PyAny>,
    pub(crate) address: usize,
    pub(crate) size_in_bytes: usize,
    /// Orders the release where `close` names no stream.
    pub(crate) stream: StreamObject,
    pub(crate) failure: Arc<Failure>,
}

impl Deallocation {
    /// Calls `deallocate`, on any thread. When the interpreter is gone the memory is leaked, since
    /// nobody is left to take it back.
    pub(crate) fn run(self) -> std::result::Result<(), MemoryError> {
        let mut owed = Some(self);
        let outcome =
            Python::try_attach(|py| owed.take().map_or(Ok(()), |owed| aside(py, || owed.call(py))));
        std::mem::forget(owed);
        outcome.unwrap_or(Ok(()))
    }

    fn call(self, py: Python<'_>) -> std::result::Result<(), MemoryError> {
        // Taken: what the resource itself drops meanwhile is not closed by the caller.
        let closing = CLOSING.take();
        let stream = closing.iter().flatten().next().or(self.stream.as_ref());
        let Err(error) = self.deallocate(py, stream) else { return Ok(()) };
        if closing.is_none() {
            error.write_unraisable(py, Some(self.resource.bind(py)));
            return Ok(());
        }
        self.failure.put(error);
        Err(MemoryError::Resource { call: "deallocate", status: -1 })
    }

    fn deallocate(&self, py: Python<'_>, stream: Option<&Py<PyAny>>) -> PyResult<()> {
        let keywords = PyDict::new(py);
        keywords.set_item(intern!(py, "stream"), stream)?;
        let span = (self.address, self.size_in_bytes);
        let name = intern!(py, "deallocate");
        self.resource.bind(py).call_method(name, span, Some(&keywords)).map(drop)
    }
}
