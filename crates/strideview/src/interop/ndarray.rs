//! Arrays of [ndarray] as views, and views as arrays. Nothing is copied.
//!
//! | from | to | by |
//! |---|---|---|
//! | `Array`, any rank | a view that owns it | [`from_array`] |
//! | `ArcArray` | a read-only view that shares it | [`from_arc_array`] |
//! | `ArrayView`, or `&` of any array | a read-only view, for the time of a call | [`lend`] |
//! | `ArrayViewMut`, or `&mut` of any array | a view, for the time of a call | [`lend_mut`] |
//! | a view of host memory | `ArrayView` | [`as_array`] |
//!
//! Strides of either sign and of zero are kept. A view does not borrow, so an array that is borrowed
//! is lent for the time of a call: when that is over, the buffer of the view is closed, and whatever
//! was kept of it says so.

use std::ops::Deref;
use std::sync::Arc;

use ::ndarray::{
    ArcArray, Array, ArrayRef, ArrayViewD, Axis, Dimension, IntoDimension, IxDyn, ShapeBuilder,
};

use super::extents::check_extents;
use super::foreign::{Foreign, ForeignStrides};
use crate::view::{Borrowed, Reading, borrow};
use crate::{Access, Dims, Element, Lease, Result, StridedLayout, StridedMemoryView};

/// A view of an array, which its buffer owns from now on. Two small allocations; copies nothing.
///
/// # Errors
///
/// [`Error::ForeignLayout`](crate::Error::ForeignLayout) for more than 64 axes; the array is dropped then.
///
/// ```
/// use ndarray::{Array, s};
/// use strideview::{DType, Error, interop::ndarray::from_array};
///
/// let array = Array::from_iter(0..6_i32).into_shape_with_order((2, 3)).unwrap();
/// let view = from_array(array.slice_move(s![.., ..;-1]))?;
/// assert_eq!((view.dtype(), view.layout().strides()), (Some(DType::I32), &[3, -1][..]));
/// assert_eq!(view.to_vec::<i32>()?, [2, 1, 0, 5, 4, 3]);
/// # Ok::<(), Error>(())
/// ```
pub fn from_array<T: Element, D: Dimension + 'static>(
    mut array: Array<T, D>,
) -> Result<StridedMemoryView> {
    let address = array.as_mut_ptr();
    let (shape, strides) = dims(&array);
    let described = foreign(address, &shape, &strides, false).describe()?;
    // SAFETY: (1) the elements are the array's, which moves into the owner and leaves them where they
    // are; (2) nobody else has the array; (3) and it was ours to write.
    Ok(unsafe { described.into_view(Arc::new(array)) })
}

/// A read-only view of an array that others may share; its buffer keeps one reference to it, and is
/// read-only too. Two small allocations; copies nothing.
///
/// # Errors
///
/// As [`from_array`].
///
/// ```
/// use ndarray::arr1;
/// use strideview::{Error, interop::ndarray::from_arc_array};
///
/// let array = arr1(&[1.5_f32, 2.5]).into_shared();
/// let view = from_arc_array(array.clone())?;
/// assert_eq!((view.get::<f32>(&[1])?, view.readonly()), (2.5, true));
/// assert_eq!(view.address(), array.as_ptr() as usize);
/// # Ok::<(), Error>(())
/// ```
pub fn from_arc_array<T: Element, D: Dimension + 'static>(
    array: ArcArray<T, D>,
) -> Result<StridedMemoryView> {
    let (shape, strides) = dims(&array);
    let described = foreign(array.as_ptr().cast_mut(), &shape, &strides, true).describe()?;
    // SAFETY: (1) the elements are the array's, of which the owner keeps a reference; (2) who else
    // has one writes to a copy of its own; (3) read-only, and so is the buffer of the view.
    Ok(unsafe { described.into_view(Arc::new(array)) })
}

/// Calls `work` with a read-only view of an array; returns what it returns. Two small allocations;
/// copies nothing. The buffer of the view is read-only too.
///
/// Afterwards the buffer of the view is closed: clones and parts of the view that `work` kept are of
/// a closed buffer. A lease that is still alive then (a [`HostSlice`](crate::HostSlice), a copy that
/// was queued) is waited for, so keep none where nobody gives it up.
///
/// # Errors
///
/// As [`from_array`]; then `work` is not called.
///
/// ```
/// use ndarray::{Array2, s};
/// use strideview::{Error, StridedMemoryView, interop::ndarray::lend};
///
/// let array = Array2::from_shape_fn((2, 4), |(row, column)| (10 * row + column) as u16);
/// let dense = StridedMemoryView::from_vec(vec![0_u16; 4], &[2, 2])?;
/// lend(&array.slice(s![.., ..;2]), |view| dense.copy_from(view))??;
/// assert_eq!(dense.to_vec::<u16>()?, [0, 2, 10, 12]);
/// # Ok::<(), Error>(())
/// ```
pub fn lend<T: Element, D: Dimension, R>(
    array: &ArrayRef<T, D>,
    work: impl FnOnce(&StridedMemoryView) -> R,
) -> Result<R> {
    let (shape, strides) = dims(array);
    let described = foreign(array.as_ptr().cast_mut(), &shape, &strides, true).describe()?;
    // SAFETY: (1) `lend` closes the buffer before the borrow of the array ends; (2, 3) which keeps
    // others from writing, as the buffer of the view is read-only.
    let view = unsafe { described.into_view(Arc::new(())) };
    Ok(super::lend::lend(view, work))
}

/// As [`lend`], with a view that may be written.
///
/// # Errors
///
/// As [`lend`].
///
/// ```
/// use ndarray::Array2;
/// use strideview::{Error, StridedMemoryView, interop::ndarray::lend_mut};
///
/// let columns = StridedMemoryView::from_vec(vec![1_i64, 2, 3, 4, 5, 6], &[2, 3])?.reversed_axes()?;
/// let mut array = Array2::<i64>::zeros((3, 2));
/// lend_mut(&mut array, |view| view.copy_from(&columns))??;
/// assert_eq!(array[[2, 0]], 3);
/// # Ok::<(), Error>(())
/// ```
pub fn lend_mut<T: Element, D: Dimension, R>(
    array: &mut ArrayRef<T, D>,
    work: impl FnOnce(&StridedMemoryView) -> R,
) -> Result<R> {
    let address = array.as_mut_ptr();
    let (shape, strides) = dims(array);
    let described = foreign(address, &shape, &strides, false).describe()?;
    // SAFETY: (1) `lend` closes the buffer before the borrow of the array ends; (2, 3) which is the
    // only one.
    let view = unsafe { described.into_view(Arc::new(())) };
    Ok(super::lend::lend(view, work))
}

fn dims<T, D: Dimension>(array: &ArrayRef<T, D>) -> (Dims, Dims) {
    // The extents and strides of an array fit in `isize`.
    let shape = array.shape().iter().map(|&extent| extent as i64).collect();
    let strides = array.strides().iter().map(|&stride| stride as i64).collect();
    (shape, strides)
}

fn foreign<'a, T: Element>(
    address: *mut T,
    shape: &'a Dims,
    strides: &'a Dims,
    readonly: bool,
) -> Foreign<'a> {
    Foreign {
        address: address.cast(),
        shape,
        strides: ForeignStrides::Elements(strides),
        itemsize: size_of::<T>() as i64,
        dtype: Some(T::DTYPE),
        access: Access::host(),
        readonly,
    }
}

/// The elements of a view as an array. Copies nothing; allocates above rank 4, as ndarray does.
///
/// The array leases the buffer, and while it lives, copies into its bytes are refused.
///
/// # Errors
///
/// Those of [`as_slice`](StridedMemoryView::as_slice), without
/// [`Error::NotContiguous`](crate::Error::NotContiguous); [`LayoutError::Overflow`](crate::LayoutError) for an empty view whose extents other than 0
/// multiply to more than ndarray takes.
///
/// ```
/// use ndarray::array;
/// use strideview::{Error, Slice, StridedMemoryView, interop::ndarray::as_array};
///
/// let view = StridedMemoryView::from_vec(vec![1_i32, 2, 3, 4], &[2, 2])?;
/// let flipped = view.sliced(&[Slice::ALL, Slice::step(-1)])?;
/// let array = as_array::<i32>(&flipped)?;
/// assert_eq!(*array, array![[2, 1], [4, 3]].into_dyn());
/// assert_eq!((array.sum(), array.strides()), (10, &[2, -1][..]));
/// assert_eq!(view.copy_from(&view.transposed(0, 1)?), Err(Error::SliceAlive));
/// # Ok::<(), Error>(())
/// ```
pub fn as_array<T: Element>(view: &StridedMemoryView) -> Result<HostArray<T>> {
    let borrowed = borrow(view)?;
    check_extents(view.layout())?;
    Ok(HostArray::new(borrowed, view.layout()))
}

/// An array of host memory, kept in place: made by [`as_array`], dereferences to ndarray's
/// [`ArrayRef`], which has `view()`, indexing and the arithmetic.
///
/// It holds a lease, so the buffer cannot be closed before it goes, and it may outlive the view.
///
/// # Invariants
///
/// 1. The elements of `array` are aligned and valid for reads while `lease` lives.
/// 2. Nothing writes them while `reading` lives.
pub struct HostArray<T: 'static> {
    /// Not for `'static`: for as long as this lives, which is as long as it is lent out.
    array: ArrayViewD<'static, T>,
    /// Declared first, so dropped before the lease.
    _reading: Option<Reading>,
    lease: Lease,
}

impl<T: Element> HostArray<T> {
    /// The array of the elements of a layout, whose offset 0 is the first of `borrowed`.
    ///
    /// ndarray takes strides of at least 0 and then turns axes round: so the array starts at the
    /// element with the lowest address.
    fn new(borrowed: Borrowed<T>, layout: &StridedLayout) -> Self {
        let Borrowed { first, reading, lease } = borrowed;
        let strides = meaningful_strides(layout);
        let lowest = first.wrapping_offset(layout.min_offset() as isize);
        let lowest = if layout.is_empty() { first } else { lowest };
        let extent = |extent: &i64| *extent as usize; // at least 0, by the layout
        let shape: Vec<usize> = layout.shape().iter().map(extent).collect();
        let distances: Vec<usize> = strides.iter().map(|s| s.unsigned_abs() as usize).collect();
        let shape = IxDyn(&shape).strides(distances.into_dimension());
        // SAFETY: (elements) law of `borrow`, until the lease goes, which lives as long as the array
        // and is not taken out of this struct; (pointer) aligned and not null, by the same; (offsets)
        // they stay among the elements of one buffer of at most `isize::MAX` bytes, and are 0 where
        // there are no elements; (extents) `check_extents`; (strides) absolute values.
        let mut array = unsafe { ArrayViewD::from_shape_ptr(shape, lowest) };
        for (axis, _) in strides.iter().enumerate().filter(|(_, stride)| **stride < 0) {
            array.invert_axis(Axis(axis));
        }
        Self { array, _reading: reading, lease }
    }

    /// The lease of the buffer. O(1).
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView, interop::ndarray::as_array};
    /// let array = as_array::<u8>(&StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?)?;
    /// assert_eq!(array.lease().len_bytes(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lease(&self) -> &Lease {
        &self.lease
    }
}

impl<T: Element> Deref for HostArray<T> {
    type Target = ArrayRef<T, IxDyn>;

    fn deref(&self) -> &ArrayRef<T, IxDyn> {
        &self.array
    }
}

impl<T: Element + std::fmt::Debug> std::fmt::Debug for HostArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.array.fmt(f)
    }
}

/// The strides, 0 where they carry no meaning: on axes of one element or none, and everywhere in an
/// empty layout.
fn meaningful_strides(layout: &StridedLayout) -> Dims {
    let is_empty = layout.is_empty();
    let axes = layout.shape().iter().zip(layout.strides());
    axes.map(|(extent, stride)| if is_empty || *extent < 2 { 0 } else { *stride }).collect()
}
