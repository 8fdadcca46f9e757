//! Stride orders from Python.
#![forbid(unsafe_code)]

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use strideview::{Dims, StrideOrder};

use crate::convert::axes;
use crate::errors::value_error;
use crate::raw::call::Arg;

/// A letter, or axes from slowest to fastest.
pub(super) enum Order {
    C,
    F,
    K,
    Axes(Dims),
}

impl Order {
    /// The order an argument names; `default` when it is not given.
    #[inline]
    pub(super) fn from_python(value: Option<Arg<'_, '_>>, default: Self) -> PyResult<Self> {
        let Some(value) = value else { return Ok(default) };
        match value.cast::<PyString>() {
            Ok(letter) => Self::from_letter(&letter),
            Err(_) if value.is_none() => {
                Err(PyTypeError::new_err("expected 'C', 'F', 'K' or a sequence of axes, got None"))
            }
            Err(_) => Ok(Self::Axes(axes(&value)?)),
        }
    }

    fn from_letter(letter: &Bound<'_, PyString>) -> PyResult<Self> {
        match letter.to_cow()?.as_ref() {
            "C" => Ok(Self::C),
            "F" => Ok(Self::F),
            "K" => Ok(Self::K),
            other => Err(value_error(format!(
                "stride order must be 'C', 'F', 'K' or a sequence of axes, got {other:?}"
            ))),
        }
    }

    pub(super) fn get(&self) -> StrideOrder<'_> {
        match self {
            Self::C => StrideOrder::C,
            Self::F => StrideOrder::F,
            Self::K => StrideOrder::K,
            Self::Axes(axes) => StrideOrder::Axes(axes),
        }
    }
}
