//! Views of NumPy arrays.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use strideview::StridedMemoryView;

use crate::array_interface::{self, Tensor};
use crate::dtype;
use crate::raw::numpy;

/// The size of the largest number that NumPy and DLPack agree about; wider ones are padded.
const MOST_BYTES: usize = 16;

/// A view of an object that is exactly a `numpy.ndarray`, of a dtype that NumPy's DLPack would export. None
/// where its protocols have to say what they make of it.
#[inline]
pub(crate) fn view(array: &Bound<'_, PyAny>, readonly: Option<bool>) -> Option<StridedMemoryView> {
    let parts = numpy::parts(array)?;
    let dtype = dtype::of_numpy(&parts.dtype)
        .filter(|dtype| dtype.itemsize_bytes() < MOST_BYTES || *dtype == strideview::DType::C128)?;
    let tensor = Tensor { shape: parts.shape, strides: Some(parts.strides), dtype };
    let readonly = parts.readonly || readonly == Some(true);
    array_interface::of_host_memory(array, &tensor, parts.address, readonly).ok()
}
