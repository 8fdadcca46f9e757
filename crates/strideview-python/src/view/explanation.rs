//! What a copy would do, as an object that prints and draws itself.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use strideview::{CopyExplanation, StridedLayout};

use super::transfer::{UNKNOWN, view_of};
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
#[pyclass(frozen, module = "strideview", name = "CopyExplanation")]
pub(crate) struct PyCopyExplanation {
    explanation: CopyExplanation,
    dst: StridedLayout,
    src: StridedLayout,
}

#[pymethods]
impl PyCopyExplanation {
    /// What the copy comes down to: "nothing", "contiguous", "runs", "strided" or "transposed".
    #[getter]
    fn kernel(&self) -> String {
        self.explanation.kernel().to_string()
    }

    /// Bytes to move: the number of elements times the itemsize.
    #[getter]
    fn bytes(&self) -> i64 {
        self.explanation.bytes()
    }

    /// Bytes that lie together on both sides; 0 iff there is nothing to move.
    #[getter]
    fn run_bytes(&self) -> i64 {
        self.explanation.plan().run_bytes()
    }

    /// The axes to walk, from the outermost: extent, and stride in bytes of destination and source.
    #[getter]
    fn axes(&self) -> Vec<(i64, i64, i64)> {
        let axes = self.explanation.plan().axes().iter();
        axes.map(|axis| (axis.extent, axis.dst_stride, axis.src_stride)).collect()
    }

    fn __str__(&self) -> String {
        self.explanation.to_string()
    }

    fn __repr__(&self) -> String {
        let (kernel, bytes) = (self.explanation.kernel(), self.explanation.bytes());
        format!("<CopyExplanation {kernel}, {bytes} bytes, from {} to {}>", self.src, self.dst)
    }

    /// Both layouts side by side, and the plan, for notebooks.
    fn _repr_html_(&self) -> String {
        format!(
            "<div><div style=\"display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start\">\
             {}{}</div><pre>{}</pre></div>",
            self.src.to_svg("source"),
            self.dst.to_svg("destination"),
            self.__str__().replace('&', "&amp;").replace('<', "&lt;"),
        )
    }
}

/// What a copy would do: axes, kernel and bytes, and who does it how, with a picture of both layouts.
///
/// Examples
/// --------
/// >>> import numpy, strideview
/// >>> a = numpy.zeros((2, 3), "float32")
/// >>> print(str(strideview.explain_copy(a, a.copy())).splitlines()[0])
/// kernel: contiguous, runs of 24 bytes
#[pyfunction]
pub(crate) fn explain_copy(
    dst: &Bound<'_, PyAny>,
    src: &Bound<'_, PyAny>,
) -> PyResult<PyCopyExplanation> {
    // Nothing is touched, so nothing is ordered.
    let unordered = UNKNOWN.into_pyobject(dst.py())?.into_any();
    let (dst, src) = (view_of(dst, &unordered)?, view_of(src, &unordered)?);
    let explanation = strideview::explain_copy(dst.get(), src.get()).or_raise()?;
    let layout = |view: &strideview::StridedMemoryView| view.layout().clone();
    Ok(PyCopyExplanation { explanation, dst: layout(dst.get()), src: layout(src.get()) })
}
