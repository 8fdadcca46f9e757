//! The Python package strideview: translates between Python and the Rust crate, decides nothing.
//!
//! Unsafe code lives in `raw` and below, `layout::{class, made, object}` and the tables that the
//! macros of `raw::table` write, `array_interface`, `convert`, `dlpack`, `exchange`, `buffer_protocol`, `buffer`, `memory_resource::python_resource`, `stream`, `tensor_map` and `view::{class, methods, object}`; every
//! other file forbids it.

mod array_interface;
mod buffer;
mod buffer_protocol;
mod command_line;
mod convert;
mod deallocation;
mod device;
mod dlpack;
mod dtype;
mod errors;
mod exchange;
mod layout;
mod memory_resource;
mod numpy_array;
mod owner;
mod raw;
mod stream;
mod tensor_map;
mod view;

use pyo3::prelude::*;

/// The compiled part of strideview.
#[pymodule(gil_used = false)]
mod _strideview {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::buffer::PyBuffer;
    #[pymodule_export]
    use crate::command_line::_run_command_line;
    #[pymodule_export]
    use crate::device::PyDevice;
    #[pymodule_export]
    use crate::dtype::PyDType;
    #[pymodule_export]
    use crate::layout::_rebuild_layout;
    #[pymodule_export]
    use crate::memory_resource::PyMemoryResource;
    #[pymodule_export]
    use crate::stream::{PyEvent, PyStream};
    #[pymodule_export]
    use crate::tensor_map::PyTensorMap;
    #[pymodule_export]
    use crate::view::{
        _rebuild_view, PyCopyExplanation, copy, empty_like, explain_copy, release_staging,
        to_device, to_host,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::report_release_errors();
        crate::layout::add_class(module)?;
        crate::view::add_class(module)
    }
}
