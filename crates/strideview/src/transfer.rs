//! Copies between views.
#![forbid(unsafe_code)]

#[cfg(feature = "cuda")]
use crate::view::{copy_on_device, plan_on_device};
use crate::view::{copy_on_host, plan_copy};
use crate::{
    CopyError, CopyPlan, Device, Error, Result, StrideOrder, StridedLayout, StridedMemoryView,
    Uniqueness,
};

/// Copies the elements of `src` to `dst`, index by index.
///
/// Both have the same shape (call [`broadcast_to`](StridedMemoryView::broadcast_to) first) and the
/// same dtype; an untyped view takes any dtype of its item size. Strides may be anything in the
/// source; in the destination no two elements may share a byte. Where source and destination share
/// bytes, the result is that of copying through a temporary. Bytes between the elements of the
/// destination are not written. Copying nothing, or a view onto itself, does nothing.
///
/// Between two places of a CUDA device the copy is queued on the device's legacy default stream, and
/// the host does not wait for it; [`copy_on`] names another stream.
///
/// Both buffers are leased meanwhile. Everything is checked before a byte is written.
///
/// # Errors
///
/// [`CopyError::RankMismatch`](crate::CopyError), [`CopyError::ShapeMismatch`](crate::CopyError),
/// [`CopyError::ItemsizeMismatch`](crate::CopyError), [`Error::DTypeMismatch`],
/// [`Error::ReadOnly`], [`Error::NotUnique`], [`Error::UniquenessUndecided`],
/// [`Error::NotHostAccessible`], [`Error::SliceAlive`], [`MemoryError::Closed`](crate::MemoryError),
/// and [`CopyError::OutOfMemory`](crate::CopyError) when there is no memory for the temporary.
///
/// ```
/// use strideview::{Error, Slice, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4], &[4])?;
/// let (first, last) = (view.sliced(&[(0..3).into()])?, view.sliced(&[(1..4).into()])?);
/// strideview::copy(&last, &first)?;
/// assert_eq!(view.to_vec::<u8>()?, [1, 1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
pub fn copy(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<()> {
    if !is_anything_to_copy(dst, src)? {
        return Ok(());
    }
    #[cfg(feature = "cuda")]
    if let Some(device) = common_device(dst, src) {
        let stream = strideview_cuda::Device::new(device)?.default_stream()?;
        return copy_on_device(dst, src, &stream);
    }
    copy_on_host(dst, src)
}

/// As [`copy()`], in the order of a stream, where both sides are memory of its device: the copy is
/// queued, and the host does not wait for it. On the host, the copy is done on return, and the stream
/// plays no part.
///
/// Overlapping sides go through a temporary that is allocated and released in the order of the stream.
/// The copy may be captured into a graph.
///
/// # Errors
///
/// Those of [`copy()`], and a failed call of the driver.
///
/// ```
/// use strideview::cuda::Stream;
/// use strideview::{Device, Error, StridedMemoryView, copy_on};
///
/// if let Ok(device) = strideview::cuda::Device::new(0) {
///     let (stream, buffer) = (device.create_stream()?, Device::Cuda(0).allocate(2 << 20)?);
///     let layout = strideview::StridedLayout::new(&[2, 512, 512], None, 4)?;
///     let view = StridedMemoryView::from_buffer(&buffer, &layout, None, false)?;
///     let (dst, src) = (view.sliced(&[0.into()])?, view.sliced(&[1.into()])?);
///     copy_on(&dst, &src.reversed_axes()?, &stream)?;
///     stream.synchronize()?;
/// }
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "cuda")]
pub fn copy_on(
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
    stream: &strideview_cuda::Stream,
) -> Result<()> {
    if !is_anything_to_copy(dst, src)? {
        return Ok(());
    }
    match common_device(dst, src) {
        Some(_) => copy_on_device(dst, src, stream),
        None => copy_on_host(dst, src),
    }
}

/// The device that does a copy: that of both sides, where the host cannot reach both.
#[cfg(feature = "cuda")]
fn common_device(dst: &StridedMemoryView, src: &StridedMemoryView) -> Option<i32> {
    let (to, from) = (dst.access(), src.access());
    let is_common = to.device && from.device && to.device_id == from.device_id;
    (is_common && to.device_id >= 0 && !(to.host && from.host)).then_some(to.device_id)
}

/// Checks what a copy asks of its sides; false when there is nothing to do.
fn is_anything_to_copy(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<bool> {
    check_dtypes(dst, src)?;
    if dst.readonly() {
        return Err(Error::ReadOnly);
    }
    check_unique(dst.layout())?;
    let is_nothing =
        dst.shape() == src.shape() && (dst.layout().is_empty() || dst.is_same_memory(src));
    Ok(!is_nothing)
}

/// What [`copy()`] would do, planned and not done; prints as a description. O(rank²).
///
/// # Errors
///
/// Those about shapes and dtypes of [`copy()`].
///
/// ```
/// use strideview::{Error, Kernel, StridedMemoryView, explain_copy};
///
/// let src = StridedMemoryView::from_vec(vec![0_f32; 6], &[2, 3])?;
/// let dst = StridedMemoryView::from_vec(vec![0_f32; 6], &[3, 2])?;
/// let plan = explain_copy(&dst, &src.reversed_axes()?)?;
/// assert_eq!((plan.kernel(), plan.bytes()), (Kernel::Transposed, 24));
/// # Ok::<(), Error>(())
/// ```
pub fn explain_copy(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<CopyPlan> {
    check_dtypes(dst, src)?;
    plan_copy(dst, src)
}

/// A new view on the host with the shape and dtype of `view`: dense, its axes in the same order,
/// and zero.
///
/// # Errors
///
/// Those of [`Device::allocate`].
///
/// ```
/// use strideview::{Error, StridedMemoryView, empty_like};
///
/// let columns = StridedMemoryView::from_vec(vec![1_u16; 6], &[2, 3])?.reversed_axes()?;
/// let new = empty_like(&columns)?;
/// assert_eq!((new.shape(), new.layout().strides()), (&[3, 2][..], &[1, 3][..]));
/// # Ok::<(), Error>(())
/// ```
pub fn empty_like(view: &StridedMemoryView) -> Result<StridedMemoryView> {
    let layout = view.layout().to_dense(StrideOrder::K)?;
    let size_in_bytes = usize::try_from(layout.nbytes()).unwrap_or(usize::MAX);
    let buffer = Device::cpu().allocate(size_in_bytes)?;
    StridedMemoryView::from_buffer(&buffer, &layout, view.dtype(), false)
}

/// Where both sides have a dtype, it is the same.
fn check_dtypes(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<()> {
    match (dst.dtype(), src.dtype()) {
        (Some(wanted), Some(got)) if wanted != got => Err(Error::DTypeMismatch { wanted, got }),
        _ if dst.itemsize() != src.itemsize() => Err(CopyError::ItemsizeMismatch {
            dst_itemsize: dst.itemsize(),
            src_itemsize: src.itemsize(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// How a device would do what [`explain_copy`] says; None where the host does it. Prints as a
/// description.
///
/// # Errors
///
/// Those of [`explain_copy`].
///
/// ```
/// use strideview::{Error, StridedMemoryView, explain_copy_on_device};
///
/// let view = StridedMemoryView::from_vec(vec![0_u8; 4], &[4])?;
/// assert!(explain_copy_on_device(&view, &view)?.is_none());
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "cuda")]
pub fn explain_copy_on_device(
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
) -> Result<Option<strideview_cuda::DevicePlan>> {
    let plan = explain_copy(dst, src)?;
    Ok(common_device(dst, src).map(|_| plan_on_device(&plan, dst, src)))
}

/// No two elements of the destination share a byte.
fn check_unique(layout: &StridedLayout) -> Result<()> {
    // Contiguous elements have a place each; to see it takes a fraction of the general answer.
    if layout.is_contiguous_c() || layout.is_contiguous_f() {
        return Ok(());
    }
    match layout.uniqueness() {
        Uniqueness::Unique => Ok(()),
        Uniqueness::Overlapping => Err(Error::NotUnique),
        Uniqueness::Undecided => Err(Error::UniquenessUndecided),
    }
}

impl StridedMemoryView {
    /// Copies the elements of `src` to this view; see [`copy()`].
    ///
    /// # Errors
    ///
    /// Those of [`copy()`].
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let dst = StridedMemoryView::from_vec(vec![0_u8; 4], &[2, 2])?;
    /// let src = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4], &[2, 2])?;
    /// dst.copy_from(&src.reversed_axes()?)?;
    /// assert_eq!(dst.as_slice::<u8>()?[..], [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copy_from(&self, src: &Self) -> Result<()> {
        copy(self, src)
    }

    /// Copies the elements of this view to `dst`; see [`copy()`].
    ///
    /// # Errors
    ///
    /// Those of [`copy()`].
    ///
    /// ```
    /// # use strideview::{Error, StridedMemoryView};
    /// let (one, two) = (vec![1_u8; 4], vec![2_u8; 4]);
    /// let dst = StridedMemoryView::from_vec(one, &[4])?;
    /// StridedMemoryView::from_vec(two, &[4])?.copy_to(&dst)?;
    /// assert_eq!(dst.get::<u8>(&[3])?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copy_to(&self, dst: &Self) -> Result<()> {
        copy(dst, self)
    }

    /// Copies the elements of `src` to this view in the order of a stream; see [`copy_on`].
    ///
    /// # Errors
    ///
    /// Those of [`copy_on`].
    #[cfg(feature = "cuda")]
    pub fn copy_from_on(&self, src: &Self, stream: &strideview_cuda::Stream) -> Result<()> {
        copy_on(self, src, stream)
    }

    /// Copies the elements of this view to `dst` in the order of a stream; see [`copy_on`].
    ///
    /// # Errors
    ///
    /// Those of [`copy_on`].
    #[cfg(feature = "cuda")]
    pub fn copy_to_on(&self, dst: &Self, stream: &strideview_cuda::Stream) -> Result<()> {
        copy_on(dst, self, stream)
    }
}
