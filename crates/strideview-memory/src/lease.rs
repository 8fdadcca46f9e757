//! A promise that a buffer stays open while somebody uses its address.
#![forbid(unsafe_code)]

use std::fmt;

use crate::{Buffer, MemoryError};

/// A guard made by [`Buffer::lease`]: while it lives, the buffer cannot be closed.
///
/// It keeps a handle of the buffer, may go to another thread, and borrows nothing; so it can be
/// the context of an export that outlives every view. A lease that is leaked keeps the memory for
/// ever.
///
/// ```
/// use std::sync::Arc;
/// use strideview_memory::{Buffer, HostResource, MemoryError, MemoryResource, StreamToken};
///
/// let host: Arc<dyn MemoryResource> = Arc::new(HostResource::new());
/// let buffer = Buffer::allocate(&host, 16, StreamToken::NONE)?;
/// let lease = buffer.lease()?;
/// drop(buffer);
/// assert_eq!(lease.len_bytes(), 16); // the memory is still there
/// # Ok::<(), MemoryError>(())
/// ```
pub struct Lease {
    /// # Invariants
    ///
    /// 1. The state of this buffer counts this lease: entered in `new` or `clone`, left in `drop`.
    buffer: Buffer,
}

impl Lease {
    /// Takes the handle first, so that the number of leases is bounded by that of handles.
    pub(crate) fn new(buffer: Buffer) -> Result<Self, MemoryError> {
        buffer.state().enter()?;
        Ok(Self { buffer })
    }

    /// The leased buffer. O(1).
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The address of the first byte; the memory stays there while the lease lives. O(1).
    pub fn address(&self) -> usize {
        self.as_ptr().addr()
    }

    /// The address of the first byte as a pointer; the memory stays there while the lease lives.
    /// O(1).
    pub fn as_ptr(&self) -> *mut u8 {
        self.buffer.span().0
    }

    /// The size of the span in bytes. O(1).
    pub fn len_bytes(&self) -> usize {
        self.buffer.span().1
    }
}

impl Clone for Lease {
    /// Another lease of the same buffer. One atomic operation more than cloning the handle.
    fn clone(&self) -> Self {
        let buffer = self.buffer.clone();
        // Cannot fail: `self` keeps the buffer open.
        let entered = buffer.state().enter();
        debug_assert_eq!(entered, Ok(()));
        Self { buffer }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.buffer.state().leave();
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&self.buffer).finish()
    }
}
