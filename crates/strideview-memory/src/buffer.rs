//! A span of memory, who may touch it, and the one party that gives it back.

use std::fmt;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::owner::{Allocation, Release};
use crate::report::report;
use crate::state::State;
use crate::{Access, Deleter, Lease, MemoryError, MemoryResource, Owner, StreamToken};

/// A span of memory that is released exactly once.
///
/// Clones are handles of the same buffer: closing one closes all. A buffer that is still open when
/// its last handle goes is released then; an error there goes to the hook of
/// [`set_release_error_hook`](crate::set_release_error_hook).
///
/// Once closed, a buffer has address 0 and size 0, and cannot be leased. An address read before
/// may dangle from the moment another thread closes the buffer: whoever uses the memory holds a
/// [`Lease`].
///
/// ```
/// use std::sync::Arc;
/// use strideview_memory::{Buffer, HostResource, MemoryError, MemoryResource, StreamToken};
///
/// let host: Arc<dyn MemoryResource> = Arc::new(HostResource::new());
/// let buffer = Buffer::allocate(&host, 256, StreamToken::NONE)?;
/// assert_eq!(buffer.len_bytes(), 256);
/// # Ok::<(), MemoryError>(())
/// ```
#[derive(Clone)]
pub struct Buffer(Arc<Inner>);

/// # Invariants
///
/// 1. `release` is taken once: by the close that set `state` to closed, or by `drop`.
/// 2. While `state` is open, `span` is what the constructor was given, and is not released.
struct Inner {
    span: Span,
    access: Access,
    readonly: AtomicBool,
    state: State,
    release: Mutex<Option<Release>>,
}

/// Where the memory is.
#[derive(Clone, Copy)]
struct Span {
    address: *mut u8,
    size_in_bytes: usize,
}

// SAFETY: a span is a number with provenance; this crate never reads or writes through it.
unsafe impl Send for Span {}
// SAFETY: as above.
unsafe impl Sync for Span {}

impl Buffer {
    /// `size_in_bytes` fresh bytes of `resource`, in the order of `stream`.
    ///
    /// Costs one allocation of the resource and one small one for the handle. The buffer keeps the
    /// resource alive until it is released. Where the host can reach the memory, its bytes are
    /// initialised ([`MemoryResource`], promise 3).
    ///
    /// # Errors
    ///
    /// Those of [`MemoryResource::allocate`].
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use strideview_memory::{Buffer, HostResource, MemoryError, MemoryResource, StreamToken};
    /// let host: Arc<dyn MemoryResource> = Arc::new(HostResource::new());
    /// let error = Buffer::allocate(&host, usize::MAX, StreamToken::NONE).unwrap_err();
    /// assert_eq!(error.code(), "memory.size_too_large");
    /// ```
    pub fn allocate(
        resource: &Arc<dyn MemoryResource>,
        size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<Self, MemoryError> {
        let address = resource.allocate(size_in_bytes, stream)?;
        // SAFETY: (1, 3) the resource just gave this span (MemoryResource 1, 2 and 4);
        // (2) nobody else knows of it.
        Ok(unsafe { Self::from_resource(address, size_in_bytes, Arc::clone(resource), stream) })
    }

    /// Memory at `address` that `resource` is to free.
    ///
    /// Access is what the resource says. Costs one small allocation. `stream` orders the release
    /// when none is named at [`Buffer::close`].
    ///
    /// # Safety
    ///
    /// 1. `resource` knows how to free `size_in_bytes` bytes at `address`, from any thread.
    /// 2. The caller gives up the right to free them, and nothing else will.
    /// 3. Until the buffer is released, the span is memory that can be reached as the resource
    ///    says, at most `isize::MAX` bytes, not wrapping around the address space, and
    ///    initialised where the host can reach it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use strideview_memory::{Buffer, HostResource, MemoryError, MemoryResource, StreamToken};
    /// let host: Arc<dyn MemoryResource> = Arc::new(HostResource::new());
    /// let address = host.allocate(32, StreamToken::NONE)?;
    /// // SAFETY: (1, 3) just allocated with this size; (2) handed over here.
    /// let buffer = unsafe { Buffer::from_resource(address, 32, host, StreamToken::NONE) };
    /// assert_eq!(buffer.address(), address.addr());
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub unsafe fn from_resource(
        address: *mut u8,
        size_in_bytes: usize,
        resource: Arc<dyn MemoryResource>,
        stream: StreamToken,
    ) -> Self {
        let access = resource.access();
        // SAFETY: (1, 2) the caller promises the same in its (1) and (2).
        let allocation = unsafe { Allocation::new(resource, address, size_in_bytes, stream) };
        Self::new(Span { address, size_in_bytes }, access, Release::Resource(allocation))
    }

    /// Memory at `address` that somebody else allocated.
    ///
    /// With an owner, releasing the buffer drops this reference to it; without one, releasing does
    /// nothing. Costs one small allocation.
    ///
    /// # Safety
    ///
    /// 1. Until the buffer is released (with an owner), or for as long as anything uses the buffer
    ///    (without one), the span is memory that can be reached as `access` says.
    /// 2. It is at most `isize::MAX` bytes, does not wrap around the address space, and is
    ///    initialised where the host can reach it. `address` may be null when the size is 0.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use strideview_memory::{Access, Buffer, MemoryError, Owner, StreamToken};
    ///
    /// let mut bytes = vec![7_u8; 10];
    /// let address = bytes.as_mut_ptr();
    /// let owner: Arc<dyn Owner> = Arc::new(bytes);
    /// // SAFETY: (1) the owner keeps the vector, which does not move its bytes; (2) it is a vector.
    /// let buffer = unsafe { Buffer::from_raw(address, 10, Access::host(), Some(owner)) };
    /// assert_eq!(buffer.len_bytes(), 10);
    /// buffer.close(StreamToken::NONE)?;
    /// assert!(buffer.owner().is_none());
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub unsafe fn from_raw(
        address: *mut u8,
        size_in_bytes: usize,
        access: Access,
        owner: Option<Arc<dyn Owner>>,
    ) -> Self {
        let release = owner.map_or(Release::Nothing, Release::Owner);
        Self::new(Span { address, size_in_bytes }, access, release)
    }

    /// Memory at `address` that `release` gives back, in the order of the stream that is named at
    /// [`Buffer::close`], if one is.
    ///
    /// It is called once. Costs two small allocations.
    ///
    /// # Safety
    ///
    /// As [`Buffer::from_raw`] with an owner.
    ///
    /// ```
    /// use strideview_memory::{Access, Buffer, MemoryError, StreamToken};
    ///
    /// let bytes = Box::leak(vec![7_u8; 10].into_boxed_slice());
    /// let address = bytes.as_mut_ptr();
    /// let release = |_| {
    ///     // The program ends here; another one would free the bytes.
    ///     Err(MemoryError::Resource { call: "free", status: 5 })
    /// };
    /// // SAFETY: (1, 2) leaked, so there for good.
    /// let buffer = unsafe { Buffer::from_raw_with(address, 10, Access::host(), release) };
    /// assert_eq!(buffer.close(StreamToken::NONE).unwrap_err().code(), "memory.resource");
    /// ```
    pub unsafe fn from_raw_with(
        address: *mut u8,
        size_in_bytes: usize,
        access: Access,
        release: impl FnOnce(StreamToken) -> Result<(), MemoryError> + Send + 'static,
    ) -> Self {
        Self::new(Span { address, size_in_bytes }, access, Release::Call(Box::new(release)))
    }

    /// Memory at `address` that `deleter` gives back. Costs one small allocation.
    ///
    /// # Safety
    ///
    /// As [`Buffer::from_raw`] with an owner.
    ///
    /// ```
    /// use std::ffi::c_void;
    /// use strideview_memory::{Access, Buffer, Deleter, MemoryError, StreamToken};
    ///
    /// unsafe fn free(context: *mut c_void) {
    ///     // SAFETY: it comes from `Box::into_raw` below, and this is called once.
    ///     drop(unsafe { Box::from_raw(context.cast::<[u8; 10]>()) });
    /// }
    /// let bytes = Box::into_raw(Box::new([7_u8; 10]));
    /// // SAFETY: (1) the box is given up here.
    /// let deleter = unsafe { Deleter::new(free, bytes.cast()) };
    /// // SAFETY: (1, 2) the box is there until the deleter is called.
    /// let buffer = unsafe { Buffer::from_deleter(bytes.cast(), 10, Access::host(), deleter) };
    /// assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
    /// ```
    pub unsafe fn from_deleter(
        address: *mut u8,
        size_in_bytes: usize,
        access: Access,
        deleter: Deleter,
    ) -> Self {
        Self::new(Span { address, size_in_bytes }, access, Release::Deleter(deleter))
    }

    fn new(span: Span, access: Access, release: Release) -> Self {
        let (readonly, release) = (AtomicBool::new(false), Mutex::new(Some(release)));
        Self(Arc::new(Inner { span, access, readonly, state: State::open(), release }))
    }

    /// The address of the first byte; 0 once the buffer is closed. O(1).
    pub fn address(&self) -> usize {
        self.as_ptr().addr()
    }

    /// The address of the first byte as a pointer; null once the buffer is closed. O(1).
    ///
    /// Hold a [`Lease`] while using it.
    pub fn as_ptr(&self) -> *mut u8 {
        if self.is_closed() { null_mut() } else { self.0.span.address }
    }

    /// The size of the span in bytes; 0 once the buffer is closed. O(1).
    pub fn len_bytes(&self) -> usize {
        if self.is_closed() { 0 } else { self.0.span.size_in_bytes }
    }

    /// Who can reach the memory (or could, before it was closed). O(1).
    pub fn access(&self) -> Access {
        self.0.access
    }

    /// Whether nobody may write the memory by this buffer. O(1).
    pub fn readonly(&self) -> bool {
        self.0.readonly.load(Ordering::Relaxed)
    }

    /// Lets nobody write the memory by this buffer, from now on and for good: for memory that others
    /// hold references into. O(1).
    ///
    /// What was begun before is not stopped, so call this before anybody else has the buffer.
    ///
    /// ```
    /// # use strideview_memory::{Access, Buffer};
    /// let bytes = *b"constant";
    /// let address = bytes.as_ptr().cast_mut();
    /// // SAFETY: (1, 2) an array that lives longer.
    /// let buffer = unsafe { Buffer::from_raw(address, 8, Access::host(), None) };
    /// buffer.make_readonly();
    /// assert!(buffer.clone().readonly());
    /// ```
    pub fn make_readonly(&self) {
        self.0.readonly.store(true, Ordering::Relaxed);
    }

    /// Whether the buffer has been closed. O(1).
    ///
    /// False may be out of date when another thread closes; [`Buffer::lease`] is the test that
    /// holds.
    pub fn is_closed(&self) -> bool {
        self.0.state.is_closed()
    }

    /// How many leases are alive. O(1).
    pub fn leases(&self) -> usize {
        self.0.state.leases()
    }

    /// Whether both are handles of the same buffer. O(1).
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The resource that is to free the memory; None when there is none, or the buffer is closed.
    pub fn resource(&self) -> Option<Arc<dyn MemoryResource>> {
        match &*self.lock_release() {
            Some(Release::Resource(allocation)) => Some(Arc::clone(allocation.resource())),
            _ => None,
        }
    }

    /// The foreign owner; None when there is none, or the buffer is closed.
    ///
    /// A reference that is held delays the end of the owner, beyond `close`.
    pub fn owner(&self) -> Option<Arc<dyn Owner>> {
        match &*self.lock_release() {
            Some(Release::Owner(owner)) => Some(Arc::clone(owner)),
            _ => None,
        }
    }

    /// A guard that keeps the buffer open while somebody uses its address.
    ///
    /// One atomic operation; takes no lock and allocates nothing.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`] when the buffer is closed.
    pub fn lease(&self) -> Result<Lease, MemoryError> {
        Lease::new(self.clone())
    }

    /// Releases the memory, or the owner, in the order of `stream`; for `StreamToken::NONE`, of
    /// the stream that the memory was allocated on.
    ///
    /// Closing again does nothing. When two threads close at once, one of them releases, and the
    /// other returns at once. The buffer is closed even when the release fails: the error is
    /// returned by this call and by no later one.
    ///
    /// # Errors
    ///
    /// [`MemoryError::InUse`] while leases are alive: nothing happens then. Otherwise the errors
    /// of [`MemoryResource::deallocate`], and [`MemoryError::ReleasePanicked`].
    ///
    /// ```
    /// # use strideview_memory::{Access, Buffer, MemoryError, StreamToken};
    /// // SAFETY: (1, 2) no bytes are promised.
    /// let buffer = unsafe { Buffer::from_raw(std::ptr::null_mut(), 0, Access::host(), None) };
    /// assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
    /// assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
    /// assert_eq!(buffer.lease().unwrap_err(), MemoryError::Closed);
    /// ```
    pub fn close(&self, stream: StreamToken) -> Result<(), MemoryError> {
        if !self.0.state.close()? {
            return Ok(());
        }
        // The lock ends with this statement: foreign code runs without it.
        let release = self.lock_release().take();
        release.map_or(Ok(()), |release| release.run(stream))
    }

    pub(crate) fn state(&self) -> &State {
        &self.0.state
    }

    /// The span while the buffer is known to be open: for a lease.
    pub(crate) fn span(&self) -> (*mut u8, usize) {
        (self.0.span.address, self.0.span.size_in_bytes)
    }

    /// No foreign code runs under this lock, so it is never held for long.
    fn lock_release(&self) -> std::sync::MutexGuard<'_, Option<Release>> {
        self.0.release.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let release = self.release.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Err(error)) = release.map(|release| release.run(StreamToken::NONE)) {
            report(&error);
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("address", &format_args!("{:#x}", self.address()))
            .field("len_bytes", &self.len_bytes())
            .field("access", &self.access())
            .field("readonly", &self.readonly())
            .field("is_closed", &self.is_closed())
            .field("leases", &self.leases())
            .finish()
    }
}
