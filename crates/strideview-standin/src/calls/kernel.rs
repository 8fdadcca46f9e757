//! Libraries of kernels, and launches: counted, and done by the emulator where a test has built it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use crate::out::Out;
use crate::state::{State, device_attribute};

/// Every thread block of the kernels under test.
const THREADS: u32 = 256;
/// What a block has without asking.
const SHARED_IN_BYTES: u32 = 48 << 10;

/// `emulate` of the emulator: name, blocks, argument; 0 for a kernel that is not there.
type Emulate = unsafe extern "C" fn(*const c_char, u32, *const c_void) -> c_int;

/// The text that a pointer gives.
///
/// # Safety
///
/// `name` is null, or ends with a zero byte.
unsafe fn name_of(name: *const c_char) -> Result<CString, i32> {
    if name.is_null() {
        return Err(1);
    }
    // SAFETY: not null, and the caller promises the end.
    Ok(unsafe { CStr::from_ptr(name) }.to_owned())
}

/// Runs a kernel where there is an emulator.
///
/// # Safety
///
/// `argument` is what the kernel takes.
unsafe fn emulate(
    state: &State,
    name: &CString,
    blocks: u32,
    argument: *const c_void,
) -> Result<(), i32> {
    let Some(library) = &state.emulator else { return Ok(()) };
    // SAFETY: the emulator exports this function with this type.
    let function = unsafe { library.get::<Emulate>(b"emulate") }.map_err(|_| 1)?;
    // SAFETY: the name ends with a zero byte, and the caller promises the argument.
    match unsafe { function(name.as_ptr(), blocks, argument) } {
        0 => Err(500),
        _ => Ok(()),
    }
}

calls! { state;
    fn cuLibraryLoadData(
        library: Out<usize>,
        image: *const u8,
        jit_options: *const c_int,
        jit_values: *const *const c_void,
        jit_count: u32,
        library_options: *const c_int,
        library_values: *const *const c_void,
        library_count: u32,
    ) {
        let _ = (jit_options, jit_values, library_options, library_values);
        if image.is_null() || jit_count != 0 || library_count != 0 {
            return Err(1);
        }
        // SAFETY: not null, and the caller promises an image, which is longer than a byte.
        let first = unsafe { image.read() };
        // Machine code, in the format of ELF; a test may want the next best: PTX.
        let is_ptx = first != 0x7f;
        if state.refuses_machine_code && !is_ptx {
            return Err(209);
        }
        let handle = state.handle();
        state.libraries.insert(handle);
        library.put(handle)
    }
    fn cuLibraryUnload(library: usize) {
        if state.libraries.remove(&library) { Ok(()) } else { Err(400) }
    }
    fn cuLibraryGetKernel(kernel: Out<usize>, library: usize, name: *const c_char) {
        if !state.libraries.contains(&library) {
            return Err(400);
        }
        // SAFETY: the caller promises a name that ends with a zero byte.
        let name = unsafe { name_of(name) }?;
        let handle = state.handle();
        state.kernels.insert(handle, name);
        kernel.put(handle)
    }
    fn cuKernelGetFunction(function: Out<usize>, kernel: usize) {
        state.here()?;
        if !state.kernels.contains_key(&kernel) {
            return Err(400);
        }
        function.put(kernel)
    }
    fn cuLaunchKernel(
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_in_bytes: u32,
        stream: usize,
        parameters: *const *const c_void,
        extra: *const *const c_void,
    ) {
        let (_, device) = state.here()?;
        state.context_of(stream)?;
        let name = state.kernels.get(&function).ok_or(400)?.clone();
        let is_fit = (1..1 << 31).contains(&grid_x)
            && (grid_y, grid_z, block_x, block_y, block_z) == (1, 1, THREADS, 1, 1)
            && shared_in_bytes <= SHARED_IN_BYTES;
        if !is_fit || parameters.is_null() || !extra.is_null() || device_attribute(device, 16).is_err() {
            return Err(1);
        }
        // SAFETY: not null, and the caller promises a pointer for each parameter, of which there is one.
        let argument = unsafe { parameters.read() };
        *state.launches.entry(name.clone()).or_default() += 1;
        // SAFETY: the caller promises the argument of the kernel.
        unsafe { emulate(state, &name, grid_x, argument) }
    }
}
