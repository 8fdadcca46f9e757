//! The layout itself: its invariants and the one checked constructor.

use core::hash::{Hash, Hasher};

use crate::checked::{meaningless_stride, narrow, product, volume};
use crate::contiguity::nests;
use crate::dense::c_order_strides;
use crate::{Dims, LayoutError, MAX_RANK, Quantity, Result};

/// The map from the indices of an n-dimensional tensor to element offsets in a buffer.
///
/// Index `i` lies at element offset `slice_offset + Σ i[k]·strides[k]`. A layout is a value: it
/// knows no pointer and no element type, only the item size in bytes.
///
/// Equality and hash compare shape, strides, item size and offset literally; a layout made with
/// implicit C strides equals the one with the same strides spelled out. Use
/// [`maps_like`](StridedLayout::maps_like) to ask whether two layouts are the same map.
///
/// # Invariants
///
/// 1. `shape.len() == strides.len() <= MAX_RANK`, every extent is at least 0, `itemsize` at least 1.
/// 2. Volume, volume·itemsize, the offset bounds, `min_offset`·itemsize and
///    (`max_offset` + 1)·itemsize fit in `i64`.
/// 3. Every stride times itemsize fits in `i64`. Where a stride carries no meaning (extent 1, or
///    an empty layout) one that would not fit is stored as 0.
/// 4. `slice_offset`·itemsize fits in `i64` (by 2, or stored as 0 in an empty layout).
/// 5. `implicit` only if the strides are those of C order.
///
/// ```
/// use strideview_layout::StridedLayout;
/// let layout = StridedLayout::with_offset(&[3, 4], Some(&[-4, 1]), 8, 8)?;
/// assert_eq!(layout.offset_of(&[0, 0])?, 8);
/// assert_eq!(layout.offset_of(&[2, 3])?, 3);
/// assert_eq!(layout.offset_bounds(), (0, 11));
/// # Ok::<(), strideview_layout::LayoutError>(())
/// ```
#[derive(Clone)]
pub struct StridedLayout {
    shape: Dims,
    strides: Dims,
    itemsize: i64,
    slice_offset: i64,
    implicit: bool,
}

impl StridedLayout {
    /// The layout with these extents and strides (in elements; `None` is C order) and offset 0.
    ///
    /// O(rank); allocates only beyond rank 8. On an empty layout `None` gives strides 0.
    ///
    /// # Errors
    /// Rank, extents, stride count, item size or, with [`ErrorKind::Overflow`](crate::ErrorKind), a
    /// quantity that does not fit in `i64`.
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// assert_eq!(StridedLayout::new(&[2, 3], None, 4)?.strides(), [3, 1]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn new(shape: &[i64], strides: Option<&[i64]>, itemsize: i64) -> Result<Self> {
        Self::with_offset(shape, strides, itemsize, 0)
    }

    /// As [`new`](Self::new), with the offset of the first element, in elements.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::with_offset(&[4], Some(&[-1]), 8, 3)?;
    /// assert_eq!(layout.offset_bounds(), (0, 3));
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn with_offset(
        shape: &[i64],
        strides: Option<&[i64]>,
        itemsize: i64,
        slice_offset: i64,
    ) -> Result<Self> {
        let Some(strides) = strides else {
            return Self::in_c_order(shape, itemsize, slice_offset);
        };
        if strides.len() != shape.len() {
            return Err(LayoutError::StrideCount { strides: strides.len(), rank: shape.len() });
        }
        Self::checked(shape, strides, itemsize, slice_offset, false)
    }

    /// The layout with strides in **bytes**.
    ///
    /// # Errors
    /// As [`new`](Self::new), and a stride that is no multiple of the item size on an axis of
    /// extent 2 or more of a layout with elements (elsewhere such a stride is stored as 0).
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::from_byte_strides(&[3, 2], &[-16, 4], 4, 8)?;
    /// assert_eq!(layout.strides(), [-4, 1]);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn from_byte_strides(
        shape: &[i64],
        byte_strides: &[i64],
        itemsize: i64,
        slice_offset: i64,
    ) -> Result<Self> {
        if byte_strides.len() != shape.len() {
            let (strides, rank) = (byte_strides.len(), shape.len());
            return Err(LayoutError::StrideCount { strides, rank });
        }
        if itemsize < 1 {
            return Err(LayoutError::InvalidItemsize { itemsize });
        }
        let mut strides = Dims::from_slice(byte_strides);
        let exact = match itemsize & (itemsize - 1) == 0 {
            true => shift_each(&mut strides, itemsize),
            false => divide_each(&mut strides, itemsize),
        };
        if exact && is_clearly_valid(shape, &strides, itemsize, slice_offset) {
            let shape = Dims::from_slice(shape);
            return Ok(Self { shape, strides, itemsize, slice_offset, implicit: false });
        }
        check_divisible(shape, byte_strides, itemsize)?;
        Self::checked_exactly(shape, &strides, itemsize, slice_offset, false)
    }

    /// The layout with implicit strides.
    #[inline]
    fn in_c_order(shape: &[i64], itemsize: i64, slice_offset: i64) -> Result<Self> {
        let mut strides = Dims::from_elem(0, shape.len());
        let mut volume = 1_i64;
        let mut unclear = shape.len() > MAX_RANK || itemsize < 1;
        for (&extent, stride) in shape.iter().zip(&mut strides).rev() {
            *stride = volume;
            let (product, too_many) = volume.overflowing_mul(extent);
            unclear |= too_many | (extent < 1);
            volume = product;
        }
        let fits = |value: i64| value.checked_mul(itemsize).is_some();
        let end = slice_offset.checked_add(volume);
        if unclear || !fits(volume) || !fits(slice_offset) || !end.is_some_and(fits) {
            check_shape(shape, itemsize)?;
            let strides = c_order_strides(shape)?;
            return Self::checked_exactly(shape, &strides, itemsize, slice_offset, true);
        }
        Ok(Self { shape: Dims::from_slice(shape), strides, itemsize, slice_offset, implicit: true })
    }

    /// The layout of these parts, of which there are as many strides as extents and which satisfy
    /// invariant 5; establishes the others.
    ///
    /// The parts are checked before they are put together: a layout that is written once, straight
    /// to where it is wanted, costs half of one that is moved.
    #[inline]
    fn checked(
        shape: &[i64],
        strides: &[i64],
        itemsize: i64,
        slice_offset: i64,
        implicit: bool,
    ) -> Result<Self> {
        if !is_clearly_valid(shape, strides, itemsize, slice_offset) {
            return Self::checked_exactly(shape, strides, itemsize, slice_offset, implicit);
        }
        Ok(Self {
            shape: Dims::from_slice(shape),
            strides: Dims::from_slice(strides),
            itemsize,
            slice_offset,
            implicit,
        })
    }

    /// As [`checked`](Self::checked), exact for every layout.
    #[cold]
    fn checked_exactly(
        shape: &[i64],
        strides: &[i64],
        itemsize: i64,
        slice_offset: i64,
        implicit: bool,
    ) -> Result<Self> {
        check_shape(shape, itemsize)?;
        let (shape, strides) = (Dims::from_slice(shape), Dims::from_slice(strides));
        Self { shape, strides, itemsize, slice_offset, implicit }.validated_exactly()
    }

    fn validated_exactly(mut self) -> Result<Self> {
        let volume = volume(&self.shape)?;
        narrow(product(volume, self.itemsize), Quantity::SizeInBytes)?;
        if volume == 0 {
            self.clear_unfit_values();
            return Ok(self);
        }
        let itemsize = self.itemsize;
        let (mut min, mut max) = (i128::from(self.slice_offset), i128::from(self.slice_offset));
        for (&extent, stride) in self.shape.iter().zip(&mut self.strides) {
            if extent == 1 {
                *stride = meaningless_stride(i128::from(*stride), itemsize);
                continue;
            }
            narrow(product(*stride, itemsize), Quantity::StrideInBytes)?;
            // Each partial sum lies between the offset and the final bound, so a step that leaves
            // the range of i64 is final, and no sum of two i128 can overflow.
            let reach = product(*stride, extent - 1);
            if *stride < 0 {
                min = i128::from(narrow(min + reach, Quantity::MinOffset)?);
            } else {
                max = i128::from(narrow(max + reach, Quantity::MaxOffset)?);
            }
        }
        narrow(min * i128::from(itemsize), Quantity::MinOffsetInBytes)?;
        narrow((max + 1) * i128::from(itemsize), Quantity::EndInBytes)?;
        Ok(self)
    }

    /// In an empty layout no stride and no offset carries a meaning: zero those that do not fit.
    fn clear_unfit_values(&mut self) {
        for stride in &mut self.strides {
            *stride = meaningless_stride(i128::from(*stride), self.itemsize);
        }
        self.slice_offset = meaningless_stride(i128::from(self.slice_offset), self.itemsize);
    }

    /// A layout from the parts a transform computed; checked like any other.
    ///
    /// `shape` and `strides` have the same length and the extents are at least 0.
    #[inline]
    pub(crate) fn from_parts(
        shape: Dims,
        strides: Dims,
        itemsize: i64,
        slice_offset: i64,
    ) -> Result<Self> {
        if shape.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: shape.len(), limit: MAX_RANK });
        }
        Self::checked(&shape, &strides, itemsize, slice_offset, false)
    }

    /// Replaces the axes and the offset by ones whose element offsets are among those of `self`, so
    /// that they need no check: only the stride of a unit axis may be any, with a byte value that
    /// fits in `i64`.
    #[inline]
    pub(crate) fn assign(&mut self, shape: Dims, strides: Dims, slice_offset: i64) {
        self.shape = shape;
        self.strides = strides;
        self.slice_offset = slice_offset;
        self.implicit = false;
        self.debug_check();
    }

    /// As [`assign`](Self::assign), for a new layout with the same offset.
    #[inline]
    pub(crate) fn with_same_offsets(&self, shape: Dims, strides: Dims) -> Self {
        let layout = Self {
            shape,
            strides,
            itemsize: self.itemsize,
            slice_offset: self.slice_offset,
            implicit: false,
        };
        layout.debug_check();
        layout
    }

    /// In debug builds: the invariants hold.
    #[inline]
    fn debug_check(&self) {
        debug_assert!(self.shape.len() == self.strides.len() && self.shape.len() <= MAX_RANK);
        debug_assert!(self.clone().validated_exactly().is_ok_and(|valid| valid == *self));
    }

    /// Replaces the first `taken` axes by `axes`, which are no more, as (extent, stride), and the
    /// offset, under the conditions of [`assign`](Self::assign).
    #[inline]
    pub(crate) fn replace_axes(&mut self, taken: usize, axes: &[(i64, i64)], slice_offset: i64) {
        let (shape, strides) = (&mut *self.shape, &mut *self.strides);
        for ((extent, stride), axis) in shape.iter_mut().zip(strides.iter_mut()).zip(axes) {
            (*extent, *stride) = *axis;
        }
        let dropped = taken - axes.len();
        if dropped > 0 {
            for axis in taken..shape.len() {
                shape[axis - dropped] = shape[axis];
                strides[axis - dropped] = strides[axis];
            }
            let rank = shape.len() - dropped;
            self.shape.truncate(rank);
            self.strides.truncate(rank);
        }
        self.slice_offset = slice_offset;
        self.implicit = false;
        self.debug_check();
    }

    /// Reorders the axes: axis k becomes what axis `axes[k]` was. `axes` is a permutation.
    #[inline]
    pub(crate) fn reorder(&mut self, axes: impl Iterator<Item = usize>) {
        let (shape, strides) = (self.shape.clone(), self.strides.clone());
        let places = self.shape.iter_mut().zip(&mut self.strides);
        for ((extent, stride), axis) in places.zip(axes) {
            (*extent, *stride) = (shape[axis], strides[axis]);
        }
        self.implicit = false;
    }

    /// Merges each axis that `may_merge` into the one on its left where that keeps the map; the
    /// layout has elements.
    #[inline]
    pub(crate) fn merge_axes(&mut self, may_merge: impl Fn(usize) -> bool) {
        let (shape, strides) = (&mut *self.shape, &mut *self.strides);
        let mut left = 0;
        for axis in 1..shape.len().min(strides.len()) {
            let (extent, stride) = (shape[axis], strides[axis]);
            let merges = extent == 1 || shape[left] == 1 || nests(strides[left], extent, stride);
            if !(merges && may_merge(axis)) {
                left += 1;
                (shape[left], strides[left]) = (extent, stride);
            } else if extent != 1 {
                (shape[left], strides[left]) = (shape[left] * extent, stride); // at most the volume
            }
        }
        self.shape.truncate(left + 1);
        self.strides.truncate(left + 1);
        self.implicit = false;
        self.debug_check();
    }

    /// The canonical empty layout of a shape: all strides 0, this item size and offset.
    pub(crate) fn emptied(&self, shape: Dims, slice_offset: i64) -> Result<Self> {
        let strides = Dims::from_elem(0, shape.len());
        Self::from_parts(shape, strides, self.itemsize, slice_offset)
    }

    /// The extents. O(1).
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The strides in elements, spelled out even when they were left implicit. O(1).
    #[inline]
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// True iff the layout was constructed without strides; every transform spells them out. O(1).
    #[inline]
    #[must_use]
    pub fn has_implicit_strides(&self) -> bool {
        self.implicit
    }

    /// Bytes of one element. O(1).
    #[inline]
    #[must_use]
    pub fn itemsize(&self) -> i64 {
        self.itemsize
    }

    /// Element offset of index (0, …, 0). O(1).
    #[inline]
    #[must_use]
    pub fn slice_offset(&self) -> i64 {
        self.slice_offset
    }

    /// Number of axes. O(1).
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
}

/// Divides each value by a power of two; one that is no multiple becomes 0, and the answer false.
#[inline]
fn shift_each(values: &mut [i64], divisor: i64) -> bool {
    let (shift, mask) = (divisor.trailing_zeros(), divisor - 1);
    let mut remainders = 0;
    for value in values {
        let remainder = *value & mask;
        *value = if remainder == 0 { *value >> shift } else { 0 };
        remainders |= remainder;
    }
    remainders == 0
}

/// As [`shift_each`], for any divisor.
fn divide_each(values: &mut [i64], divisor: i64) -> bool {
    let mut exact = true;
    for value in values {
        let divisible = *value % divisor == 0;
        *value = if divisible { *value / divisor } else { 0 };
        exact &= divisible;
    }
    exact
}

/// Every byte stride that carries a meaning is a multiple of the item size.
#[cold]
fn check_divisible(shape: &[i64], byte_strides: &[i64], itemsize: i64) -> Result<()> {
    check_shape(shape, itemsize)?;
    if shape.contains(&0) {
        return Ok(());
    }
    for (axis, (&extent, &stride_in_bytes)) in shape.iter().zip(byte_strides).enumerate() {
        if extent > 1 && stride_in_bytes % itemsize != 0 {
            return Err(LayoutError::StrideNotDivisible { axis, stride_in_bytes, itemsize });
        }
    }
    Ok(())
}

/// Invariant 1, but for the strides.
#[inline]
fn check_shape(shape: &[i64], itemsize: i64) -> Result<()> {
    if shape.len() > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank: shape.len(), limit: MAX_RANK });
    }
    if itemsize < 1 {
        return Err(LayoutError::InvalidItemsize { itemsize });
    }
    check_extents(shape)
}

/// True only if the layout has elements and invariants 1 to 4 hold, by an estimate that leaves few
/// valid layouts to the exact check.
///
/// In floating point nothing overflows and no flag has to be looked at. The relative error of a few
/// hundred operations stays far below the factor of 2 between the limit here and that of `i64`.
#[inline]
fn is_clearly_valid(shape: &[i64], strides: &[i64], itemsize: i64, slice_offset: i64) -> bool {
    const LIMIT: f64 = (1_i64 << 62) as f64;
    let (mut least, mut volume) = (1_i64, 1.0);
    let mut reach = (slice_offset as f64).abs() + 1.0; // at least each |offset| + 1 and each |stride|
    for (&extent, &stride) in shape.iter().zip(strides) {
        least = least.min(extent);
        volume *= extent as f64;
        reach += (stride as f64).abs() * (extent as f64 - 1.0).max(1.0);
    }
    let largest = volume.max(reach) * itemsize as f64;
    least == 1 && itemsize >= 1 && shape.len() <= MAX_RANK && largest < LIMIT
}

/// Every extent is at least 0.
#[inline]
pub(crate) fn check_extents(shape: &[i64]) -> Result<()> {
    match shape.iter().position(|&extent| extent < 0) {
        Some(axis) => Err(LayoutError::NegativeExtent { axis, extent: shape[axis] }),
        None => Ok(()),
    }
}

/// An item size is at least one byte.
pub(crate) fn check_itemsize(itemsize: i64) -> Result<()> {
    if itemsize < 1 { Err(LayoutError::InvalidItemsize { itemsize }) } else { Ok(()) }
}

impl PartialEq for StridedLayout {
    fn eq(&self, other: &Self) -> bool {
        self.itemsize == other.itemsize
            && self.slice_offset == other.slice_offset
            && self.shape == other.shape
            && self.strides == other.strides
    }
}

impl Eq for StridedLayout {}

impl Hash for StridedLayout {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shape.hash(state);
        self.strides.hash(state);
        self.itemsize.hash(state);
        self.slice_offset.hash(state);
    }
}
