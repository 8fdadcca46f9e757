//! What a copy would do, as an object that prints and draws itself.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use strideview::StridedLayout;

use super::transfer::view_of;
use crate::errors::OrRaise;

/// What a copy would do, planned and not done; see ``explain_copy``.
///
/// ``str()`` is the plan, a line for each fact; a notebook shows both layouts beside it.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> a = numpy.zeros((2, 3), "float32")
/// >>> plan = strideview.explain_copy(a, numpy.zeros((3, 2), "float32").T)
/// >>> plan.kernel, plan.bytes, plan.run_bytes
/// ('transposed', 24, 4)
#[pyclass(frozen, module = "strideview", name = "CopyPlan")]
pub(crate) struct PyCopyPlan {
    plan: strideview::CopyPlan,
    /// What a device does, if one is to do it.
    on_device: Option<String>,
    dst: StridedLayout,
    src: StridedLayout,
}

#[pymethods]
impl PyCopyPlan {
    /// What the copy comes down to: "nothing", "contiguous", "runs", "strided" or "transposed".
    #[getter]
    fn kernel(&self) -> String {
        self.plan.kernel().to_string()
    }

    /// Bytes to move: the number of elements times the itemsize.
    #[getter]
    fn bytes(&self) -> i64 {
        self.plan.bytes()
    }

    /// Bytes that lie together on both sides; 0 iff there is nothing to move.
    #[getter]
    fn run_bytes(&self) -> i64 {
        self.plan.run_bytes()
    }

    /// The axes to walk, from the outermost: extent, and stride in bytes of destination and source.
    #[getter]
    fn axes(&self) -> Vec<(i64, i64, i64)> {
        let axes = self.plan.axes().iter();
        axes.map(|axis| (axis.extent, axis.dst_stride, axis.src_stride)).collect()
    }

    /// What the device that does the copy does, in words; None on the host.
    #[getter]
    fn on_device(&self) -> Option<&str> {
        self.on_device.as_deref()
    }

    fn __str__(&self) -> String {
        match &self.on_device {
            Some(on_device) => format!("{}\non the device: {on_device}", self.plan),
            None => self.plan.to_string(),
        }
    }

    fn __repr__(&self) -> String {
        let (kernel, bytes) = (self.plan.kernel(), self.plan.bytes());
        format!("<CopyPlan {kernel}, {bytes} bytes, from {} to {}>", self.src, self.dst)
    }

    /// Both layouts side by side, and the plan, for notebooks.
    fn _repr_html_(&self) -> String {
        format!(
            "<div><div style=\"display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start\">\
             {}{}</div><pre>{}</pre></div>",
            self.src.to_svg("source"),
            self.dst.to_svg("destination"),
            self.__str__(), // numbers and names of kernels, with nothing to escape
        )
    }
}

/// What a copy would do: axes, kernel and bytes, with a picture of both layouts.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> a = numpy.zeros((2, 3), "float32")
/// >>> print(strideview.explain_copy(a, a.copy()))
/// kernel: contiguous, runs of 24 bytes
/// axes: none
/// first run: destination 0, source 0
/// bytes to move: 24
#[pyfunction]
pub(crate) fn explain_copy(dst: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>) -> PyResult<PyCopyPlan> {
    let (dst, src) = (view_of(dst)?, view_of(src)?);
    let plan = strideview::explain_copy(dst.get(), src.get()).or_raise()?;
    let on_device = strideview::explain_copy_on_device(dst.get(), src.get()).or_raise()?;
    let on_device = on_device.map(|plan| plan.to_string());
    let layout = |view: &strideview::StridedMemoryView| view.layout().clone();
    Ok(PyCopyPlan { plan, on_device, dst: layout(dst.get()), src: layout(src.get()) })
}
