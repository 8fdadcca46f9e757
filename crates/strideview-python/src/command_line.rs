//! The command line, which is the Rust program's.
#![forbid(unsafe_code)]

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line with these arguments; returns the exit status.
#[pyfunction]
pub(crate) fn _run_command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| strideview_cli::run(arguments))
}
