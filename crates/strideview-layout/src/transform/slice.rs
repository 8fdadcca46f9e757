//! Indices and slices, by CPython's rules.

use crate::checked::{product, unfit_stride};
use crate::index::index_in;
use crate::{Dims, LayoutError, MAX_RANK, Result, StridedLayout};

/// One entry of an index: what happens to one axis, or to several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slice {
    /// The element at this index (negative: from the end); the axis is dropped.
    Index(i64),
    /// Every `step`-th index from `start` up to and without `stop`, by CPython's rules for
    /// `start:stop:step`.
    Range {
        /// First index, `None` for the end one starts from.
        start: Option<i64>,
        /// Index to stop before, `None` for the end one goes to.
        stop: Option<i64>,
        /// Step, not 0.
        step: i64,
    },
    /// As many whole axes as the other entries leave (`...`).
    Ellipsis,
    /// A new axis of extent 1 (`None`).
    NewAxis,
}

impl Slice {
    /// The whole axis (`:`).
    pub const ALL: Self = Self::Range { start: None, stop: None, step: 1 };

    /// `start:stop:step`.
    #[must_use]
    pub const fn range(start: i64, stop: i64, step: i64) -> Self {
        Self::Range { start: Some(start), stop: Some(stop), step }
    }

    /// The whole axis, every `step`-th index (`::step`).
    #[must_use]
    pub const fn step(step: i64) -> Self {
        Self::Range { start: None, stop: None, step }
    }
}

/// The whole axis.
impl Default for Slice {
    fn default() -> Self {
        Self::ALL
    }
}

impl From<i64> for Slice {
    fn from(index: i64) -> Self {
        Self::Index(index)
    }
}

impl From<core::ops::RangeFull> for Slice {
    fn from(_: core::ops::RangeFull) -> Self {
        Self::ALL
    }
}

impl From<core::ops::Range<i64>> for Slice {
    fn from(range: core::ops::Range<i64>) -> Self {
        Self::range(range.start, range.end, 1)
    }
}

impl From<core::ops::RangeFrom<i64>> for Slice {
    fn from(range: core::ops::RangeFrom<i64>) -> Self {
        Self::Range { start: Some(range.start), stop: None, step: 1 }
    }
}

impl From<core::ops::RangeTo<i64>> for Slice {
    fn from(range: core::ops::RangeTo<i64>) -> Self {
        Self::Range { start: None, stop: Some(range.end), step: 1 }
    }
}

impl StridedLayout {
    /// The part of the layout that an index selects, entry by entry from the first axis. O(rank).
    ///
    /// Entries may be fewer than the axes; the rest are taken whole. Law: `result(i)` is
    /// `self(j)`, where j is the index that CPython's rules give for the entries. An empty result
    /// has strides 0 and keeps the offset of the axes that are not empty.
    ///
    /// # Errors
    /// More entries than axes, an index out of range, step 0, a second ellipsis, more than 64 axes.
    ///
    /// ```
    /// use strideview_layout::{Slice, StridedLayout};
    /// let layout = StridedLayout::new(&[4, 6], None, 8)?;
    /// let part = layout.sliced(&[Slice::Index(-1), Slice::step(-2)])?;
    /// assert_eq!(part.to_string(), "(3,):(-2,) x8 @23");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn sliced(&self, entries: &[Slice]) -> Result<Self> {
        let mut layout = self.clone();
        layout.slice(entries)?;
        Ok(layout)
    }

    /// The part of the layout that an index selects; see [`sliced`](Self::sliced).
    ///
    /// In place; the layout stays as it was when this fails. Allocates only beyond rank 8.
    ///
    /// # Errors
    /// As [`sliced`](Self::sliced).
    #[inline]
    pub fn slice(&mut self, entries: &[Slice]) -> Result<()> {
        if self.slice_plain(entries) { Ok(()) } else { self.slice_any(entries) }
    }

    /// The common case: indices and ranges only, no axis becomes empty and every stride fits. False,
    /// and nothing changed, where there is more to look at.
    #[inline]
    fn slice_plain(&mut self, entries: &[Slice]) -> bool {
        let mut axes = [(0_i64, 0_i64); 8];
        let mut kept = 0;
        if entries.len() > axes.len().min(self.rank()) || self.is_empty() {
            return false;
        }
        let (itemsize, mut offset) = (self.itemsize(), self.slice_offset());
        let old_axes = self.shape().iter().zip(self.strides());
        for (entry, (&extent, &stride)) in entries.iter().zip(old_axes) {
            let first = match *entry {
                Slice::Index(index) => {
                    let Ok(index) = index_in(index, 0, extent) else { return false };
                    index
                }
                Slice::Range { start, stop, step } if step != 0 => {
                    let (start, count) = resolved(start, stop, step, extent);
                    let stepped = match step {
                        1 => Some(stride),
                        _ => stride.checked_mul(step).filter(|s| s.checked_mul(itemsize).is_some()),
                    };
                    let (Some(stepped), true) = (stepped, count > 0) else { return false };
                    axes[kept] = (count, stepped);
                    kept += 1;
                    start
                }
                _ => return false,
            };
            offset = offset.wrapping_add(first.wrapping_mul(stride)); // see `Cut::offset`
        }
        self.replace_axes(entries.len(), &axes[..kept], offset);
        true
    }

    fn slice_any(&mut self, entries: &[Slice]) -> Result<()> {
        let count = Count::of(entries)?;
        let rank = self.rank();
        let Some(whole_axes) = rank.checked_sub(count.taken) else {
            return Err(LayoutError::TooManyIndices { indices: count.taken, rank });
        };
        let new_rank = rank + count.added - count.dropped;
        if new_rank > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: new_rank, limit: MAX_RANK });
        }
        let (mut shape, mut strides) = (Dims::from_elem(1, new_rank), Dims::from_elem(0, new_rank));
        let mut cut = Cut::new(self, &mut shape, &mut strides);
        for &entry in entries {
            match entry {
                Slice::Index(index) => cut.index(index)?,
                Slice::Range { start, stop, step } => cut.range(start, stop, step)?,
                Slice::NewAxis => cut.push(1, 0),
                Slice::Ellipsis => cut.whole(whole_axes),
            }
        }
        cut.whole(rank - cut.axis);
        let Cut { offset, empty, unfit, .. } = cut;
        if empty {
            *self = self.emptied(shape, offset)?;
            return Ok(());
        }
        if unfit != 0 {
            return Err(unfit_stride(unfit, self.itemsize()));
        }
        self.assign(shape, strides, offset);
        Ok(())
    }
}

/// What the entries of an index do to the number of axes.
struct Count {
    /// Axes of the layout that are named.
    taken: usize,
    /// Axes that an index drops.
    dropped: usize,
    /// New axes.
    added: usize,
}

impl Count {
    #[inline]
    fn of(entries: &[Slice]) -> Result<Self> {
        let mut count = Self { taken: 0, dropped: 0, added: 0 };
        let mut ellipses = 0;
        for entry in entries {
            match entry {
                Slice::Index(_) => count.dropped += 1,
                Slice::Range { .. } => count.taken += 1,
                Slice::NewAxis => count.added += 1,
                Slice::Ellipsis => ellipses += 1,
            }
        }
        count.taken += count.dropped;
        if ellipses > 1 { Err(LayoutError::SecondEllipsis) } else { Ok(count) }
    }
}

/// The result of a slice while it is being built.
struct Cut<'a> {
    /// Extents and strides of the layout, axis by axis.
    old_axes: core::iter::Zip<core::slice::Iter<'a, i64>, core::slice::Iter<'a, i64>>,
    itemsize: i64,
    /// The next axis of the layout to be looked at.
    axis: usize,
    /// The axes of the result that are still to be written; new axes are there already.
    new_axes: core::iter::Zip<core::slice::IterMut<'a, i64>, core::slice::IterMut<'a, i64>>,
    /// Modulo 2^64: right in the end, because the first element kept is one of the layout's.
    offset: i64,
    source_empty: bool,
    empty: bool,
    /// A stride that does not fit, which only matters if the result has elements; otherwise 0.
    unfit: i128,
}

impl<'a> Cut<'a> {
    #[inline]
    fn new(layout: &'a StridedLayout, shape: &'a mut [i64], strides: &'a mut [i64]) -> Self {
        let empty = layout.is_empty();
        Self {
            old_axes: layout.shape().iter().zip(layout.strides()),
            itemsize: layout.itemsize(),
            axis: 0,
            new_axes: shape.iter_mut().zip(strides),
            offset: layout.slice_offset(),
            source_empty: empty,
            empty,
            unfit: 0,
        }
    }

    /// Extent and stride of the next axis; the entries have been counted, so there is one.
    #[inline]
    fn next_axis(&mut self) -> (i64, i64) {
        self.axis += 1;
        self.old_axes.next().map_or((1, 0), |(&extent, &stride)| (extent, stride))
    }

    #[inline]
    fn push(&mut self, extent: i64, stride: i64) {
        if let Some(axis) = self.new_axes.next() {
            (*axis.0, *axis.1) = (extent, stride);
        }
    }

    /// Moves the first element `index` steps along an axis of this stride.
    #[inline]
    fn advance(&mut self, index: i64, stride: i64) {
        if !self.source_empty {
            self.offset = self.offset.wrapping_add(index.wrapping_mul(stride));
        }
    }

    #[inline]
    fn index(&mut self, index: i64) -> Result<()> {
        let axis = self.axis;
        let (extent, stride) = self.next_axis();
        let index = index_in(index, axis, extent)?;
        self.advance(index, stride);
        Ok(())
    }

    #[inline]
    fn range(&mut self, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<()> {
        let (extent, stride) = self.next_axis();
        if step == 1 {
            return self.plain_range(start, stop, extent, stride);
        }
        if step == 0 {
            return Err(LayoutError::ZeroStep { axis: self.axis - 1 });
        }
        let (start, count) = resolved(start, stop, step, extent);
        if count == 0 {
            self.empty = true;
        } else {
            self.advance(start, stride);
        }
        let fits = |stride: &i64| stride.checked_mul(self.itemsize).is_some();
        let stepped = stride.checked_mul(step).filter(fits);
        if stepped.is_none() && count > 1 {
            self.unfit = product(stride, step);
        }
        self.push(count, stepped.unwrap_or(0));
        Ok(())
    }

    /// A range with step 1, which leaves the stride as it is.
    #[inline]
    fn plain_range(
        &mut self,
        start: Option<i64>,
        stop: Option<i64>,
        extent: i64,
        stride: i64,
    ) -> Result<()> {
        let clamped = |bound: i64| {
            let counted = if bound < 0 { bound.saturating_add(extent) } else { bound };
            counted.clamp(0, extent)
        };
        let start = start.map_or(0, clamped);
        let count = (stop.map_or(extent, clamped) - start).max(0);
        if count == 0 {
            self.empty = true;
        } else {
            self.advance(start, stride);
        }
        self.push(count, stride);
        Ok(())
    }

    #[inline]
    fn whole(&mut self, axes: usize) {
        for _ in 0..axes {
            let (extent, stride) = self.next_axis();
            self.push(extent, stride);
        }
    }
}

/// First index and number of indices of `start:stop:step` on an axis, by CPython's rules.
#[inline]
fn resolved(start: Option<i64>, stop: Option<i64>, step: i64, extent: i64) -> (i64, i64) {
    let (low, high) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let clamped = |bound: i64| {
        let counted = if bound < 0 { bound.saturating_add(extent) } else { bound };
        counted.clamp(low, high)
    };
    // Going down, one walks from the last index to before the first.
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    let start = start.map_or(first, clamped);
    let stop = stop.map_or(last, clamped);
    let distance = if step > 0 { stop - start } else { start - stop };
    if distance <= 0 {
        return (start, 0);
    }
    let step = step.unsigned_abs();
    // Division takes most of the time of a slice, and most steps are 1 or 2.
    let before_last = match step.is_power_of_two() {
        true => (distance as u64 - 1) >> step.trailing_zeros(),
        false => (distance as u64 - 1) / step,
    };
    (start, before_last as i64 + 1)
}
