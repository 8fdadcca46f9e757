//! Resources that fail: nothing leaks, nothing is swallowed, nothing is done twice.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use strideview_memory::{
    Access, Buffer, HostResource, MemoryError, MemoryResource, StreamToken, TrackingResource,
    set_release_error_hook,
};

/// Frees the memory, and then claims that it could not; notes the stream that it was asked with.
#[derive(Default)]
struct Complains {
    calls: AtomicUsize,
    stream: AtomicUsize,
}

const COMPLAINT: MemoryError = MemoryError::Resource { call: "complain", status: -7 };

// SAFETY: (1 to 4) the host resource promises them.
unsafe impl MemoryResource for Complains {
    fn allocate(&self, size: usize, stream: StreamToken) -> Result<*mut u8, MemoryError> {
        HostResource::new().allocate(size, stream)
    }

    unsafe fn deallocate(
        &self,
        address: *mut u8,
        size: usize,
        stream: StreamToken,
    ) -> Result<(), MemoryError> {
        self.calls.fetch_add(1, SeqCst);
        self.stream.store(stream.raw(), SeqCst);
        // SAFETY: (1, 2) the caller promises them.
        unsafe { HostResource::new().deallocate(address, size, stream) }?;
        Err(COMPLAINT)
    }

    fn access(&self) -> Access {
        Access::host()
    }
}

#[test]
fn a_failing_allocation_makes_no_buffer() {
    let tracking = Arc::new(TrackingResource::new(HostResource::new()));
    let resource: Arc<dyn MemoryResource> = tracking.clone();
    let error = Buffer::allocate(&resource, 1 << 60, StreamToken::NONE).unwrap_err();
    assert_eq!(error, MemoryError::OutOfMemory { size_in_bytes: 1 << 60 });
    assert_eq!((tracking.live_blocks(), tracking.total_blocks()), (0, 0));
    assert_eq!(Arc::strong_count(&tracking), 2);
}

#[test]
fn close_returns_the_error_once() {
    let complains = Arc::new(Complains::default());
    let resource: Arc<dyn MemoryResource> = complains.clone();
    let buffer = Buffer::allocate(&resource, 10, StreamToken::NONE).unwrap();
    assert_eq!(buffer.close(StreamToken::new(5)), Err(COMPLAINT));
    assert!(buffer.is_closed());
    assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
    drop(buffer);
    assert_eq!(complains.calls.load(SeqCst), 1);
    assert_eq!(complains.stream.load(SeqCst), 5);
}

#[test]
fn a_failed_release_stays_live_in_the_counts() {
    let tracking = Arc::new(TrackingResource::new(Complains::default()));
    let resource: Arc<dyn MemoryResource> = tracking.clone();
    let buffer = Buffer::allocate(&resource, 10, StreamToken::NONE).unwrap();
    assert_eq!(buffer.close(StreamToken::NONE), Err(COMPLAINT));
    assert_eq!((tracking.live_blocks(), tracking.live_bytes()), (1, 10));
    assert_eq!(tracking.inner().calls.load(SeqCst), 1);
}

static REPORTED: Mutex<Vec<MemoryError>> = Mutex::new(Vec::new());

#[test]
fn the_destructor_reports_and_uses_the_stream_of_the_allocation() {
    fn note(error: &MemoryError) {
        REPORTED.lock().unwrap().push(*error);
    }
    let complains = Arc::new(Complains::default());
    let resource: Arc<dyn MemoryResource> = complains.clone();
    let before = set_release_error_hook(note);
    drop(Buffer::allocate(&resource, 10, StreamToken::new(77)).unwrap());
    let note_again = set_release_error_hook(before);
    assert_eq!(note_again as usize, note as *const () as usize);
    assert_eq!(*REPORTED.lock().unwrap(), [COMPLAINT]);
    assert_eq!(complains.stream.load(SeqCst), 77);
}
