//! Who borrows host memory, and who writes it: so that no reference sees its bytes change.
//!
//! A [`Reading`] is a span that safe code holds references into; a [`Writing`] is the span of the
//! destination of a copy, for as long as the copy runs. Never do two of them share a byte. Two
//! writings may: then two threads copy into the same bytes at once, and no reference is there to
//! see the mixture.
//!
//! Writings are many and short, readings few. So a writing takes one of a fixed number of slots, by
//! itself, and then looks whether there is any reading at all; a reading is put in a list, under a
//! lock, and then looks at all slots. Each announces itself before it looks for the other (all with
//! `SeqCst`), so at least one of two that come at once sees the other.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Error, Result};

/// Addresses from `start` up to and without `end`; `start` is neither 0 nor `usize::MAX`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    #[inline]
    pub(super) fn meets(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

const SLOTS: usize = 64;
const FREE: usize = 0;
/// Taken by a writing that has not announced its span yet, and looks for readings after it has.
const TAKEN: usize = usize::MAX;

/// A place for one writing; on cache lines of its own.
#[repr(align(128))]
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
}

static WRITINGS: [Slot; SLOTS] =
    [const { Slot { start: AtomicUsize::new(FREE), end: AtomicUsize::new(0) } }; SLOTS];
/// All slots from here on are free, and always were.
static SLOTS_USED: AtomicUsize = AtomicUsize::new(0);
static READINGS: Mutex<Vec<Span>> = Mutex::new(Vec::new());
/// The length of [`READINGS`], or more.
static READING_COUNT: AtomicUsize = AtomicUsize::new(0);

/// The right to write a span, for as long as this lives.
pub(crate) struct Writing {
    slot: &'static Slot,
}

impl Writing {
    /// Takes two atomic exchanges when nobody reads, and never allocates.
    pub(super) fn begin(span: Span) -> Result<Self> {
        let slot = free_slot();
        slot.end.store(span.end, Relaxed);
        slot.start.store(span.start, SeqCst);
        let writing = Self { slot };
        if READING_COUNT.load(SeqCst) != 0 && readings().iter().any(|other| other.meets(span)) {
            return Err(Error::SliceAlive);
        }
        Ok(writing)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.slot.start.store(FREE, Release);
    }
}

/// A slot taken for the caller. There are more slots than processors mostly; where there are not,
/// the caller waits for a copy to end.
fn free_slot() -> &'static Slot {
    let first = preferred_slot();
    loop {
        for step in 0..SLOTS {
            let place = (first + step) % SLOTS;
            let slot = &WRITINGS[place];
            if slot.start.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_ok() {
                if SLOTS_USED.load(Acquire) <= place {
                    SLOTS_USED.fetch_max(place + 1, SeqCst);
                }
                return slot;
            }
        }
        std::thread::yield_now();
    }
}

/// The slot that the thread tries first: another for each thread, so that they do not contend.
fn preferred_slot() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SLOT: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    let slot = SLOT.try_with(|slot| {
        if slot.get() == usize::MAX {
            slot.set(THREADS.fetch_add(1, Relaxed) % SLOTS);
        }
        slot.get()
    });
    slot.unwrap_or(0) // a thread that is ending
}

/// The right to hold references into a span, for as long as this lives.
pub(crate) struct Reading {
    span: Span,
}

impl Reading {
    /// Takes a lock, and a look at every slot.
    pub(super) fn begin(span: Span) -> Result<Self> {
        let mut readings = readings();
        readings.push(span);
        READING_COUNT.fetch_add(1, SeqCst);
        // A writing in a slot that is not counted yet will see this reading, as the count comes
        // before its own look.
        let used = SLOTS_USED.load(SeqCst);
        if WRITINGS.iter().take(used).any(|slot| is_written(slot, span)) {
            forget(&mut readings, span);
            return Err(Error::BeingWritten);
        }
        Ok(Self { span })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        forget(&mut readings(), self.span);
    }
}

/// Whether a writing that may not have seen the caller's reading meets its span.
fn is_written(slot: &Slot, span: Span) -> bool {
    loop {
        let start = slot.start.load(SeqCst);
        if matches!(start, FREE | TAKEN) {
            return false;
        }
        let end = slot.end.load(Relaxed);
        // The end belongs to this start unless the slot changed hands in between.
        if slot.start.load(SeqCst) == start {
            return span.meets(Span { start, end });
        }
    }
}

fn forget(readings: &mut Vec<Span>, span: Span) {
    if let Some(place) = readings.iter().position(|other| *other == span) {
        readings.swap_remove(place);
        READING_COUNT.fetch_sub(1, SeqCst);
    }
}

fn readings() -> MutexGuard<'static, Vec<Span>> {
    READINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Addresses of nothing: this module compares them and nothing else.
    fn span(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    #[test]
    fn a_reading_is_refused_where_somebody_writes() {
        let writing = Writing::begin(span(100, 200));
        assert!(writing.is_ok());
        for (start, end) in [(99, 101), (199, 300), (120, 130), (1, 1000)] {
            assert_eq!(Reading::begin(span(start, end)).err(), Some(Error::BeingWritten));
        }
        for (start, end) in [(50, 100), (200, 250)] {
            assert!(Reading::begin(span(start, end)).is_ok());
        }
        drop(writing);
        assert!(Reading::begin(span(100, 200)).is_ok());
    }

    #[test]
    fn a_writing_is_refused_where_somebody_reads() {
        let readings = [Reading::begin(span(1100, 1200)), Reading::begin(span(1100, 1200))];
        assert!(readings.iter().all(Result::is_ok));
        for (start, end) in [(1099, 1101), (1199, 1300), (1120, 1130), (1001, 1900)] {
            assert_eq!(Writing::begin(span(start, end)).err(), Some(Error::SliceAlive));
        }
        assert!(Writing::begin(span(1050, 1100)).is_ok());
        let [first, second] = readings;
        drop(first);
        assert!(Writing::begin(span(1100, 1200)).is_err());
        drop(second);
        assert!(Writing::begin(span(1100, 1200)).is_ok());
    }

    #[test]
    fn two_writings_may_meet() {
        let one = Writing::begin(span(2100, 2200));
        assert!(one.is_ok() && Writing::begin(span(2150, 2250)).is_ok());
    }
}
