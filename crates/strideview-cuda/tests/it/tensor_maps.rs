//! Descriptors of tensors: what is refused, and what the driver is asked for.

use strideview_cuda::{
    CudaError, TensorMapFault, TensorMapFill, TensorMapInterleave, TensorMapL2Promotion,
    TensorMapModes, TensorMapSwizzle, TensorMapType, TiledTensor,
};
use strideview_standin::TensorMapCall;

use crate::{device, fail_each, standin};

/// 100 rows of 64 floats, 256 bytes apart, in boxes of 8 rows of 32.
fn rows() -> TiledTensor<'static> {
    TiledTensor {
        data_type: TensorMapType::Float32,
        address: 0x7f00_0000_0000,
        extents: &[64, 100],
        strides_in_bytes: &[4, 256],
        box_extents: &[32, 8],
        element_strides: &[1, 2],
        modes: TensorMapModes {
            swizzle: TensorMapSwizzle::Bytes128,
            l2_promotion: TensorMapL2Promotion::Bytes256,
            fill: TensorMapFill::Nan,
            ..TensorMapModes::default()
        },
    }
}

/// One line of the record: the status, and what was asked.
struct Verdict {
    is_taken: bool,
    data_type: TensorMapType,
    address: u64,
    extents: Vec<i64>,
    strides_in_bytes: Vec<i64>,
    box_extents: Vec<i64>,
    element_strides: Vec<i64>,
    modes: TensorMapModes,
}

impl Verdict {
    fn of(line: &str) -> Self {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<i32>().unwrap();
        let rank = number(2) as usize;
        let list = |at: usize| -> Vec<i64> {
            // More than 63 bits are a negative stride; the lists of six axes were cut at five.
            let parsed = |text: &str| text.parse::<u64>().unwrap().cast_signed();
            let mut list: Vec<i64> = fields[at].split_whitespace().map(parsed).collect();
            list.resize(if at == 5 { rank.saturating_sub(1) } else { rank }, 1);
            list
        };
        let data_type = TensorMapType::from_number(number(1)).unwrap();
        let mut strides_in_bytes = list(5);
        if rank > 0 {
            strides_in_bytes.insert(0, data_type.itemsize_bytes());
        }
        Self {
            is_taken: number(0) == 0,
            data_type,
            address: u64::from_str_radix(fields[3], 16).unwrap(),
            extents: list(4),
            strides_in_bytes,
            box_extents: list(6),
            element_strides: list(7),
            modes: TensorMapModes {
                interleave: TensorMapInterleave::from_number(number(8)).unwrap(),
                swizzle: TensorMapSwizzle::from_number(number(9)).unwrap(),
                l2_promotion: TensorMapL2Promotion::from_number(number(10)).unwrap(),
                fill: TensorMapFill::from_number(number(11)).unwrap(),
            },
        }
    }

    fn tensor(&self) -> TiledTensor<'_> {
        TiledTensor {
            data_type: self.data_type,
            address: self.address,
            extents: &self.extents,
            strides_in_bytes: &self.strides_in_bytes,
            box_extents: &self.box_extents,
            element_strides: &self.element_strides,
            modes: self.modes,
        }
    }

    /// Where the check is stricter: null, and extents above 2^31.
    fn is_stricter(&self) -> bool {
        self.address == 0 || self.extents.iter().any(|extent| *extent > 1 << 31)
    }
}

/// Check 88 against what an H200 said once; `tests/gpu` asks a driver again.
#[test]
fn the_check_says_what_a_driver_said() {
    let (mut taken, mut refused) = (0, 0);
    let record = include_str!("../data/tensor_maps.csv");
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let verdict = Verdict::of(line);
        let outcome = verdict.tensor().check();
        if verdict.is_stricter() {
            assert!(outcome.is_err(), "{line}");
            continue;
        }
        assert_eq!(outcome.is_ok(), verdict.is_taken, "{outcome:?}: {line}");
        *if verdict.is_taken { &mut taken } else { &mut refused } += 1;
    }
    assert!(taken > 400 && refused > 400, "{taken} taken, {refused} refused");
}

#[test]
fn the_driver_is_asked_for_just_that() {
    let standin = standin();
    let descriptor = rows().encode(device(0)).unwrap();
    let call = TensorMapCall {
        data_type: 7,
        rank: 2,
        address: 0x7f00_0000_0000,
        extents: [64, 100, 0, 0, 0],
        strides_in_bytes: [256, 0, 0, 0, 0],
        box_extents: [32, 8, 0, 0, 0],
        element_strides: [1, 2, 0, 0, 0],
        modes: [0, 3, 3, 1],
    };
    assert_eq!(TensorMapCall::of(descriptor.as_bytes()), call);
    assert!(descriptor.as_bytes().as_ptr().addr().is_multiple_of(64));
    assert_eq!((standin.depth(), standin.calls("cuTensorMapEncodeTiled")), (0, 1));
    // Rows of 32 floats, and every other one of 8.
    assert_eq!(rows().box_bytes(), 128 * 4);
}

#[test]
fn what_is_refused_is_not_asked_for() {
    let standin = standin();
    let tensor = TiledTensor { strides_in_bytes: &[4, 260], ..rows() };
    let fault = TensorMapFault::Stride { axis: 1, stride_in_bytes: 260, multiple: 16 };
    assert_eq!(tensor.encode(device(0)).unwrap_err(), CudaError::TensorMap(fault));
    assert_eq!(standin.all_calls(), 0);
}

/// Before compute capability 9.0; a driver before CUDA 12.0 is refused as a whole.
#[test]
fn old_devices_say_so() {
    let standin = standin();
    let error = rows().encode(device(3)).unwrap_err();
    assert!(error.to_string().contains("compute capability 9.0"), "{error}");
    assert_eq!(standin.calls("cuTensorMapEncodeTiled"), 0);
}

#[test]
fn failures_of_each_call_are_said() {
    let standin = standin();
    let calls = fail_each(
        &standin,
        || rows().encode(device(0)).map_err(|error| error.to_string()),
        |call| call == "cuCtxPopCurrent",
    );
    assert!(calls >= 3, "{calls} calls");
}
