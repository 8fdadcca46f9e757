//! Host memory: aligned, zeroed, in huge pages when large.

mod heap;
#[cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod pages;
/// Elsewhere large allocations come from the heap too.
#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
use heap as pages;

use crate::{Access, MemoryError, MemoryResource, StreamToken};

/// Alignment of every allocation, in bytes: a cache line, and the widest vector register.
const ALIGNMENT_IN_BYTES: usize = 64;

/// From this size on an allocation gets pages of its own.
const LARGE_IN_BYTES: usize = 4 << 20;

/// The largest span that Rust can address.
const LIMIT_IN_BYTES: usize = isize::MAX.unsigned_abs();

/// Host memory from the allocator of the process.
///
/// Every allocation is zeroed and aligned to 64 bytes. On 64-bit Linux one of 4 MiB or more is
/// aligned to 2 MiB and asks for huge pages; its zeros come with its pages, when they are first
/// touched, so a large allocation costs no pass over the memory. A request for 0 bytes gives an
/// aligned address that is not null and has nothing behind it.
///
/// ```
/// use strideview_memory::{HostResource, MemoryError, MemoryResource, StreamToken};
///
/// let host = HostResource::new();
/// let address = host.allocate(100, StreamToken::NONE)?;
/// assert_eq!(address.addr() % 64, 0);
/// // SAFETY: (1) allocated above with 100 bytes; (2) given back once, and used by nobody.
/// unsafe { host.deallocate(address, 100, StreamToken::NONE) }?;
/// # Ok::<(), MemoryError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HostResource {
    _private: (),
}

impl HostResource {
    /// The host resource. It has no state: every value of it is the same.
    pub const fn new() -> Self {
        Self { _private: () }
    }
}

/// Where an allocation of a given size lives. A function of the size alone, so that `deallocate`
/// finds the same answer as `allocate` did.
enum Place {
    Nowhere,
    Heap,
    Pages,
}

impl Place {
    const fn of(size_in_bytes: usize) -> Self {
        match size_in_bytes {
            0 => Self::Nowhere,
            LARGE_IN_BYTES.. => Self::Pages,
            _ => Self::Heap,
        }
    }
}

// SAFETY: (1, 2, 4) promised by `heap` and `pages` for the sizes `Place` sends there, and trivial
// for size 0; (3) both give zeroed memory that the host can reach.
unsafe impl MemoryResource for HostResource {
    fn allocate(&self, size_in_bytes: usize, _: StreamToken) -> Result<*mut u8, MemoryError> {
        if size_in_bytes > LIMIT_IN_BYTES {
            return Err(MemoryError::SizeTooLarge {
                size_in_bytes,
                limit_in_bytes: LIMIT_IN_BYTES,
            });
        }
        match Place::of(size_in_bytes) {
            Place::Nowhere => Ok(std::ptr::without_provenance_mut(ALIGNMENT_IN_BYTES)),
            Place::Heap => heap::allocate(size_in_bytes),
            Place::Pages => pages::allocate(size_in_bytes),
        }
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        size_in_bytes: usize,
        _: StreamToken,
    ) -> Result<(), MemoryError> {
        match Place::of(size_in_bytes) {
            Place::Nowhere => Ok(()),
            Place::Heap => {
                // SAFETY: the caller promises that `allocate` gave `address` for this size, which
                // `Place` sent to `heap`, and that it is given back once.
                unsafe { heap::deallocate(address, size_in_bytes) }
            }
            Place::Pages => {
                // SAFETY: as above, with `pages` for `heap`.
                unsafe { pages::deallocate(address, size_in_bytes) }
            }
        }
    }

    fn access(&self) -> Access {
        Access::host()
    }
}
