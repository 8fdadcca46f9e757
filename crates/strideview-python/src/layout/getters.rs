//! The properties of `StridedLayout`.

use super::object::LayoutObject;
use crate::raw::result::{IntoRaw, Tuple};
use crate::raw::table::getters;
use strideview::{Dims, Uniqueness};

/// The questions whose answers are kept.
mod question {
    pub(super) const CONTIGUOUS_C: u32 = 0;
    pub(super) const CONTIGUOUS_F: u32 = 1;
    pub(super) const CONTIGUOUS_ANY: u32 = 2;
    pub(super) const DENSE: u32 = 3;
    pub(super) const EXHAUSTIVE: u32 = 4;
    pub(super) const UNIQUE: u32 = 5;
    pub(super) const OVERLAPPING: u32 = 6;
}

impl LayoutObject {
    fn is_unique(&self) -> bool {
        self.caches.flags.get(question::UNIQUE, || self.layout().is_unique())
    }

    fn is_overlapping(&self) -> bool {
        self.caches
            .flags
            .get(question::OVERLAPPING, || self.layout().uniqueness() == Uniqueness::Overlapping)
    }

    fn uniqueness(&self) -> &'static str {
        match (self.is_unique(), self.is_overlapping()) {
            (true, _) => "unique",
            (_, true) => "overlapping",
            _ => "undecided",
        }
    }
}

getters! { LayoutObject, this:
    /// Number of axes.
    ndim => Ok(this.layout().rank());

    /// Extents, in elements.
    shape => this.caches.shape.get(|| Tuple(this.layout().shape()).into_raw());

    /// Strides in elements; None iff the layout was constructed with ``strides=None``.
    strides => match this.layout().has_implicit_strides() {
        true => ().into_raw(),
        false => this.caches.strides.get(|| Tuple(this.layout().strides()).into_raw()),
    };

    /// Strides in bytes; None iff ``strides`` is None.
    strides_in_bytes => match this.layout().has_implicit_strides() {
        true => ().into_raw(),
        false => this.caches.strides_in_bytes.get(|| this.layout().strides_in_bytes().into_raw()),
    };

    /// Bytes of one element.
    itemsize => Ok(this.layout().itemsize());

    /// Element offset of index (0, ..., 0).
    slice_offset => Ok(this.layout().slice_offset());

    /// Byte offset of index (0, ..., 0).
    slice_offset_in_bytes => Ok(this.layout().slice_offset_in_bytes());

    /// Number of elements: the product of the extents, 1 for rank 0.
    volume => this.caches.volume.get(|| this.layout().volume().into_raw());

    /// Bytes of all elements together; gaps do not count.
    nbytes => Ok(this.layout().nbytes());

    /// Axes from the largest absolute stride to the smallest.
    ///
    /// Ties: the larger extent first, then the lower axis.
    stride_order => this.caches.stride_order.get(|| {
        let order = this.layout().stride_order();
        order.iter().map(|&axis| axis as i64).collect::<Dims>().into_raw()
    });

    /// True iff contiguous in C order; axes of extent 1 and the offset are ignored.
    is_contiguous_c =>
        Ok(this.caches.flags.get(question::CONTIGUOUS_C, || this.layout().is_contiguous_c()));

    /// True iff contiguous in F order; axes of extent 1 and the offset are ignored.
    is_contiguous_f =>
        Ok(this.caches.flags.get(question::CONTIGUOUS_F, || this.layout().is_contiguous_f()));

    /// True iff contiguous when the axes are walked in ``stride_order``.
    ///
    /// A reversed axis is not contiguous.
    is_contiguous_any =>
        Ok(this.caches.flags.get(question::CONTIGUOUS_ANY, || this.layout().is_contiguous_any()));

    /// True iff ``is_contiguous_any`` and the offset is 0.
    is_dense => Ok(this.caches.flags.get(question::DENSE, || this.layout().is_dense()));

    /// True iff every offset between the bounds is hit.
    is_exhaustive => Ok(this.caches.flags.get(question::EXHAUSTIVE, || this.layout().is_exhaustive()));

    /// True iff no two indices share an offset: exact.
    ///
    /// False when ``uniqueness`` is "undecided".
    is_unique => Ok(this.is_unique());

    /// "unique", "overlapping", or "undecided" when the exact search hit its work bound.
    uniqueness => Ok(this.uniqueness());

    /// Smallest and largest element offset, both inclusive; (0, -1) when empty.
    offset_bounds =>
        this.caches.offset_bounds.get(|| this.layout().offset_bounds().into_raw());

    /// Smallest element offset; 0 when empty.
    min_offset => Ok(this.layout().min_offset());

    /// Largest element offset; -1 when empty.
    max_offset => Ok(this.layout().max_offset());
}
