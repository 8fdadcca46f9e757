//! Buffers and memory resources: a span of bytes, who may touch it and who frees it.
//!
//! This crate knows bytes, not shapes. Its nouns:
//!
//! | type | what it says |
//! |---|---|
//! | [`Buffer`] | a span of memory, and the one party that gives it back |
//! | [`Lease`] | a promise that a buffer stays open while somebody uses its address |
//! | [`Access`] | who can reach the memory: host, device, which device |
//! | [`MemoryResource`] | where memory comes from and goes to |
//! | [`HostResource`] | host memory, aligned, in huge pages when large |
//! | [`TrackingResource`] | another resource, counted: for tests and leak reports |
//! | [`Owner`] | somebody else's object that keeps foreign memory alive |
//! | [`StreamToken`] | an opaque name of the stream that orders an allocation or a release |
//!
//! A buffer is released exactly once: by [`Buffer::close`], or when its last handle goes. It is
//! released by its resource, or by dropping its owner, or not at all (a plain alias); never by two
//! of these. `close` refuses while a lease is alive, so nobody frees memory under a consumer.
//!
//! ```
//! use std::sync::Arc;
//! use strideview_memory::{Buffer, HostResource, MemoryError, MemoryResource, StreamToken};
//!
//! let host: Arc<dyn MemoryResource> = Arc::new(HostResource::new());
//! let buffer = Buffer::allocate(&host, 4096, StreamToken::NONE)?;
//! assert_eq!(buffer.len_bytes(), 4096);
//! assert_eq!(buffer.address() % 64, 0);
//!
//! let lease = buffer.lease()?;
//! assert_eq!(buffer.close(StreamToken::NONE), Err(MemoryError::InUse { leases: 1 }));
//! drop(lease);
//! assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
//! assert_eq!(buffer.len_bytes(), 0);
//! # Ok::<(), MemoryError>(())
//! ```
//!
//! Unsafe code lives in `buffer`, `owner`, `host` and `tracking` (which only hands calls on), and
//! in the one forwarding implementation in `resource`; the other modules forbid it.

mod buffer;
mod error;
mod host;
mod lease;
mod location;
mod owner;
mod report;
mod resource;
mod state;
mod tracking;

pub use buffer::Buffer;
pub use error::{ALL_CODES, MemoryError};
pub use host::HostResource;
pub use lease::Lease;
pub use location::Access;
pub use owner::{Deleter, Owner};
pub use report::{ReleaseErrorHook, set_release_error_hook};
pub use resource::{MemoryResource, StreamToken};
pub use tracking::TrackingResource;
