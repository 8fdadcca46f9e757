//! Timed loops of copy engines, for `bench/copies.py`, which loads this library.
//!
//! The loops run here and not in Python, so that copies of a few nanoseconds are measured right.
//! An engine is opened for one case, timed as often as one likes, and closed.

mod case;
#[cfg(feature = "hptt")]
mod hptt;
mod memcpy;
#[cfg(feature = "peers")]
mod nd_array;
#[cfg(feature = "peers")]
mod planes;
mod processor;
#[cfg(feature = "peers")]
mod strided;
mod strideview;
mod timed;

use std::ffi::{CStr, c_char};

use case::Case;
use timed::Timed;

/// Makes the loop of an engine for a case and a number of threads; none where it does not apply.
type Open = fn(&Case, usize) -> Option<Timed>;

/// Every engine by name.
const ENGINES: &[(&str, Open)] = &[
    ("memcpy", memcpy::open),
    ("strideview", strideview::open_kept),
    ("strideview-planning", strideview::open_planning),
    #[cfg(feature = "peers")]
    ("ndarray", nd_array::open),
    #[cfg(feature = "peers")]
    ("ndarray-rayon", nd_array::open_rayon),
    #[cfg(feature = "peers")]
    ("strided-perm", strided::open_perm),
    #[cfg(feature = "peers")]
    ("strided-kernel", strided::open_kernel),
    #[cfg(feature = "peers")]
    ("strided-kplan", strided::open_plan),
    #[cfg(feature = "peers")]
    ("transpose", planes::open_transpose),
    #[cfg(feature = "peers")]
    ("fast_transpose", planes::open_fast),
    #[cfg(feature = "hptt")]
    ("hptt", hptt::open),
];

/// An opened engine, as the caller holds it.
pub struct Engine(Timed);

/// The names of the engines into `text`, separated by commas and ended by a zero; the length that
/// they need.
///
/// # Safety
///
/// `text` may be written for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn copy_engines_names(text: *mut c_char, capacity: usize) -> usize {
    let mut names = ENGINES.iter().map(|engine| engine.0).collect::<Vec<_>>().join(",");
    names.push('\0');
    if names.len() <= capacity {
        // SAFETY: the caller promises `capacity` bytes.
        unsafe { names.as_ptr().copy_to_nonoverlapping(text.cast(), names.len()) };
    }
    names.len()
}

/// Opens an engine for a case; null where the engine is unknown or does not apply.
///
/// # Safety
///
/// `name` ends in a zero. `case` says what is true of its memory, which stays valid, and is used by
/// nothing else during a call of [`copy_engines_time`], until the engine is closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn copy_engines_open(
    name: *const c_char,
    case: &case::RawCase,
    threads: usize,
) -> *mut Engine {
    // SAFETY: the caller promises the ending zero.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let found = ENGINES.iter().find(|engine| engine.0.as_bytes() == name);
    // SAFETY: the caller promises a case that says the truth.
    let case = unsafe { Case::read(case) };
    match found.and_then(|engine| (engine.1)(&case, threads)) {
        Some(timed) => Box::into_raw(Box::new(Engine(timed))),
        None => std::ptr::null_mut(),
    }
}

/// Copies `iterations` times; the nanoseconds of all of them together.
#[unsafe(no_mangle)]
pub extern "C" fn copy_engines_time(engine: &mut Engine, iterations: u64) -> u64 {
    (engine.0)(iterations)
}

/// Closes an engine.
///
/// # Safety
///
/// `engine` came from [`copy_engines_open`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn copy_engines_close(engine: *mut Engine) {
    // SAFETY: the caller promises a box of `copy_engines_open`.
    drop(unsafe { Box::from_raw(engine) });
}
