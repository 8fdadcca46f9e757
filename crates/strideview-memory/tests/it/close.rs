//! When a buffer closes, when it refuses, and what is left of it.

use std::sync::Arc;

use strideview_memory::{Access, Buffer, Lease, MemoryError, StreamToken};

use crate::tracked;

const NONE: StreamToken = StreamToken::NONE;

#[test]
fn leases_refuse_it_and_are_told_in_number() {
    let (tracking, resource) = tracked();
    let buffer = Buffer::allocate(&resource, 100, NONE).unwrap();
    let first = buffer.lease().unwrap();
    let second = first.clone();
    assert_eq!(buffer.close(NONE), Err(MemoryError::InUse { leases: 2 }));
    assert_eq!((buffer.leases(), buffer.len_bytes()), (2, 100));
    drop(first);
    assert_eq!(buffer.close(NONE), Err(MemoryError::InUse { leases: 1 }));
    assert_eq!(second.address(), buffer.address());
    drop(second);
    assert_eq!(tracking.live_blocks(), 1);
    assert_eq!(buffer.close(NONE), Ok(()));
    assert_eq!(tracking.live_blocks(), 0);
}

#[test]
fn a_closed_buffer_has_nothing() {
    let (tracking, resource) = tracked();
    let buffer = Buffer::allocate(&resource, 100, NONE).unwrap();
    let other = buffer.clone();
    assert!(other.is_same(&buffer));
    other.close(NONE).unwrap();

    assert!(buffer.is_closed());
    assert_eq!((buffer.address(), buffer.len_bytes()), (0, 0));
    assert!(buffer.as_ptr().is_null());
    assert_eq!(buffer.lease().unwrap_err(), MemoryError::Closed);
    assert_eq!(buffer.access(), Access::host());
    assert!(buffer.resource().is_none());
    assert_eq!(buffer.close(NONE), Ok(()));
    assert_eq!(tracking.live_blocks(), 0);
}

#[test]
fn a_lease_outlives_every_other_handle() {
    let (tracking, resource) = tracked();
    let lease = Buffer::allocate(&resource, 3, NONE).unwrap().lease().unwrap();
    assert_eq!(tracking.live_blocks(), 1);
    // SAFETY: three initialised bytes of host memory that the lease keeps.
    unsafe { lease.as_ptr().write_bytes(9, 3) };
    assert_eq!((lease.len_bytes(), lease.buffer().leases()), (3, 1));
    drop(lease);
    assert_eq!(tracking.live_blocks(), 0);
}

#[test]
fn the_buffer_keeps_its_resource() {
    let (tracking, resource) = tracked();
    let buffer = Buffer::allocate(&resource, 8, NONE).unwrap();
    drop(resource);
    assert!(buffer.resource().is_some());
    assert_eq!(Arc::strong_count(&tracking), 2);
    buffer.close(NONE).unwrap();
    assert_eq!(Arc::strong_count(&tracking), 1, "closing lets the resource go");
}

#[test]
fn handles_and_leases_go_anywhere() {
    fn anywhere<T: Send + Sync + 'static>() {}
    anywhere::<Buffer>();
    anywhere::<Lease>();
}

#[test]
fn debug_shows_the_state() {
    let (_, resource) = tracked();
    let buffer = Buffer::allocate(&resource, 8, NONE).unwrap();
    buffer.close(NONE).unwrap();
    let text = format!("{buffer:?}");
    assert!(text.contains("address: 0x0") && text.contains("is_closed: true"), "{text}");
}
