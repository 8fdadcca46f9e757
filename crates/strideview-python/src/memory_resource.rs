//! The Python class `MemoryResource`.
#![forbid(unsafe_code)]

use std::sync::Arc;

use pyo3::prelude::*;
use strideview::{Buffer, MemoryResource};

use crate::buffer::PyBuffer;
use crate::convert::size;
use crate::errors::OrRaise;
use crate::stream::stream_token;

/// Where buffers come from and go back to.
///
/// Given by ``Device.memory_resource`` and ``Buffer.memory_resource``.
///
/// Examples
/// --------
/// >>> resource = Device("cpu").memory_resource
/// >>> resource.allocate(64).size, resource.is_host_accessible
/// (64, True)
#[pyclass(frozen, module = "strideview", name = "MemoryResource", weakref)]
pub(crate) struct PyMemoryResource(pub(crate) Arc<dyn MemoryResource>);

#[pymethods]
impl PyMemoryResource {
    /// A new buffer of ``size`` bytes, in the order of a stream for memory of a GPU.
    #[pyo3(signature = (size, stream=None))]
    fn allocate(
        &self,
        py: Python<'_>,
        size: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyBuffer> {
        let (size, stream) = (self::size(size)?, stream_token(stream)?);
        let buffer = py.detach(|| Buffer::allocate(&self.0, size, stream)).or_raise()?;
        Ok(PyBuffer::new(buffer, None))
    }

    /// Ordinal of the GPU; -1 for memory only the host can reach.
    #[getter]
    fn device_id(&self) -> i32 {
        self.0.access().device_id
    }

    /// True iff the host can reach the memory.
    #[getter]
    fn is_host_accessible(&self) -> bool {
        self.0.access().host
    }

    /// True iff a GPU can reach the memory.
    #[getter]
    fn is_device_accessible(&self) -> bool {
        self.0.access().device
    }
}
