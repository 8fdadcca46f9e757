//! Every function of the driver that this crate uses: its name, the version of its interface, and
//! its signature. Nothing is looked up before the first call of it.
//!
//! The version picks the form of a function whose signature changed over time: asking for
//! `cuMemAlloc` of version 3020 gives what `cuda.h` calls `cuMemAlloc_v2`.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::library::Driver;
use super::sys::*;
use crate::CudaError;

/// The address of a function: null before it is first asked for.
type Slot = AtomicPtr<c_void>;

macro_rules! table {
    ($(fn $name:ident, $version:literal, ($($argument:ident: $type:ty),* $(,)?);)*) => {
        /// One slot for each function.
        #[allow(non_snake_case, reason = "the driver's own names")]
        #[derive(Default)]
        pub(super) struct Table {
            $($name: Slot,)*
        }

        /// Each method calls the function of its name, and turns its status into a `Result`.
        ///
        /// # Safety
        ///
        /// What the documentation of the driver asks of the function's arguments: a pointer to an
        /// output is valid for its type, and a handle is alive.
        #[allow(non_snake_case, reason = "the driver's own names")]
        #[allow(dead_code, reason = "the copy engine calls those that nothing here does")]
        #[allow(clippy::missing_safety_doc, reason = "written once, above")]
        #[allow(clippy::too_many_arguments, reason = "the driver's own signatures")]
        impl Driver {
            $(pub(crate) unsafe fn $name(&self, $($argument: $type),*) -> Result<(), CudaError> {
                type Function = unsafe extern "system" fn($($type),*) -> CUresult;
                const NAME: &str = stringify!($name);
                let address = self.resolve(
                    &self.table().$name, NAME, concat!(stringify!($name), "\0"), $version,
                )?;
                // SAFETY: the driver gave this address for the name and version of this entry,
                // whose signature in `cuda.h` is `Function`.
                let function = unsafe { std::mem::transmute::<*mut c_void, Function>(address) };
                // SAFETY: the caller promises what the driver asks of the arguments.
                let mut status = unsafe { function($($argument),*) };
                if status == CUresult::NOT_INITIALIZED && self.initialise_again() {
                    // SAFETY: as above; the first call did nothing, its status says so.
                    status = unsafe { function($($argument),*) };
                }
                match status {
                    CUresult::SUCCESS => Ok(()),
                    CUresult(status) => Err(CudaError::Driver { call: NAME, status }),
                }
            })*
        }
    };
}

table! {
    fn cuDriverGetVersion, 2020, (version: *mut c_int);
    fn cuGetErrorName, 6000, (status: CUresult, name: *mut *const c_char);
    fn cuGetErrorString, 6000, (status: CUresult, text: *mut *const c_char);

    fn cuDeviceGetCount, 2000, (count: *mut c_int);
    fn cuDeviceGet, 2000, (device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetName, 2000, (name: *mut c_char, capacity: c_int, device: CUdevice);
    fn cuDeviceGetAttribute, 2000, (value: *mut c_int, attribute: c_int, device: CUdevice);
    fn cuDeviceCanAccessPeer, 4000, (can: *mut c_int, device: CUdevice, peer: CUdevice);
    fn cuDeviceGetDefaultMemPool, 11020, (pool: *mut CUmemoryPool, device: CUdevice);
    fn cuDeviceGetMemPool, 11020, (pool: *mut CUmemoryPool, device: CUdevice);

    fn cuDevicePrimaryCtxRetain, 7000, (context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease, 11000, (device: CUdevice);
    fn cuDevicePrimaryCtxGetState, 7000,
        (device: CUdevice, flags: *mut c_uint, active: *mut c_int);
    fn cuCtxPushCurrent, 4000, (context: CUcontext);
    fn cuCtxPopCurrent, 4000, (context: *mut CUcontext);
    fn cuCtxGetCurrent, 4000, (context: *mut CUcontext);
    fn cuCtxSetCurrent, 4000, (context: CUcontext);
    fn cuCtxGetDevice, 2000, (device: *mut CUdevice);
    fn cuCtxSynchronize, 2000, ();
    fn cuCtxEnablePeerAccess, 4000, (peer: CUcontext, flags: c_uint);

    fn cuStreamCreate, 2000, (stream: *mut CUstream, flags: c_uint);
    fn cuStreamCreateWithPriority, 5050,
        (stream: *mut CUstream, flags: c_uint, priority: c_int);
    fn cuStreamDestroy, 4000, (stream: CUstream);
    fn cuStreamSynchronize, 2000, (stream: CUstream);
    fn cuStreamWaitEvent, 3020, (stream: CUstream, event: CUevent, flags: c_uint);
    fn cuStreamQuery, 2000, (stream: CUstream);
    fn cuLaunchHostFunc, 10000,
        (stream: CUstream, function: CUhostFn, argument: *mut c_void);
    fn cuStreamGetCtx, 9020, (stream: CUstream, context: *mut CUcontext);
    fn cuStreamIsCapturing, 10000, (stream: CUstream, status: *mut c_int);
    fn cuStreamBeginCapture, 10010, (stream: CUstream, mode: c_int);
    fn cuThreadExchangeStreamCaptureMode, 10010, (mode: *mut c_int);
    fn cuStreamEndCapture, 10000, (stream: CUstream, graph: *mut CUgraph);

    fn cuEventCreate, 2000, (event: *mut CUevent, flags: c_uint);
    fn cuEventDestroy, 4000, (event: CUevent);
    fn cuEventRecord, 2000, (event: CUevent, stream: CUstream);
    fn cuEventSynchronize, 2000, (event: CUevent);
    fn cuEventQuery, 2000, (event: CUevent);
    fn cuEventElapsedTime, 2000, (milliseconds: *mut f32, start: CUevent, end: CUevent);

    fn cuMemAlloc, 3020, (address: *mut CUdeviceptr, size_in_bytes: usize);
    fn cuMemFree, 3020, (address: CUdeviceptr);
    fn cuMemAllocHost, 3020, (address: *mut *mut c_void, size_in_bytes: usize);
    fn cuMemHostAlloc, 2020, (address: *mut *mut c_void, size_in_bytes: usize, flags: c_uint);
    fn cuMemFreeHost, 2000, (address: *mut c_void);
    fn cuMemHostRegister, 6050, (address: *mut c_void, size_in_bytes: usize, flags: c_uint);
    fn cuMemHostUnregister, 4000, (address: *mut c_void);
    fn cuMemAllocManaged, 6000,
        (address: *mut CUdeviceptr, size_in_bytes: usize, flags: c_uint);
    fn cuMemAllocAsync, 11020,
        (address: *mut CUdeviceptr, size_in_bytes: usize, stream: CUstream);
    fn cuMemAllocFromPoolAsync, 11020,
        (address: *mut CUdeviceptr, size_in_bytes: usize, pool: CUmemoryPool, stream: CUstream);
    fn cuMemFreeAsync, 11020, (address: CUdeviceptr, stream: CUstream);
    fn cuMemPoolGetAccess, 11020,
        (flags: *mut c_int, pool: CUmemoryPool, location: *mut CUmemLocation);
    fn cuMemPoolGetAttribute, 11020, (pool: CUmemoryPool, attribute: c_int, value: *mut c_void);
    fn cuMemPoolSetAttribute, 11020, (pool: CUmemoryPool, attribute: c_int, value: *mut c_void);

    fn cuPointerGetAttribute, 4000, (value: *mut c_void, attribute: c_int, address: CUdeviceptr);
    fn cuPointerGetAttributes, 7000,
        (count: c_uint, attributes: *mut c_int, values: *mut *mut c_void, address: CUdeviceptr);

    fn cuMemcpyAsync, 4000,
        (dst: CUdeviceptr, src: CUdeviceptr, size_in_bytes: usize, stream: CUstream);
    fn cuMemcpyHtoDAsync, 3020,
        (dst: CUdeviceptr, src: *const c_void, size_in_bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync, 3020,
        (dst: *mut c_void, src: CUdeviceptr, size_in_bytes: usize, stream: CUstream);
    fn cuMemcpyDtoDAsync, 3020,
        (dst: CUdeviceptr, src: CUdeviceptr, size_in_bytes: usize, stream: CUstream);
    fn cuMemcpyPeerAsync, 4000,
        (dst: CUdeviceptr, dst_context: CUcontext, src: CUdeviceptr, src_context: CUcontext,
         size_in_bytes: usize, stream: CUstream);
    fn cuMemcpy2DAsync, 3020, (copy: *const CUmemcpy2D, stream: CUstream);
    fn cuMemcpy3DAsync, 3020, (copy: *const CUmemcpy3D, stream: CUstream);
    fn cuMemsetD8Async, 3020, (dst: CUdeviceptr, value: u8, count: usize, stream: CUstream);
    fn cuMemsetD16Async, 3020, (dst: CUdeviceptr, value: u16, count: usize, stream: CUstream);
    fn cuMemsetD32Async, 3020, (dst: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);

    fn cuLibraryLoadData, 12000,
        (library: *mut CUlibrary, image: *const c_void,
         jit_options: *mut c_int, jit_values: *mut *mut c_void, jit_count: c_uint,
         library_options: *mut c_int, library_values: *mut *mut c_void, library_count: c_uint);
    fn cuLibraryUnload, 12000, (library: CUlibrary);
    fn cuLibraryGetKernel, 12000,
        (kernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
    fn cuKernelGetFunction, 12000, (function: *mut CUfunction, kernel: CUkernel);
    fn cuLaunchKernel, 4000,
        (function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
         block_x: c_uint, block_y: c_uint, block_z: c_uint, shared_in_bytes: c_uint,
         stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void);
    fn cuTensorMapEncodeTiled, 12000,
        (map: *mut CUtensorMap, data_type: c_int, rank: c_uint, address: *mut c_void,
         extents: *const u64, strides_in_bytes: *const u64, box_extents: *const c_uint,
         element_strides: *const c_uint, interleave: c_int, swizzle: c_int, promotion: c_int,
         fill: c_int);
}

impl Driver {
    /// The address in `slot`, found first when it is not there yet. What is missing is asked for
    /// again each time: it is an error, and errors need not be fast.
    fn resolve(
        &self,
        slot: &Slot,
        call: &'static str,
        symbol: &'static str,
        version: c_int,
    ) -> Result<*mut c_void, CudaError> {
        let known = slot.load(Ordering::Relaxed);
        if !known.is_null() {
            return Ok(known);
        }
        let found = CStr::from_bytes_with_nul(symbol.as_bytes())
            .ok()
            .and_then(|symbol| self.find(symbol, version));
        let found = found.ok_or(CudaError::MissingFunction { call, version })?;
        slot.store(found, Ordering::Relaxed);
        Ok(found)
    }
}
