//! Closing against leasing, from many threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;

use strideview_memory::{Buffer, MemoryError, StreamToken};

use crate::tracked;

const ROUNDS: usize = 500;

/// A lease that succeeds sees open memory until it ends; after the close none succeeds.
#[test]
fn no_lease_outlives_the_close() {
    let (tracking, resource) = tracked();
    for _ in 0..ROUNDS {
        let buffer = Buffer::allocate(&resource, 64, StreamToken::NONE).unwrap();
        let closed = AtomicBool::new(false);
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    barrier.wait();
                    loop {
                        let was_closed = closed.load(SeqCst);
                        match buffer.lease() {
                            Ok(lease) => {
                                assert!(!was_closed, "leased after the close");
                                // SAFETY: the lease keeps 64 bytes; a racing use after free
                                // would be seen by a memory checker here.
                                unsafe { lease.as_ptr().wrapping_add(8).read_volatile() };
                                assert!(!lease.buffer().is_closed());
                            }
                            Err(error) => {
                                assert_eq!(error, MemoryError::Closed);
                                break;
                            }
                        }
                    }
                });
            }
            scope.spawn(|| {
                barrier.wait();
                loop {
                    match buffer.close(StreamToken::NONE) {
                        Ok(()) => break,
                        Err(MemoryError::InUse { leases }) => assert!((1..=2).contains(&leases)),
                        Err(other) => panic!("{other}"),
                    }
                }
                closed.store(true, SeqCst);
            });
        });
    }
    assert_eq!(tracking.live_blocks(), 0);
    assert_eq!(tracking.total_blocks(), ROUNDS);
}

#[test]
fn many_closers_release_once() {
    let (tracking, resource) = tracked();
    for _ in 0..ROUNDS {
        let buffer = Buffer::allocate(&resource, 64, StreamToken::NONE).unwrap();
        let barrier = Barrier::new(4);
        let successes = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                let handle = buffer.clone();
                scope.spawn(|| {
                    let handle = handle;
                    barrier.wait();
                    if handle.close(StreamToken::NONE).is_ok() {
                        successes.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(successes.load(SeqCst), 4, "closing twice is no error");
        assert_eq!(tracking.live_blocks(), 0);
    }
}

/// Handles, leases and their clones dropped in any order by any thread: released once, at the end.
#[test]
fn handles_dropped_everywhere_release_once() {
    let (tracking, resource) = tracked();
    for _ in 0..ROUNDS {
        let buffer = Buffer::allocate(&resource, 64, StreamToken::NONE).unwrap();
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let lease = buffer.lease().unwrap();
                thread::spawn(move || drop((lease.clone(), lease.buffer().clone(), lease)))
            })
            .collect();
        drop(buffer);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(tracking.live_blocks(), 0);
    }
}
