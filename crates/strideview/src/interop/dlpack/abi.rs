//! The structures and constants of DLPack 1.3, as C sees them.
//!
//! Plain data: every field is public, and nothing here promises anything about its content. A field
//! that is an enum in C is a number in a type of its own here, because a value that is not listed
//! is no reason for undefined behaviour.
#![forbid(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::offset_of;
use std::ops::{BitOr, BitOrAssign};

/// The major version of the ABI that this build speaks.
pub const MAJOR_VERSION: u32 = 1;
/// The minor version of the ABI that this build speaks, and stamps its exports with.
pub const MINOR_VERSION: u32 = 3;

/// The name of a fresh capsule with a [`DLManagedTensor`].
pub const LEGACY_NAME: &CStr = c"dltensor";
/// The name of a capsule whose [`DLManagedTensor`] was taken.
pub const LEGACY_USED_NAME: &CStr = c"used_dltensor";
/// The name of a fresh capsule with a [`DLManagedTensorVersioned`].
pub const VERSIONED_NAME: &CStr = c"dltensor_versioned";
/// The name of a capsule whose [`DLManagedTensorVersioned`] was taken.
pub const VERSIONED_USED_NAME: &CStr = c"used_dltensor_versioned";
/// The name of a capsule with a [`DLPackExchangeAPI`].
pub const EXCHANGE_API_NAME: &CStr = c"dlpack_exchange_api";

/// The version of the ABI that a structure was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct DLPackVersion {
    /// Changes when a structure changes.
    pub major: u32,
    /// Changes when a constant is added.
    pub minor: u32,
}

impl DLPackVersion {
    /// The version that this build speaks.
    pub const CURRENT: Self = Self { major: MAJOR_VERSION, minor: MINOR_VERSION };
}

/// A kind of device, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DLDeviceType(pub i32);

impl DLDeviceType {
    /// The host.
    pub const CPU: Self = Self(1);
    /// A CUDA device.
    pub const CUDA: Self = Self(2);
    /// Host memory that CUDA devices can reach (pinned).
    pub const CUDA_HOST: Self = Self(3);
    /// An `OpenCL` device.
    pub const OPENCL: Self = Self(4);
    /// A Vulkan buffer.
    pub const VULKAN: Self = Self(7);
    /// An Apple GPU.
    pub const METAL: Self = Self(8);
    /// A Verilog simulation.
    pub const VPI: Self = Self(9);
    /// An AMD GPU.
    pub const ROCM: Self = Self(10);
    /// Host memory that AMD GPUs can reach.
    pub const ROCM_HOST: Self = Self(11);
    /// A device of somebody's own.
    pub const EXT_DEV: Self = Self(12);
    /// CUDA managed memory.
    pub const CUDA_MANAGED: Self = Self(13);
    /// A oneAPI USM allocation.
    pub const ONE_API: Self = Self(14);
    /// A WebGPU buffer.
    pub const WEB_GPU: Self = Self(15);
    /// A Qualcomm Hexagon DSP.
    pub const HEXAGON: Self = Self(16);
    /// A Microsoft MAIA device.
    pub const MAIA: Self = Self(17);
    /// An AWS Trainium device.
    pub const TRN: Self = Self(18);
}

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct DLDevice {
    /// Its kind.
    pub device_type: DLDeviceType,
    /// Its ordinal; 0 by convention for host, pinned and managed memory.
    pub device_id: i32,
}

impl DLDevice {
    /// The host.
    pub const CPU: Self = Self::new(DLDeviceType::CPU, 0);

    /// A device of this kind.
    #[must_use]
    pub const fn new(device_type: DLDeviceType, device_id: i32) -> Self {
        Self { device_type, device_id }
    }
}

/// A kind of number, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DLDataTypeCode(pub u8);

impl DLDataTypeCode {
    /// Signed integer.
    pub const INT: Self = Self(0);
    /// Unsigned integer.
    pub const UINT: Self = Self(1);
    /// IEEE 754 float.
    pub const FLOAT: Self = Self(2);
    /// Opaque handle.
    pub const OPAQUE_HANDLE: Self = Self(3);
    /// Brain float.
    pub const BFLOAT: Self = Self(4);
    /// Complex number.
    pub const COMPLEX: Self = Self(5);
    /// Bool.
    pub const BOOL: Self = Self(6);
    /// 8-bit float e3m4.
    pub const FLOAT8_E3M4: Self = Self(7);
    /// 8-bit float e4m3.
    pub const FLOAT8_E4M3: Self = Self(8);
    /// 8-bit float e4m3b11fnuz.
    pub const FLOAT8_E4M3B11FNUZ: Self = Self(9);
    /// 8-bit float e4m3fn.
    pub const FLOAT8_E4M3FN: Self = Self(10);
    /// 8-bit float e4m3fnuz.
    pub const FLOAT8_E4M3FNUZ: Self = Self(11);
    /// 8-bit float e5m2.
    pub const FLOAT8_E5M2: Self = Self(12);
    /// 8-bit float e5m2fnuz.
    pub const FLOAT8_E5M2FNUZ: Self = Self(13);
    /// 8-bit float e8m0fnu.
    pub const FLOAT8_E8M0FNU: Self = Self(14);
    /// 6-bit float e2m3fn.
    pub const FLOAT6_E2M3FN: Self = Self(15);
    /// 6-bit float e3m2fn.
    pub const FLOAT6_E3M2FN: Self = Self(16);
    /// 4-bit float e2m1fn.
    pub const FLOAT4_E2M1FN: Self = Self(17);
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct DLDataType {
    /// The kind of number.
    pub code: DLDataTypeCode,
    /// Its bits.
    pub bits: u8,
    /// How many of them make an element.
    pub lanes: u16,
}

/// A tensor that somebody else looks after.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    /// Where the memory starts; `byte_offset` bytes later comes element `[0, …, 0]`.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// The number of axes.
    pub ndim: i32,
    /// What an element is.
    pub dtype: DLDataType,
    /// The extents, one for each axis; may be null when there is none.
    pub shape: *mut i64,
    /// The strides in elements, one for each axis; null means C order.
    pub strides: *mut i64,
    /// Where element `[0, …, 0]` lies, in bytes from `data`.
    pub byte_offset: u64,
}

/// Gives a [`DLManagedTensor`] back.
pub type LegacyDeleter = unsafe extern "C" fn(*mut DLManagedTensor);
/// Gives a [`DLManagedTensorVersioned`] back.
pub type VersionedDeleter = unsafe extern "C" fn(*mut DLManagedTensorVersioned);

/// A tensor with its deleter, as before version 1.0.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// A word of the producer's.
    pub manager_ctx: *mut c_void,
    /// Gives the tensor back, this structure included.
    pub deleter: Option<LegacyDeleter>,
}

/// A tensor with its deleter, its version and its flags.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version. Where the major one is unknown, nothing after `deleter` may be read.
    pub version: DLPackVersion,
    /// A word of the producer's.
    pub manager_ctx: *mut c_void,
    /// Gives the tensor back, this structure included.
    pub deleter: Option<VersionedDeleter>,
    /// Properties of the memory.
    pub flags: Flags,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// Properties of the memory of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Flags(pub u64);

impl Flags {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// The memory must not be written.
    pub const READ_ONLY: Self = Self(1);
    /// The memory was copied for the consumer, who has it alone.
    pub const IS_COPIED: Self = Self(2);
    /// Numbers of less than a byte have a byte each.
    pub const IS_SUBBYTE_TYPE_PADDED: Self = Self(4);
    /// Those known to this version.
    pub const KNOWN: Self = Self(7);

    /// Whether all flags of `other` are set.
    ///
    /// ```
    /// use strideview::interop::dlpack::Flags;
    /// assert!(Flags(3).contains(Flags::IS_COPIED) && !Flags(3).contains(Flags(4)));
    /// ```
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags, or none.
    #[must_use]
    pub(super) const fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// The start of a [`DLPackExchangeAPI`] of any major version.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLPackExchangeAPIHeader {
    /// The version of the table.
    pub version: DLPackVersion,
    /// The table for the major version before, or null.
    pub prev_api: *mut DLPackExchangeAPIHeader,
}

/// Tells a caller of [`ManagedTensorAllocator`] of a failure: context, kind, message.
pub type SetError = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);
/// Allocates a tensor like a prototype: prototype, result, context of the last argument.
pub type ManagedTensorAllocator = unsafe extern "C" fn(
    *mut DLTensor,
    *mut *mut DLManagedTensorVersioned,
    *mut c_void,
    Option<SetError>,
) -> c_int;
/// Makes a tensor of an object: object, result.
pub type ManagedTensorFromPyObject =
    unsafe extern "C" fn(*mut c_void, *mut *mut DLManagedTensorVersioned) -> c_int;
/// Makes an object of a tensor, and takes it over: tensor, result.
pub type ManagedTensorToPyObject =
    unsafe extern "C" fn(*mut DLManagedTensorVersioned, *mut *mut c_void) -> c_int;
/// Describes an object without taking anything over: object, result.
pub type DLTensorFromPyObject = unsafe extern "C" fn(*mut c_void, *mut DLTensor) -> c_int;
/// Says which stream work goes to: device type, device id, result.
pub type CurrentWorkStream = unsafe extern "C" fn(DLDeviceType, i32, *mut *mut c_void) -> c_int;

/// The functions by which C code exchanges tensors with a library of objects.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLPackExchangeAPI {
    /// The version, and older tables.
    pub header: DLPackExchangeAPIHeader,
    /// Allocates a tensor.
    pub managed_tensor_allocator: Option<ManagedTensorAllocator>,
    /// From object to tensor.
    pub managed_tensor_from_py_object_no_sync: Option<ManagedTensorFromPyObject>,
    /// From tensor to object.
    pub managed_tensor_to_py_object_no_sync: Option<ManagedTensorToPyObject>,
    /// From object to borrowed description; may be null.
    pub dltensor_from_py_object_no_sync: Option<DLTensorFromPyObject>,
    /// The current stream.
    pub current_work_stream: Option<CurrentWorkStream>,
}

macro_rules! assert_layout {
    ($($structure:ident: $size:literal { $($field:ident: $offset:literal),* })*) => {
        $(
            const _: () = assert!(size_of::<$structure>() == $size);
            $(const _: () = assert!(offset_of!($structure, $field) == $offset);)*
        )*
    };
}

#[cfg(target_pointer_width = "64")]
assert_layout! {
    DLPackVersion: 8 { major: 0, minor: 4 }
    DLDevice: 8 { device_type: 0, device_id: 4 }
    DLDataType: 4 { code: 0, bits: 1, lanes: 2 }
    DLTensor: 48 {
        data: 0, device: 8, ndim: 16, dtype: 20, shape: 24, strides: 32, byte_offset: 40
    }
    DLManagedTensor: 64 { dl_tensor: 0, manager_ctx: 48, deleter: 56 }
    DLManagedTensorVersioned: 80 {
        version: 0, manager_ctx: 8, deleter: 16, flags: 24, dl_tensor: 32
    }
    DLPackExchangeAPIHeader: 16 { version: 0, prev_api: 8 }
    DLPackExchangeAPI: 56 {
        header: 0, managed_tensor_allocator: 16, managed_tensor_from_py_object_no_sync: 24,
        managed_tensor_to_py_object_no_sync: 32, dltensor_from_py_object_no_sync: 40,
        current_work_stream: 48
    }
}
