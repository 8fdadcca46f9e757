//! The Python class `TensorMap`, and the arguments that it is made of.

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use strideview::cuda::{
    TensorMapFill, TensorMapInterleave, TensorMapL2Promotion, TensorMapModes, TensorMapSwizzle,
    TensorMapType,
};
use strideview::{Device, Dims, StridedMemoryView, TensorMap, TensorMapOptions};

use crate::buffer_protocol;
use crate::convert::{integer, integers};
use crate::errors::OrRaise;

/// A descriptor of a view for the Tensor Memory Accelerator; see ``StridedMemoryView.as_tensor_map``.
///
/// It is 128 bytes at an address that is a multiple of 64, which a kernel takes by value, as a
/// ``const __grid_constant__ CUtensorMap``. ``ptr`` is where they are, and the buffer protocol gives
/// them: ``bytes(tensor_map)``. While it lives the buffer of the view cannot be closed, so keep it until
/// the kernels that got it are done.
#[pyclass(frozen, module = "strideview", name = "TensorMap", weakref)]
pub(crate) struct PyTensorMap {
    /// On the heap: Python's objects are aligned to 16 bytes, and a descriptor to 64.
    map: Box<TensorMap>,
    /// The descriptor in memory that the buffer protocol can give out: aligned to 64, never written.
    bytes: StridedMemoryView,
}

impl PyTensorMap {
    fn new(map: TensorMap) -> Result<Self, strideview::Error> {
        let descriptor = StridedMemoryView::from_vec(map.as_bytes().to_vec(), &[128])?;
        let bytes = strideview::to_device(&descriptor, Device::cpu(), Default::default())?;
        Ok(Self { map: Box::new(map), bytes: bytes.as_readonly() })
    }
}

#[pymethods]
impl PyTensorMap {
    /// Address of the descriptor on the host, a multiple of 64.
    #[getter]
    fn ptr(&self) -> usize {
        self.bytes.address()
    }

    /// As ``ptr``: what cuda.bindings asks objects for that it passes to a kernel by value.
    #[pyo3(name = "getPtr")]
    fn get_ptr(&self) -> usize {
        self.ptr()
    }

    /// The axis of the view that each axis of the descriptor is, innermost first: the order in which a
    /// kernel gives coordinates, and in which a box lies in shared memory.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.map.axes())
    }

    /// Extents of a box, in the order of ``axes``.
    #[getter]
    fn box_dim<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.map.box_extents())
    }

    /// Bytes that a box takes in shared memory, which a barrier waits for.
    #[getter]
    fn box_nbytes(&self) -> i64 {
        self.map.box_bytes()
    }

    /// What an element is to the accelerator, such as "float32".
    #[getter]
    fn data_type(&self) -> &'static str {
        self.map.data_type().name()
    }

    /// Ordinal of the GPU whose kernels may use it.
    #[getter]
    fn device_id(&self) -> i32 {
        self.map.device().ordinal()
    }

    fn __repr__(&self) -> String {
        let (kind, boxes, axes) = (self.data_type(), self.map.box_extents(), self.map.axes());
        format!(
            "<TensorMap {kind}, boxes of {boxes:?}, axes {axes:?}, device {}>",
            self.device_id()
        )
    }

    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        // SAFETY: the interpreter gives a place to fill, and releases it by `__releasebuffer__`.
        unsafe { buffer_protocol::export(slf.as_any(), &slf.get().bytes, -1, view, flags) }
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `view` was filled by `__getbuffer__` of this class.
        unsafe { buffer_protocol::release(view) };
    }
}

/// The arguments of `as_tensor_map` beside the box; each may be left out.
pub(crate) struct Arguments<'a, 'py> {
    pub(crate) element_strides: Option<&'a Bound<'py, PyAny>>,
    pub(crate) data_type: Option<&'a Bound<'py, PyAny>>,
    pub(crate) interleave: Option<&'a Bound<'py, PyAny>>,
    pub(crate) swizzle: Option<&'a Bound<'py, PyAny>>,
    pub(crate) l2_promotion: Option<&'a Bound<'py, PyAny>>,
    pub(crate) oob_fill: Option<&'a Bound<'py, PyAny>>,
}

/// The descriptor of a view.
pub(crate) fn of_view<'py>(
    view: &StridedMemoryView,
    box_dim: &Bound<'py, PyAny>,
    arguments: &Arguments<'_, 'py>,
) -> PyResult<Bound<'py, PyTensorMap>> {
    let box_extents = integers(box_dim)?;
    let element_strides: Option<Dims> = arguments.element_strides.map(integers).transpose()?;
    let options = TensorMapOptions {
        element_strides: element_strides.as_deref(),
        data_type: arguments.data_type.map(data_type).transpose()?,
        modes: arguments.modes()?,
    };
    let map = view.as_tensor_map(&box_extents, options).or_raise()?;
    Bound::new(box_dim.py(), PyTensorMap::new(map).or_raise()?)
}

impl Arguments<'_, '_> {
    fn modes(&self) -> PyResult<TensorMapModes> {
        let plain = TensorMapModes::default();
        Ok(TensorMapModes {
            interleave: named(
                "interleave",
                self.interleave,
                (plain.interleave, TensorMapInterleave::ALL),
                (TensorMapInterleave::name, TensorMapInterleave::number),
            )?,
            swizzle: named(
                "swizzle",
                self.swizzle,
                (plain.swizzle, TensorMapSwizzle::ALL),
                (TensorMapSwizzle::name, TensorMapSwizzle::number),
            )?,
            l2_promotion: named(
                "l2_promotion",
                self.l2_promotion,
                (plain.l2_promotion, TensorMapL2Promotion::ALL),
                (TensorMapL2Promotion::name, TensorMapL2Promotion::number),
            )?,
            fill: named(
                "oob_fill",
                self.oob_fill,
                (plain.fill, TensorMapFill::ALL),
                (TensorMapFill::name, TensorMapFill::number),
            )?,
        })
    }
}

fn data_type(argument: &Bound<'_, PyAny>) -> PyResult<TensorMapType> {
    let (first, all) = (TensorMapType::Uint8, TensorMapType::ALL);
    named("data_type", Some(argument), (first, all), (TensorMapType::name, TensorMapType::number))
}

/// What an option is called, and its number.
type Known<T> = (fn(T) -> &'static str, fn(T) -> i32);

/// One of a list by its name, or by the number that the driver gives it, as the enumerations of
/// cuda.core and cuda.bindings are; the default where it is left out.
fn named<T: Copy>(
    what: &str,
    argument: Option<&Bound<'_, PyAny>>,
    (default, all): (T, &[T]),
    (name, number): Known<T>,
) -> PyResult<T> {
    let Some(argument) = argument else { return Ok(default) };
    let mut all = all.iter().copied();
    let found = match argument.cast::<PyString>() {
        Ok(text) => {
            let text = text.to_cow()?;
            all.clone().find(|each| name(*each) == text)
        }
        Err(_) => {
            let wanted = integer(argument)?;
            all.clone().find(|each| i64::from(number(*each)) == wanted)
        }
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = all.by_ref().map(name).collect();
        let got = argument.repr().map_or_else(|_| "another".to_owned(), |text| text.to_string());
        PyValueError::new_err(format!("expected {what} to be one of {names:?}, got {got}"))
    })
}
