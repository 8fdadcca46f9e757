//! The methods of `StridedMemoryView`.

use pyo3::prelude::*;
use strideview::{DType, Device};

use super::object::ViewObject;
use super::pickle;
use super::transfer::{Arguments, copy_objects, moved};
use crate::convert::{axes, integer, integers, slices};
use crate::device::PyDevice;
use crate::errors::OrRaise;
use crate::layout::layout_of;
use crate::raw::call::Arg;
use crate::raw::instance::object_holding;
use crate::raw::result::IntoRaw;
use crate::raw::table::methods;
use crate::{dlpack, dtype, tensor_map};

/// An argument that may be left out, or be None for the same.
pub(super) fn optional<'a>(argument: Option<Arg<'a, 'a>>) -> Option<Arg<'a, 'a>> {
    argument.filter(|argument| !argument.is_none())
}

/// A dtype argument.
pub(super) fn dtype_argument(argument: Option<Arg<'_, '_>>) -> PyResult<Option<DType>> {
    optional(argument).map(|argument| dtype::from_python(&argument)).transpose()
}

/// The Python object of a view, for functions that take any object.
fn object<'py>(py: Python<'py>, this: &ViewObject) -> Bound<'py, PyAny> {
    // SAFETY: (1) the value of a view object is never anywhere else.
    let object = unsafe { object_holding(this) };
    // SAFETY: it comes from a reference, so the object is alive, and the GIL is held.
    unsafe { Bound::from_borrowed_ptr(py, object.as_ptr()) }
}

/// The interpreter, in a method, which is called with the GIL held.
fn attached<'py>() -> Python<'py> {
    // SAFETY: only methods call this.
    unsafe { Python::assume_attached() }
}

/// The arguments of a copy.
fn arguments<'a, 'py>(
    stream: &'a Option<Arg<'py, 'py>>,
    allocator: &'a Option<Arg<'py, 'py>>,
    blocking: &'a Option<Arg<'py, 'py>>,
) -> Arguments<'a, 'py> {
    Arguments {
        stream: stream.as_deref(),
        allocator: allocator.as_deref(),
        blocking: blocking.as_deref(),
    }
}

methods! { METHODS, ViewObject, this:
    /// The same memory by another layout, another dtype, or both.
    ///
    /// The layout counts from this view's first element and must lie inside the buffer. A dtype
    /// alone keeps the shape if the itemsizes agree, and packs or unpacks the last axis otherwise.
    ///
    /// Examples
    /// --------
    /// >>> view = StridedMemoryView(numpy.zeros((2, 4), "int32"), -1)
    /// >>> view.view(dtype="int64").shape, view.view(view.layout.reshaped(8)).shape
    /// ((2, 2), (8,))
    view(; layout, dtype;) "($self, layout=None, dtype=None)" => {
        let layout = optional(layout);
        let layout = layout.as_ref().map(|layout| layout_of(layout)).transpose()?;
        this.derived(this.view.view(layout, dtype_argument(dtype)?))
    };

    /// The bytes of a contiguous view, as a 1-D view of uint8.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros((2, 4), "int32"), -1).bytes_view().shape
    /// (32,)
    bytes_view(;;) "($self)" => this.derived(this.view.bytes_view());

    /// The view in another shape, where the strides allow it without a copy.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros((2, 6)), -1).reshape((3, -1)).shape
    /// (3, 4)
    reshape(shape;;) "($self, shape)" => this.derived(this.view.reshaped(&integers(&shape)?));

    /// The axes in another order.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros((2, 3, 4)), -1).permute((2, 0, 1)).shape
    /// (4, 2, 3)
    permute(axes;;) "($self, axes)" =>
        this.derived(this.view.permuted(&crate::convert::axes(&axes)?));

    /// Axes of extent 1 dropped: all, or the given ones.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros((1, 3)), -1).squeeze().shape
    /// (3,)
    squeeze(; axis;) "($self, axis=None)" => {
        let axes = optional(axis).map(|axis| axes(&axis)).transpose()?;
        this.derived(this.view.squeezed(axes.as_deref()))
    };

    /// Axes of extent 1 added at the given positions of the result.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros(3), -1).unsqueeze(0).shape
    /// (1, 3)
    unsqueeze(axis;;) "($self, axis)" => this.derived(this.view.unsqueezed(&axes(&axis)?));

    /// The view repeated to a larger shape by strides of 0.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.zeros(3), -1).broadcast_to((2, 3)).strides
    /// (0, 1)
    broadcast_to(shape;;) "($self, shape)" =>
        this.derived(this.view.broadcast_to(&integers(&shape)?));

    /// The part that an index selects: ints, slices, ``...``, None, or a tuple of them.
    __getitem__(index;;) "($self, index, /)" => this.derived(this.view.sliced(&slices(&index)?));

    /// Copies the elements of another view, or of anything a view can be made of, into this one.
    ///
    /// Shapes and dtypes must be equal; the source and this view may overlap.
    ///
    /// Parameters
    /// ----------
    /// src : StridedMemoryView or array
    /// stream, allocator, blocking
    ///     See ``strideview.copy``; copies on the host are done on return.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Shapes or dtypes differ, or this view is read-only or has several indices for an element.
    ///
    /// Examples
    /// --------
    /// >>> target = numpy.zeros((2, 3))
    /// >>> StridedMemoryView(target, -1).copy_from(numpy.arange(6.0).reshape(3, 2).T)
    /// >>> target.tolist()
    /// [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    copy_from(src; stream, allocator, blocking;)
    "($self, src, stream=None, allocator=None, blocking=None)" => {
        let (stream, allocator, blocking) = (optional(stream), optional(allocator), optional(blocking));
        let this = object(src.py(), this);
        copy_objects(&this, &src, arguments(&stream, &allocator, &blocking))
    };

    /// Copies the elements of this view into another; see ``copy_from``.
    copy_to(dst; stream, allocator, blocking;)
    "($self, dst, stream=None, allocator=None, blocking=None)" => {
        let (stream, allocator, blocking) = (optional(stream), optional(allocator), optional(blocking));
        let this = object(dst.py(), this);
        copy_objects(&dst, &this, arguments(&stream, &allocator, &blocking))
    };

    /// A new dense view on a GPU, or on the host, with these elements; see ``strideview.to_device``.
    ///
    /// Examples
    /// --------
    /// >>> StridedMemoryView(numpy.arange(6), -1)[::2].to_device("cpu").strides
    /// (1,)
    to_device(device; stream, blocking;) "($self, device, stream=None, blocking=None)" => {
        let (stream, blocking) = (optional(stream), optional(blocking));
        let this = object(device.py(), this);
        let device = PyDevice::of_argument(&device)?;
        moved(&this, device, arguments(&stream, &None, &blocking))?.into_raw()
    };

    /// A new dense view on the host with these elements; see ``strideview.to_host``.
    ///
    /// Examples
    /// --------
    /// >>> numpy.asarray(StridedMemoryView(numpy.arange(3), -1)[::-1].to_host()).tolist()
    /// [2, 1, 0]
    to_host(; stream, blocking;) "($self, stream=None, blocking=None)" => {
        let (stream, blocking) = (optional(stream), optional(blocking));
        let this = object(attached(), this);
        moved(&this, Device::cpu(), arguments(&stream, &None, &blocking))?.into_raw()
    };

    /// A descriptor of this view for the Tensor Memory Accelerator, by which kernels of GPUs since
    /// compute capability 9.0 copy boxes of it.
    ///
    /// The axes of the descriptor are those of the view: first the one whose elements lie side by side,
    /// then the others from the last to the first; ``TensorMap.axes`` says so. Of more than 5, those of
    /// extent 1 with a box of 1 are left out. Along the innermost axis boxes begin at whole 16 bytes, which
    /// the kernel sees to. Options are names, or numbers of the driver as the
    /// enumerations of cuda.core and cuda.bindings have them.
    ///
    /// Parameters
    /// ----------
    /// box_dim : sequence of int
    ///     How many elements a box spans, 1 to 256 for each axis of the view.
    /// element_strides : sequence of int, optional
    ///     Each how many of these are copied, 1 to 8 for each axis of the view.
    /// data_type : str or int, optional
    ///     What an element is; what the dtype says by default. "tfloat32" and "float32_ftz" round.
    /// interleave : "none", "16B" or "32B"
    /// swizzle : "none", "32B", "64B" or "128B"
    /// l2_promotion : "none", "64B", "128B" or "256B"
    /// oob_fill : "zero" or "nan"
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     The accelerator cannot copy such boxes: what it wanted, and what it got.
    /// BufferError
    ///     The memory is not that of a GPU.
    /// DeviceError
    ///     There is no driver, or the GPU is older. It is a RuntimeError.
    as_tensor_map(box_dim;; element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill)
    "($self, box_dim, *, element_strides=None, data_type=None, interleave=None, swizzle=None, \
     l2_promotion=None, oob_fill=None)" => {
        let [element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill] =
            [element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill].map(optional);
        let arguments = tensor_map::Arguments {
            element_strides: element_strides.as_deref(),
            data_type: data_type.as_deref(),
            interleave: interleave.as_deref(),
            swizzle: swizzle.as_deref(),
            l2_promotion: l2_promotion.as_deref(),
            oob_fill: oob_fill.as_deref(),
        };
        tensor_map::of_view(&this.view, &box_dim, &arguments)?.into_any().into_raw()
    };

    /// Makes the producer's stream wait for the stream that this view is used on.
    ///
    /// For a view through the CUDA Array Interface, whose producer may otherwise change the memory
    /// while it is still in use. Nothing to do where the producer named no stream.
    release_to_producer(;;) "($self)" => this.release_to_producer()?.into_raw();

    /// A DLPack capsule of this view.
    __dlpack__(;; stream, max_version, dl_device, copy)
    "($self, *, stream=None, max_version=None, dl_device=None, copy=None)" => {
        let wanted = dlpack::Wanted {
            stream: optional(stream),
            max_version: optional(max_version),
            dl_device: optional(dl_device),
            copy: optional(copy),
        };
        dlpack::requested(&this.view, this.beside.stream, wanted)
    };

    /// What pickle keeps of this view: dtype, shape, strides, read-only flag and the elements.
    ///
    /// With protocol 5 the elements of a view without gaps go out of band without a copy. Others are
    /// packed first; an element that strides of 0 repeat is sent once. Memory of a device is refused.
    ///
    /// Examples
    /// --------
    /// >>> import pickle
    /// >>> view = StridedMemoryView(numpy.arange(6).reshape(2, 3), -1)
    /// >>> again = pickle.loads(pickle.dumps(view.T))
    /// >>> again.shape, again.strides, numpy.asarray(again).tolist()
    /// ((3, 2), (1, 3), [[0, 3], [1, 4], [2, 5]])
    __reduce_ex__(protocol;;) "($self, protocol, /)" => {
        pickle::reduced(protocol.py(), &this.view, this.beside.stream, integer(&protocol)?)?.into_raw()
    };

    /// Another view of the same memory.
    __copy__(;;) "($self)" => this.derived(Ok(this.view.clone()));

    /// A view of a copy of the elements, on the host.
    __deepcopy__(memo;;) "($self, memo, /)" => {
        pickle::deep_copy(memo.py(), &this.view, this.beside.stream)?.into_raw()
    };

    /// DLPack's device type and id of the memory.
    __dlpack_device__(;;) "($self)" => {
        let (kind, id) = dlpack::device(&this.view)?;
        (i64::from(kind), i64::from(id)).into_raw()
    };
}

impl ViewObject {
    /// The printed form; never an exception.
    pub(super) fn repr(&self) -> String {
        let dtype = self.view.dtype().map_or("untyped".into(), |dtype| dtype.name());
        let mode = if self.view.readonly() { ", read-only" } else { "" };
        let place = match self.view.is_closed() {
            true => "closed".to_owned(),
            false => format!("at {:#x}", self.view.address()),
        };
        format!("<StridedMemoryView {} {dtype} {place}{mode}>", self.view.layout())
    }

    /// The view that an index selects.
    pub(super) fn item(
        &self,
        index: &Bound<'_, PyAny>,
    ) -> PyResult<std::ptr::NonNull<pyo3::ffi::PyObject>> {
        let view = self.view.sliced(&slices(index)?).or_raise()?;
        self.derived(Ok(view))
    }
}
