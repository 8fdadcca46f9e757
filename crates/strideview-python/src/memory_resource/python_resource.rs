//! A resource that is written in Python, as Rust takes one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use strideview::cuda::{Device, Stream};
use strideview::{Access, Lease, MemoryError, MemoryResource, StreamToken};

use super::{access_of, allocated};
use crate::deallocation::closed_on;
use crate::errors::{OrRaise, value_error};
use crate::owner::PyOwner;
use crate::stream::PyStream;

/// The object, and the buffers that it gave and has not been given back. One is made for each copy.
pub(crate) struct PythonResource {
    resource: PyOwner,
    access: Access,
    /// The stream of the copy, which lives as long as its temporaries.
    stream: OnceLock<Stream>,
    given: Mutex<HashMap<usize, Lease>>,
    raised: Mutex<Option<PyErr>>,
}

impl PythonResource {
    pub(super) fn new(resource: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (resource, access) = (PyOwner::new(resource), access_of(resource)?);
        let (stream, given, raised) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Ok(Self { resource, access, stream, given, raised })
    }

    /// Keeps the stream that temporaries are to be ordered on; the first one is kept.
    pub(super) fn keep(&self, stream: Stream) {
        let _ = self.stream.set(stream);
    }

    pub(super) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn given(&self) -> MutexGuard<'_, HashMap<usize, Lease>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A buffer that holds what was asked for, which nobody can close.
    fn ask(&self, py: Python<'_>, size: usize, stream: StreamToken) -> PyResult<Lease> {
        let stream = self.stream(py, stream)?;
        let stream = stream.as_ref().map(|stream| stream.as_any());
        let released = || PyRuntimeError::new_err("the memory resource is gone");
        let resource = self.resource.object(py).ok_or_else(released)?;
        let buffer = allocated(resource.bind(py), size, stream)?;
        let lease = buffer.get().buffer().lease().or_raise()?;
        let (got, access) = (lease.len_bytes(), lease.buffer().access());
        if got < size {
            return Err(value_error(format!(
                "expected a Buffer of at least {size} bytes from allocate, got {got} bytes"
            )));
        }
        if !reaches(access, self.access) {
            return Err(value_error(format!(
                "expected a Buffer of {} from allocate, as the resource says, got {}",
                described(self.access),
                described(access)
            )));
        }
        Ok(lease)
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
        let is_kept = |kept: &&Stream| kept.token() == token && kept.device() == device;
        let stream = match self.stream.get().filter(is_kept) {
            Some(kept) => kept.clone(),
            // SAFETY: the contract of tokens: the stream is alive; who keeps the object longer than the
            // call keeps what they were not given.
            None => unsafe { Stream::from_handle(token.raw(), Some(device), None) }.or_raise()?,
        };
        Bound::new(py, PyStream(stream)).map(Some)
    }

    /// Notes a buffer, unless its memory is that of one which is in use.
    fn note(&self, lease: Lease) -> PyResult<*mut u8> {
        let address = lease.as_ptr();
        let mut given = self.given();
        if given.contains_key(&address.addr()) {
            // Dropping the lease may run foreign code.
            drop(given);
            return Err(value_error(format!(
                "expected a Buffer of memory that is not in use from allocate, got {:#x} again",
                address.addr()
            )));
        }
        given.insert(address.addr(), lease);
        Ok(address)
    }
}

/// Whether memory is reached by all that the wanted memory is reached by, at any time.
fn reaches(got: Access, wanted: Access) -> bool {
    (got.host || !wanted.host)
        && (!wanted.device || (got.device && got.device_id == wanted.device_id))
        && (wanted.managed || !got.managed)
}

/// The kind of memory, for a message.
fn described(access: Access) -> String {
    let id = access.device_id;
    match (access.host, access.device) {
        _ if access.managed => format!("managed memory of device {id}"),
        (true, true) => format!("memory of the host that device {id} reaches"),
        (true, false) => "memory of the host".to_owned(),
        (false, true) => format!("memory of device {id}"),
        (false, false) => "memory that nobody reaches".to_owned(),
    }
}

// SAFETY: (1) the buffer is leased until it is given back, so its span stays there, and no two have the
// same; (2) buffers see to it; (3) as the buffer says, which was checked; (4) the interpreter is attached
// to for both calls.
unsafe impl MemoryResource for PythonResource {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        let refused = MemoryError::Resource { call: "allocate", status: -1 };
        let asked = Python::try_attach(|py| {
            self.ask(py, size_in_bytes, stream).and_then(|lease| self.note(lease))
        });
        asked.ok_or(refused)?.map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            refused
        })
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        _size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError> {
        let lease = self.given().remove(&address.addr());
        let Some(lease) = lease else { return Ok(()) };
        let buffer = lease.buffer().clone();
        drop(lease);
        let object = Python::try_attach(|py| {
            self.stream(py, stream).ok().flatten().map(|object| object.into_any().unbind())
        });
        closed_on(object.flatten(), || buffer.close(stream))
    }

    fn access(&self) -> Access {
        self.access
    }
}
