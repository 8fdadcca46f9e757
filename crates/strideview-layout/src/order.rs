//! The order of axes in memory.

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
            self.sort_slowest_first(&mut axes);
        }
        axes
    }

    /// Sorts by insertion: for a handful of axes that is faster than a general sort.
    fn sort_slowest_first(&self, axes: &mut [usize]) {
        for sorted in 1..axes.len() {
            let axis = axes[sorted];
            let mut place = sorted;
            while place > 0 && self.is_slower(axis, axes[place - 1]) {
                axes[place] = axes[place - 1];
                place -= 1;
            }
            axes[place] = axis;
        }
    }

    /// True iff axis `a`, which is higher than `b`, comes before `b` in
    /// [`stride_order`](Self::stride_order).
    #[inline]
    fn is_slower(&self, a: usize, b: usize) -> bool {
        let (stride, other) = (self.strides()[a].unsigned_abs(), self.strides()[b].unsigned_abs());
        stride > other || stride == other && self.shape()[a] > self.shape()[b]
    }
}
