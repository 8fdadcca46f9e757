//! The plan itself.
#![forbid(unsafe_code)]

use super::axis::{Axes, PlanAxis};
use super::kernel::{Kernel, RUN_MIN_BYTES};
use super::{check, flip, merge, pair, sort, unit, widen};
use crate::error::CopyError;

/// Which bytes go where, in the order that suits the memory.
///
/// With `dst` and `src` the addresses of element `[0, …, 0]` on either side, the plan says: for
/// every index `i` of [`axes`](CopyPlan::axes), move [`run_bytes`](CopyPlan::run_bytes) bytes from
/// `src + src_offset + Σ i[k] · axes[k].src_stride` to `dst + dst_offset + Σ i[k] ·
/// axes[k].dst_stride`.
///
/// A plan is a value. It holds no pointer, so it can be kept and used again for other memory of
/// the same layout.
///
/// # Invariants
///
/// 1. The pairs of bytes that it says are those of the shape and strides that it was made from.
/// 2. Every extent is at least 2, no destination stride is negative, and there are at most
///    [`MAX_RANK`](crate::MAX_RANK) axes.
/// 3. Every offset that it says, and the product of its extents and `run_bytes`, fit in `i64`.
/// 4. `kernel` is `Nothing` iff `run_bytes` is 0; then there are no axes and both offsets are 0.
/// 5. `Contiguous` iff there are bytes and no axes; `Runs` only if `run_bytes` is at least 32;
///    `Transposed` only if there are two axes or more.
///
/// ```
/// use strideview_copy::CopyPlan;
///
/// // Reverse the rows of a 3 x 4 array of f32 while copying.
/// let plan = CopyPlan::new(&[3, 4], &[16, 4], &[-16, 4], 4)?;
/// assert_eq!(plan.axes().len(), 1);
/// assert_eq!((plan.run_bytes(), plan.bytes()), (16, 48));
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopyPlan {
    axes: Axes,
    dst_offset: i64,
    src_offset: i64,
    run_bytes: i64,
    bytes: i64,
    kernel: Kernel,
}

impl CopyPlan {
    /// The plan for a copy of `shape` elements of `itemsize` bytes, with strides in bytes.
    ///
    /// Cost O(rank²), without heap allocation for rank 8 or less. Strides may have any sign;
    /// those on an axis of extent 1, or when an extent is 0, carry no meaning. A source stride of
    /// 0 reads an element again and again. Where two indices of the destination share bytes, which
    /// of the two is left there is not said: refuse such destinations first.
    ///
    /// # Errors
    ///
    /// [`CopyError::RankTooLarge`], [`CopyError::StrideCount`], [`CopyError::NegativeExtent`],
    /// [`CopyError::InvalidItemsize`], and [`CopyError::Overflow`] when the bytes to move, or the
    /// distance from the first element to the last byte of a side, do not fit in `i64`.
    ///
    /// ```
    /// use strideview_copy::CopyPlan;
    ///
    /// let plan = CopyPlan::new(&[5, 1, 7], &[7, 99, 1], &[7, -99, 1], 1)?;
    /// assert_eq!((plan.axes().len(), plan.run_bytes()), (0, 35));
    /// let error = CopyPlan::new(&[i64::MAX, 2], &[0, 1], &[0, 0], 1).unwrap_err();
    /// assert_eq!(error.code(), "copy.overflow");
    /// # Ok::<(), strideview_copy::CopyError>(())
    /// ```
    pub fn new(
        shape: &[i64],
        dst_byte_strides: &[i64],
        src_byte_strides: &[i64],
        itemsize: i64,
    ) -> Result<Self, CopyError> {
        let bytes = check::bytes_to_move(shape, dst_byte_strides, src_byte_strides, itemsize)?;
        if bytes == 0 {
            return Ok(Self::nothing());
        }
        let mut plan = Self { bytes, ..Self::nothing() };
        unit::without_unit_axes(&mut plan.axes, shape, dst_byte_strides, src_byte_strides);
        (plan.dst_offset, plan.src_offset) = flip::flip(&mut plan.axes)?;
        plan.arrange(itemsize);
        Ok(plan)
    }

    /// The plan with its base moved: what `new` says relative to element `[0, …, 0]` becomes
    /// relative to an address that lies so many bytes before it. None on overflow.
    pub(super) fn moved(self, dst_by: i64, src_by: i64) -> Option<Self> {
        if self.bytes == 0 {
            return Some(self);
        }
        let dst_offset = self.dst_offset.checked_add(dst_by)?;
        let src_offset = self.src_offset.checked_add(src_by)?;
        Some(Self { dst_offset, src_offset, ..self })
    }

    #[inline]
    pub(super) fn nothing() -> Self {
        Self {
            axes: Axes::new(),
            dst_offset: 0,
            src_offset: 0,
            run_bytes: 0,
            bytes: 0,
            kernel: Kernel::Nothing,
        }
    }

    /// The plan for `axes`, with offsets 0. `bytes` is the item size times the extents, and not 0;
    /// no destination stride is negative, and no extent is below 2.
    pub(super) fn of_axes(axes: Axes, itemsize: i64, bytes: i64) -> Self {
        let mut plan = Self { axes, bytes, ..Self::nothing() };
        plan.arrange(itemsize);
        plan
    }

    /// Steps 4 to 8.
    #[inline]
    fn arrange(&mut self, itemsize: i64) {
        sort::sort(&mut self.axes);
        merge::merge(&mut self.axes);
        self.run_bytes = widen::widen(&mut self.axes, itemsize);
        let is_transposed = self.run_bytes < RUN_MIN_BYTES && pair::pair(&mut self.axes);
        self.kernel = Kernel::choose(self.run_bytes, self.axes.len(), is_transposed);
    }

    /// The axes to walk, from the outermost to the innermost. O(1).
    pub fn axes(&self) -> &[PlanAxis] {
        &self.axes
    }

    /// Where the first run is written, in bytes from element `[0, …, 0]`. O(1).
    pub fn dst_offset(&self) -> i64 {
        self.dst_offset
    }

    /// Where the first run is read, in bytes from element `[0, …, 0]`. O(1).
    pub fn src_offset(&self) -> i64 {
        self.src_offset
    }

    /// The bytes that lie together on both sides; 0 iff there is nothing to move. O(1).
    pub fn run_bytes(&self) -> i64 {
        self.run_bytes
    }

    /// The bytes to move: the number of elements times the item size. O(1).
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// What the plan comes down to. O(1).
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }
}
