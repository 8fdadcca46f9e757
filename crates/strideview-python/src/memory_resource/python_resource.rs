//! A resource that is written in Python, as Rust takes one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use strideview::cuda::{Device, Stream};
use strideview::{Access, Buffer, MemoryError, MemoryResource, StreamToken};

use super::{access_of, allocated};
use crate::errors::OrRaise;
use crate::owner::PyOwner;
use crate::stream::PyStream;

/// The object, and the buffers that it gave and has not been given back.
pub(crate) struct PythonResource {
    resource: PyOwner,
    access: Access,
    given: Mutex<HashMap<usize, Buffer>>,
    raised: Mutex<Option<PyErr>>,
}

impl PythonResource {
    pub(super) fn new(resource: &Bound<'_, PyAny>) -> PyResult<Self> {
        let access = access_of(resource)?;
        let (given, raised) = (Mutex::default(), Mutex::default());
        Ok(Self { resource: PyOwner::new(resource), access, given, raised })
    }

    pub(super) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn ask(&self, py: Python<'_>, size: usize, stream: StreamToken) -> PyResult<Buffer> {
        let stream = self.stream(py, stream)?;
        let stream = stream.as_ref().map(|stream| stream.as_any());
        let released = || PyRuntimeError::new_err("the memory resource is gone");
        let resource = self.resource.object(py).ok_or_else(released)?;
        let buffer = allocated(resource.bind(py), size, stream)?;
        Ok(buffer.get().buffer().clone())
    }

    /// The stream as an object; none on the host.
    fn stream<'py>(
        &self,
        py: Python<'py>,
        token: StreamToken,
    ) -> PyResult<Option<Bound<'py, PyStream>>> {
        if token.is_none() || !self.access.device {
            return Ok(None);
        }
        let device = Device::new(self.access.device_id).or_raise()?;
        // SAFETY: the contract of tokens: the stream is alive; who keeps the object longer than the call
        // keeps what they were not given.
        let stream = unsafe { Stream::from_handle(token.raw(), Some(device), None) }.or_raise()?;
        Bound::new(py, PyStream(stream)).map(Some)
    }
}

// SAFETY: (1) the buffer is kept until it is given back, and its resource has promised the span to it;
// (2) buffers see to it; (3) as the object says, whose promise it is, as for every buffer of it; (4) the
// interpreter is attached to for both calls.
unsafe impl MemoryResource for PythonResource {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        let refused = MemoryError::Resource { call: "allocate", status: -1 };
        let asked = Python::try_attach(|py| self.ask(py, size_in_bytes, stream));
        let buffer = match asked.ok_or(refused)? {
            Ok(buffer) if buffer.len_bytes() >= size_in_bytes => buffer,
            Ok(_) => return Err(MemoryError::OutOfMemory { size_in_bytes }),
            Err(error) => {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                return Err(refused);
            }
        };
        let address = buffer.as_ptr();
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.insert(address.addr(), buffer);
        Ok(address)
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        _size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let buffer = given.remove(&address.addr());
        drop(given);
        buffer.map_or(Ok(()), |buffer| buffer.close(stream))
    }

    fn access(&self) -> Access {
        self.access
    }
}
