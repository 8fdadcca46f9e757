//! Copies between views.
#![forbid(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use crate::route::Route;
use crate::view::{copy_on_host, plan_copy};
use crate::{
    Buffer, CopyError, CopyExplanation, Device, Error, MemoryResource, Result, StreamToken,
    StrideOrder, StridedLayout, StridedMemoryView, Uniqueness,
};

/// In which order a copy is done, and whether it is waited for.
///
/// ```
/// use strideview::{CopyOptions, StreamToken};
///
/// let options = CopyOptions::default();
/// assert_eq!((options.stream, options.blocking), (StreamToken::NONE, None));
/// ```
#[derive(Clone, Copy, Default)]
pub struct CopyOptions<'a> {
    /// The stream that orders the copy; for none, the legacy default stream of the device. Copies on
    /// the host wait for it where a device reaches a side too, and otherwise know no stream.
    pub stream: StreamToken,
    /// Whether the copy is done on return. None: unless the host reaches neither side, in which case
    /// it is queued. Copies on the host are always done on return.
    pub blocking: Option<bool>,
    /// Where temporaries come from. A resource gives those that its memory is fit for: of a device where
    /// that device reaches it, slots for pageable memory where the host reaches it too, of the host for a
    /// copy on the host. Others, and all of them without one, come from the pool of the device, pinned
    /// memory that is kept, or the heap.
    pub allocator: Option<&'a Arc<dyn MemoryResource>>,
}

impl fmt::Debug for CopyOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyOptions")
            .field("stream", &self.stream)
            .field("blocking", &self.blocking)
            .field("allocator", &self.allocator.map(|resource| resource.access()))
            .finish()
    }
}

/// Copies the elements of `src` to `dst`, index by index.
///
/// Both have the same shape (call [`broadcast_to`](StridedMemoryView::broadcast_to) first) and the
/// same dtype; an untyped view takes any dtype of its item size. Strides may be anything in the
/// source; in the destination no two elements may share a byte. Where source and destination share
/// bytes, the result is that of copying through a temporary. Bytes between the elements of the
/// destination are not written. Copying nothing, or a view onto itself, does nothing.
///
/// Both buffers are leased meanwhile. Everything is checked before a byte is written.
///
/// The two may be memory of the host, of a device, of both, or of two devices; [`copy_with`] says on
/// which stream, and who waits. Here it is the legacy default stream of the device.
///
/// # Errors
///
/// [`CopyError::RankMismatch`](crate::CopyError), [`CopyError::ShapeMismatch`](crate::CopyError),
/// [`CopyError::ItemsizeMismatch`](crate::CopyError), [`Error::DTypeMismatch`],
/// [`Error::ReadOnly`], [`Error::NotUnique`], [`Error::UniquenessUndecided`],
/// [`Error::Unreachable`], [`Error::SliceAlive`], [`MemoryError::Closed`](crate::MemoryError),
/// [`CopyError::OutOfMemory`](crate::CopyError) when there is no memory for the temporary, and a failed
/// call of the driver.
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
    copy_with(dst, src, CopyOptions::default())
}

/// As [`copy()`], in the order of a stream.
///
/// A copy between memory that the host does not reach is queued, as a kernel is: both buffers stay
/// open until it is done, and are closed on the same stream. It can be captured into a graph. Where the
/// host reaches a side, the copy is done on return. With `blocking: Some(false)` a copy between host
/// and device is queued too, all of it in the order of the stream, and keeps both buffers leased until
/// it is done; nobody else may touch what it writes before. With `Some(true)` every copy is done on
/// return.
///
/// After an error of the driver nothing is at work any more, and the destination may be written in
/// part.
///
/// # Errors
///
/// Those of [`copy()`]; a copy of pageable memory cannot be captured.
///
/// ```
/// use strideview::{CopyOptions, Error, StridedMemoryView, copy_with};
///
/// let dst = StridedMemoryView::from_vec(vec![0_u8; 4], &[2, 2])?;
/// let src = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4], &[2, 2])?;
/// copy_with(&dst, &src.reversed_axes()?, CopyOptions { blocking: Some(true), ..CopyOptions::default() })?;
/// assert_eq!(dst.to_vec::<u8>()?, [1, 3, 2, 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn copy_with(
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
    options: CopyOptions<'_>,
) -> Result<()> {
    check_dtypes(dst, src)?;
    if dst.readonly() {
        return Err(Error::ReadOnly);
    }
    check_unique(dst.layout())?;
    if dst.shape() == src.shape() && (dst.layout().is_empty() || dst.is_same_memory(src)) {
        return Ok(());
    }
    if dst.access().is_host_only() && src.access().is_host_only() {
        return copy_on_host(dst, src, options.allocator);
    }
    device::copy(dst, src, options)
}

/// What [`copy()`] would do, planned and not done; prints as a description. O(rank²).
///
/// # Errors
///
/// Those about shapes and dtypes of [`copy()`], and [`Error::Unreachable`].
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
pub fn explain_copy(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<CopyExplanation> {
    check_dtypes(dst, src)?;
    let plan = plan_copy(dst, src)?;
    CopyExplanation::new(plan, device::route(dst, src)?, dst, src)
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
    empty_like_on(view, Device::cpu(), StreamToken::NONE)
}

/// As [`empty_like`], on a device, in the order of a stream; memory of a CUDA device is not set.
///
/// # Errors
///
/// Those of [`Device::allocate_on`].
///
/// ```
/// use strideview::{Device, Error, StreamToken, StridedMemoryView, empty_like_on};
///
/// let view = StridedMemoryView::from_vec(vec![1_u16; 6], &[2, 3])?;
/// let new = empty_like_on(&view, Device::cpu(), StreamToken::NONE)?;
/// assert_eq!(new.to_vec::<u16>()?, [0; 6]);
/// # Ok::<(), Error>(())
/// ```
pub fn empty_like_on(
    view: &StridedMemoryView,
    device: Device,
    stream: StreamToken,
) -> Result<StridedMemoryView> {
    empty_from(&device.memory_resource()?, view, stream)
}

/// As [`empty_like_on`], from a memory resource.
pub(crate) fn empty_from(
    resource: &Arc<dyn MemoryResource>,
    view: &StridedMemoryView,
    stream: StreamToken,
) -> Result<StridedMemoryView> {
    let layout = view.layout().to_dense(StrideOrder::K)?;
    let size_in_bytes = usize::try_from(layout.nbytes()).unwrap_or(usize::MAX);
    let buffer = Buffer::allocate(resource, size_in_bytes, stream)?;
    StridedMemoryView::from_buffer(&buffer, &layout, view.dtype(), false)
}

/// A new dense view on a device with the elements of `view`, its axes in the same order. Always copies.
///
/// Allocated and copied in the order of the stream of `options`; see [`copy_with`] for who waits.
///
/// # Errors
///
/// Those of [`empty_like_on`] and of [`copy_with`].
///
/// ```
/// use strideview::{CopyOptions, Device, Error, StridedMemoryView, to_device};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3], &[3])?;
/// let new = to_device(&view, Device::cpu(), CopyOptions::default())?;
/// assert_eq!(new.to_vec::<u8>()?, [1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
pub fn to_device(
    view: &StridedMemoryView,
    device: Device,
    options: CopyOptions<'_>,
) -> Result<StridedMemoryView> {
    let new = empty_like_on(view, device, options.stream)?;
    copy_with(&new, view, options)?;
    Ok(new)
}

/// A new dense view on the host with the elements of `view`: [`to_device`] for the host.
///
/// # Errors
///
/// Those of [`to_device`].
///
/// ```
/// use strideview::{CopyOptions, Error, StridedMemoryView, to_host};
///
/// let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3], &[3])?;
/// assert_eq!(to_host(&view, CopyOptions::default())?.to_vec::<u8>()?, [1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
pub fn to_host(view: &StridedMemoryView, options: CopyOptions<'_>) -> Result<StridedMemoryView> {
    to_device(view, Device::cpu(), options)
}

/// Copies where one of the sides is not memory of the host alone, with CUDA in the build.
#[cfg(feature = "cuda")]
mod device {
    use super::{CopyOptions, Result, Route, StridedMemoryView, copy_on_host};
    use crate::view::{copy_by, has_driver, settle};

    pub(super) fn route(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<Route> {
        Route::between(dst.access(), src.access(), has_driver)
    }

    pub(super) fn copy(
        dst: &StridedMemoryView,
        src: &StridedMemoryView,
        options: CopyOptions<'_>,
    ) -> Result<()> {
        match route(dst, src)? {
            Route::Host => {
                settle([dst, src], options.stream)?;
                copy_on_host(dst, src, options.allocator)
            }
            route => copy_by(route, dst, src, options),
        }
    }
}

/// As above, without CUDA in the build.
#[cfg(not(feature = "cuda"))]
mod device {
    use super::{CopyOptions, Result, Route, StridedMemoryView, copy_on_host};
    use crate::Error;

    pub(super) fn route(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<Route> {
        Route::between(dst.access(), src.access(), || false)
    }

    pub(super) fn copy(
        dst: &StridedMemoryView,
        src: &StridedMemoryView,
        options: CopyOptions<'_>,
    ) -> Result<()> {
        match route(dst, src)? {
            Route::Host => copy_on_host(dst, src, options.allocator),
            Route::Device { ordinal }
            | Route::ToDevice { ordinal }
            | Route::ToHost { ordinal }
            | Route::Peers { dst: ordinal, .. } => Err(Error::NoCuda { ordinal }),
        }
    }
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

/// No two elements of the destination share a byte.
pub(crate) fn check_unique(layout: &StridedLayout) -> Result<()> {
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

    /// A new dense view on a device with these elements; see [`to_device`].
    ///
    /// # Errors
    ///
    /// Those of [`to_device`].
    ///
    /// ```
    /// # use strideview::{CopyOptions, Device, Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?;
    /// let new = view.to_device(Device::cpu(), CopyOptions::default())?;
    /// assert_eq!(new.get::<u8>(&[1])?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_device(&self, device: Device, options: CopyOptions<'_>) -> Result<Self> {
        to_device(self, device, options)
    }

    /// A new dense view on the host with these elements; see [`to_host`].
    ///
    /// # Errors
    ///
    /// Those of [`to_host`].
    ///
    /// ```
    /// # use strideview::{CopyOptions, Error, StridedMemoryView};
    /// let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?;
    /// assert_eq!(view.to_host(CopyOptions::default())?.get::<u8>(&[1])?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_host(&self, options: CopyOptions<'_>) -> Result<Self> {
        to_host(self, options)
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
}
