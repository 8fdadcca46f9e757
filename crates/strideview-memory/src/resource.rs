//! Where memory comes from and goes to.

use std::sync::Arc;

use crate::{Access, MemoryError};

/// The stream that orders an allocation or a release: an opaque word, 0 when there is none.
///
/// Host memory ignores it. A device resource reads it as its own stream handle.
///
/// ```
/// use strideview_memory::StreamToken;
///
/// assert!(StreamToken::NONE.is_none());
/// assert_eq!(StreamToken::new(0x5000).raw(), 0x5000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct StreamToken(usize);

impl StreamToken {
    /// No stream.
    pub const NONE: Self = Self(0);

    /// The token for a stream handle. O(1).
    pub const fn new(raw: usize) -> Self {
        Self(raw)
    }

    /// The stream handle behind this token, 0 for none. O(1).
    pub const fn raw(self) -> usize {
        self.0
    }

    /// Whether this is [`StreamToken::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// A source of memory: gives spans of bytes and takes them back.
///
/// # Safety
///
/// Safe code reads and writes the memory that [`Buffer::allocate`](crate::Buffer::allocate)
/// gets from here, so an implementation promises that, when `allocate(size_in_bytes, _)`
/// succeeds:
///
/// 1. the address starts a span of `size_in_bytes` bytes that nothing else uses until
///    `deallocate` is called for it; it may be null only when `size_in_bytes` is 0;
/// 2. the span is at most `isize::MAX` bytes and does not wrap around the address space;
/// 3. the span can be reached as [`MemoryResource::access`] says; where that includes the host,
///    every byte is initialised (with any value);
/// 4. the span may be given back from any thread.
///
/// A failing `deallocate` must not free the memory in part: the caller does not call it again, so
/// the span is then leaked, and reported.
///
/// # Examples
///
/// A resource that has nothing to give:
///
/// ```
/// use strideview_memory::{Access, MemoryError, MemoryResource, StreamToken};
///
/// struct Exhausted;
///
/// // SAFETY: `allocate` never succeeds, so there is nothing to promise.
/// unsafe impl MemoryResource for Exhausted {
///     fn allocate(&self, size_in_bytes: usize, _: StreamToken) -> Result<*mut u8, MemoryError> {
///         Err(MemoryError::OutOfMemory { size_in_bytes })
///     }
///     unsafe fn deallocate(&self, _: *mut u8, _: usize, _: StreamToken) -> Result<(), MemoryError> {
///         Ok(())
///     }
///     fn access(&self) -> Access {
///         Access::host()
///     }
/// }
///
/// let error = Exhausted.allocate(7, StreamToken::NONE).unwrap_err();
/// assert_eq!(error, MemoryError::OutOfMemory { size_in_bytes: 7 });
/// ```
pub unsafe trait MemoryResource: Send + Sync {
    /// The address of `size_in_bytes` fresh bytes, ready to use in the order of `stream`.
    ///
    /// # Errors
    ///
    /// [`MemoryError::OutOfMemory`], [`MemoryError::SizeTooLarge`], or
    /// [`MemoryError::Resource`] when a call below failed. Nothing is allocated then.
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError>;

    /// Takes a span back, in the order of `stream`.
    ///
    /// # Safety
    ///
    /// 1. `address` came from `allocate` of this resource (or is of memory that this resource
    ///    knows how to free), with this same `size_in_bytes`.
    /// 2. It has not been given back before, and nothing uses the span any more.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Resource`] when a call below failed. The span is lost then.
    unsafe fn deallocate(
        &self,
        address: *mut u8,
        size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError>;

    /// Who can reach the memory of this resource.
    fn access(&self) -> Access;
}

// SAFETY: (1 to 4) every call goes to the inner resource unchanged, which promises them.
unsafe impl<R: MemoryResource + ?Sized> MemoryResource for Arc<R> {
    fn allocate(&self, size_in_bytes: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        (**self).allocate(size_in_bytes, stream)
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        size_in_bytes: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError> {
        // SAFETY: (1, 2) the caller promises them, and `allocate` above is the inner one's.
        unsafe { (**self).deallocate(address, size_in_bytes, stream) }
    }

    fn access(&self) -> Access {
        (**self).access()
    }
}
