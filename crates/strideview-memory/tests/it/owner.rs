//! A foreign owner is dropped exactly once, and not before its time.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use strideview_memory::{Access, Buffer, MemoryError, Owner, StreamToken};

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
