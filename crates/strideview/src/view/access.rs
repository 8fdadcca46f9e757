//! Reading and writing the memory of views on the host: the one door to it.

use std::marker::PhantomData;
use std::sync::Arc;

use strideview_copy::{Temporary, host, plan_for};

use super::borrow::{Reading, Span, Writing};
use super::place::span_in_bytes;
use super::{Element, StridedMemoryView, last_plan};
use crate::{Buffer, CopyPlan, Error, Lease, MemoryResource, Result, StreamToken};

/// The elements of a view that the host can reach, kept in place.
///
/// # Invariants
///
/// 1. The host can reach the memory of the leased buffer, which is that of the view that this was
///    made for; `first` is the address of its element `[0, …, 0]`.
pub(super) struct HostAccess {
    lease: Lease,
    first: *mut u8,
}

impl HostAccess {
    /// Takes a lease: a few atomic operations.
    pub(super) fn new(view: &StridedMemoryView) -> Result<Self> {
        let access = view.access();
        if !access.host {
            return Err(Error::NotHostAccessible { device_id: access.device_id });
        }
        let lease = view.buffer().lease()?;
        let first = lease.as_ptr().wrapping_offset(view.offset_in_bytes());
        Ok(Self { lease, first })
    }

    /// The address of element `[0, …, 0]`; the memory stays there while this lives.
    pub(super) fn first(&self) -> *mut u8 {
        self.first
    }

    /// The lease alone.
    pub(super) fn into_lease(self) -> Lease {
        self.lease
    }
}

/// The elements of a view, to be read one by one as `T`.
///
/// # Invariants
///
/// 1. `access` is that of a view whose dtype is that of `T`.
pub(super) struct TypedAccess<T> {
    access: HostAccess,
    element: PhantomData<T>,
}

// SAFETY: the pointer in `access` is only read through, by `read`, from memory that the lease keeps;
// values of `T` may go to another thread.
unsafe impl<T: Element> Send for TypedAccess<T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for TypedAccess<T> {}

impl<T: Element> TypedAccess<T> {
    /// Checks the dtype, and takes a lease.
    pub(super) fn new(view: &StridedMemoryView) -> Result<Self> {
        check_dtype::<T>(view)?;
        Ok(Self { access: HostAccess::new(view)?, element: PhantomData })
    }

    /// The element at an element offset of the view.
    ///
    /// # Safety
    ///
    /// 1. `offset` is that of an index of the view that this was made for.
    pub(super) unsafe fn read(&self, offset: i64) -> T {
        let address = self.access.first().cast::<T>().wrapping_offset(offset as isize);
        // SAFETY: the element lies inside the leased buffer, by (1), invariant 1 here and invariant
        // 2 of the view, where it takes `size_of::<T>()` bytes (invariant 3 of the view, Element 2);
        // they are initialised (Buffer), so a value (Element 1). No alignment is assumed.
        unsafe { address.read_unaligned() }
    }
}

/// The elements that a slice or an array borrows.
pub(crate) struct Borrowed<T> {
    /// The address of element `[0, …, 0]`, aligned; the memory stays there while the lease lives.
    pub(crate) first: *const T,
    /// Keeps copies from writing it; None when there is no value.
    pub(crate) reading: Option<Reading>,
    /// Keeps the memory in place.
    pub(crate) lease: Lease,
}

/// The elements of a view as values, aligned.
///
/// Law: `first`, moved by any element offset of the view, is valid for a read of a value, and no
/// copy of this crate writes it, while the lease and the reading live.
pub(crate) fn borrow<T: Element>(view: &StridedMemoryView) -> Result<Borrowed<T>> {
    check_dtype::<T>(view)?;
    let access = HostAccess::new(view)?;
    let Some(span) = span_of(view, &access) else {
        let first = std::ptr::NonNull::dangling().as_ptr();
        return Ok(Borrowed { first, lease: access.into_lease(), reading: None });
    };
    let first = access.first().cast::<T>().cast_const();
    if !first.is_aligned() {
        return Err(Error::Misaligned { address: first.addr(), alignment: align_of::<T>() });
    }
    Ok(Borrowed { first, lease: access.into_lease(), reading: Some(Reading::begin(span)?) })
}

pub(crate) fn check_dtype<T: Element>(view: &StridedMemoryView) -> Result<()> {
    match view.dtype() {
        Some(dtype) if dtype == T::DTYPE => Ok(()),
        Some(got) => Err(Error::DTypeMismatch { wanted: T::DTYPE, got }),
        None => Err(Error::Untyped),
    }
}

/// The right to write a view whose element `[0, …, 0]` lies at this address on a device; None where
/// the host cannot reach the memory, so that there are no references into it, and where there is
/// nothing.
#[cfg(feature = "cudarc")]
pub(crate) fn writing_on_device(view: &StridedMemoryView, first: usize) -> Result<Option<Writing>> {
    let span = span_at(view, first).filter(|_| view.access().host);
    span.map(Writing::begin).transpose()
}

/// The right to write all bytes of a leased buffer; None as for a view on a device.
#[cfg(feature = "cuda")]
pub(crate) fn writing_of(lease: &Lease) -> Result<Option<Writing>> {
    let (start, size_in_bytes) = (lease.address(), lease.len_bytes());
    let is_reached = lease.buffer().access().host && size_in_bytes > 0;
    // The bytes of a buffer do not wrap around the address space.
    let span = is_reached.then(|| Span { start, end: start.wrapping_add(size_in_bytes) });
    span.map(Writing::begin).transpose()
}

/// The addresses of the bytes of a view, gaps included; None when there are none.
#[inline]
fn span_of(view: &StridedMemoryView, access: &HostAccess) -> Option<Span> {
    span_at(view, access.first().addr())
}

/// As [`span_of`], from the address of element `[0, …, 0]`.
#[inline]
pub(super) fn span_at(view: &StridedMemoryView, first: usize) -> Option<Span> {
    let (lowest, end) = span_in_bytes(view.layout())?;
    // The bytes lie inside a buffer, so the sums are addresses.
    let at = |offset: i64| first.wrapping_add_signed(offset as isize);
    Some(Span { start: at(lowest), end: at(end) })
}

/// The plan of a copy between two views. Shapes and item sizes must agree.
#[inline]
pub(crate) fn plan_copy(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<CopyPlan> {
    check_shapes(dst, src)?;
    let (dst, src) = (dst.layout(), src.layout());
    let itemsize = dst.itemsize();
    if dst.is_contiguous_c() && src.is_contiguous_c() {
        // What the planner would find out in three times the time.
        return Ok(CopyPlan::new(&[dst.volume()], &[itemsize], &[itemsize], itemsize)?);
    }
    let (to, from) = (dst.strides_in_bytes(), src.strides_in_bytes());
    Ok(CopyPlan::new(dst.shape(), &to, &from, itemsize)?)
}

/// Shapes and item sizes agree.
#[inline]
fn check_shapes(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<()> {
    let (dst, src) = (dst.layout(), src.layout());
    if dst.shape() != src.shape() || dst.itemsize() != src.itemsize() {
        plan_for(dst, src)?; // an error, which says what differs
    }
    Ok(())
}

/// Copies on the host, as if through a temporary where the two sides share bytes.
///
/// The callers have made sure that no two elements of the destination share a byte. The temporary comes
/// from `allocator` where that gives memory of the host.
pub(crate) fn copy_on_host(
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
    allocator: Option<&Arc<dyn MemoryResource>>,
) -> Result<()> {
    if dst.readonly() {
        return Err(Error::ReadOnly);
    }
    check_shapes(dst, src)?;
    let (to, from) = (HostAccess::new(dst)?, HostAccess::new(src)?);
    let (Some(span), Some(src_span)) = (span_of(dst, &to), span_of(src, &from)) else {
        return Ok(());
    };
    let (first, src_first) = (to.first(), from.first());
    let addresses = (first.addr() as u64, src_first.addr() as u64);
    let overlap =
        span.meets(src_span) && dst.layout().overlaps(src.layout(), addresses.0, addresses.1);
    let _writing = Writing::begin(span)?;
    if overlap {
        let plan = plan_copy(dst, src)?;
        if let Some(resource) = allocator.filter(|resource| resource.access().host)
            && host::needs_temporary(&plan)
        {
            return through_temporary(&plan, (&to, &from), resource);
        }
        // SAFETY: (1) the plan was made for the layouts of the views, whose bytes lie inside the
        // buffers (invariant 2 of the views), which the leases keep and the host can reach; `dst`
        // is not read-only. (2) No reference into the span is alive, by `Writing`; others that race
        // with a copy are spoken of in `interop`. Elements of `dst` have a place each: see below.
        return Ok(unsafe { host::copy_overlapping(&plan, first, src_first) }?);
    }
    let plan = || plan_copy(dst, src);
    last_plan::with_plan(dst.layout(), src.layout(), plan, |plan| {
        // SAFETY: (1, 3) as (1) and (2) above; (2) the layouts share no byte, checked above, and elements
        // of `dst` have a place each, checked by the callers.
        unsafe { plan.copy(first, src_first) };
    })
}

/// Copies between places that share bytes, through a temporary of a resource.
fn through_temporary(
    plan: &CopyPlan,
    (to, from): (&HostAccess, &HostAccess),
    resource: &Arc<dyn MemoryResource>,
) -> Result<()> {
    let Some(halves) = Temporary::of(plan) else { return Ok(()) };
    let size_in_bytes = usize::try_from(halves.bytes()).unwrap_or(usize::MAX);
    let temporary = Buffer::allocate(resource, size_in_bytes, StreamToken::NONE)?;
    let lease = temporary.lease()?;
    // SAFETY: (1, 3) as in `copy_on_host` for what is read; the temporary has the bytes that `gather`
    // writes, and is ours; (2) it is fresh.
    unsafe { host::copy(halves.gather(), lease.as_ptr(), from.first()) };
    // SAFETY: as above, the other way round.
    unsafe { host::copy(halves.scatter(), to.first(), lease.as_ptr()) };
    drop(lease);
    Ok(temporary.close(StreamToken::NONE)?)
}
