//! Whether two layouts share a byte.

use crate::StridedLayout;
use crate::solver::{Term, Terms, Work, has_solution};

impl StridedLayout {
    /// True iff the two layouts, with element offset 0 at these byte addresses, share a byte.
    ///
    /// Exact within the same work bound as [`uniqueness`](Self::uniqueness); true where the bound
    /// is hit, so `false` can be relied on. Bytes between the elements do not count.
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// let even = StridedLayout::new(&[5], Some(&[2]), 4)?;
    /// assert!(!even.overlaps(&even, 0x1000, 0x1004)); // interleaved
    /// assert!(even.overlaps(&even, 0x1000, 0x1006)); // two bytes of each pair are shared
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: &Self, address: u64, other_address: u64) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let (start, end) = self.byte_range(address);
        let (other_start, other_end) = other.byte_range(other_address);
        if end <= other_start || other_end <= start {
            return false;
        }
        // first + Σ s·i + byte = other_first + Σ t·j + other_byte
        let mut terms = Terms::new();
        self.push_byte_terms(1, &mut terms);
        other.push_byte_terms(-1, &mut terms);
        let target = other.first_byte(other_address) - self.first_byte(address);
        has_solution(&terms, target, &mut Work::new()).unwrap_or(true)
    }

    /// Address of the first byte of index (0, …, 0).
    fn first_byte(&self, address: u64) -> i128 {
        i128::from(address) + i128::from(self.slice_offset_in_bytes())
    }

    /// Addresses from the lowest byte up to and without the end of the highest.
    fn byte_range(&self, address: u64) -> (i128, i128) {
        let (min, max) = self.offset_bounds();
        let at = |offset: i64| i128::from(address) + i128::from(offset * self.itemsize());
        (at(min), at(max + 1)) // invariant 2: both fit
    }

    /// The terms of a byte's address relative to the first, times `sign`.
    fn push_byte_terms(&self, sign: i128, terms: &mut Terms) {
        for (extent, stride) in self.wide_axes() {
            terms.push(Term {
                coefficient: sign * i128::from(stride) * i128::from(self.itemsize()),
                limit: i128::from(extent - 1),
            });
        }
        terms.push(Term { coefficient: sign, limit: i128::from(self.itemsize() - 1) });
    }
}
