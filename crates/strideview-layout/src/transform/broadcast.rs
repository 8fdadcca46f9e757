//! Axes repeated by stride 0.

use super::in_place;
use crate::layout::check_extents;
use crate::{Dims, LayoutError, Result, StridedLayout};

impl StridedLayout {
    /// The layout repeated to a larger shape: shapes are aligned at the right, and new axes and
    /// axes stretched from extent 1 get stride 0. O(rank).
    ///
    /// Law: `result(i) = self(j)` where j is the right end of i, with 0 on stretched axes.
    ///
    /// # Errors
    /// Fewer axes than there are, an extent that is neither equal nor stretched from 1, a negative
    /// extent, a volume or size that does not fit in `i64`.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let row = StridedLayout::new(&[1, 3], None, 8)?;
    /// assert_eq!(row.broadcast_to(&[5, 4, 3])?.strides(), [0, 0, 1]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[i64]) -> Result<Self> {
        check_extents(shape)?;
        let Some(added) = shape.len().checked_sub(self.rank()) else {
            return Err(LayoutError::BroadcastRank { rank: self.rank(), target: shape.len() });
        };
        let mut strides = Dims::from_elem(0, shape.len());
        for (axis, (&extent, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            let target = shape[added + axis];
            if extent == target {
                strides[added + axis] = stride;
            } else if extent != 1 {
                return Err(LayoutError::BroadcastExtent { axis: added + axis, extent, target });
            }
        }
        Self::from_parts(Dims::from_slice(shape), strides, self.itemsize(), self.slice_offset())
    }
    in_place! {
        /// The layout repeated to a larger shape; see [`broadcast_to`](Self::broadcast_to).
        broadcast_to_in_place, broadcast_to(shape: &[i64])
    }

    /// Each axis of stride 0 shrunk to extent 1. O(rank).
    ///
    /// Law: the offsets visited are the same set, each repetition along an axis left out. In an
    /// empty layout strides carry no meaning, so it stays as it is.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[5, 3], Some(&[0, 1]), 8)?;
    /// assert_eq!(layout.unbroadcast().shape(), [1, 3]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn unbroadcast(&self) -> Self {
        let strides = Dims::from_slice(self.strides());
        if self.is_empty() {
            return self.with_same_offsets(Dims::from_slice(self.shape()), strides);
        }
        let shape = self
            .shape()
            .iter()
            .zip(self.strides())
            .map(|(&extent, &stride)| if stride == 0 { 1 } else { extent })
            .collect();
        self.with_same_offsets(shape, strides)
    }

    /// Each axis of stride 0 shrunk to extent 1, in place; see [`unbroadcast`](Self::unbroadcast).
    pub fn unbroadcast_in_place(&mut self) {
        *self = self.unbroadcast();
    }
}
