//! A foreign owner is dropped exactly once, and not before its time.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use strideview_memory::{Access, Buffer, Deleter, MemoryError, Owner, StreamToken};

/// Counts how often it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn owned() -> (Arc<AtomicUsize>, Buffer) {
    let drops = Arc::new(AtomicUsize::new(0));
    let owner: Arc<dyn Owner> = Arc::new(Counted(Arc::clone(&drops)));
    // SAFETY: (1, 2) no bytes are promised.
    (drops, unsafe { Buffer::from_raw(null_mut(), 0, Access::pinned(0), Some(owner)) })
}

#[test]
fn close_drops_it_once() {
    let (drops, buffer) = owned();
    assert_eq!(drops.load(SeqCst), 0);
    buffer.close(StreamToken::NONE).unwrap();
    assert_eq!(drops.load(SeqCst), 1);
    buffer.close(StreamToken::NONE).unwrap();
    drop(buffer);
    assert_eq!(drops.load(SeqCst), 1);
}

#[test]
fn the_last_handle_drops_it_once() {
    let (drops, buffer) = owned();
    let lease = buffer.lease().unwrap();
    let handle = buffer.clone();
    drop(buffer);
    drop(handle);
    assert_eq!(drops.load(SeqCst), 0, "the lease is a handle too");
    drop(lease);
    assert_eq!(drops.load(SeqCst), 1);
}

#[test]
fn it_can_be_read_while_the_buffer_is_open() {
    let (drops, buffer) = owned();
    assert!(buffer.resource().is_none());
    let owner = buffer.owner().unwrap();
    assert!(owner.downcast_ref::<Counted>().is_some());
    buffer.close(StreamToken::NONE).unwrap();
    assert!(buffer.owner().is_none());
    assert_eq!(drops.load(SeqCst), 0, "still held here");
    drop(owner);
    assert_eq!(drops.load(SeqCst), 1);
}

#[test]
fn a_plain_alias_frees_nothing() {
    let mut bytes = [1_u8; 8];
    // SAFETY: (1, 2) the array outlives the buffer.
    let buffer = unsafe { Buffer::from_raw(bytes.as_mut_ptr(), 8, Access::host(), None) };
    assert_eq!(buffer.address(), bytes.as_ptr().addr());
    assert!(buffer.owner().is_none() && buffer.resource().is_none());
    buffer.close(StreamToken::NONE).unwrap();
    assert_eq!(bytes, [1; 8]);
}

#[test]
fn an_owner_that_closes_its_own_buffer_does_not_hang() {
    struct Closes(std::sync::Mutex<Option<Buffer>>);
    impl Drop for Closes {
        fn drop(&mut self) {
            let buffer = self.0.get_mut().unwrap().take().unwrap();
            assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
            assert!(buffer.owner().is_none());
        }
    }
    let owner = Arc::new(Closes(std::sync::Mutex::new(None)));
    let shared: Arc<dyn Owner> = owner.clone();
    // SAFETY: (1, 2) no bytes are promised.
    let buffer = unsafe { Buffer::from_raw(null_mut(), 0, Access::host(), Some(shared)) };
    *owner.0.lock().unwrap() = Some(buffer.clone());
    drop(owner);
    assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
}

#[test]
fn a_panicking_owner_is_an_error() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            // Unwinds without the message of the panic hook.
            std::panic::resume_unwind(Box::new(0));
        }
    }
    // SAFETY: (1, 2) no bytes are promised.
    let buffer = unsafe { Buffer::from_raw(null_mut(), 0, Access::host(), Some(Arc::new(Panics))) };
    assert_eq!(buffer.close(StreamToken::NONE), Err(MemoryError::ReleasePanicked));
    assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
}

/// Counts a call in the word that it is given.
unsafe fn count(context: *mut std::ffi::c_void) {
    // SAFETY: the tests give a counter that outlives the buffer.
    unsafe { &*context.cast::<AtomicUsize>() }.fetch_add(1, SeqCst);
}

#[test]
fn a_deleter_is_called_once_by_close_or_by_the_last_handle() {
    for by_close in [true, false] {
        let (calls, mut bytes) = (AtomicUsize::new(0), [0_u8; 8]);
        let context = (&raw const calls).cast_mut().cast();
        // SAFETY: (1) counting may be done from any thread.
        let deleter = unsafe { Deleter::new(count, context) };
        // SAFETY: (1, 2) the array outlives the buffer.
        let buffer =
            unsafe { Buffer::from_deleter(bytes.as_mut_ptr(), 8, Access::host(), deleter) };
        let lease = buffer.lease().unwrap();
        assert!(buffer.owner().is_none() && buffer.resource().is_none());
        assert!(buffer.close(StreamToken::NONE).is_err());
        drop(lease);
        assert_eq!(calls.load(SeqCst), 0);
        if by_close {
            buffer.close(StreamToken::NONE).unwrap();
            assert_eq!(calls.load(SeqCst), 1);
        }
        std::thread::scope(|scope| scope.spawn(move || drop(buffer)).join()).unwrap();
        assert_eq!(calls.load(SeqCst), 1);
    }
}

#[test]
fn a_release_function_gets_the_stream_and_its_error_comes_out_of_close() {
    let seen = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&seen);
    let release = move |stream: StreamToken| {
        told.store(stream.raw(), SeqCst);
        Err(MemoryError::Resource { call: "free", status: 5 })
    };
    // SAFETY: (1, 2) no bytes are promised.
    let buffer = unsafe { Buffer::from_raw_with(null_mut(), 0, Access::host(), release) };
    let error = buffer.close(StreamToken::new(77)).unwrap_err();
    assert_eq!(error, MemoryError::Resource { call: "free", status: 5 });
    assert_eq!((seen.load(SeqCst), buffer.is_closed()), (77, true));
    assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
}
