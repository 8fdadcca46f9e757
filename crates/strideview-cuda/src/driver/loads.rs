//! How many libraries the process has loaded.

use std::ffi::{c_char, c_int, c_void};

/// `dl_phdr_info` of <link.h>, as far as this crate reads it.
#[repr(C)]
#[allow(dead_code, reason = "the fields before the one that is read")]
struct LibraryInfo {
    address: usize,
    name: *const c_char,
    headers: *const c_void,
    header_count: u16,
    loads: u64,
    unloads: u64,
}

type Callback = unsafe extern "C" fn(*const LibraryInfo, usize, *mut c_void) -> c_int;

// The C library's function, as <link.h> declares it.
unsafe extern "C" {
    fn dl_iterate_phdr(callback: Callback, data: *mut c_void) -> c_int;
}

/// How many libraries the process has loaded so far, unloaded ones included. Under 0.1 µs.
pub(super) fn count() -> u64 {
    let mut loads = 0_u64;
    // SAFETY: `first` matches the type of the callback, and `loads` outlives the call.
    unsafe { dl_iterate_phdr(first, (&raw mut loads).cast()) };
    loads
}

/// Notes the count that each library is described with, and stops at the first.
///
/// # Safety
///
/// 1. `info` is valid for `size_in_bytes` bytes.
/// 2. `data` is valid for a `u64`.
unsafe extern "C" fn first(
    info: *const LibraryInfo,
    size_in_bytes: usize,
    data: *mut c_void,
) -> c_int {
    // An old C library describes less; then the count stays 0.
    if size_in_bytes >= size_of::<LibraryInfo>() {
        // SAFETY: (1), and the size is checked.
        let info = unsafe { info.read() };
        // SAFETY: (2).
        unsafe { data.cast::<u64>().write(info.loads) };
    }
    1
}
