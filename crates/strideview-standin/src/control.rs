//! The test's side: loads the library, and talks to it.

use std::env;
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr::null;

use libloading::Library;

use crate::{Answers, CopyCall};

/// What is counted as alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Allocations.
    Blocks = 0,
    /// Streams.
    Streams = 1,
    /// Events.
    Events = 2,
    /// Registrations of host memory.
    Registrations = 3,
}

/// A handle of the library that the code under test has loaded, or will load.
pub struct Control {
    library: Library,
}

/// Calls an export of the library.
macro_rules! export {
    ($control:expr, $name:literal, fn($($type:ty),*) $(-> $result:ty)?, ($($argument:expr),*)) => {{
        // SAFETY: the library is the stand-in, whose export of this name has this type.
        let function = unsafe {
            $control.library.get::<unsafe extern "C" fn($($type),*) $(-> $result)?>($name)
        };
        let function = function.expect("the stand-in exports every function of its control");
        // SAFETY: the arguments are values, or pointers valid for the call.
        unsafe { function($($argument),*) }
    }};
}

impl Control {
    /// Where cargo has put the library: beside the test executable, or one folder above.
    ///
    /// # Panics
    ///
    /// When it is in neither.
    pub fn library_path() -> PathBuf {
        let name =
            format!("{}strideview_standin{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        let executable = env::current_exe().expect("a test knows its executable");
        let found = executable.ancestors().skip(1).take(2).map(|folder| folder.join(&name));
        found.into_iter().find(|path| path.exists()).expect("cargo builds the stand-in")
    }

    /// The library at `path`, as the process sees it.
    ///
    /// # Panics
    ///
    /// When it cannot be loaded.
    pub fn open(path: &Path) -> Self {
        // SAFETY: the stand-in has no initialisers.
        let library = unsafe { Library::new(path) }.expect("the stand-in loads");
        Self { library }
    }

    /// Forgets counts, scripts and failures; what is alive stays alive.
    pub fn reset(&self) {
        export!(self, b"standin_reset", fn(), ());
    }

    /// Frees everything that is alive: what a test lost on purpose.
    pub fn clear(&self) {
        export!(self, b"standin_clear", fn(), ());
    }

    /// Fails the `nth` call from now on, counted from 1, with a status; 0 for none.
    pub fn fail(&self, nth: u64, status: i32) {
        export!(self, b"standin_fail", fn(u64, i32), (nth, status));
    }

    /// The name of the call that was failed; empty when none was.
    pub fn failed(&self) -> String {
        let mut length = 0_usize;
        let name = export!(self, b"standin_failed", fn(*mut usize) -> *const u8, (&mut length));
        // SAFETY: the export gives a name of the library, with its length.
        let bytes = unsafe { std::slice::from_raw_parts(name, length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// How often a call was made since the reset.
    pub fn calls(&self, name: &str) -> u64 {
        let name = CString::new(name).expect("names have no zero byte");
        export!(self, b"standin_calls", fn(*const c_char) -> u64, (name.as_ptr()))
    }

    /// How many calls were made since the reset.
    pub fn all_calls(&self) -> u64 {
        export!(self, b"standin_calls", fn(*const c_char) -> u64, (null()))
    }

    /// How many of a kind are alive.
    pub fn live(&self, kind: Live) -> usize {
        export!(self, b"standin_live", fn(i32) -> usize, (kind as i32))
    }

    /// Scripts what is said of a range.
    pub fn script(&self, start: usize, size_in_bytes: usize, answers: Answers) {
        export!(
            self,
            b"standin_script",
            fn(usize, usize, *const Answers),
            (start, size_in_bytes, &answers)
        );
    }

    /// Scripts what a pool grants a device.
    pub fn pool_access(&self, pool: usize, device: i32, flags: i32) {
        export!(self, b"standin_pool_access", fn(usize, i32, i32), (pool, device, flags));
    }

    /// Pretends that the driver does not have a function, until the reset.
    pub fn hide(&self, name: &str) {
        let name = CString::new(name).expect("names have no zero byte");
        export!(self, b"standin_hide", fn(*const c_char), (name.as_ptr()));
    }

    /// How often a kernel was launched since the reset; all of them for an empty name.
    pub fn launches(&self, name: &str) -> u64 {
        let name = (!name.is_empty()).then(|| CString::new(name).expect("names have no zero byte"));
        let pointer = name.as_ref().map_or(null(), |name| name.as_ptr());
        export!(self, b"standin_launches", fn(*const c_char) -> u64, (pointer))
    }

    /// The copies of the driver since the reset, in their order.
    pub fn copies(&self) -> Vec<CopyCall> {
        let ask = |places: *mut CopyCall, count: usize| {
            export!(self, b"standin_copies", fn(*mut CopyCall, usize) -> usize, (places, count))
        };
        let mut copies = vec![CopyCall::default(); ask(std::ptr::null_mut(), 0)];
        let count = ask(copies.as_mut_ptr(), copies.len());
        copies.truncate(count);
        copies
    }

    /// Lets launches be done by the emulator at this path; whether it is there.
    pub fn emulate(&self, path: &Path) -> bool {
        let path = CString::new(path.as_os_str().as_encoded_bytes()).expect("no zero byte");
        export!(self, b"standin_emulate", fn(*const c_char) -> bool, (path.as_ptr()))
    }

    /// Refuses images of machine code until the reset, as a newer device does.
    pub fn refuse_machine_code(&self) {
        export!(self, b"standin_refuse_machine_code", fn(), ());
    }

    /// What `cuInit` answers from now on.
    pub fn init_status(&self, status: i32) {
        export!(self, b"standin_init_status", fn(i32), (status));
    }

    /// Forgets that the driver was initialised.
    pub fn deinitialise(&self) {
        export!(self, b"standin_deinitialise", fn(), ());
    }

    /// How many contexts this thread has on its stack.
    pub fn depth(&self) -> usize {
        export!(self, b"standin_depth", fn() -> usize, ())
    }

    /// The current context of this thread.
    pub fn current(&self) -> usize {
        export!(self, b"standin_current", fn() -> usize, ())
    }

    /// Makes a context current on this thread; 0 for none.
    pub fn set_current(&self, context: usize) {
        export!(self, b"standin_set_current", fn(usize), (context));
    }

    /// A new context of a device that is not its primary one.
    pub fn create_context(&self, device: i32) -> usize {
        export!(self, b"standin_create_context", fn(i32) -> usize, (device))
    }

    /// A stream of a context, made by somebody else.
    pub fn create_stream(&self, context: usize) -> usize {
        export!(self, b"standin_create_stream", fn(usize) -> usize, (context))
    }

    /// Destroys such a stream.
    pub fn destroy_stream(&self, stream: usize) {
        export!(self, b"standin_destroy_stream", fn(usize), (stream));
    }

    /// Starts or ends a capture on a stream.
    pub fn capture(&self, stream: usize, on: bool) {
        export!(self, b"standin_capture", fn(usize, bool), (stream, on));
    }

    /// How often a stream was made to wait for a recorded event.
    pub fn waits(&self, stream: usize) -> u64 {
        export!(self, b"standin_waits", fn(usize) -> u64, (stream))
    }

    /// The release threshold of the default pool of a device.
    pub fn threshold(&self, device: i32) -> u64 {
        export!(self, b"standin_threshold", fn(i32) -> u64, (device))
    }
}
