//! The order of axes in memory.

use core::cmp::{Ordering, Reverse};

use crate::{Axes, StridedLayout};

impl StridedLayout {
    /// The axes from the largest |stride| to the smallest.
    ///
    /// Ties: the larger extent first, then the lower axis. With implicit strides it is 0, 1, ….
    /// O(rank²), no allocation up to rank 8.
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 3, 4], Some(&[-4, 8, 1]), 8)?;
    /// assert_eq!(layout.stride_order().as_slice(), [1, 0, 2]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn stride_order(&self) -> Axes {
        let mut axes: Axes = (0..self.rank()).collect();
        if !self.has_implicit_strides() {
            axes.sort_unstable_by(|&a, &b| self.slower_first(a, b));
        }
        axes
    }

    /// `Less` when axis `a` comes before axis `b` in [`stride_order`](Self::stride_order).
    fn slower_first(&self, a: usize, b: usize) -> Ordering {
        let key = |axis: usize| {
            (Reverse(self.strides()[axis].unsigned_abs()), Reverse(self.shape()[axis]), axis)
        };
        key(a).cmp(&key(b))
    }
}
