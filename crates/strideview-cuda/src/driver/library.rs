//! Finding the driver, once, when it is first asked for; and `cuInit`.

use std::env;
use std::error::Error;
use std::ffi::{CStr, OsString, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use libloading::Library;

use super::sys::CUresult;
use super::table::Table;
use crate::CudaError;

/// The variable that names another library than the driver's own.
pub(crate) const LIBRARY_VARIABLE: &str = "STRIDEVIEW_CUDA_DRIVER";

#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";

/// `cuGetProcAddress_v2`, there since CUDA 12.0.
type GetProcAddress =
    unsafe extern "system" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> CUresult;
/// `cuInit`.
type Init = unsafe extern "system" fn(c_uint) -> CUresult;

/// The loaded driver.
///
/// # Invariants
///
/// 1. `get_proc_address` and every address that it gave belong to `_library`, which is never
///    unloaded: the only value of this type is in a static.
pub(crate) struct Driver {
    _library: Library,
    get_proc_address: GetProcAddress,
    initialised: OnceLock<CUresult>,
    table: Table,
}

/// The driver, or the reason why there is none: both are for the life of the process.
static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();

/// The driver, loaded and initialised.
///
/// The first call loads a library and calls `cuInit`, which takes milliseconds to a second; later
/// calls are a few loads. How these two ended is remembered.
pub(crate) fn driver() -> Result<&'static Driver, CudaError> {
    let driver = loaded()?;
    match *driver.initialised.get_or_init(|| driver.initialise()) {
        CUresult::SUCCESS => Ok(driver),
        CUresult(status) => Err(CudaError::Driver { call: "cuInit", status }),
    }
}

/// The driver if this process has loaded it already, for us or for another library. It may not be
/// initialised; nothing is loaded and nothing initialised by asking.
pub(crate) fn driver_in_use() -> Option<&'static Driver> {
    match DRIVER.get() {
        Some(result) => result.as_ref().ok(),
        None if is_in_process() => loaded().ok(),
        None => None,
    }
}

/// The driver if this crate has loaded it.
pub(super) fn driver_if_loaded() -> Option<&'static Driver> {
    DRIVER.get()?.as_ref().ok()
}

fn loaded() -> Result<&'static Driver, CudaError> {
    match DRIVER.get_or_init(load) {
        Ok(driver) => Ok(driver),
        Err(reason) => Err(CudaError::Unavailable { reason }),
    }
}

fn library_name() -> OsString {
    env::var_os(LIBRARY_VARIABLE)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| OsString::from(LIBRARY))
}

fn load() -> Result<Driver, String> {
    if usize::BITS != 64 {
        return Err("the driver's interface is that of 64-bit systems".to_owned());
    }
    let name = library_name();
    // SAFETY: initialising the driver's library has no condition; a library named by the
    // variable is the choice of whoever runs the process.
    let library = unsafe { Library::new(&name) }.map_err(|error| {
        // The system's words are in the source, the library's own say less.
        let detail = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        format!("cannot load {}: {detail}", name.display())
    })?;
    // SAFETY: the type is that of `cuGetProcAddress_v2` in `cuda.h`; the copy of the address stays
    // valid because the library is never unloaded (Driver 1).
    let symbol = unsafe { library.get::<GetProcAddress>(c"cuGetProcAddress_v2".to_bytes()) };
    let get_proc_address = *symbol.map_err(|_| {
        format!("{} has no cuGetProcAddress_v2: wanted CUDA 12.0 or newer", name.display())
    })?;
    Ok(Driver {
        _library: library,
        get_proc_address,
        initialised: OnceLock::new(),
        table: Table::default(),
    })
}

/// Whether the library is in the process already.
///
/// A search that finds nothing reads directories, so it is not repeated until the process has
/// loaded another library.
#[cfg(target_os = "linux")]
fn is_in_process() -> bool {
    use libloading::os::unix::{Library, RTLD_LAZY};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Of <dlfcn.h>: open only what is open already.
    const RTLD_NOLOAD: c_int = 4;
    /// How many libraries had been loaded at the last search that found nothing.
    static SEARCHED_AT: AtomicU64 = AtomicU64::new(u64::MAX);

    let loads = super::loads::count();
    if loads == SEARCHED_AT.load(Ordering::Relaxed) {
        return false;
    }
    // SAFETY: no library is loaded, so no initialiser runs; dropping the result takes back the one
    // reference that the call added.
    let found = unsafe { Library::open(Some(library_name()), RTLD_LAZY | RTLD_NOLOAD) }.is_ok();
    if !found {
        SEARCHED_AT.store(loads, Ordering::Relaxed);
    }
    found
}

/// As above.
#[cfg(windows)]
fn is_in_process() -> bool {
    libloading::os::windows::Library::open_already_loaded(library_name()).is_ok()
}

/// There is no driver for these systems, so asking again costs one failed load.
#[cfg(not(any(target_os = "linux", windows)))]
fn is_in_process() -> bool {
    true
}

impl Driver {
    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Whether `cuInit` made a driver ready that had been ready before: for a call that says it is
    /// not. False when this crate never initialised it, since it is not for a query to do so.
    pub(super) fn initialise_again(&self) -> bool {
        self.initialised.get() == Some(&CUresult::SUCCESS) && self.initialise() == CUresult::SUCCESS
    }

    fn initialise(&self) -> CUresult {
        let Some(address) = self.find(c"cuInit", 2000) else {
            return CUresult::NOT_INITIALIZED;
        };
        // SAFETY: the driver gave this address for `cuInit`, whose signature is `Init`.
        let init = unsafe { std::mem::transmute::<*mut c_void, Init>(address) };
        // SAFETY: 0 is the only flag there is; the call may be repeated, from any thread.
        unsafe { init(0) }
    }

    /// The address of a function; None when the driver has no such name, or not this version of it.
    pub(super) fn find(&self, symbol: &CStr, version: c_int) -> Option<*mut c_void> {
        let mut address = null_mut();
        let mut status_of_symbol: c_int = 0;
        // SAFETY: the name ends with a zero byte, both outputs are valid for their types, and 0 is
        // the default flag (no per-thread default stream).
        let status = unsafe {
            (self.get_proc_address)(
                symbol.as_ptr(),
                &mut address,
                version,
                0,
                &mut status_of_symbol,
            )
        };
        (status == CUresult::SUCCESS && !address.is_null()).then_some(address)
    }

    /// The name of a status, such as `CUDA_ERROR_OUT_OF_MEMORY`; None when the driver knows none.
    pub(super) fn status_name(&self, status: c_int) -> Option<&'static str> {
        let mut name = null();
        // SAFETY: the output is valid for its type; any status may be asked for.
        unsafe { self.cuGetErrorName(CUresult(status), &mut name) }.ok()?;
        static_text(name)
    }

    /// What a status means, in the words of the driver.
    pub(super) fn status_text(&self, status: c_int) -> Option<&'static str> {
        let mut text = null();
        // SAFETY: as above.
        unsafe { self.cuGetErrorString(CUresult(status), &mut text) }.ok()?;
        static_text(text)
    }
}

/// Text that the driver keeps.
fn static_text(text: *const c_char) -> Option<&'static str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, and `cuGetErrorName` and `cuGetErrorString` answer with a text of the
    // driver that ends with a zero byte and never changes; the driver is never unloaded (Driver 1).
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().ok()
}
