//! The Python class `MemoryResource`.
use std::sync::Arc;

use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use strideview::cuda::Stream;
use strideview::{Access, Buffer, MemoryResource};

mod python_resource;

use python_resource::PythonResource;

use crate::buffer::PyBuffer;
use crate::convert::{integer, size};
use crate::errors::{OrRaise, expected};
use crate::stream::Ordered;

/// Where buffers come from and go back to.
///
/// Given by ``Device.memory_resource`` and ``Buffer.memory_resource``, or written in Python: a class
/// derived from this one defines ``allocate``, ``deallocate``, ``is_host_accessible``,
/// ``is_device_accessible`` and, for memory of a GPU, ``device_id``. Its ``allocate`` returns
/// ``Buffer.from_handle(ptr, size, mr=self)``, and its ``deallocate`` is called once for that buffer.
///
/// Examples
/// --------
/// >>> resource = Device("cpu").memory_resource
/// >>> resource.allocate(64).size, resource.is_host_accessible
/// (64, True)
#[pyclass(frozen, subclass, module = "strideview", name = "MemoryResource", weakref)]
pub(crate) struct PyMemoryResource(Option<Arc<dyn MemoryResource>>);

impl PyMemoryResource {
    /// A resource of this package.
    pub(crate) fn new(resource: Arc<dyn MemoryResource>) -> Self {
        Self(Some(resource))
    }

    /// The resource behind the object; none for one that is written in Python.
    pub(crate) fn native(&self) -> Option<&Arc<dyn MemoryResource>> {
        self.0.as_ref()
    }

    fn access(&self, name: &str) -> PyResult<Access> {
        self.0.as_ref().map(|resource| resource.access()).ok_or_else(|| not_defined(name))
    }
}

fn not_defined(name: &str) -> PyErr {
    PyNotImplementedError::new_err(format!("a memory resource written in Python defines {name}"))
}

/// Who can reach the memory of a resource that is written in Python, as it says.
pub(crate) fn access_of(resource: &Bound<'_, PyAny>) -> PyResult<Access> {
    let py = resource.py();
    let says = |name| resource.getattr(name)?.is_truthy();
    let host = says(intern!(py, "is_host_accessible"))?;
    if !says(intern!(py, "is_device_accessible"))? {
        return Ok(if host { Access::host() } else { Access::NONE });
    }
    let device_id = integer(&resource.getattr(intern!(py, "device_id"))?)?;
    let device_id = i32::try_from(device_id).ok().filter(|&ordinal| ordinal >= 0);
    let device_id = device_id.ok_or_else(|| {
        PyValueError::new_err("expected the ordinal of a GPU as device_id of its memory resource")
    })?;
    Ok(if host { Access::pinned(device_id) } else { Access::device(device_id) })
}

/// A new buffer of a resource, whoever has written it.
pub(crate) fn allocated<'py>(
    resource: &Bound<'py, PyAny>,
    size: usize,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBuffer>> {
    let py = resource.py();
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "stream"), stream)?;
    let buffer = resource.call_method(intern!(py, "allocate"), (size,), Some(&keywords))?;
    let buffer = buffer.cast_into::<PyBuffer>();
    buffer.map_err(|error| expected("a Buffer from allocate", &error.into_inner()))
}

/// A resource as copies take it, whoever has written it.
pub(crate) enum Temporaries {
    Native(Arc<dyn MemoryResource>),
    Python(Arc<PythonResource>, Arc<dyn MemoryResource>),
}

impl Temporaries {
    pub(crate) fn of(argument: &Bound<'_, PyAny>) -> PyResult<Self> {
        let resource = argument
            .cast::<PyMemoryResource>()
            .map_err(|_| expected("a MemoryResource as allocator", argument))?;
        if let Some(native) = resource.get().native() {
            return Ok(Self::Native(Arc::clone(native)));
        }
        let python = Arc::new(PythonResource::new(argument)?);
        Ok(Self::Python(Arc::clone(&python), python))
    }

    pub(crate) fn resource(&self) -> &Arc<dyn MemoryResource> {
        match self {
            Self::Native(resource) | Self::Python(_, resource) => resource,
        }
    }

    /// Keeps the stream of a copy as long as temporaries of it are there.
    pub(crate) fn keep(&self, stream: &Stream) {
        // Those of this package find the streams that they are given themselves.
        if let Self::Python(resource, _) = self {
            resource.keep(stream.clone());
        }
    }

    /// What it raised since it was made.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        match self {
            Self::Native(_) => None,
            Self::Python(resource, _) => resource.raised(),
        }
    }
}

#[pymethods]
impl PyMemoryResource {
    #[new]
    #[classmethod]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn derived(
        cls: &Bound<'_, PyType>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if cls.is(cls.py().get_type::<Self>()) {
            return Err(PyTypeError::new_err(
                "expected a class derived from MemoryResource, or Device.memory_resource",
            ));
        }
        Ok(Self(None))
    }

    /// A new buffer of ``size`` bytes, in the order of a stream for memory of a GPU.
    #[pyo3(signature = (size, stream=None))]
    fn allocate(
        &self,
        py: Python<'_>,
        size: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyBuffer> {
        let resource = self.native().ok_or_else(|| not_defined("allocate"))?;
        let (size, stream) = (self::size(size)?, Ordered::on(stream)?);
        let allocate = || Buffer::allocate(resource, size, stream.token());
        let buffer = py.detach(allocate).or_raise()?;
        Ok(PyBuffer::new(buffer))
    }

    /// Takes memory back: defined by resources written in Python, and called once for each buffer,
    /// on any thread.
    ///
    /// What it raises comes out of ``Buffer.close``, or goes to ``sys.unraisablehook`` when the last
    /// reference to the buffer goes. Buffers of other resources give their memory back themselves.
    ///
    /// Parameters
    /// ----------
    /// ptr, size : int
    ///     As they were given to ``Buffer.from_handle``.
    /// stream : stream, optional
    ///     As it was given to ``Buffer.close`` or, without one, to ``Buffer.from_handle``. For a temporary
    ///     of a copy on a GPU, the stream of the copy, which may not be done.
    #[pyo3(signature = (ptr, size, stream=None))]
    fn deallocate(
        &self,
        ptr: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let _ = (ptr, size, stream);
        Err(match self.native() {
            None => not_defined("deallocate"),
            Some(_) => PyNotImplementedError::new_err(
                "buffers of this memory resource give their memory back themselves: close them",
            ),
        })
    }

    /// Ordinal of the GPU; -1 for memory only the host can reach.
    #[getter]
    fn device_id(&self) -> PyResult<i32> {
        Ok(self.access("device_id")?.device_id)
    }

    /// True iff the host can reach the memory.
    #[getter]
    fn is_host_accessible(&self) -> PyResult<bool> {
        Ok(self.access("is_host_accessible")?.host)
    }

    /// True iff a GPU can reach the memory.
    #[getter]
    fn is_device_accessible(&self) -> PyResult<bool> {
        Ok(self.access("is_device_accessible")?.device)
    }
}
