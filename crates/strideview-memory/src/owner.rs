//! Who gives the memory back: a resource, or a foreign owner; never both.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::{MemoryError, MemoryResource, StreamToken};

/// Somebody else's object that keeps foreign memory alive: dropping it gives the memory back.
///
/// Every `'static` type that may cross threads is one; there is nothing to implement.
///
/// ```
/// use std::sync::Arc;
/// use strideview_memory::Owner;
///
/// let owner: Arc<dyn Owner> = Arc::new(vec![1_u8, 2, 3]);
/// assert_eq!(owner.downcast_ref::<Vec<u8>>().map(Vec::len), Some(3));
/// assert!(owner.downcast_ref::<String>().is_none());
/// ```
pub trait Owner: Any + Send + Sync {}

impl<T: Any + Send + Sync> Owner for T {}

impl dyn Owner {
    /// The owner as a `T`, or None when it is of another type. O(1).
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A function of somebody else that gives memory back, and what it is to be called with. Two words: a
/// buffer that has one needs no allocation for an owner.
///
/// # Invariants
///
/// 1. One call of `function` with `context` is owed, and may be made from any thread.
pub struct Deleter {
    function: unsafe fn(*mut c_void),
    context: *mut c_void,
}

// SAFETY: the context is only handed to the function, from any thread (1).
unsafe impl Send for Deleter {}

impl Deleter {
    /// The function, to be called with `context` when the memory is released. O(1).
    ///
    /// Dropped without a buffer, it calls nothing.
    ///
    /// # Safety
    ///
    /// 1. The function may be called with `context` once, from any thread, and gives the memory back.
    pub const unsafe fn new(function: unsafe fn(*mut c_void), context: *mut c_void) -> Self {
        // Invariant 1 is what the caller promises.
        Self { function, context }
    }

    fn run(self) {
        // SAFETY: invariant 1; `self` is consumed.
        unsafe { (self.function)(self.context) }
    }
}

/// A function that gives memory back, in the order of a stream.
pub(crate) type ReleaseFunction =
    Box<dyn FnOnce(StreamToken) -> Result<(), MemoryError> + Send + 'static>;

/// What is to be done to release a buffer. Doing it consumes the value, so it is done once.
pub(crate) enum Release {
    /// Give the allocation back to the resource that it belongs to.
    Resource(Allocation),
    /// Let go of the foreign owner.
    Owner(Arc<dyn Owner>),
    /// Call somebody else's function.
    Call(ReleaseFunction),
    /// The same, without a stream and without an allocation.
    Deleter(Deleter),
    /// Nothing: a plain alias of memory that somebody else looks after.
    Nothing,
}

impl Release {
    /// Releases, in the order of `stream`, or of the stream of the allocation when it is none.
    ///
    /// A panic of foreign code (a resource, a destructor) is caught and returned as an error.
    pub(crate) fn run(self, stream: StreamToken) -> Result<(), MemoryError> {
        let work = || match self {
            Self::Resource(allocation) => allocation.give_back(stream),
            Self::Owner(owner) => {
                drop(owner);
                Ok(())
            }
            Self::Call(function) => function(stream),
            Self::Deleter(deleter) => {
                deleter.run();
                Ok(())
            }
            Self::Nothing => Ok(()),
        };
        catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(MemoryError::ReleasePanicked))
    }
}

/// Memory that belongs to a resource.
///
/// # Invariants
///
/// 1. `resource` knows how to free `size_in_bytes` bytes at `address`, and has not been asked to.
/// 2. No other value will ask it to: there is one `Allocation` for the memory, and it is not
///    `Clone`.
pub(crate) struct Allocation {
    resource: Arc<dyn MemoryResource>,
    address: *mut u8,
    size_in_bytes: usize,
    stream: StreamToken,
}

// SAFETY: the pointer is only handed to the resource, which promises (MemoryResource 4) to take
// it back from any thread; the other fields are Send.
unsafe impl Send for Allocation {}

impl Allocation {
    /// Takes memory over.
    ///
    /// # Safety
    ///
    /// 1. `resource` knows how to free `size_in_bytes` bytes at `address`, from any thread.
    /// 2. The caller gives up the right to free them.
    pub(crate) unsafe fn new(
        resource: Arc<dyn MemoryResource>,
        address: *mut u8,
        size_in_bytes: usize,
        stream: StreamToken,
    ) -> Self {
        Self { resource, address, size_in_bytes, stream }
    }

    pub(crate) fn resource(&self) -> &Arc<dyn MemoryResource> {
        &self.resource
    }

    /// Frees the memory. Nothing uses it any more: `Buffer` calls this when it is closed.
    fn give_back(self, stream: StreamToken) -> Result<(), MemoryError> {
        let stream = if stream.is_none() { self.stream } else { stream };
        // SAFETY: (1) Allocation 1; (2) `self` is consumed and Allocation 2, and the buffer that
        // held it is closed with no lease alive (State 2), or its last handle is going.
        unsafe { self.resource.deallocate(self.address, self.size_in_bytes, stream) }
    }
}
