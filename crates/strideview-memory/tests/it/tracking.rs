//! What the counting resource counts.

use std::sync::Arc;

use strideview_memory::TrackingResource;
use strideview_memory::{Access, Buffer, HostResource, MemoryResource, StreamToken};

use crate::tracked;

#[test]
fn counts_balance() {
    let (tracking, resource) = tracked();
    let sizes = [0, 1, 100, 5 << 20];
    let buffers: Vec<Buffer> = sizes
        .iter()
        .map(|size| Buffer::allocate(&resource, *size, StreamToken::NONE).unwrap())
        .collect();
    let total: usize = sizes.iter().sum();
    assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (4, total));

    buffers[3].close(StreamToken::NONE).unwrap();
    assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (3, 101));
    drop(buffers);
    assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (0, 0));
    assert_eq!((tracking.total_blocks(), tracking.total_bytes()), (4, total));
    assert_eq!(tracking.peak_bytes(), total);
}

#[test]
fn a_shared_resource_is_a_resource() {
    let host: Arc<dyn MemoryResource> = Arc::new(HostResource::new());
    let tracking = Arc::new(TrackingResource::new(host));
    let resource: Arc<dyn MemoryResource> = tracking.clone();
    assert_eq!(resource.access(), Access::host());
    let buffer = Buffer::allocate(&resource, 10, StreamToken::NONE).unwrap();
    assert_eq!(tracking.live_bytes(), 10);
    drop(buffer);
    assert_eq!(tracking.live_bytes(), 0);
}

#[test]
fn many_threads_balance() {
    let (tracking, resource) = tracked();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let resource = &resource;
            scope.spawn(move || {
                for size in 0..200 {
                    drop(Buffer::allocate(resource, size * thread, StreamToken::NONE).unwrap());
                }
            });
        }
    });
    assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (0, 0));
    assert_eq!(tracking.total_blocks(), 1600);
}
