//! The threads that large copies are shared among.
//!
//! A pool of our own, so that copies neither wait for nor hold up the threads of a program. It is
//! created when a copy first needs it, and again in a child process, where threads do not exist.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, TryLockError};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::do_alone;
use super::host_plan::HostPlan;
use super::split::Cut;

/// The environment variable that says how many threads a copy uses at most.
pub(super) const VARIABLE: &str = "STRIDEVIEW_THREADS";

/// 0 until it is known.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How many threads a copy uses at most, that of the caller included.
///
/// At first the value of the environment variable `STRIDEVIEW_THREADS`; where that is not a number
/// above 0, the number of processors that this process may use, at most 16. O(1).
///
/// ```
/// use strideview_copy::host;
///
/// host::set_threads(2);
/// assert_eq!(host::threads(), 2);
/// ```
#[inline]
pub fn threads() -> usize {
    match COUNT.load(Relaxed) {
        0 => at_first(),
        count => count,
    }
}

/// More than this do not make a copy faster.
const ENOUGH: usize = 16;

#[cold]
fn at_first() -> usize {
    let said = std::env::var(VARIABLE).ok().and_then(|value| value.trim().parse().ok());
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let count = said.filter(|count| *count > 0).unwrap_or_else(|| processors().min(ENOUGH));
    // Unless somebody has set it meanwhile.
    match COUNT.compare_exchange(0, count, Relaxed, Relaxed) {
        Ok(_) => count,
        Err(set) => set,
    }
}

/// Sets how many threads a copy uses at most, from the next copy on; 0 is taken as 1. O(1).
///
/// ```
/// use strideview_copy::host;
///
/// host::set_threads(1);
/// assert_eq!(host::threads(), 1);
/// ```
pub fn set_threads(count: usize) {
    COUNT.store(count.max(1), Relaxed);
}

/// Parts for each thread: so that one that is held up leaves work to others.
const PARTS: usize = 4;

/// An address that may be used on another thread.
#[derive(Clone, Copy)]
struct Address<T>(T);

// SAFETY: an address by itself does nothing; `share` says who uses what.
unsafe impl<T> Send for Address<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Address<T> {}

impl<T: Copy> Address<T> {
    fn get(self) -> T {
        self.0
    }
}

/// Does a plan with the threads that it asks for; with fewer when there are none to be had.
///
/// # Safety
///
/// As [`do_alone`].
pub(super) unsafe fn share(host: &HostPlan, dst: *mut u8, src: *const u8) {
    let cut = Cut::of(host, host.threads * PARTS);
    let parts = cut.parts(host.threads * PARTS);
    let Some(pool) = (parts > 1).then(|| pool(host.threads)).flatten() else {
        // SAFETY: the caller promises all of it.
        return unsafe { do_alone(host, dst, src) };
    };
    let next = AtomicUsize::new(0);
    let (dst, src) = (Address(dst), Address(src));
    let work = || {
        loop {
            let index = next.fetch_add(1, Relaxed);
            if index >= parts {
                return;
            }
            let part = cut.part(host, index, parts);
            // SAFETY: the caller promises all of it for the plan, of which the parts are different
            // bytes, each done by one thread; the scope below ends before this function.
            unsafe { do_alone(&part, dst.get(), src.get()) };
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 1..host.threads.min(parts) {
            scope.spawn(|_| work());
        }
        work();
    });
}

struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

/// The pool of this process for so many threads, one of which is the caller. None when there is
/// none to be had at once.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOL: Mutex<Option<Pool>> = Mutex::new(None);
    let mut slot = match POOL.try_lock() {
        Ok(slot) => slot,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        // Somebody creates it, or did so in the process that this one was forked from.
        Err(TryLockError::WouldBlock) => return None,
    };
    let process = std::process::id();
    if let Some(current) =
        slot.as_ref().filter(|pool| pool.process == process && pool.threads >= threads)
    {
        return Some(Arc::clone(&current.pool));
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads - 1);
    let pool = builder.thread_name(|index| format!("strideview-{index}")).build().ok()?;
    let pool = Arc::new(pool);
    let new = Pool { process, threads, pool: Arc::clone(&pool) };
    if let Some(old) = slot.replace(new).filter(|old| old.process != process) {
        // Its threads are those of another process.
        std::mem::forget(old);
    }
    Some(pool)
}
