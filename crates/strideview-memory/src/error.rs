//! What can go wrong with a buffer or a resource.
#![forbid(unsafe_code)]

use std::fmt;

/// A failure of a buffer or of a memory resource.
///
/// A small `Copy` value with scalar fields: making, moving and comparing one allocates nothing.
/// [`MemoryError::code`] is stable; the message is not.
///
/// ```
/// use strideview_memory::MemoryError;
///
/// let error = MemoryError::InUse { leases: 2 };
/// assert_eq!(error.code(), "memory.in_use");
/// assert_eq!(error.to_string(), "cannot close the buffer: wanted no lease alive, got 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryError {
    /// The memory is not there.
    OutOfMemory {
        /// How many bytes were wanted.
        size_in_bytes: usize,
    },
    /// No allocation can be this large.
    SizeTooLarge {
        /// How many bytes were wanted.
        size_in_bytes: usize,
        /// The largest size that can be asked for.
        limit_in_bytes: usize,
    },
    /// The buffer has been closed.
    Closed,
    /// The buffer cannot be closed while it is leased.
    InUse {
        /// How many leases were alive.
        leases: usize,
    },
    /// A call below the resource failed: of the operating system, of a driver, or of user code.
    Resource {
        /// The name of the call that failed, such as `munmap` or `cuMemFreeAsync`.
        call: &'static str,
        /// The status that the call gave back.
        status: i64,
    },
    /// The code that releases the memory panicked (a resource, or the destructor of an owner).
    ReleasePanicked,
}

/// Every code that [`MemoryError::code`] gives, in the order of the variants.
///
/// ```
/// assert_eq!(strideview_memory::ALL_CODES.len(), 6);
/// ```
pub const ALL_CODES: &[&str] = &[
    "memory.out_of_memory",
    "memory.size_too_large",
    "memory.closed",
    "memory.in_use",
    "memory.resource",
    "memory.release_panicked",
];

impl MemoryError {
    /// The stable name of this kind of failure, `memory.` and a slug. O(1).
    ///
    /// ```
    /// use strideview_memory::MemoryError;
    ///
    /// assert_eq!(MemoryError::Closed.code(), "memory.closed");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::OutOfMemory { .. } => "memory.out_of_memory",
            Self::SizeTooLarge { .. } => "memory.size_too_large",
            Self::Closed => "memory.closed",
            Self::InUse { .. } => "memory.in_use",
            Self::Resource { .. } => "memory.resource",
            Self::ReleasePanicked => "memory.release_panicked",
        }
    }
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfMemory { size_in_bytes } => {
                write!(f, "out of memory: wanted {size_in_bytes} bytes, got none")
            }
            Self::SizeTooLarge { size_in_bytes, limit_in_bytes } => write!(
                f,
                "allocation too large: wanted at most {limit_in_bytes} bytes, got {size_in_bytes}"
            ),
            Self::Closed => f.write_str("wanted an open buffer, got a closed one"),
            Self::InUse { leases } => {
                write!(f, "cannot close the buffer: wanted no lease alive, got {leases}")
            }
            Self::Resource { call, status } => {
                write!(f, "{call} failed: wanted status 0, got {status}")
            }
            Self::ReleasePanicked => f.write_str(
                "wanted the memory released, got a panic from the code that releases it",
            ),
        }
    }
}

impl std::error::Error for MemoryError {}
