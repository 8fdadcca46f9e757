//! On which processor a thread runs. Linux only; elsewhere the system is trusted.

#[cfg(target_os = "linux")]
pub(crate) fn current() -> i32 {
    // SAFETY: takes nothing; a negative number is its failure.
    unsafe { libc::sched_getcpu() }
}

/// Takes one processor from those of the calling thread, unless it is the only one.
#[cfg(target_os = "linux")]
pub(crate) fn use_other_than(taken: i32) {
    let Ok(taken) = usize::try_from(taken) else { return };
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: a set is bits, of which none is set here.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is as long as is said; 0 is the calling thread.
    if unsafe { libc::sched_getaffinity(0, size, &mut allowed) } != 0 {
        return;
    }
    // SAFETY: the set was written by the call above.
    if unsafe { libc::CPU_COUNT(&allowed) } < 2 {
        return;
    }
    // SAFETY: a processor that the system named is within the set.
    unsafe { libc::CPU_CLR(taken, &mut allowed) };
    // SAFETY: as for `sched_getaffinity`.
    unsafe { libc::sched_setaffinity(0, size, &allowed) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn current() -> i32 {
    -1
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn use_other_than(_taken: i32) {}
