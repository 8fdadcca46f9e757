//! The driver's types and numbers, as `cuda.h` declares them for 64-bit systems.
//!
//! A foreign enum is an integer here: a driver newer than this file may answer with a number that
//! is not listed. Handles are opaque words, so they may cross threads; what the driver allows is
//! checked where they are used.
#![forbid(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};

/// The status that every call of the driver returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct CUresult(pub(crate) c_int);

impl CUresult {
    pub(crate) const SUCCESS: Self = Self(0);
    pub(crate) const OUT_OF_MEMORY: Self = Self(2);
    pub(crate) const NOT_INITIALIZED: Self = Self(3);
    pub(crate) const DEINITIALIZED: Self = Self(4);
    pub(crate) const INVALID_IMAGE: Self = Self(200);
    pub(crate) const NO_BINARY_FOR_GPU: Self = Self(209);
    pub(crate) const INVALID_PTX: Self = Self(218);
    pub(crate) const UNSUPPORTED_PTX_VERSION: Self = Self(222);
    pub(crate) const INVALID_SOURCE: Self = Self(300);
    pub(crate) const NOT_READY: Self = Self(600);
    pub(crate) const PEER_ACCESS_ALREADY_ENABLED: Self = Self(704);
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub(crate) struct $name(pub(crate) usize);

        #[allow(dead_code, reason = "not every kind of handle is compared with null")]
        impl $name {
            pub(crate) const NULL: Self = Self(0);
        }
    )*};
}

handles! {
    /// A context of a device.
    CUcontext;
    /// A stream; 1 and 2 name the two default streams of the current context.
    CUstream;
    /// An event.
    CUevent;
    /// A pool of stream-ordered memory.
    CUmemoryPool;
    /// A CUDA array: never used, but a field of the copy descriptions.
    CUarray;
    /// A recorded graph.
    CUgraph;
    /// A loaded image of kernels.
    CUlibrary;
    /// A kernel of a library.
    CUkernel;
    /// A kernel in one context.
    CUfunction;
}

/// The ordinal that `cuDeviceGet` turns into itself, but the driver reserves the right not to.
pub(crate) type CUdevice = c_int;
/// An address that a device understands.
pub(crate) type CUdeviceptr = u64;
/// What a stream calls on the host, which must not call the driver.
pub(crate) type CUhostFn = unsafe extern "C" fn(*mut c_void);

// The two default streams.
pub(crate) const STREAM_LEGACY: CUstream = CUstream(1);
pub(crate) const STREAM_PER_THREAD: CUstream = CUstream(2);

// Flags.
pub(crate) const STREAM_NON_BLOCKING: c_uint = 1;
pub(crate) const EVENT_DEFAULT: c_uint = 0;
pub(crate) const EVENT_DISABLE_TIMING: c_uint = 2;
pub(crate) const MEM_ATTACH_GLOBAL: c_uint = 1;
pub(crate) const MEMHOSTALLOC_PORTABLE: c_uint = 1;

// CUstreamCaptureStatus.
pub(crate) const CAPTURE_NONE: c_int = 0;
pub(crate) const CAPTURE_ACTIVE: c_int = 1;

// CUstreamCaptureMode.
pub(crate) const CAPTURE_MODE_RELAXED: c_int = 2;

// CUdevice_attribute.
pub(crate) const DEVICE_MULTIPROCESSOR_COUNT: c_int = 16;
pub(crate) const DEVICE_COMPUTE_CAPABILITY_MAJOR: c_int = 75;
pub(crate) const DEVICE_COMPUTE_CAPABILITY_MINOR: c_int = 76;
pub(crate) const DEVICE_MANAGED_MEMORY: c_int = 83;
pub(crate) const DEVICE_PAGEABLE_MEMORY_ACCESS: c_int = 88;
pub(crate) const DEVICE_CONCURRENT_MANAGED_ACCESS: c_int = 89;
pub(crate) const DEVICE_CAN_USE_HOST_POINTER: c_int = 91;
pub(crate) const DEVICE_MEMORY_POOLS_SUPPORTED: c_int = 115;

// CUpointer_attribute.
pub(crate) const POINTER_CONTEXT: c_int = 1;
pub(crate) const POINTER_MEMORY_TYPE: c_int = 2;
pub(crate) const POINTER_DEVICE_POINTER: c_int = 3;
pub(crate) const POINTER_HOST_POINTER: c_int = 4;
pub(crate) const POINTER_IS_MANAGED: c_int = 8;
pub(crate) const POINTER_DEVICE_ORDINAL: c_int = 9;
pub(crate) const POINTER_RANGE_START_ADDR: c_int = 11;
pub(crate) const POINTER_RANGE_SIZE: c_int = 12;
pub(crate) const POINTER_ACCESS_FLAGS: c_int = 16;
pub(crate) const POINTER_MEMPOOL_HANDLE: c_int = 17;

// CUmemorytype.
pub(crate) const MEMORY_TYPE_HOST: c_uint = 1;
pub(crate) const MEMORY_TYPE_DEVICE: c_uint = 2;

// CUmemLocationType and CUmemPool_attribute.
pub(crate) const MEM_LOCATION_DEVICE: c_int = 1;
pub(crate) const MEMPOOL_RELEASE_THRESHOLD: c_int = 4;

/// Where memory is, for the calls about pools.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CUmemLocation {
    pub(crate) kind: c_int,
    pub(crate) id: c_int,
}

/// A copy of rows, `CUDA_MEMCPY2D_v2`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CUmemcpy2D {
    pub(crate) src_x_in_bytes: usize,
    pub(crate) src_y: usize,
    pub(crate) src_memory_type: c_uint,
    pub(crate) src_host: *const c_void,
    pub(crate) src_device: CUdeviceptr,
    pub(crate) src_array: CUarray,
    pub(crate) src_pitch: usize,
    pub(crate) dst_x_in_bytes: usize,
    pub(crate) dst_y: usize,
    pub(crate) dst_memory_type: c_uint,
    pub(crate) dst_host: *mut c_void,
    pub(crate) dst_device: CUdeviceptr,
    pub(crate) dst_array: CUarray,
    pub(crate) dst_pitch: usize,
    pub(crate) width_in_bytes: usize,
    pub(crate) height: usize,
}

/// A copy of slices of rows, `CUDA_MEMCPY3D_v2`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CUmemcpy3D {
    pub(crate) src_x_in_bytes: usize,
    pub(crate) src_y: usize,
    pub(crate) src_z: usize,
    pub(crate) src_lod: usize,
    pub(crate) src_memory_type: c_uint,
    pub(crate) src_host: *const c_void,
    pub(crate) src_device: CUdeviceptr,
    pub(crate) src_array: CUarray,
    pub(crate) reserved_0: *mut c_void,
    pub(crate) src_pitch: usize,
    pub(crate) src_height: usize,
    pub(crate) dst_x_in_bytes: usize,
    pub(crate) dst_y: usize,
    pub(crate) dst_z: usize,
    pub(crate) dst_lod: usize,
    pub(crate) dst_memory_type: c_uint,
    pub(crate) dst_host: *mut c_void,
    pub(crate) dst_device: CUdeviceptr,
    pub(crate) dst_array: CUarray,
    pub(crate) reserved_1: *mut c_void,
    pub(crate) dst_pitch: usize,
    pub(crate) dst_height: usize,
    pub(crate) width_in_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// A descriptor of a tiled tensor, `CUtensorMap`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct CUtensorMap(pub(crate) [u8; 128]);

// Elsewhere no driver is loaded.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<CUmemLocation>() == 8);
    assert!(size_of::<CUmemcpy2D>() == 128);
    assert!(std::mem::offset_of!(CUmemcpy2D, src_host) == 24);
    assert!(std::mem::offset_of!(CUmemcpy2D, dst_pitch) == 104);
    assert!(size_of::<CUmemcpy3D>() == 200);
    assert!(std::mem::offset_of!(CUmemcpy3D, reserved_0) == 64);
    assert!(std::mem::offset_of!(CUmemcpy3D, width_in_bytes) == 176);
    assert!(size_of::<CUtensorMap>() == 128);
    assert!(align_of::<CUtensorMap>() == 64);
};
