//! From indices to offsets and back.

use crate::solver::{Term, Terms, Work, first_solution};
use crate::{Dims, LayoutError, Result, StridedLayout};

impl StridedLayout {
    /// The element offset of an index; each entry may be negative and then counts from the end.
    /// O(rank).
    ///
    /// # Errors
    /// As many entries as axes are needed, each inside its extent.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3], Some(&[10, 2]), 4)?;
    /// assert_eq!(layout.offset_of(&[1, -1])?, 14);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn offset_of(&self, index: &[i64]) -> Result<i64> {
        if index.len() != self.rank() {
            return Err(LayoutError::IndexCount { indices: index.len(), rank: self.rank() });
        }
        let mut offset = self.slice_offset();
        for (axis, &entry) in index.iter().enumerate() {
            let entry = index_in(entry, axis, self.shape()[axis])?;
            // The sum is an offset of the layout, so it is right modulo 2^64 at every step.
            offset = offset.wrapping_add(entry.wrapping_mul(self.strides()[axis]));
        }
        Ok(offset)
    }

    /// The first index in C order that lies at `offset`, or `None` when no index does.
    ///
    /// Exact; the search is bounded, and O(rank) steps are enough for most layouts.
    ///
    /// # Errors
    /// The work bound is hit.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3], Some(&[3, 2]), 4)?;
    /// assert_eq!(layout.index_of(5)?.as_deref(), Some(&[1, 1][..]));
    /// assert_eq!(layout.index_of(6)?, None);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn index_of(&self, offset: i64) -> Result<Option<Dims>> {
        if self.is_empty() {
            return Ok(None);
        }
        let terms: Terms = self
            .shape()
            .iter()
            .zip(self.strides())
            .map(|(&extent, &stride)| Term {
                coefficient: i128::from(stride),
                limit: i128::from(extent - 1),
            })
            .collect();
        let target = i128::from(offset) - i128::from(self.slice_offset());
        first_solution(&terms, target, &mut Work::new())
    }

    /// The element offsets of all indices, in C order. Lazy; O(1) amortised for each.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3], Some(&[3, 2]), 4)?;
    /// assert_eq!(layout.offsets().collect::<Vec<_>>(), [0, 2, 4, 3, 5, 7]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn offsets(&self) -> Offsets {
        let (shape, strides) = self.coalesced_parts();
        Offsets {
            index: Dims::from_elem(0, shape.len()),
            next: self.slice_offset(),
            left: self.volume() as u64,
            shape,
            strides,
        }
    }
}

/// The entry of an index counted from 0.
#[inline]
pub(crate) fn index_in(index: i64, axis: usize, extent: i64) -> Result<i64> {
    let counted = if index < 0 { index.wrapping_add(extent) } else { index };
    if index < -extent || counted < 0 || counted >= extent {
        return Err(LayoutError::IndexOutOfRange { axis, index, extent });
    }
    Ok(counted)
}

/// Iterator over the element offsets of a layout in C order; see [`StridedLayout::offsets`].
#[derive(Clone, Debug)]
pub struct Offsets {
    shape: Dims,
    strides: Dims,
    index: Dims,
    next: i64,
    left: u64,
}

impl Iterator for Offsets {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.left = self.left.checked_sub(1)?;
        let offset = self.next;
        // Every value of `next` that is used is an offset of the layout, so wrapping is harmless.
        for axis in (0..self.shape.len()).rev() {
            self.index[axis] += 1;
            self.next = self.next.wrapping_add(self.strides[axis]);
            if self.index[axis] < self.shape[axis] {
                break;
            }
            self.index[axis] = 0;
            let back = self.strides[axis].wrapping_mul(self.shape[axis]);
            self.next = self.next.wrapping_sub(back);
        }
        Some(offset)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match usize::try_from(self.left) {
            Ok(left) => (left, Some(left)),
            Err(_) => (usize::MAX, None),
        }
    }
}

impl core::iter::FusedIterator for Offsets {}
