//! Where an error goes that nobody is there to receive.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};

use crate::MemoryError;

/// A function that is told of an error in a destructor. It may run on any thread.
pub type ReleaseErrorHook = fn(&MemoryError);

static HOOK: RwLock<ReleaseErrorHook> = RwLock::new(print);

/// Sets the function, for the whole process, that is told when the last handle of an unclosed
/// buffer goes and its memory cannot be released. Returns the hook before it; the first one prints
/// a line to standard error.
///
/// [`Buffer::close`](crate::Buffer::close) returns its error instead, and never calls the hook. A
/// panic inside the hook is caught.
///
/// ```
/// use strideview_memory::{MemoryError, set_release_error_hook};
///
/// fn ignore(_: &MemoryError) {}
/// let before = set_release_error_hook(ignore);
/// set_release_error_hook(before);
/// ```
pub fn set_release_error_hook(hook: ReleaseErrorHook) -> ReleaseErrorHook {
    let mut current = HOOK.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *current, hook)
}

/// Tells the hook, with no lock held while it runs.
pub(crate) fn report(error: &MemoryError) {
    let hook = *HOOK.read().unwrap_or_else(PoisonError::into_inner);
    let _ = catch_unwind(AssertUnwindSafe(|| hook(error)));
}

/// Prints without the panic of `eprintln!` when standard error is gone.
fn print(error: &MemoryError) {
    let _ = writeln!(io::stderr(), "strideview: cannot release memory: {error}");
}
