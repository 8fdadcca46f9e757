//! Copies between two places of a device: what is queued, and, by the emulator, what that does.

use std::collections::BTreeMap;

use strideview_copy::CopyPlan;
use strideview_cuda::{
    CudaError, DevicePlan, LoadedImage, Stream, enqueue, enqueue_overlapping, loaded_images,
};
use strideview_testkit::Random;
use strideview_testkit::copy_case::{CopyCase, dense, moves, noise, random_case, span, strips};

use crate::{device, emulator, fail_each, standin};

const GUARD: i64 = 64;

/// Bytes whose first one has an address that is a multiple of 256.
struct Bytes {
    all: Vec<u8>,
    start: usize,
}

impl Bytes {
    fn new(content: &[u8]) -> Self {
        let mut all = vec![0; content.len() + 256];
        let start = all.as_ptr().align_offset(256);
        all[start..start + content.len()].copy_from_slice(content);
        Self { all, start }
    }

    fn get(&self, len: usize) -> &[u8] {
        &self.all[self.start..self.start + len]
    }

    fn address(&mut self, at: i64) -> u64 {
        (self.all.as_mut_ptr().expose_provenance() as u64 + self.start as u64)
            .wrapping_add_signed(at)
    }
}

fn plan(case: &CopyCase) -> CopyPlan {
    CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize).unwrap()
}

/// Runs a case with both sides at any address, and compares all of the destination.
fn check(
    case: &CopyCase,
    (dst_by, src_by): (i64, i64),
    stream: &Stream,
) -> Result<&'static str, String> {
    let to = span(&case.shape, &case.dst_strides, case.itemsize);
    let from = span(&case.shape, &case.src_strides, case.itemsize);
    let (dst_at, src_at) = (GUARD + dst_by - to.0, GUARD + src_by - from.0);
    let len = usize::try_from(dst_at + to.1 + GUARD).unwrap();
    let mut expected = noise(len, 5);
    let mut dst = Bytes::new(&expected);
    let content = noise(usize::try_from(src_at + from.1 + GUARD).unwrap(), 6);
    let mut src = Bytes::new(&content);
    case.copy(&mut expected, dst_at, &content, src_at);
    let plan = plan(case);
    let (to_address, from_address) = (dst.address(dst_at), src.address(src_at));
    let device_plan = DevicePlan::new(&plan, to_address, from_address);
    // SAFETY: memory of the stand-in's device is that of the host, and these two have the bytes.
    unsafe { enqueue(&device_plan, to_address, from_address, stream) }.unwrap();
    let result = dst.get(len);
    if result == expected {
        return Ok(device_plan.kernel_name());
    }
    let differ = || (0..len).filter(|at| result[*at] != expected[*at]);
    Err(format!(
        "{} bytes differ, the first at {} of {to:?}: {case:?} moved by {dst_by}, {src_by}\n{plan}\n{device_plan}",
        differ().count(),
        differ().next().unwrap_or(0) as i64 - dst_at,
    ))
}

#[derive(Default)]
struct Outcomes {
    kernels: BTreeMap<&'static str, u64>,
    failures: BTreeMap<String, String>,
}

impl Outcomes {
    fn add(&mut self, outcome: Result<&'static str, String>) {
        match outcome {
            Ok(kernel) => *self.kernels.entry(kernel).or_default() += 1,
            Err(message) => {
                let kernel = message.split("kernel: ").last().unwrap_or_default();
                let kernel = kernel.lines().next().unwrap_or_default().to_owned();
                self.failures.entry(kernel).or_insert(message);
            }
        }
    }

    fn finish(self) {
        println!("{:?}", self.kernels);
        let failures: Vec<String> = self.failures.into_values().collect();
        assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn kernels_copy_what_the_naive_copy_copies() {
    let standin = standin();
    if !emulator::start(&standin) {
        return;
    }
    let stream = device(0).create_stream().unwrap();
    let mut random = Random::new(number("STRIDEVIEW_SEED", 1));
    let mut outcomes = Outcomes::default();
    for _ in 0..number("STRIDEVIEW_CASES", 400) {
        let case = random_case(&mut random, 40_000);
        let moved = moves(&mut random, case.itemsize);
        outcomes.add(check(&case, moved, &stream));
    }
    outcomes.finish();
}

/// Shapes and permutations at which kernels change.
#[test]
fn kernels_copy_at_the_edges_of_tiles() {
    let standin = standin();
    if !emulator::start(&standin) {
        return;
    }
    let stream = device(0).create_stream().unwrap();
    let mut outcomes = Outcomes::default();
    for itemsize in [1, 2, 4, 8, 16] {
        for rows in [2, 3, 4, 5, 17, 64, 127, 130] {
            for columns in [2, 3, 4, 32, 65, 128] {
                let shape = vec![2, rows, columns];
                let case = |dst: &[usize], src: &[usize]| CopyCase {
                    dst_strides: dense(&shape, dst, itemsize, &[0; 3]),
                    src_strides: dense(&shape, src, itemsize, &[0; 3]),
                    shape: shape.clone(),
                    itemsize,
                };
                outcomes.add(check(&case(&[0, 1, 2], &[0, 2, 1]), (0, 0), &stream));
                outcomes.add(check(&case(&[0, 1, 2], &[2, 1, 0]), (itemsize, 0), &stream));
            }
        }
    }
    outcomes.finish();
}

/// Long rows that are not aligned in the destination: segments begin, end and are cut off in all ways.
#[test]
fn kernels_copy_rows_of_any_alignment() {
    let standin = standin();
    if !emulator::start(&standin) {
        return;
    }
    let stream = device(0).create_stream().unwrap();
    let mut outcomes = Outcomes::default();
    for itemsize in [1, 2, 4] {
        for (number, bytes) in
            [512, 513, 543, 575, 640, 767, 768, 772, 1151].into_iter().enumerate()
        {
            for rows in [32, 33, 127, 128, 129, 200] {
                let case = strips(2, rows, bytes / itemsize);
                let moved = (number as i64 % 5 * itemsize, rows % 3 * itemsize);
                outcomes.add(check(&case(itemsize, 1), moved, &stream));
                outcomes.add(check(&case(itemsize, -1), (itemsize, 0), &stream));
            }
        }
        // So many that a segment has several steps.
        let case = strips(540, 32, 801 / itemsize);
        outcomes.add(check(&case(itemsize, 1), (0, itemsize), &stream));
    }
    outcomes.finish();
}

/// Without pools the host waits, and nothing is left behind either.
#[test]
fn overlapping_copies_need_no_pools() {
    let standin = standin();
    let stream = device(3).create_stream().unwrap();
    let mut bytes = Bytes::new(&noise(40_000, 1));
    let (dst, src) = (bytes.address(4), bytes.address(0));
    // SAFETY: the bytes of both sides are there.
    unsafe { enqueue_overlapping(&plan(&transposed()), dst, src, &stream, None) }.unwrap();
    assert_eq!((standin.calls("cuMemAlloc"), standin.calls("cuMemFree")), (1, 1));
    assert_eq!(standin.alive().0, 0);
}

/// A transposed copy of 64 x 64 items of four bytes.
fn transposed() -> CopyCase {
    CopyCase {
        shape: vec![64, 64],
        dst_strides: vec![256, 4],
        src_strides: vec![4, 256],
        itemsize: 4,
    }
}

#[test]
fn a_copy_is_one_launch() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    check(&transposed(), (0, 0), &stream).ok();
    let (all, launched) = (standin.all_calls(), standin.launches("tile_4_v_v"));
    check(&transposed(), (0, 0), &stream).ok();
    assert_eq!(standin.launches("tile_4_v_v"), launched + 1);
    // The current context is asked for, entered and left.
    assert!(standin.all_calls() - all <= 4, "{} calls", standin.all_calls() - all);
    assert_eq!(standin.launches(""), launched + 1);
}

#[test]
fn an_image_that_the_driver_refuses_is_followed_by_the_next() {
    let standin = standin();
    standin.refuse_machine_code();
    // No other test uses device 3.
    let stream = device(3).create_stream().unwrap();
    check(&transposed(), (0, 0), &stream).ok();
    assert_eq!((standin.calls("cuLibraryLoadData"), standin.launches("tile_4_v_v")), (2, 1));
    let ptx = LoadedImage { family: "tile_4", target: "compute_70" };
    assert_eq!(loaded_images(3), [ptx]);
    assert!(!ptx.is_machine_code());
}

/// The driver compiles nothing: what is loaded is machine code of the device's capability.
#[test]
fn nothing_is_compiled_where_there_is_machine_code() {
    let standin = standin();
    let stream = device(2).create_stream().unwrap();
    check(&transposed(), (0, 0), &stream).ok();
    assert_eq!(standin.launches("tile_4_v_v"), 1);
    assert_eq!(loaded_images(2), [LoadedImage { family: "tile_4", target: "sm_90" }]);
}

#[test]
fn failures_of_each_call_leave_nothing_behind() {
    let standin = standin();
    {
        let stream = device(0).create_stream().unwrap();
        let mut bytes = Bytes::new(&noise(40_000, 1));
        let plan = plan(&transposed());
        let (dst, src) = (bytes.address(4), bytes.address(0));
        let calls = fail_each(
            &standin,
            || {
                // SAFETY: the bytes of both sides are there.
                unsafe { enqueue_overlapping(&plan, dst, src, &stream, None) }
                    .map_err(|error| error.to_string())
            },
            // A release that fails in the order of the stream is done after it.
            |call| ["cuCtxPopCurrent", "cuMemFreeAsync"].contains(&call),
        );
        assert!(calls >= 6, "{calls} calls");
    }
}

#[test]
fn an_address_must_be_aligned_as_the_plan_was_made_for() {
    let _standin = standin();
    let stream = device(0).create_stream().unwrap();
    let plan = DevicePlan::new(&plan(&transposed()), 256, 256);
    // SAFETY: refused.
    let outcome = unsafe { enqueue(&plan, 256, 260, &stream) };
    assert_eq!(outcome, Err(CudaError::Misaligned { address: 260, wanted: 16 }));
}
