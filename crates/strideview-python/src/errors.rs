//! The only place where an error becomes a Python exception.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use strideview::{ErrorKind, LayoutError};

/// The classes of `strideview.exceptions`, looked up once.
struct Classes {
    layout: Py<PyType>,
    axis: Py<PyType>,
    index: Py<PyType>,
    overflow: Py<PyType>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

impl Classes {
    fn import(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("strideview.exceptions")?;
        let class = |name: &str| -> PyResult<Py<PyType>> {
            Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
        };
        Ok(Self {
            layout: class("LayoutError")?,
            axis: class("AxisError")?,
            index: class("LayoutIndexError")?,
            overflow: class("LayoutOverflowError")?,
        })
    }

    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        CLASSES.get_or_try_init(py, || Self::import(py))
    }
}

/// The exception for an error of the layout crate.
#[cold]
pub(crate) fn layout_error(error: LayoutError) -> PyErr {
    Python::attach(|py| layout_exception(py, error))
}

fn layout_exception(py: Python<'_>, error: LayoutError) -> PyErr {
    let classes = match Classes::get(py) {
        Ok(classes) => classes,
        Err(error) => return error,
    };
    let class = match error.kind() {
        ErrorKind::Axis => &classes.axis,
        ErrorKind::Index => &classes.index,
        ErrorKind::Overflow => &classes.overflow,
        _ => &classes.layout,
    };
    raised(class.bind(py), &error.to_string(), error.code())
}

/// An instance of `class` with a message and a stable code.
fn raised(class: &Bound<'_, PyType>, message: &str, code: &str) -> PyErr {
    match class.call1((message, code)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Turns the result of the layout crate into one of Python.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception that says what was wrong.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for strideview::LayoutResult<T> {
    #[inline]
    fn or_raise(self) -> PyResult<T> {
        self.map_err(layout_error)
    }
}

/// A `ValueError` of the binding itself.
#[cold]
pub(crate) fn value_error(message: String) -> PyErr {
    PyValueError::new_err(message)
}
