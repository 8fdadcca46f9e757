//! The threads that large copies are shared among.
//!
//! A pool of our own, so that copies neither wait for nor hold up the threads of a program. It is
//! created when a copy first needs it, and again in a child process, where threads do not exist.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, PoisonError, TryLockError};

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

/// Sets how many threads a copy uses at most, from the next copy on; 0 is taken as 1. Whatever is set,
/// none uses more than 256. O(1).
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

/// Does a plan with the threads that it asks for; with fewer when there are none to be had.
///
/// The caller begins at once, and waits for no thread that has not begun: one that wakes up after
/// the last part was taken finds nothing to do.
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
    let work = Arc::new(Work {
        host: host.clone(),
        cut,
        parts,
        sides: (dst, src),
        taken: AtomicUsize::new(0),
        left: Mutex::new(parts),
        is_done: Condvar::new(),
    });
    for _ in 1..host.threads.min(parts) {
        let work = Arc::clone(&work);
        pool.spawn(move || {
            // SAFETY: a part that is taken is done before `wait` below returns, so while the caller's
            // promises hold.
            unsafe { work.take_part() };
        });
    }
    // SAFETY: the caller promises all of it.
    unsafe { work.take_part() };
    work.wait();
}

/// A copy in parts, each to be taken by one thread.
struct Work {
    host: HostPlan,
    cut: Cut,
    parts: usize,
    sides: (*mut u8, *const u8),
    /// How many parts have been taken; more, when threads came too late.
    taken: AtomicUsize,
    /// How many parts are not done.
    left: Mutex<usize>,
    is_done: Condvar,
}

// SAFETY: the addresses are used by `take_part` alone, which says when.
unsafe impl Send for Work {}
// SAFETY: as above; different threads use the bytes of different parts.
unsafe impl Sync for Work {}

impl Work {
    /// Takes parts and does them until none is left.
    ///
    /// # Safety
    ///
    /// 1. Until every part is done: what [`do_alone`] asks for, for the plan and the two sides.
    unsafe fn take_part(&self) {
        let mut done = 0;
        loop {
            let index = self.taken.fetch_add(1, Relaxed);
            if index >= self.parts {
                break;
            }
            let part = self.cut.part(&self.host, index, self.parts);
            // SAFETY: the caller promises it for the plan; its parts are different bytes, and no
            // other thread has taken this one.
            unsafe { do_alone(&part, self.sides.0, self.sides.1) };
            done += 1;
        }
        if done > 0 {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            *left -= done;
            if *left == 0 {
                self.is_done.notify_one();
            }
        }
    }

    /// Waits until every part is done.
    fn wait(&self) {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.is_done.wait_while(left, |left| *left > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
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
