//! Loops with a clock around them.

use std::time::Instant;

/// Runs an engine so many times; the nanoseconds of all of them together.
pub(crate) type Timed = Box<dyn FnMut(u64) -> u64>;

/// The loop around one copy. The copy must hide its addresses by `black_box`.
pub(crate) fn timed(mut copy: impl FnMut() + 'static) -> Timed {
    Box::new(move |iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            copy();
        }
        start.elapsed().as_nanos() as u64
    })
}
