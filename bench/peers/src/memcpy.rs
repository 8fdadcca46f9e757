//! The yardstick: a `memcpy` of as many bytes as the case writes, between the same buffers.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::case::Case;
use crate::processor;
use crate::timed::{Timed, timed};

pub(crate) fn open(case: &Case, threads: usize) -> Option<Timed> {
    let (dst, src, bytes) = (case.dst_base, case.src_base, case.bytes());
    match threads {
        1 => Some(timed(move || {
            let (dst, src, bytes) = black_box((dst, src, bytes));
            // SAFETY: both sides have so many bytes, and are apart.
            unsafe { src.copy_to_nonoverlapping(dst, bytes) }
        })),
        2 => Some(Box::new(move |iterations| halves(dst, src, bytes, iterations))),
        _ => None,
    }
}

/// Two threads copy half each. The second waits for its turns without sleeping, and lives only
/// inside this call, so that it takes no time from other engines.
fn halves(dst: *mut u8, src: *const u8, bytes: usize, iterations: u64) -> u64 {
    let half = (bytes / 2).next_multiple_of(64).min(bytes);
    let second = Half(dst.wrapping_add(half), src.wrapping_add(half), bytes - half);
    let (asked, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let here = processor::current();
    thread::scope(|scope| {
        scope.spawn(|| {
            // Two threads that wait busily on one processor would wait for whole time slices.
            processor::use_other_than(here);
            second.serve(&asked, &done, iterations);
        });
        wait_for(&done, 1);
        let start = Instant::now();
        for turn in 1..=iterations {
            asked.store(turn, Ordering::Release);
            let (dst, src, half) = black_box((dst, src, half));
            // SAFETY: both sides have so many bytes, and are apart.
            unsafe { src.copy_to_nonoverlapping(dst, half) };
            wait_for(&done, turn + 1);
        }
        start.elapsed().as_nanos() as u64
    })
}

/// Waits busily; gives way now and then, in case both threads are on one processor after all.
fn wait_for(counter: &AtomicU64, value: u64) {
    let mut turns = 0_u32;
    while counter.load(Ordering::Acquire) != value {
        turns = turns.wrapping_add(1);
        if turns.is_multiple_of(4096) { thread::yield_now() } else { spin_loop() }
    }
}

/// Where the second thread copies to, from where, and how many bytes.
struct Half(*mut u8, *const u8, usize);

// SAFETY: nothing else uses these bytes while the two threads run.
unsafe impl Sync for Half {}

impl Half {
    /// Says that it is there (1), then after each turn that it is done (its number plus 1).
    fn serve(&self, asked: &AtomicU64, done: &AtomicU64, turns: u64) {
        done.store(1, Ordering::Release);
        for turn in 1..=turns {
            wait_for(asked, turn);
            let (dst, src, bytes) = black_box((self.0, self.1, self.2));
            // SAFETY: both sides have so many bytes, and are apart.
            unsafe { src.copy_to_nonoverlapping(dst, bytes) };
            done.store(turn + 1, Ordering::Release);
        }
    }
}
