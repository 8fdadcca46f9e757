//! The methods of `StridedLayout` that give another layout.

use pyo3::prelude::*;

use super::made::{Made, same};
use super::object::{LayoutObject, layout_of};
use super::order::Order;
use crate::convert::{axes, clamped_integer, integer, integers, slices, unsigned};
use crate::raw::table::methods;

methods! { TRANSFORMS, LayoutObject, this:
    /// The dense layout of this shape and itemsize; see ``dense_like``.
    ///
    /// Returns this layout itself iff its strides, as integers, are the dense ones already and its
    /// offset is 0.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 5), (10, 1), 4).to_dense().required_size_in_bytes()
    /// 40
    to_dense(; stride_order;) "($self, stride_order='K')" => {
        let order = Order::from_python(stride_order, Order::K)?;
        super::dense(this, &order)
    };

    /// The layout of another shape that visits the same offsets in C order.
    ///
    /// Succeeds iff there is one. One extent may be -1.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 4, 3), (12, 1, 4), 8).reshaped((2, 2, -1, 3)).strides
    /// (12, 2, 1, 4)
    reshaped(shape;;) "($self, shape)" => this.layout().reshaped(&integers(&shape)?).made();

    /// The axes in another order: axis k of the result is axis ``axes[k]``.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3, 4), None, 8).permuted((2, 0, 1)).shape
    /// (4, 2, 3)
    permuted(axes;;) "($self, axes)" =>
        this.layout().permuted(&crate::convert::axes(&axes)?).made();

    /// Two axes exchanged.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3), None, 8).transposed(0, 1).strides
    /// (1, 3)
    transposed(axis1, axis2;;) "($self, axis1, axis2)" => {
        let (a, b) = (clamped_integer(&axis1)?, clamped_integer(&axis2)?);
        this.layout().transposed(a, b).made()
    };

    /// One axis moved to another place, the others in their order.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3, 4), None, 8).moved_axis(0, -1).shape
    /// (3, 4, 2)
    moved_axis(source, destination;;) "($self, source, destination)" => {
        let (from, to) = (clamped_integer(&source)?, clamped_integer(&destination)?);
        this.layout().moved_axis(from, to).made()
    };

    /// The axes in reverse order.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3, 4), None, 8).reversed_axes().strides
    /// (1, 4, 12)
    reversed_axes(;;) "($self)" => Ok(this.layout().reversed_axes()).made();

    /// Neighbouring axes merged wherever that keeps the map; the others are left apart.
    ///
    /// Parameters
    /// ----------
    /// start_axis, end_axis : int
    ///     First and last axis of the range to merge.
    /// mask : int, optional
    ///     Restricts the merges further: bit i allows axis i to be merged into its left.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3, 4), (24, 4, 1), 8).flattened()
    /// StridedLayout(shape=(2, 12), strides=(24, 1), itemsize=8)
    flattened(; start_axis, end_axis, mask;) "($self, start_axis=0, end_axis=-1, mask=None)" => {
        let start = start_axis.map_or(Ok(0), |axis| clamped_integer(&axis))?;
        let end = end_axis.map_or(Ok(-1), |axis| clamped_integer(&axis))?;
        let mask = mask.filter(|mask| !mask.is_none()).map(|mask| unsigned(&mask)).transpose()?;
        this.layout().flattened(start, end, mask).made()
    };

    /// The canonical form: axes of extent 1 dropped, neighbours merged, in this axis order.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 1, 3, 4), (24, 7, 4, 1), 4).coalesced().shape
    /// (2, 12)
    coalesced(;;) "($self)" => Ok(this.layout().coalesced()).made();

    /// Axes of extent 1 dropped: all, or the given ones.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((1, 3, 1), None, 8).squeezed(0).shape
    /// (3, 1)
    squeezed(; axis;) "($self, axis=None)" => {
        let axes = axis.filter(|axis| !axis.is_none()).map(|axis| axes(&axis)).transpose()?;
        this.layout().squeezed(axes.as_deref()).made()
    };

    /// Axes of extent 1 added at the given positions of the result.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((3, 4), None, 8).unsqueezed((0, -1)).shape
    /// (1, 3, 4, 1)
    unsqueezed(axis;;) "($self, axis)" => this.layout().unsqueezed(&axes(&axis)?).made();

    /// The layout repeated to a larger shape, aligned at the right; stretched axes get stride 0.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((1, 3), None, 8).broadcast_to((5, 4, 3)).strides
    /// (0, 0, 1)
    broadcast_to(shape;;) "($self, shape)" =>
        this.layout().broadcast_to(&integers(&shape)?).made();

    /// Each axis of stride 0 shrunk to extent 1.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((5, 3), (0, 1), 8).unbroadcast().shape
    /// (1, 3)
    unbroadcast(;;) "($self)" => Ok(this.layout().unbroadcast()).made();

    /// The same bytes with another itemsize, packed or unpacked along ``axis``.
    ///
    /// Parameters
    /// ----------
    /// itemsize : int
    ///     One of the two itemsizes must divide the other.
    /// data_ptr : int
    ///     Address of element offset 0; packing needs it to be a multiple of the new itemsize.
    /// axis : int
    ///     Must have stride 1, or extent 1.
    /// keep_dim : bool
    ///     False drops a packed axis that ends with extent 1.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((3, 8), None, 4).repacked(16)
    /// StridedLayout(shape=(3, 2), strides=(2, 1), itemsize=16)
    repacked(itemsize; data_ptr, axis, keep_dim;)
    "($self, itemsize, data_ptr=0, axis=-1, keep_dim=True)" => {
        let itemsize = integer(&itemsize)?;
        let data_ptr = data_ptr.map_or(Ok(0), |address| unsigned(&address))?;
        let axis = axis.map_or(Ok(-1), |axis| clamped_integer(&axis))?;
        let keep_dim = keep_dim.map_or(Ok(true), |keep| keep.extract())?;
        super::repacked(this, itemsize, data_ptr, axis, keep_dim)
    };

    /// The part that an index selects: ints, slices, ``...``, None, or a tuple of them.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((4, 6), None, 8).sliced((-1, slice(None, None, -2)))
    /// StridedLayout(shape=(3,), strides=(-2,), itemsize=8, slice_offset=23)
    sliced(index;;) "($self, index)" => this.layout().sliced(&slices(&index)?).made();

    /// Sliding windows: the axis counts windows, a new last axis of extent ``size`` walks one.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((7,), None, 8).windows(0, 3, 2)
    /// StridedLayout(shape=(3, 3), strides=(2, 1), itemsize=8)
    windows(axis, size; step;) "($self, axis, size, step=1)" => {
        let step = step.map_or(Ok(1), |step| integer(&step))?;
        this.layout().windows(clamped_integer(&axis)?, integer(&size)?, step).made()
    };

    /// One axis of extent e split into two of extents (e // inner, inner).
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((6, 2), None, 8).split_axis(0, 3).shape
    /// (2, 3, 2)
    split_axis(axis, inner;;) "($self, axis, inner)" =>
        this.layout().split_axis(clamped_integer(&axis)?, integer(&inner)?).made();

    /// A diagonal of two axes: both removed, the diagonal appended, as NumPy does.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((3, 4), None, 8).diagonal(offset=1)
    /// StridedLayout(shape=(3,), strides=(5,), itemsize=8, slice_offset=1)
    diagonal(; axis1, axis2, offset;) "($self, axis1=0, axis2=1, offset=0)" => {
        let axis1 = axis1.map_or(Ok(0), |axis| clamped_integer(&axis))?;
        let axis2 = axis2.map_or(Ok(1), |axis| clamped_integer(&axis))?;
        let offset = offset.map_or(Ok(0), |offset| clamped_integer(&offset))?;
        this.layout().diagonal(axis1, axis2, offset).made()
    };

    /// The axes of another layout inserted before position ``axis`` (-1: at the end).
    ///
    /// The itemsizes must agree; the offsets add.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((3,), (8,), 4).extended(StridedLayout((5,), None, 4)).strides
    /// (8, 1)
    extended(other; axis;) "($self, other, axis=-1)" => {
        let axis = axis.map_or(Ok(-1), |axis| clamped_integer(&axis))?;
        this.layout().extended(layout_of(&other)?, axis).made()
    };

    /// Only the listed axes, in that order; the others are held at index 0.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3, 4), None, 8).sub((2, 0)).strides
    /// (1, 12)
    sub(axes;;) "($self, axes)" => this.layout().sub(&crate::convert::axes(&axes)?).made();

    /// A layout is immutable: the copy is the layout itself.
    __copy__(;;) "($self)" => Ok(same(this));

    /// A layout is immutable: the copy is the layout itself.
    __deepcopy__(_memo;;) "($self, memo, /)" => Ok(same(this));
}
