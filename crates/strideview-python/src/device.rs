//! The Python classes `Device` and `MemoryResource`.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::PyString;
use strideview::Device;

use crate::buffer::PyBuffer;
use crate::convert::{integer, size};
use crate::errors::{OrRaise, expected, value_error};

/// Where to allocate: the host, ``Device("cpu")``, or a GPU by its ordinal.
///
/// Examples
/// --------
/// >>> Device("cpu").allocate(64).size
/// 64
#[pyclass(frozen, eq, hash, module = "strideview", name = "Device")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyDevice(Device);

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (device, /))]
    fn named(device: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(name) = device.cast::<PyString>() else {
            let ordinal = i32::try_from(integer(device)?)
                .ok()
                .filter(|&ordinal| ordinal >= 0)
                .ok_or_else(|| value_error(format!("expected an ordinal from 0, got {device}")))?;
            return Device::cuda(ordinal).or_raise().map(Self);
        };
        match name.to_cow()?.as_ref() {
            "cpu" => Ok(Self(Device::cpu())),
            other => Err(value_error(format!("expected \"cpu\" or an ordinal, got {other:?}"))),
        }
    }

    /// The ordinal of a GPU; -1 for the host.
    #[getter]
    fn device_id(&self) -> i32 {
        self.0.ordinal()
    }

    /// Makes this the device of the calling thread; for the host there is nothing to do.
    fn set_current(&self) -> PyResult<()> {
        self.0.set_current().or_raise()
    }

    /// A new buffer of ``size`` bytes, aligned to 64 and zeroed.
    ///
    /// Raises
    /// ------
    /// MemoryError
    ///     There is not enough memory.
    #[pyo3(signature = (size, stream=None))]
    fn allocate(
        &self,
        size: &Bound<'_, PyAny>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyBuffer> {
        if let Some(stream) = stream {
            return Err(expected("no stream for memory of the host", stream));
        }
        let size = self::size(size)?;
        let device = self.0;
        let buffer = Python::attach(|py| py.detach(|| device.allocate(size))).or_raise()?;
        Ok(PyBuffer::new(buffer, None))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            Device::Cpu => "Device(\"cpu\")".to_owned(),
            other => format!("Device({})", other.ordinal()),
        }
    }
}
