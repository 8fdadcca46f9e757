//! What queued work still uses: kept until it is done, and dropped by a thread of its own.
#![forbid(unsafe_code)]

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::{CudaError, Event, Stream};

/// Something to keep until work is done.
pub type Keep = Box<dyn Any + Send>;

/// The work to wait for; none for what is only to be dropped in its turn.
type Retired = (Option<Event>, Keep);

static SENDER: Mutex<Option<Sender<Retired>>> = Mutex::new(None);

/// Keeps `keep` until the work queued on the stream until now is done.
///
/// # Errors
///
/// A failed call; the work is waited for then, and `keep` dropped.
pub(super) fn retire(stream: &Stream, keep: Keep) -> Result<(), CudaError> {
    match stream.record() {
        Ok(event) => {
            send((Some(event), keep));
            Ok(())
        }
        Err(error) => {
            let _ = stream.synchronize();
            Err(error)
        }
    }
}

/// Waits until everything that asynchronous copies have kept, and whose work is done by now or comes
/// before that, is dropped. For tests, and before memory is counted.
pub fn wait_for_retired() {
    let (done, is_done) = channel::<()>();
    send((None, Box::new(done)));
    // Ends when the other end is dropped.
    let _ = is_done.recv();
}

/// Hands over to the thread, which is made at first; without one the caller waits itself.
fn send(retired: Retired) {
    let mut slot = SENDER.lock().unwrap_or_else(PoisonError::into_inner);
    if slot.is_none() {
        let (sender, receiver) = channel();
        let builder = thread::Builder::new().name("strideview-retire".to_owned());
        if builder.spawn(|| drop_all(receiver)).is_ok() {
            *slot = Some(sender);
        }
    }
    let refused = match slot.as_ref() {
        Some(sender) => sender.send(retired).err().map(|refused| refused.0),
        None => Some(retired),
    };
    drop(slot);
    if let Some(retired) = refused {
        let_go(retired);
    }
}

fn drop_all(receiver: Receiver<Retired>) {
    for retired in receiver {
        // An owner that panics is no reason to keep the others.
        let _ = catch_unwind(AssertUnwindSafe(|| let_go(retired)));
    }
}

fn let_go((event, keep): Retired) {
    if let Some(event) = event
        && event.synchronize().is_err()
    {
        // The work has failed with its context, or not been waited for: once more.
        let _ = event.device().synchronize();
    }
    drop(keep);
}
