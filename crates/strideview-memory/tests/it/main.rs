//! The tests of strideview-memory, in one binary.

mod close;
mod codes;
mod failing;
mod host;
mod owner;
mod race;
mod tracking;

use std::sync::Arc;

use strideview_memory::{HostResource, MemoryResource, TrackingResource};

/// A counted host resource, and the same as the trait object that buffers take.
fn tracked() -> (Arc<TrackingResource<HostResource>>, Arc<dyn MemoryResource>) {
    let tracking = Arc::new(TrackingResource::new(HostResource::new()));
    let resource: Arc<dyn MemoryResource> = tracking.clone();
    (tracking, resource)
}
