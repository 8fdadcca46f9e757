//! Every driver path, over the stand-in driver.
//!
//! The driver is loaded once for a process, so all these tests share one stand-in, one at a time.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod bytes;
mod calls;
mod copies;
mod devices;
mod driver_copies;
mod emulator;
mod memory;
mod pointers;
mod streams;
mod tensor_maps;
mod transfers;

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use strideview_cuda::Device;
use strideview_standin::{Control, Live};

static CONTROL: LazyLock<Mutex<Control>> = LazyLock::new(|| {
    let path = Control::library_path();
    // SAFETY: the tests read the environment after this only, since each begins with `standin`.
    unsafe { std::env::set_var("STRIDEVIEW_CUDA_DRIVER", &path) };
    Mutex::new(Control::open(&path))
});

/// The stand-in for one test: at its end nothing may be left alive, and no context current.
struct Standin(MutexGuard<'static, Control>);

fn standin() -> Standin {
    let control = CONTROL.lock().unwrap_or_else(PoisonError::into_inner);
    // What earlier tests left to be dropped, and memory that is kept, is about to be cleared.
    strideview_cuda::wait_for_retired();
    strideview_cuda::release_staging();
    control.reset();
    control.clear();
    control.set_current(0);
    // Once here, so that no count of calls depends on the order of the tests.
    for ordinal in 0..4 {
        let device = Device::new(ordinal).unwrap();
        device.traits().unwrap();
        device.with_context(|| ()).unwrap();
    }
    control.reset();
    Standin(control)
}

impl std::ops::Deref for Standin {
    type Target = Control;
    fn deref(&self) -> &Control {
        &self.0
    }
}

impl Standin {
    /// What is alive: blocks, streams, events.
    fn alive(&self) -> (usize, usize, usize) {
        (self.live(Live::Blocks), self.live(Live::Streams), self.live(Live::Events))
    }
}

fn device(ordinal: i32) -> Device {
    Device::new(ordinal).unwrap()
}

/// Runs `operation` with each of its calls failing in turn, until none is left to fail.
///
/// After each failure the contexts of the thread are as before. `operation` says whether what it
/// did worked, and the error's call is to be the one that failed, save where `may_work` holds for
/// the failed call.
fn fail_each<T>(
    standin: &Standin,
    operation: impl Fn() -> Result<T, String>,
    may_work: impl Fn(&str) -> bool,
) -> u64 {
    for nth in 1..100 {
        let before = (standin.depth(), standin.current(), standin.alive());
        standin.fail(nth, 999);
        let outcome = operation();
        let failed = standin.failed();
        standin.fail(0, 0);
        match outcome {
            Ok(value) => {
                assert!(failed.is_empty() || may_work(&failed), "{failed} was not noticed");
                drop(value);
            }
            Err(message) => {
                assert!(message.contains(&failed), "{failed} failed, but got: {message}");
            }
        }
        // Where popping fails, the caller's context is made current instead, one level deeper.
        while failed == "cuCtxPopCurrent" && standin.depth() > before.0 {
            assert_eq!(standin.current(), before.1);
            standin.set_current(0);
        }
        assert_eq!((standin.depth(), standin.current()), (before.0, before.1), "after {failed}");
        if failed.is_empty() {
            return nth - 1;
        }
        assert_eq!(standin.alive(), before.2, "left alive after {failed}");
    }
    panic!("wanted an operation of less than 100 calls");
}
