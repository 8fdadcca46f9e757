//! Memory of somebody else as a view for the time of a call.
#![forbid(unsafe_code)]

use std::thread;
use std::time::Duration;

use crate::{MemoryError, StreamToken, StridedMemoryView};

/// The longest pause between two looks at a buffer that is still leased.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Gives `work` the view, and closes its buffer afterwards, also where `work` panics.
///
/// Law: on return nobody reaches the memory through the view, a clone or a part of it: the buffer is
/// closed, and that waits until the last lease is gone.
pub(super) fn lend<R>(view: StridedMemoryView, work: impl FnOnce(&StridedMemoryView) -> R) -> R {
    let lent = Lent { view };
    work(&lent.view)
}

struct Lent {
    view: StridedMemoryView,
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut pause = Duration::from_micros(10);
        while let Err(MemoryError::InUse { .. }) = self.view.buffer().close(StreamToken::NONE) {
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
