//! Views of the same elements in another order or shape. None copies, none needs a bounds check:
//! the elements of a transformed layout are among those of the layout it came from.
#![forbid(unsafe_code)]

use super::StridedMemoryView;
use crate::{Result, Slice};

impl StridedMemoryView {
    /// The part that an index selects, entry by entry from the first axis; see
    /// [`StridedLayout::sliced`](crate::StridedLayout::sliced). O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::sliced`](crate::StridedLayout::sliced).
    ///
    /// ```
    /// # use strideview::{Error, Slice, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_i32, 2, 3, 4, 5], &[5])?;
    /// let backwards = view.sliced(&[Slice::step(-2)])?;
    /// assert_eq!(backwards.to_vec::<i32>()?, [5, 3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sliced(&self, entries: &[Slice]) -> Result<Self> {
        self.with_elements_among(self.layout().sliced(entries))
    }

    /// The view with its axes in another order: axis k is what axis `axes[k]` was. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::permuted`](crate::StridedLayout::permuted).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 24], &[2, 3, 4])?;
    /// assert_eq!(view.permuted(&[2, 0, 1])?.shape(), [4, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn permuted(&self, axes: &[i64]) -> Result<Self> {
        self.with_elements_among(self.layout().permuted(axes))
    }

    /// The view with two axes swapped. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::transposed`](crate::StridedLayout::transposed).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4], &[2, 2])?;
    /// assert_eq!(view.transposed(0, -1)?.to_vec::<u8>()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn transposed(&self, axis1: i64, axis2: i64) -> Result<Self> {
        self.with_elements_among(self.layout().transposed(axis1, axis2))
    }

    /// The view with one axis moved to another place. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::moved_axis`](crate::StridedLayout::moved_axis).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 24], &[2, 3, 4])?;
    /// assert_eq!(view.moved_axis(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn moved_axis(&self, source: i64, destination: i64) -> Result<Self> {
        self.with_elements_among(self.layout().moved_axis(source, destination))
    }

    /// The view with its axes the other way round (`T` in Python). O(rank).
    ///
    /// # Errors
    ///
    /// None that a view can bring about.
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 24], &[2, 3, 4])?;
    /// assert_eq!(view.reversed_axes()?.shape(), [4, 3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn reversed_axes(&self) -> Result<Self> {
        self.with_elements_among(Ok(self.layout().reversed_axes()))
    }

    /// The view with another shape of the same volume, one extent of which may be -1. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::reshaped`](crate::StridedLayout::reshaped), among them that the
    /// strides do not allow the shape without a copy.
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 24], &[2, 3, 4])?;
    /// assert_eq!(view.reshaped(&[-1, 4])?.shape(), [6, 4]);
    /// let error = view.transposed(0, 2)?.reshaped(&[24]).unwrap_err();
    /// assert_eq!(error.code(), "layout.reshape_needs_copy");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn reshaped(&self, shape: &[i64]) -> Result<Self> {
        self.with_elements_among(self.layout().reshaped(shape))
    }

    /// The view with neighbouring axes from `start_axis` to `end_axis` merged wherever that keeps
    /// the elements in their order. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::flattened`](crate::StridedLayout::flattened).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 24], &[2, 3, 4])?;
    /// assert_eq!(view.flattened(1, -1)?.shape(), [2, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn flattened(&self, start_axis: i64, end_axis: i64) -> Result<Self> {
        self.with_elements_among(self.layout().flattened(start_axis, end_axis, None))
    }

    /// The view without the axes of extent 1: all of them, or those named. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::squeezed`](crate::StridedLayout::squeezed).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 6], &[1, 6, 1])?;
    /// assert_eq!(view.squeezed(Some(&[0]))?.shape(), [6, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn squeezed(&self, axes: Option<&[i64]>) -> Result<Self> {
        self.with_elements_among(self.layout().squeezed(axes))
    }

    /// The view with new axes of extent 1 at these positions of the result. O(rank).
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::unsqueezed`](crate::StridedLayout::unsqueezed).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![0_u8; 6], &[6])?;
    /// assert_eq!(view.unsqueezed(&[0, -1])?.shape(), [1, 6, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unsqueezed(&self, axes: &[i64]) -> Result<Self> {
        self.with_elements_among(self.layout().unsqueezed(axes))
    }

    /// The view repeated along new axes and along those of extent 1, which get stride 0. O(rank).
    ///
    /// It is as writable as it was; a copy into it is refused, because elements share their bytes.
    ///
    /// # Errors
    ///
    /// Those of [`StridedLayout::broadcast_to`](crate::StridedLayout::broadcast_to).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2, 1])?;
    /// assert_eq!(view.broadcast_to(&[2, 3])?.to_vec::<u8>()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[i64]) -> Result<Self> {
        self.with_elements_among(self.layout().broadcast_to(shape))
    }
}
