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
    /// What this thread is closing, if it is.
    static CLOSING: RefCell<Option<Closing>> = const { RefCell::new(None) };
}

/// A close of a buffer.
struct Closing {
    /// The stream that was named.
    stream: StreamObject,
    /// Whether an exception goes to whoever closes; otherwise nobody is there for it.
    raises: bool,
}

impl Closing {
    fn run<T>(self, close: impl FnOnce() -> T) -> T {
        let before = CLOSING.replace(Some(self));
        let outcome = close();
        CLOSING.replace(before);
        outcome
    }
}

/// Runs `close` on this thread for a copy: a resource is told the stream, and what it raises is reported
/// as that of a destructor.
pub(crate) fn closed_on<T>(stream: Option<Py<PyAny>>, close: impl FnOnce() -> T) -> T {
    Closing { stream, raises: false }.run(close)
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
        let stream = stream.map(|stream| stream.clone().unbind());
        match (Closing { stream, raises: true }.run(close), self.take()) {
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
        let named = closing.as_ref().and_then(|closing| closing.stream.as_ref());
        let Err(error) = self.deallocate(py, named.or(self.stream.as_ref())) else { return Ok(()) };
        if !closing.is_some_and(|closing| closing.raises) {
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
