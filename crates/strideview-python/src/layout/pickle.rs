//! What pickle keeps of a layout, and the printed forms.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use strideview::StridedLayout;

use super::object::{LayoutObject, new_layout};
use crate::convert::integers;
use crate::errors::OrRaise;

/// The strides, or `None` when they are implicit.
fn explicit_strides(layout: &StridedLayout) -> Option<&[i64]> {
    (!layout.has_implicit_strides()).then(|| layout.strides())
}

/// The function that rebuilds the layout, and its arguments.
pub(super) fn reduced<'py>(py: Python<'py>, this: &LayoutObject) -> PyResult<Bound<'py, PyTuple>> {
    let layout = this.layout();
    let rebuild = py.import("strideview._strideview")?.getattr("_rebuild_layout")?;
    let shape = PyTuple::new(py, layout.shape())?;
    let strides = explicit_strides(layout).map(|strides| PyTuple::new(py, strides)).transpose()?;
    (rebuild, (shape, strides, layout.itemsize(), layout.slice_offset())).into_pyobject(py)
}

/// The layout from the parts that pickle keeps.
#[pyfunction]
pub(crate) fn _rebuild_layout<'py>(
    shape: &Bound<'py, PyAny>,
    strides: Option<&Bound<'py, PyAny>>,
    itemsize: i64,
    slice_offset: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let py = shape.py();
    let shape = integers(shape)?;
    let strides = strides.map(integers).transpose()?;
    let layout = StridedLayout::with_offset(&shape, strides.as_deref(), itemsize, slice_offset)
        .or_raise()?;
    new_layout(py, layout)
}

/// The form that evaluates to an equal layout.
pub(super) fn repr(layout: &StridedLayout) -> String {
    let shape = tuple(layout.shape());
    let strides = explicit_strides(layout).map_or_else(|| "None".to_owned(), tuple);
    let offset = match layout.slice_offset() {
        0 => String::new(),
        offset => format!(", slice_offset={offset}"),
    };
    let itemsize = layout.itemsize();
    format!("StridedLayout(shape={shape}, strides={strides}, itemsize={itemsize}{offset})")
}

/// The numbers as Python prints a tuple.
fn tuple(values: &[i64]) -> String {
    match values {
        [value] => format!("({value},)"),
        _ => {
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            format!("({})", values.join(", "))
        }
    }
}
