//! What the library exports: the door of the driver, and the handles for tests.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use crate::CopyCall;
use crate::calls;
use crate::out::Out;
use crate::state::{self, Answers, Range};

/// The name that a caller passes; None for null or text that is not UTF-8.
///
/// # Safety
///
/// `name` is null, or ends with a zero byte.
unsafe fn text<'a>(name: *const c_char) -> Option<&'a str> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller promises the end.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}

/// As the driver's: success with a null address for a name it does not know.
///
/// # Safety
///
/// As the driver's documentation says: a name that ends with a zero byte, valid outputs.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    address: Out<*mut c_void>,
    version: c_int,
    flags: u64,
    status: Out<c_int>,
) -> i32 {
    // SAFETY: the caller promises it.
    let Some(name) = (unsafe { text(name) }) else { return 1 };
    if flags != 0 || version < 2000 {
        return 1;
    }
    let is_missing = state::lock().missing.contains(name);
    let found = if is_missing { None } else { calls::find(name) };
    let _ = status.put(c_int::from(found.is_none()));
    address.put(found.unwrap_or(null_mut())).err().unwrap_or(0)
}

#[unsafe(no_mangle)]
extern "C" fn standin_reset() {
    state::lock().reset();
}

/// Frees everything that is alive: what a test lost on purpose.
#[unsafe(no_mangle)]
extern "C" fn standin_clear() {
    let mut state = state::lock();
    state.blocks.clear();
    state.streams.clear();
    state.events.clear();
    state.ranges.clear();
}

#[unsafe(no_mangle)]
extern "C" fn standin_fail(nth: u64, status: i32) {
    state::lock().fail(nth, status);
}

/// The name of the call that was failed, as address and length; length 0 when none was.
#[unsafe(no_mangle)]
extern "C" fn standin_failed(length: Out<usize>) -> *const u8 {
    let name = state::lock().failed;
    let _ = length.put(name.len());
    name.as_ptr()
}

/// How often a call was made since the reset; all calls for a null name.
///
/// # Safety
///
/// `name` is null, or ends with a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_calls(name: *const c_char) -> u64 {
    let state = state::lock();
    // SAFETY: the caller promises it.
    match unsafe { text(name) } {
        None => state.counts.values().sum(),
        Some(name) => state.counts.get(name).copied().unwrap_or(0),
    }
}

/// How many allocations (0), streams (1), events (2) or registrations (3) are alive.
#[unsafe(no_mangle)]
extern "C" fn standin_live(kind: i32) -> usize {
    let state = state::lock();
    match kind {
        0 => state.blocks.len(),
        1 => state.streams.keys().filter(|handle| **handle > 2).count(),
        2 => state.events.len(),
        _ => state.ranges.iter().filter(|range| range.registered).count(),
    }
}

/// Scripts what is said of a range, in front of what was scripted before.
///
/// # Safety
///
/// `answers` is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_script(start: usize, size_in_bytes: usize, answers: *const Answers) {
    // SAFETY: the caller promises it.
    let answers = unsafe { answers.read() };
    let range = Range { start, size_in_bytes, answers, registered: false };
    state::lock().ranges.push(range);
}

#[unsafe(no_mangle)]
extern "C" fn standin_pool_access(pool: usize, device: i32, flags: i32) {
    state::lock().pool_access.insert((pool, device), flags);
}

/// Pretends that the driver does not have a function.
///
/// # Safety
///
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_hide(name: *const c_char) {
    // SAFETY: the caller promises it.
    if let Some(name) = unsafe { text(name) } {
        state::lock().missing.insert(name.to_owned());
    }
}

/// How often a kernel was launched since the reset; all kernels for a null name.
///
/// # Safety
///
/// `name` is null, or ends with a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_launches(name: *const c_char) -> u64 {
    let state = state::lock();
    if name.is_null() {
        return state.launches.values().sum();
    }
    // SAFETY: not null, and the caller promises the end.
    let name = unsafe { CStr::from_ptr(name) };
    state.launches.get(name).copied().unwrap_or(0)
}

/// The copies of the driver since the reset, in their order: their number, and as many of them as there
/// are places.
///
/// # Safety
///
/// `places` is an array of `count` places, or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_copies(places: *mut CopyCall, count: usize) -> usize {
    let state = state::lock();
    let copies = &state.copies;
    if !places.is_null() {
        let count = count.min(copies.len());
        // SAFETY: the caller promises the places, and these are not among them.
        unsafe { places.copy_from_nonoverlapping(copies.as_ptr(), count) };
    }
    copies.len()
}

/// Lets launches be done by the emulator at this path; false when it cannot be loaded.
///
/// # Safety
///
/// `path` ends with a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_emulate(path: *const c_char) -> bool {
    // SAFETY: the caller promises it.
    let Some(path) = (unsafe { text(path) }) else { return false };
    // SAFETY: the emulator has no initialisers but those of C++.
    let library = unsafe { libloading::Library::new(path) }.ok();
    let is_there = library.is_some();
    state::lock().emulator = library;
    is_there
}

/// Refuses images of machine code until the reset, as a newer device does.
#[unsafe(no_mangle)]
extern "C" fn standin_refuse_machine_code() {
    state::lock().refuses_machine_code = true;
}

/// What `cuInit` answers from now on.
#[unsafe(no_mangle)]
extern "C" fn standin_init_status(status: i32) {
    state::lock().init_status = status;
}

/// Forgets that the driver was initialised.
#[unsafe(no_mangle)]
extern "C" fn standin_deinitialise() {
    state::lock().initialised = false;
}

/// How many contexts this thread has on its stack.
#[unsafe(no_mangle)]
extern "C" fn standin_depth() -> usize {
    state::depth()
}

#[unsafe(no_mangle)]
extern "C" fn standin_current() -> usize {
    state::current()
}

/// A context that is not primary.
#[unsafe(no_mangle)]
extern "C" fn standin_create_context(device: i32) -> usize {
    let mut state = state::lock();
    let context = state.handle();
    state.contexts.insert(context, device);
    context
}

/// Makes a context current, as an application would; 0 for none.
#[unsafe(no_mangle)]
extern "C" fn standin_set_current(context: usize) {
    state::set_current(context);
}

/// A stream of a context, made by somebody else.
#[unsafe(no_mangle)]
extern "C" fn standin_create_stream(context: usize) -> usize {
    let mut state = state::lock();
    let handle = state.handle();
    state.streams.insert(handle, state::StreamState { context, ..Default::default() });
    handle
}

#[unsafe(no_mangle)]
extern "C" fn standin_destroy_stream(stream: usize) {
    state::lock().streams.remove(&stream);
}

/// Starts or ends a capture.
#[unsafe(no_mangle)]
extern "C" fn standin_capture(stream: usize, on: bool) {
    if let Some(stream) = state::lock().streams.get_mut(&stream) {
        stream.capturing = on;
    }
}

/// How often a stream was made to wait for a recorded event.
#[unsafe(no_mangle)]
extern "C" fn standin_waits(stream: usize) -> u64 {
    let key = if stream <= 2 { 1 } else { stream };
    state::lock().streams.get(&key).map_or(0, |stream| stream.waits)
}

/// The release threshold of the default pool of a device.
#[unsafe(no_mangle)]
extern "C" fn standin_threshold(device: i32) -> u64 {
    state::lock().thresholds.get(&state::default_pool(device)).copied().unwrap_or(0)
}
