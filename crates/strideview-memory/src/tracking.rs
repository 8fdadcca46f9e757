//! A resource that counts: the tool for tests and leak reports.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::{Access, MemoryError, MemoryResource, StreamToken};

/// Counts what another resource gives and takes back.
///
/// The counts are atomic and exact once the threads that allocate are joined; read while they run,
/// each one is right by itself. A span whose `deallocate` failed stays live.
///
/// ```
/// use std::sync::Arc;
/// use strideview_memory::{
///     Buffer, HostResource, MemoryError, MemoryResource, StreamToken, TrackingResource,
/// };
///
/// let tracking = Arc::new(TrackingResource::new(HostResource::new()));
/// let resource: Arc<dyn MemoryResource> = tracking.clone();
/// let buffer = Buffer::allocate(&resource, 100, StreamToken::NONE)?;
/// assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (1, 100));
/// drop(buffer);
/// assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (0, 0));
/// assert_eq!((tracking.total_blocks(), tracking.total_bytes()), (1, 100));
/// # Ok::<(), MemoryError>(())
/// ```
#[derive(Debug, Default)]
pub struct TrackingResource<R> {
    inner: R,
    live_bytes: AtomicUsize,
    live_blocks: AtomicUsize,
    peak_bytes: AtomicUsize,
    total_bytes: AtomicUsize,
    total_blocks: AtomicUsize,
}

impl<R> TrackingResource<R> {
    /// Counts what `inner` gives from now on.
    pub const fn new(inner: R) -> Self {
        Self {
            inner,
            live_bytes: AtomicUsize::new(0),
            live_blocks: AtomicUsize::new(0),
            peak_bytes: AtomicUsize::new(0),
            total_bytes: AtomicUsize::new(0),
            total_blocks: AtomicUsize::new(0),
        }
    }

    /// The resource that is counted.
    pub const fn inner(&self) -> &R {
        &self.inner
    }

    /// Bytes allocated and not yet given back.
    pub fn live_bytes(&self) -> usize {
        self.live_bytes.load(Relaxed)
    }

    /// Allocations not yet given back, those of 0 bytes included.
    pub fn live_blocks(&self) -> usize {
        self.live_blocks.load(Relaxed)
    }

    /// The most bytes that were live at once.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.load(Relaxed)
    }

    /// Bytes allocated since the beginning; wraps around beyond `usize::MAX`.
    pub fn total_bytes(&self) -> usize {
        self.total_bytes.load(Relaxed)
    }

    /// Allocations made since the beginning.
    pub fn total_blocks(&self) -> usize {
        self.total_blocks.load(Relaxed)
    }

    fn count_in(&self, size_in_bytes: usize) {
        let before = self.live_bytes.fetch_add(size_in_bytes, Relaxed);
        self.peak_bytes.fetch_max(before.wrapping_add(size_in_bytes), Relaxed);
        self.live_blocks.fetch_add(1, Relaxed);
        self.total_bytes.fetch_add(size_in_bytes, Relaxed);
        self.total_blocks.fetch_add(1, Relaxed);
    }

    fn count_out(&self, size_in_bytes: usize) {
        self.live_bytes.fetch_sub(size_in_bytes, Relaxed);
        self.live_blocks.fetch_sub(1, Relaxed);
    }
}

// SAFETY: (1 to 4) every call goes to the inner resource unchanged, which promises them.
unsafe impl<R: MemoryResource> MemoryResource for TrackingResource<R> {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        let address = self.inner.allocate(size_in_bytes, stream)?;
        self.count_in(size_in_bytes);
        Ok(address)
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError> {
        // SAFETY: (1, 2) the caller promises them, and `allocate` above is the inner one's.
        unsafe { self.inner.deallocate(address, size_in_bytes, stream) }?;
        self.count_out(size_in_bytes);
        Ok(())
    }

    fn access(&self) -> Access {
        self.inner.access()
    }
}
