//! The type object of `StridedLayout`: its slots, constructor and static methods.

use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::raw::c_int;
use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;
use strideview::{Dims, StridedLayout};

use super::getters::GETTERS;
use super::made::Made;
use super::object::{LayoutObject, object_of, try_layout_of};
use super::order::Order;
use super::pickle::repr;
use super::queries::QUERIES;
use super::transforms::TRANSFORMS;
use crate::convert::{integer, integers, read_integers, slices, truth};
use crate::raw::call::{Given, Signature, function, given, guarded, method, parsed_tuple};
use crate::raw::class::{self, Specification, slot, static_method};
use crate::raw::instance::value_at;
use crate::raw::table::signature;

const DOC: &std::ffi::CStr =
    cr#"StridedLayout(shape, strides, itemsize, divide_strides=False, *, slice_offset=0)
--

The map from the indices of an n-dimensional tensor to element offsets in a buffer.

Index ``i`` lies at element offset ``slice_offset + sum(i[k] * strides[k])``. Immutable.

Parameters
----------
shape : sequence of int, or int
    Extents, 0 to 64 of them.
strides : sequence of int, or None
    One stride for each axis, in elements (bytes with ``divide_strides``); None is C order.
itemsize : int
    Bytes of one element, at least 1.
divide_strides : bool
    The strides are in bytes; each must be a multiple of ``itemsize``, except on axes of extent 0
    or 1 and in an empty layout.
slice_offset : int
    Offset of index (0, ..., 0), in elements.

Raises
------
ValueError, TypeError
    What was wanted and what was got.
OverflowError
    A number, or a quantity of the layout, does not fit in 64 bits.

Examples
--------
>>> layout = StridedLayout((3, 4), (-4, 1), 8, slice_offset=8)
>>> layout.offset_bounds
(0, 11)
>>> layout[1:, ::2]
StridedLayout(shape=(2, 2), strides=(-4, 2), itemsize=8, slice_offset=4)
"#;

const DENSE_DOC: &std::ffi::CStr = cr#"dense(shape, itemsize, stride_order='C')
--

The dense layout of a shape: no gaps, offset 0.

Parameters
----------
shape : sequence of int, or int
itemsize : int
    Bytes of one element.
stride_order : 'C', 'F' or sequence of int
    Axes from slowest to fastest; the last listed has stride 1.

Examples
--------
>>> StridedLayout.dense((2, 3, 4), 8, (1, 0, 2)).strides
(4, 8, 1)
"#;

const DENSE_LIKE_DOC: &std::ffi::CStr = cr#"dense_like(other, stride_order='K')
--

The dense layout with the shape and itemsize of another.

With 'K' the axes keep their order in memory; negative strides come out positive. Returns ``other``
itself iff it is that layout already.

Examples
--------
>>> StridedLayout.dense_like(StridedLayout((3, 4), (2, 10), 8)).strides
(1, 3)
"#;

/// Creates the type and adds it to the module.
pub(crate) fn add_class(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let statics = [
        static_method(c"dense", dense, DENSE_DOC),
        static_method(c"dense_like", dense_like, DENSE_LIKE_DOC),
    ];
    let tables = TRANSFORMS.iter().chain(QUERIES).copied();
    let class = Specification {
        name: c"strideview.StridedLayout",
        doc: DOC,
        new,
        getters: GETTERS,
        methods: statics.into_iter().chain(tables).collect(),
        members: Vec::new(),
        attributes: Vec::new(),
        slots: vec![
            slot(ffi::Py_tp_repr, print_repr as ffi::reprfunc as *mut c_void),
            slot(ffi::Py_tp_str, print_str as ffi::reprfunc as *mut c_void),
            slot(ffi::Py_tp_hash, hash as ffi::hashfunc as *mut c_void),
            slot(ffi::Py_tp_richcompare, compare as ffi::richcmpfunc as *mut c_void),
            slot(ffi::Py_mp_subscript, subscript as ffi::binaryfunc as *mut c_void),
        ],
    };
    class::add::<LayoutObject>(module, class)
}

static NEW: Signature<5> = signature!(
    StridedLayout(shape, strides, itemsize; divide_strides; slice_offset)
);

/// `tp_new`: the only way to make an instance; `__init__` does nothing, so calling it again cannot
/// change one.
///
/// # Safety
///
/// Called by the interpreter with a tuple and a dict or null. The type is final, so it is ours.
unsafe extern "C" fn new(
    _class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|| {
        // SAFETY: the caller promises the same.
        let arguments = unsafe { parsed_tuple::<5>(args, kwargs, &NEW) }?;
        let [shape, strides, itemsize, divide_strides, slice_offset] = arguments;
        let strides = given(strides)?;
        let divide_strides = divide_strides.map_or(Ok(false), |divide| truth(&divide))?;
        let slice_offset = slice_offset.map_or(Ok(0), |offset| integer(&offset))?;
        let itemsize = integer(&*given(itemsize)?)?;
        let (mut extents, mut steps) = (Dims::new(), Dims::new());
        read_integers(&*given(shape)?, &mut extents)?;
        if strides.is_none() {
            return StridedLayout::with_offset(&extents, None, itemsize, slice_offset).made();
        }
        read_integers(&strides, &mut steps)?;
        if divide_strides {
            StridedLayout::from_byte_strides(&extents, &steps, itemsize, slice_offset).made()
        } else {
            StridedLayout::with_offset(&extents, Some(&steps), itemsize, slice_offset).made()
        }
    })
}

/// `StridedLayout.dense`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn dense(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<3> = signature!(dense(shape, itemsize; stride_order;));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[shape, itemsize, order]| {
            let order = Order::from_python(order, Order::C)?;
            let (shape, itemsize) = (given(shape)?, given(itemsize)?);
            let (shape, itemsize) = (integers(&shape)?, integer(&itemsize)?);
            StridedLayout::dense(&shape, itemsize, order.get()).made()
        })
    }
}

/// `StridedLayout.dense_like`.
///
/// # Safety
///
/// Called by the interpreter by the vectorcall convention.
unsafe extern "C" fn dense_like(
    _: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<2> = signature!(dense_like(other; stride_order;));
    // SAFETY: the caller promises the same.
    unsafe {
        function(Given { values, count, keywords }, &SIGNATURE, |[other, order]| {
            let other = given(other)?;
            let order = Order::from_python(order, Order::K)?;
            super::dense(object_of(&other)?, &order)
        })
    }
}

/// `tp_repr`.
///
/// # Safety
///
/// Called by the interpreter for a layout object.
unsafe extern "C" fn print_repr(slf: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller promises the same.
    guarded(|| Ok(repr(unsafe { value_at::<LayoutObject>(slf) }.layout())))
}

/// `tp_str`: the printed form `(2, 3):(3, 1) x4`.
///
/// # Safety
///
/// Called by the interpreter for a layout object.
unsafe extern "C" fn print_str(slf: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller promises the same.
    guarded(|| Ok(unsafe { value_at::<LayoutObject>(slf) }.layout().to_string()))
}

/// `tp_hash`; never -1, which would mean an error.
///
/// # Safety
///
/// Called by the interpreter for a layout object.
unsafe extern "C" fn hash(slf: *mut ffi::PyObject) -> ffi::Py_hash_t {
    // SAFETY: the caller promises the same.
    let layout = unsafe { value_at::<LayoutObject>(slf) }.layout();
    let mut hasher = DefaultHasher::new();
    layout.hash(&mut hasher);
    match hasher.finish() as ffi::Py_hash_t {
        -1 => -2,
        hash => hash,
    }
}

/// `tp_richcompare`: equality with layouts, `NotImplemented` otherwise.
///
/// # Safety
///
/// Called by the interpreter for a layout object and any other.
unsafe extern "C" fn compare(
    slf: *mut ffi::PyObject,
    other: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: `other` is alive during the call.
    let other = unsafe { Borrowed::from_ptr(py, other) };
    // SAFETY: the caller promises the same.
    let layout = unsafe { value_at::<LayoutObject>(slf) }.layout();
    let equal = try_layout_of(&other).map(|other| layout == other);
    let answer = match (equal, operation) {
        (Some(equal), ffi::Py_EQ) => equal,
        (Some(equal), ffi::Py_NE) => !equal,
        _ => return py.NotImplemented().into_ptr(),
    };
    // SAFETY: the GIL is held.
    unsafe { ffi::PyBool_FromLong(answer.into()) }
}

/// `mp_subscript`: `layout[index]`.
///
/// # Safety
///
/// Called by the interpreter for a layout object and any index.
unsafe extern "C" fn subscript(
    slf: *mut ffi::PyObject,
    index: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    static SIGNATURE: Signature<1> = signature!(__getitem__(index;;));
    let given_index = Given { values: &raw const index, count: 1, keywords: null_mut() };
    // SAFETY: the caller promises the same; one argument lies at `values`.
    unsafe {
        method(slf, given_index, &SIGNATURE, |this: &LayoutObject, [index]| {
            let index = given(index)?;
            this.layout().sliced(&slices(&index)?).made()
        })
    }
}
