//! The methods of `StridedLayout` that answer a question.

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::object::{LayoutObject, layout_of};
use crate::convert::{axes, clamped_integer, integer, unsigned};
use crate::errors::OrRaise;
use crate::raw::result::IntoRaw;
use crate::raw::table::methods;

methods! { QUERIES, LayoutObject, this:
    /// Bytes a buffer must have so that every element lies inside; 0 when empty.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     The smallest offset is negative.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((100, 3, 3), (16, 1, 4), 1).required_size_in_bytes()
    /// 1595
    required_size_in_bytes(;;) "($self)" => this.layout().required_size_in_bytes().or_raise();

    /// Bit i is set iff axis i can be merged into what lies left of it without changing the map.
    ///
    /// Axes of extent 1 always can, in an empty layout all can; bit 0 is never set. Masks of layouts
    /// with the same shape combine with ``&``; see ``flattened``.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3, 4), (24, 4, 1), 4).flattened_axis_mask()
    /// 4
    flattened_axis_mask(;;) "($self)" => Ok(this.layout().flattened_axis_mask());

    /// The largest itemsize that ``repacked(k, data_ptr, axis)`` takes.
    ///
    /// It is a multiple of this itemsize and divides ``max_itemsize``; this itemsize when there is
    /// none.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((3, 6), None, 4).max_compatible_itemsize()
    /// 8
    max_compatible_itemsize(; max_itemsize, data_ptr, axis;)
    "($self, max_itemsize=16, data_ptr=0, axis=-1)" => {
        let max_itemsize = max_itemsize.map_or(Ok(16), |size| integer(&size))?;
        let data_ptr = data_ptr.map_or(Ok(0), |address| unsigned(&address))?;
        let axis = axis.map_or(Ok(-1), |axis| clamped_integer(&axis))?;
        this.layout().max_compatible_itemsize(max_itemsize, data_ptr, axis).or_raise()
    };

    /// The element offset of an index; negative entries count from the end.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3), (10, 2), 4).offset_of((1, -1))
    /// 14
    offset_of(index;;) "($self, index)" => this.layout().offset_of(&axes(&index)?).or_raise();

    /// The first index in C order at an element offset; None when there is none.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3), (3, 2), 4).index_of(5)
    /// (1, 1)
    index_of(offset;;) "($self, offset)" =>
        this.layout().index_of(clamped_integer(&offset)?).or_raise();

    /// True iff both layouts are the same map, axes of extent 1 left out.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((1, 3), (77, 1), 4).maps_like(StridedLayout((3, 1), (1, 5), 4))
    /// True
    maps_like(other;;) "($self, other)" => Ok(this.layout().maps_like(layout_of(&other)?));

    /// True iff the two layouts, with element offset 0 at these byte addresses, share a byte.
    ///
    /// Exact within a work bound; True when undecided.
    ///
    /// Examples
    /// --------
    /// >>> even = StridedLayout((5,), (2,), 4)
    /// >>> even.overlaps(even, other_address=4)
    /// False
    overlaps(other;; address, other_address) "($self, other, *, address=0, other_address=0)" => {
        let address = address.map_or(Ok(0), |address| unsigned(&address))?;
        let other_address = other_address.map_or(Ok(0), |address| unsigned(&address))?;
        Ok(this.layout().overlaps(layout_of(&other)?, address, other_address))
    };

    /// Iterator over the element offsets of all indices, in C order.
    ///
    /// Examples
    /// --------
    /// >>> list(StridedLayout((2, 3), (3, 2), 4).offsets())
    /// [0, 2, 4, 3, 5, 7]
    offsets(;;) "($self)" =>
        Python::attach(|py| Bound::new(py, Offsets(this.layout().offsets()))?.into_raw());

    /// Iterator over the maximal contiguous runs, as (byte offset, length in bytes), in C order.
    ///
    /// Examples
    /// --------
    /// >>> list(StridedLayout((2, 3), (5, 1), 4).runs())
    /// [(0, 12), (20, 12)]
    runs(;;) "($self)" =>
        Python::attach(|py| Bound::new(py, Runs(this.layout().runs()))?.into_raw());

    /// The layout as a text: its axes, and its memory cell by cell with the index that lies there.
    ///
    /// ``·`` is a gap, ``*`` stands for every index of a broadcast axis, ``+2`` says that two more
    /// indices lie in the cell. A large layout is cut.
    ///
    /// Examples
    /// --------
    /// >>> print(StridedLayout((2, 3), (4, 1), 8).diagram())
    /// (2, 3):(4, 1) x8
    /// 6 elements in cells 0 to 6 of 8 bytes; 1 gap
    /// axis 0: extent 2, stride 4
    /// axis 1: extent 3, stride 1
    /// slowest to fastest: 0, 1
    /// <BLANKLINE>
    /// 0 | 00 01 02  ·
    /// 4 | 10 11 12
    /// <BLANKLINE>
    diagram(;;) "($self)" => Python::attach(|py| PyString::new(py, &this.layout().diagram()).into_raw());

    /// The layout as a picture, an SVG document: the offset of each index, and the index in each
    /// cell of memory.
    ///
    /// Parameters
    /// ----------
    /// title : str
    ///     Stands above; nothing by default.
    ///
    /// Examples
    /// --------
    /// >>> StridedLayout((2, 3), None, 8).to_svg().count('class="held"')
    /// 6
    to_svg(; title;) "($self, title='')" => {
        let title = title.map_or(Ok(String::new()), |title| title.extract::<String>())?;
        Python::attach(|py| PyString::new(py, &this.layout().to_svg(&title)).into_raw())
    };

    /// The picture, for notebooks.
    _repr_html_(;;) "($self)" =>
        Python::attach(|py| PyString::new(py, &this.layout().to_svg("")).into_raw());

    /// What ``pickle`` keeps: shape, strides, itemsize and offset.
    __reduce__(;;) "($self)" => Python::attach(|py| super::pickle::reduced(py, this)?.into_raw());
}

/// Iterator over element offsets.
#[pyclass(module = "strideview._strideview", name = "_Offsets")]
pub(crate) struct Offsets(strideview::Offsets);

#[pymethods]
impl Offsets {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<i64> {
        self.0.next()
    }

    fn __length_hint__(&self) -> usize {
        self.0.size_hint().0.min(isize::MAX as usize)
    }
}

/// Iterator over contiguous runs.
#[pyclass(module = "strideview._strideview", name = "_Runs")]
pub(crate) struct Runs(strideview::Runs);

#[pymethods]
impl Runs {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<(i64, i64)> {
        self.0.next().map(|run| (run.offset_in_bytes, run.len_in_bytes))
    }
}
