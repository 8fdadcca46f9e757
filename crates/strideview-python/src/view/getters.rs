//! The properties of `StridedMemoryView`.
#![allow(non_snake_case, reason = "the property T is named as NumPy does")]

use pyo3::prelude::*;

use super::object::ViewObject;
use crate::array_interface;
use crate::layout::new_layout;
use crate::raw::result::{IntoRaw, Tuple};
use crate::raw::table::getters;

getters! { ViewObject, this:
    /// Address of index (0, ..., 0); 0 when the buffer is closed.
    ptr => Ok(this.view.address());

    /// Extents, in elements.
    shape => this.beside.shape.get(|| Tuple(this.view.shape()).into_raw());

    /// Strides, in elements.
    strides => this.beside.strides.get(|| Tuple(this.view.layout().strides()).into_raw());

    /// The layout, as a map from indices to element offsets from ``ptr``.
    layout => this.beside.layout.get(|| Python::attach(|py| {
        new_layout(py, this.view.layout().clone())?.into_raw()
    }));

    /// The dtype: a ``numpy.dtype`` when NumPy is installed and has it, otherwise a ``DType``.
    ///
    /// None when the view is untyped.
    dtype => match this.view.dtype() {
        None => ().into_raw(),
        Some(dtype) => this.beside.dtype.get(|| Python::attach(|py| {
            crate::dtype::to_python(py, dtype)?.into_bound(py).into_raw()
        })),
    };

    /// Bytes of one element.
    itemsize => Ok(this.view.itemsize());

    /// Number of elements.
    size => Ok(this.view.volume());

    /// Bytes of all elements together; gaps do not count.
    nbytes => Ok(this.view.nbytes());

    /// Number of axes.
    ndim => Ok(this.view.rank());

    /// Ordinal of the GPU that the memory belongs to; -1 for memory only the host can reach.
    device_id => Ok(i64::from(this.view.device_id()));

    /// True iff a GPU can reach the memory at this address.
    is_device_accessible => Ok(this.view.access().device);

    /// True iff the host can reach the memory.
    is_host_accessible => Ok(this.view.access().host);

    /// True iff the view must not be written through.
    readonly => Ok(this.view.readonly());

    /// The object that the memory came from.
    exporting_obj => Python::attach(|py| {
        this.beside.exporting_obj.get(py).map(|object| object.to_owned()).into_raw()
    });

    /// NumPy's array interface, version 3; no such attribute where the host cannot reach the memory.
    ///
    /// Where a device reaches the memory too, the host waits for the stream of this view first.
    ///
    /// Whoever reads the address must keep this view. Unlike a Python buffer or a DLPack tensor it
    /// does not keep the ``Buffer`` below from being closed, since nobody says when it is no longer
    /// used. ``numpy.asarray`` takes the buffer protocol where the dtype has a format in it.
    ///
    /// Examples
    /// --------
    /// >>> view = StridedMemoryView(numpy.zeros((2, 3), "float32"), -1)
    /// >>> view.__array_interface__["strides"], view.T.__array_interface__["strides"]
    /// (None, (4, 12))
    __array_interface__ => Python::attach(|py| {
        array_interface::of_host(py, &this.view, this.beside.stream)?.into_raw()
    });

    /// The CUDA Array Interface, version 3; no such attribute where no device can reach the memory.
    ///
    /// Its stream is the one that the data are being made on, None when none is known. Whoever reads
    /// the address must keep this view, and the ``Buffer`` below open.
    __cuda_array_interface__ => Python::attach(|py| {
        array_interface::of_device(py, &this.view, this.beside.stream)?.into_raw()
    });

    /// The axes in reverse order.
    T => this.derived(this.view.reversed_axes());
}
