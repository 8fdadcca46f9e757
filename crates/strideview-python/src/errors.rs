//! The only place where an error becomes a Python exception.
#![forbid(unsafe_code)]

use std::io::Write;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use strideview::{Error, ErrorKind};

/// The classes of `strideview.exceptions`, looked up once.
struct Classes {
    value: Py<PyType>,
    layout: Py<PyType>,
    axis: Py<PyType>,
    index: Py<PyType>,
    overflow: Py<PyType>,
    interop: Py<PyType>,
    allocation: Py<PyType>,
    closed: Py<PyType>,
    runtime: Py<PyType>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

impl Classes {
    fn import(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("strideview.exceptions")?;
        let class = |name: &str| -> PyResult<Py<PyType>> {
            Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
        };
        Ok(Self {
            value: class("ViewError")?,
            layout: class("LayoutError")?,
            axis: class("AxisError")?,
            index: class("LayoutIndexError")?,
            overflow: class("LayoutOverflowError")?,
            interop: class("InteropError")?,
            allocation: class("AllocationError")?,
            closed: class("ClosedError")?,
            runtime: class("DeviceError")?,
        })
    }

    /// The class for a family of errors.
    fn of(&self, error: &Error) -> &Py<PyType> {
        match error.kind() {
            ErrorKind::Axis => &self.axis,
            ErrorKind::Index => &self.index,
            ErrorKind::Overflow => &self.overflow,
            ErrorKind::Interop => &self.interop,
            ErrorKind::Memory => &self.allocation,
            ErrorKind::Closed => &self.closed,
            ErrorKind::Runtime => &self.runtime,
            _ if matches!(error, Error::Layout(_)) => &self.layout,
            _ => &self.value,
        }
    }
}

/// The exception for an error of the crate.
#[cold]
pub(crate) fn exception(error: Error) -> PyErr {
    Python::attach(|py| match CLASSES.get_or_try_init(py, || Classes::import(py)) {
        Ok(classes) => raised(classes.of(&error).bind(py), &error.to_string(), error.code()),
        Err(error) => error,
    })
}

/// Has errors that no caller is there for, since memory went with its last reference, reported as
/// those of destructors in Python.
pub(crate) fn report_release_errors() {
    strideview::set_release_error_hook(|error| {
        let told = Python::try_attach(|py| {
            aside(py, || exception((*error).into()).write_unraisable(py, None));
        });
        if told.is_none() {
            // There is no interpreter any more, and perhaps no standard error.
            let _ = writeln!(std::io::stderr(), "strideview: cannot release memory: {error}");
        }
    });
}

/// Runs Python code while an exception may be on its way, which stays as it is.
pub(crate) fn aside<R>(py: Python<'_>, work: impl FnOnce() -> R) -> R {
    let pending = PyErr::take(py);
    let result = work();
    if let Some(pending) = pending {
        pending.restore(py);
    }
    result
}

/// An instance of `class` with a message and a stable code.
fn raised(class: &Bound<'_, PyType>, message: &str, code: &str) -> PyErr {
    match class.call1((message, code)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Turns a result of the crate into one of Python.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception that says what was wrong.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Into<Error>> OrRaise<T> for Result<T, E> {
    #[inline]
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| exception(error.into()))
    }
}

/// A `ValueError` of the binding itself.
#[cold]
pub(crate) fn value_error(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// A `TypeError` that says what was wanted and what was got.
#[cold]
pub(crate) fn expected(what: &str, got: &Bound<'_, PyAny>) -> PyErr {
    match got.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("expected {what}, got {name}")),
        Err(error) => error,
    }
}
