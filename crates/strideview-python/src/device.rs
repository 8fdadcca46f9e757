//! The Python class `Device`.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::PyString;
use strideview::{Device, cuda};

use crate::buffer::PyBuffer;
use crate::convert::{integer, size};
use crate::errors::{OrRaise, expected, value_error};
use crate::memory_resource::PyMemoryResource;
use crate::stream::{Ordered, PyStream};

/// Where to allocate: the host, ``Device("cpu")``, or a GPU by its ordinal.
///
/// Examples
/// --------
/// >>> Device("cpu").allocate(64).size
/// 64
#[pyclass(frozen, eq, hash, module = "strideview", name = "Device")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyDevice(Device);

impl PyDevice {
    /// A device by its name: an ordinal, or "cpu".
    fn of_name(device: &Bound<'_, PyAny>) -> PyResult<Device> {
        let Ok(name) = device.cast::<PyString>() else {
            let ordinal = i32::try_from(integer(device)?)
                .ok()
                .filter(|&ordinal| ordinal >= 0)
                .ok_or_else(|| value_error(format!("expected an ordinal from 0, got {device}")))?;
            return Device::cuda(ordinal).or_raise();
        };
        match name.to_cow()?.as_ref() {
            "cpu" => Ok(Device::cpu()),
            other => Err(value_error(format!("expected \"cpu\" or an ordinal, got {other:?}"))),
        }
    }

    /// A device argument: a `Device`, or its name.
    pub(crate) fn of_argument(device: &Bound<'_, PyAny>) -> PyResult<Device> {
        match device.cast::<Self>() {
            Ok(device) => Ok(device.get().0),
            Err(_) => Self::of_name(device),
        }
    }

    /// The GPU, or an error for the host.
    fn gpu(&self) -> PyResult<cuda::Device> {
        match self.0 {
            Device::Cuda(ordinal) => cuda::Device::new(ordinal).or_raise(),
            _ => Err(value_error("expected a GPU, got the host, which has no streams".to_owned())),
        }
    }
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (device, /))]
    fn named(device: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of_name(device).map(Self)
    }

    /// How many GPUs there are; 0 without a driver.
    #[staticmethod]
    fn count() -> i32 {
        cuda::Device::count().unwrap_or(0)
    }

    /// The ordinal of a GPU; -1 for the host.
    #[getter]
    fn device_id(&self) -> i32 {
        self.0.ordinal()
    }

    /// What the device is called.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.0.name().or_raise()
    }

    /// Makes this the device of the calling thread; for the host there is nothing to do.
    fn set_current(&self) -> PyResult<()> {
        self.0.set_current().or_raise()
    }

    /// Waits until all work of the device is done; for the host there is nothing to do.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.synchronize()).or_raise()
    }

    /// Waits until all work of the device is done: another name for ``synchronize``.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.synchronize(py)
    }

    /// A new stream of a GPU, which does not wait for the legacy default stream.
    fn create_stream(&self) -> PyResult<PyStream> {
        self.gpu()?.create_stream().or_raise().map(PyStream)
    }

    /// The legacy default stream of a GPU.
    #[getter]
    fn default_stream(&self) -> PyResult<PyStream> {
        self.gpu()?.default_stream().or_raise().map(PyStream)
    }

    /// What ``allocate`` takes memory from.
    #[getter]
    fn memory_resource(&self) -> PyResult<PyMemoryResource> {
        self.0.memory_resource().or_raise().map(PyMemoryResource::new)
    }

    /// A new resource of pinned memory of the host, which GPUs reach and copy fastest; its memory is
    /// zeroed. Pinning is slow: allocate once, and keep it.
    ///
    /// Raises
    /// ------
    /// RuntimeError
    ///     There is no CUDA, or this is the host itself.
    #[getter]
    fn pinned_memory_resource(&self) -> PyResult<PyMemoryResource> {
        self.0.pinned_memory_resource().or_raise().map(PyMemoryResource::new)
    }

    /// A new resource of managed memory, which CUDA moves between the host and this GPU.
    ///
    /// Raises
    /// ------
    /// RuntimeError
    ///     There is no CUDA, or this is the host itself.
    #[getter]
    fn managed_memory_resource(&self) -> PyResult<PyMemoryResource> {
        self.0.managed_memory_resource().or_raise().map(PyMemoryResource::new)
    }

    /// A new buffer of ``size`` bytes.
    ///
    /// On the host it is aligned to 64 and zeroed; on a GPU it comes from the stream-ordered pool, in
    /// the order of ``stream`` or of the default stream, and its bytes are not set.
    ///
    /// Raises
    /// ------
    /// MemoryError
    ///     There is not enough memory.
    #[pyo3(signature = (size, stream=None))]
    fn allocate(
        &self,
        py: Python<'_>,
        size: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyBuffer> {
        let size = self::size(size)?;
        let device = self.0;
        if let (Device::Cpu, Some(stream)) = (device, stream) {
            return Err(expected("no stream for memory of the host", stream));
        }
        let stream = Ordered::on(stream)?;
        let allocate = || device.allocate_on(size, stream.token());
        let buffer = py.detach(allocate).or_raise()?;
        Ok(PyBuffer::new(buffer))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            Device::Cpu => "Device(\"cpu\")".to_owned(),
            other => format!("Device({})", other.ordinal()),
        }
    }
}
