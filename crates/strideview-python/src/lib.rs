//! The Python package strideview: translates between Python and the Rust crate, decides nothing.

mod convert;
mod errors;
mod layout;

use pyo3::prelude::*;

/// The compiled part of strideview.
#[pymodule(gil_used = false)]
mod _strideview {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::layout::_rebuild_layout;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::layout::add_class(module)
    }
}
