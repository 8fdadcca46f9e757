//! A view of a buffer by a layout, or by shape and strides.
#![forbid(unsafe_code)]

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use strideview::{DType, StridedLayout, StridedMemoryView};

use super::methods::{dtype_argument, optional};
use crate::buffer::PyBuffer;
use crate::convert::{integer, integers};
use crate::errors::{OrRaise, expected, value_error};
use crate::layout::try_layout_of;
use crate::raw::call::Arg;

/// The arguments of `from_buffer`. The second and third are, by position, either a layout and its
/// dtype or a shape and its strides; `is_readonly` may follow a dtype.
pub(super) struct Arguments<'a> {
    pub(super) buffer: Arg<'a, 'a>,
    pub(super) positional: [Option<Arg<'a, 'a>>; 3],
    pub(super) layout: Option<Arg<'a, 'a>>,
    pub(super) shape: Option<Arg<'a, 'a>>,
    pub(super) strides: Option<Arg<'a, 'a>>,
    pub(super) itemsize: Option<Arg<'a, 'a>>,
    pub(super) dtype: Option<Arg<'a, 'a>>,
    pub(super) is_readonly: Option<Arg<'a, 'a>>,
}

impl Arguments<'_> {
    /// The view, checked to lie inside the buffer.
    pub(super) fn view(mut self) -> PyResult<StridedMemoryView> {
        let buffer =
            self.buffer.cast::<PyBuffer>().map_err(|_| expected("a Buffer", &self.buffer))?;
        let by_position = self.positional[0].is_some_and(|first| try_layout_of(&first).is_some());
        if by_position && self.layout.is_some() {
            return Err(twice("layout"));
        }
        let (layout, dtype) = match by_position || self.layout.is_some() {
            true => self.given_layout()?,
            false => self.layout_of_shape()?,
        };
        let readonly = self.is_readonly.map_or(Ok(false), |readonly| readonly.extract())?;
        StridedMemoryView::from_buffer(buffer.get().buffer(), &layout, dtype, readonly).or_raise()
    }

    /// `from_buffer(buffer, layout, dtype=None, is_readonly=False)`.
    fn given_layout(&mut self) -> PyResult<(StridedLayout, Option<DType>)> {
        // What follows a layout given by name comes one place earlier.
        let [first, second, third] = self.positional;
        let (layout, dtype, readonly) = match self.layout {
            None => (first, second, third),
            Some(_) if third.is_some() => return Err(too_many()),
            layout => (layout, first, second),
        };
        let layout = layout.ok_or_else(no_layout)?;
        let found = try_layout_of(&layout).cloned();
        let layout = found.ok_or_else(|| expected("a StridedLayout as layout", &layout))?;
        if self.strides.or(self.itemsize).or(self.shape).is_some() {
            return Err(value_error(
                "expected a layout alone, got shape, strides or itemsize beside it".to_owned(),
            ));
        }
        self.dtype = once(dtype, self.dtype, "dtype")?;
        self.is_readonly = once(readonly, self.is_readonly, "is_readonly")?;
        Ok((layout, dtype_argument(self.dtype)?))
    }

    /// `from_buffer(buffer, shape, strides=None, *, itemsize, dtype, is_readonly)`.
    fn layout_of_shape(&mut self) -> PyResult<(StridedLayout, Option<DType>)> {
        let [first, second, third] = self.positional;
        // A shape by name may be followed by strides, which are no second shape.
        if self.shape.is_some() && first.is_some() && self.strides.is_none() && second.is_none() {
            return Err(twice("shape"));
        }
        let (shape, strides) = match self.shape {
            None if third.is_none() => (first, second),
            shape if second.or(third).is_none() => (shape, first),
            _ => return Err(too_many()),
        };
        let shape = shape.ok_or_else(no_layout)?;
        let strides = optional(once(strides, self.strides, "strides")?);
        let dtype = dtype_argument(self.dtype)?;
        let itemsize = match (optional(self.itemsize), dtype) {
            (Some(itemsize), _) => integer(&itemsize)?,
            (None, Some(dtype)) => dtype.itemsize_bytes() as i64,
            (None, None) => {
                return Err(value_error("expected an itemsize or a dtype, got neither".to_owned()));
            }
        };
        let shape = integers(&shape)?;
        let strides = strides.map(|strides| integers(&strides)).transpose()?;
        let layout = StridedLayout::new(&shape, strides.as_deref(), itemsize).or_raise()?;
        Ok((layout, dtype))
    }
}

/// An argument that may be given by position or by name, but not by both.
fn once<'a>(
    by_position: Option<Arg<'a, 'a>>,
    by_name: Option<Arg<'a, 'a>>,
    name: &str,
) -> PyResult<Option<Arg<'a, 'a>>> {
    match (by_position, by_name) {
        (Some(_), Some(_)) => Err(twice(name)),
        (given, other) => Ok(given.or(other)),
    }
}

fn twice(name: &str) -> PyErr {
    PyTypeError::new_err(format!("from_buffer() got {name:?} twice"))
}

fn no_layout() -> PyErr {
    PyTypeError::new_err("from_buffer() needs a layout or a shape")
}

fn too_many() -> PyErr {
    PyTypeError::new_err(
        "expected from_buffer(buffer, layout, dtype, is_readonly) or \
         from_buffer(buffer, shape, strides), got more positional arguments",
    )
}
