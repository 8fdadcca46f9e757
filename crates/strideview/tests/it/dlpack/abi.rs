//! The structures and constants, compared with those that bindgen makes of the header.

use std::mem::{align_of, offset_of, size_of};

use dlpack_rs::ffi;
use strideview::interop::dlpack::abi;

macro_rules! same_layout {
    ($($name:ident: $($ours:ident),*;)*) => {
        $(
            assert_eq!(size_of::<abi::$name>(), size_of::<ffi::$name>(), stringify!($name));
            assert_eq!(align_of::<abi::$name>(), align_of::<ffi::$name>(), stringify!($name));
            $(
                assert_eq!(
                    offset_of!(abi::$name, $ours),
                    offset_of!(ffi::$name, $ours),
                    concat!(stringify!($name), ".", stringify!($ours))
                );
            )*
        )*
    };
}

#[test]
fn check_01_structures_are_those_of_the_header() {
    same_layout! {
        DLPackVersion: major, minor;
        DLDevice: device_type, device_id;
        DLDataType: code, bits, lanes;
        DLTensor: data, device, ndim, dtype, shape, strides, byte_offset;
        DLManagedTensor: dl_tensor, manager_ctx, deleter;
        DLManagedTensorVersioned: version, manager_ctx, deleter, flags, dl_tensor;
    }
    // The table of the exchange API is younger than those bindings; its offsets are asserted where
    // it is declared.
    assert_eq!(size_of::<abi::DLPackExchangeAPIHeader>(), 16);
    assert_eq!(size_of::<abi::DLPackExchangeAPI>(), 56);
}

#[test]
fn check_02_constants_are_those_of_the_header() {
    use ffi::{DLDataTypeCode as Code, DLDeviceType as Device};
    let devices = [
        (abi::DLDeviceType::CPU, Device::kDLCPU),
        (abi::DLDeviceType::CUDA, Device::kDLCUDA),
        (abi::DLDeviceType::CUDA_HOST, Device::kDLCUDAHost),
        (abi::DLDeviceType::OPENCL, Device::kDLOpenCL),
        (abi::DLDeviceType::VULKAN, Device::kDLVulkan),
        (abi::DLDeviceType::METAL, Device::kDLMetal),
        (abi::DLDeviceType::VPI, Device::kDLVPI),
        (abi::DLDeviceType::ROCM, Device::kDLROCM),
        (abi::DLDeviceType::ROCM_HOST, Device::kDLROCMHost),
        (abi::DLDeviceType::EXT_DEV, Device::kDLExtDev),
        (abi::DLDeviceType::CUDA_MANAGED, Device::kDLCUDAManaged),
        (abi::DLDeviceType::ONE_API, Device::kDLOneAPI),
        (abi::DLDeviceType::WEB_GPU, Device::kDLWebGPU),
        (abi::DLDeviceType::HEXAGON, Device::kDLHexagon),
        (abi::DLDeviceType::MAIA, Device::kDLMAIA),
    ];
    for (ours, theirs) in devices {
        assert_eq!(u32::try_from(ours.0), Ok(theirs));
    }
    assert_eq!(abi::DLDeviceType::TRN.0, 18); // younger than those bindings
    let codes = [
        (abi::DLDataTypeCode::INT, Code::kDLInt),
        (abi::DLDataTypeCode::UINT, Code::kDLUInt),
        (abi::DLDataTypeCode::FLOAT, Code::kDLFloat),
        (abi::DLDataTypeCode::OPAQUE_HANDLE, Code::kDLOpaqueHandle),
        (abi::DLDataTypeCode::BFLOAT, Code::kDLBfloat),
        (abi::DLDataTypeCode::COMPLEX, Code::kDLComplex),
        (abi::DLDataTypeCode::BOOL, Code::kDLBool),
        (abi::DLDataTypeCode::FLOAT8_E3M4, Code::kDLFloat8_e3m4),
        (abi::DLDataTypeCode::FLOAT8_E4M3, Code::kDLFloat8_e4m3),
        (abi::DLDataTypeCode::FLOAT8_E4M3B11FNUZ, Code::kDLFloat8_e4m3b11fnuz),
        (abi::DLDataTypeCode::FLOAT8_E4M3FN, Code::kDLFloat8_e4m3fn),
        (abi::DLDataTypeCode::FLOAT8_E4M3FNUZ, Code::kDLFloat8_e4m3fnuz),
        (abi::DLDataTypeCode::FLOAT8_E5M2, Code::kDLFloat8_e5m2),
        (abi::DLDataTypeCode::FLOAT8_E5M2FNUZ, Code::kDLFloat8_e5m2fnuz),
        (abi::DLDataTypeCode::FLOAT8_E8M0FNU, Code::kDLFloat8_e8m0fnu),
        (abi::DLDataTypeCode::FLOAT6_E2M3FN, Code::kDLFloat6_e2m3fn),
        (abi::DLDataTypeCode::FLOAT6_E3M2FN, Code::kDLFloat6_e3m2fn),
        (abi::DLDataTypeCode::FLOAT4_E2M1FN, Code::kDLFloat4_e2m1fn),
    ];
    for (ours, theirs) in codes {
        assert_eq!(u32::from(ours.0), theirs);
    }
    assert_eq!(abi::Flags::READ_ONLY.0, ffi::DLPACK_FLAG_BITMASK_READ_ONLY);
    assert_eq!(abi::Flags::IS_COPIED.0, ffi::DLPACK_FLAG_BITMASK_IS_COPIED);
    assert_eq!(abi::Flags::IS_SUBBYTE_TYPE_PADDED.0, 4);
    assert_eq!(abi::DLPackVersion::CURRENT, abi::DLPackVersion { major: 1, minor: 3 });
}

#[test]
fn capsules_have_the_names_of_the_protocol() {
    assert_eq!(abi::LEGACY_NAME, c"dltensor");
    assert_eq!(abi::LEGACY_USED_NAME, c"used_dltensor");
    assert_eq!(abi::VERSIONED_NAME, c"dltensor_versioned");
    assert_eq!(abi::VERSIONED_USED_NAME, c"used_dltensor_versioned");
    assert_eq!(abi::EXCHANGE_API_NAME, c"dlpack_exchange_api");
}
