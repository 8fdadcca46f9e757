//! Copies between two places of a device, against the naive copy: every byte, guard bytes included.

use std::collections::BTreeMap;

use strideview_copy::CopyPlan;
use strideview_cuda::{DevicePlan, Stream, enqueue, enqueue_overlapping, loaded_images};
use strideview_testkit::Random;
use strideview_testkit::copy_case::{CopyCase, dense, moves, noise, random_case, span, strips};

use crate::raw::Raw;
use crate::{gpu, note};

/// Bytes before and after what a copy writes and reads.
const GUARD: i64 = 64;

/// Device memory of a test, with what it should hold.
struct Arena<'a> {
    raw: &'a Raw,
    address: usize,
    size: usize,
}

impl<'a> Arena<'a> {
    fn new(raw: &'a Raw, size: usize) -> Self {
        Self { raw, address: raw.allocate(size).unwrap(), size }
    }

    fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.size);
        self.raw.copy(self.address, bytes.as_ptr().addr(), bytes.len(), 0).unwrap();
        // Other streams do not wait for it.
        self.raw.synchronize_stream(0).unwrap();
    }

    fn read(&self, bytes: &mut [u8]) {
        assert!(bytes.len() <= self.size);
        self.raw.copy(bytes.as_mut_ptr().addr(), self.address, bytes.len(), 0).unwrap();
        self.raw.synchronize_stream(0).unwrap();
    }
}

impl Drop for Arena<'_> {
    fn drop(&mut self) {
        self.raw.free(self.address).unwrap();
    }
}

/// Device memory and streams for many cases.
struct Runner<'a> {
    raw: &'a Raw,
    stream: Stream,
    dst: Arena<'a>,
    src: Arena<'a>,
    noise: Vec<u8>,
    kernels: BTreeMap<&'static str, u64>,
    /// The first wrong copy of each kernel.
    failures: BTreeMap<&'static str, String>,
}

const ARENA: usize = 24 << 20;

impl<'a> Runner<'a> {
    fn new(raw: &'a Raw, stream: Stream) -> Self {
        let (dst, src) = (Arena::new(raw, ARENA), Arena::new(raw, ARENA));
        let noise = noise(ARENA, 1);
        src.write(&noise);
        Self { raw, stream, dst, src, noise, kernels: BTreeMap::new(), failures: BTreeMap::new() }
    }

    /// Runs a case with both sides at any address, and compares all of the destination.
    fn check(&mut self, case: &CopyCase, (dst_by, src_by): (i64, i64)) {
        let to = span(&case.shape, &case.dst_strides, case.itemsize);
        let from = span(&case.shape, &case.src_strides, case.itemsize);
        let (dst_at, src_at) = (GUARD + dst_by - to.0, GUARD + src_by - from.0);
        let len = usize::try_from(dst_at + to.1 + GUARD).unwrap();
        if len > ARENA || usize::try_from(src_at + from.1).unwrap() > ARENA {
            return; // Gaps made it large.
        }
        let seed = dst_by + 3;
        let mut expected: Vec<u8> = self.noise[..len]
            .iter()
            .map(|byte| byte.wrapping_mul(5).wrapping_add(seed as u8))
            .collect();
        self.dst.write(&expected);
        case.copy(&mut expected, dst_at, &self.noise, src_at);
        let plan = plan(case);
        let address = |arena: &Arena<'_>, at: i64| (arena.address as u64).wrapping_add_signed(at);
        let (dst, src) = (address(&self.dst, dst_at), address(&self.src, src_at));
        let device_plan = DevicePlan::new(&plan, dst, src);
        *self.kernels.entry(device_plan.kernel_name()).or_default() += 1;
        // SAFETY: both arenas have the bytes of the case, and are used by this thread alone.
        unsafe { enqueue(&device_plan, dst, src, &self.stream) }.unwrap();
        self.raw.synchronize_stream(self.stream.handle()).unwrap_or_else(|error| {
            panic!("{error}: {case:?} moved by {dst_by}, {src_by}\n{plan}\n{device_plan}")
        });
        let mut result = vec![0; len];
        self.dst.read(&mut result);
        if result != expected {
            let wrong = (0..len).find(|at| result[*at] != expected[*at]).unwrap();
            let count = (0..len).filter(|at| result[*at] != expected[*at]).count();
            let message = format!(
                "{count} bytes differ, the first at {} of {:?}: {case:?} moved by {dst_by}, {src_by}\n{plan}\n{device_plan}",
                wrong as i64 - dst_at,
                to
            );
            self.failures.entry(device_plan.kernel_name()).or_insert(message);
        }
    }

    /// Says which kernels ran, and fails where one was wrong.
    fn finish(self) {
        note(&format!("{:?}", self.kernels));
        let failures: Vec<&str> = self.failures.values().map(String::as_str).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    }
}

fn plan(case: &CopyCase) -> CopyPlan {
    CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize).unwrap()
}

fn cases(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn copies_what_the_naive_copy_copies() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let mut runner = Runner::new(&raw, device.create_stream().unwrap());
            let mut random = Random::new(cases("STRIDEVIEW_SEED", 7));
            for number in 0..cases("STRIDEVIEW_CASES", 3000) {
                let most = if number % 10 == 0 { 2 << 20 } else { 150_000 };
                let case = random_case(&mut random, most);
                let moved = moves(&mut random, case.itemsize);
                runner.check(&case, moved);
            }
            runner.finish();
        })
        .unwrap();
}

/// Shapes and permutations at which kernels change.
#[test]
fn copies_at_the_edges_of_tiles() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let mut runner = Runner::new(&raw, device.create_stream().unwrap());
            for itemsize in [1, 2, 4, 8, 16] {
                for rows in [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200] {
                    for columns in [1, 2, 3, 4, 16, 31, 32, 33, 64, 127, 128, 131] {
                        for batch in [1, 3] {
                            let shape = vec![batch, rows, columns];
                            let case = |dst: &[usize], src: &[usize]| CopyCase {
                                dst_strides: dense(&shape, dst, itemsize, &[0; 3]),
                                src_strides: dense(&shape, src, itemsize, &[0; 3]),
                                shape: shape.clone(),
                                itemsize,
                            };
                            runner.check(&case(&[0, 1, 2], &[0, 2, 1]), (0, 0));
                            runner.check(&case(&[0, 1, 2], &[2, 1, 0]), (itemsize, 0));
                        }
                    }
                }
            }
            runner.finish();
        })
        .unwrap();
}

/// Long rows that are not aligned in the destination: segments begin, end and are cut off in all ways.
#[test]
fn copies_rows_of_any_alignment() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let mut runner = Runner::new(&raw, device.create_stream().unwrap());
            for itemsize in [1, 2, 4] {
                for (number, bytes) in (505..1300).step_by(13).enumerate() {
                    for rows in [32, 33, 64, 65, 127, 128, 129, 200, 257] {
                        let case = strips(2, rows, bytes / itemsize);
                        let moved = (number as i64 % 17 * itemsize, rows % 3 * itemsize);
                        runner.check(&case(itemsize, 1), moved);
                        runner.check(&case(itemsize, -1), (itemsize, 0));
                    }
                }
                // So many that a segment has several steps.
                for bytes in [801, 1023, 1151, 1154] {
                    let case = strips(540, 33, bytes / itemsize);
                    runner.check(&case(itemsize, 1), (0, itemsize));
                    runner.check(&case(itemsize, -1), (itemsize, 0));
                }
            }
            runner.finish();
        })
        .unwrap();
}

#[test]
fn overlapping_sides_are_copied_as_through_a_temporary() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let stream = device.create_stream().unwrap();
            let arena = Arena::new(&raw, 4 << 20);
            let mut random = Random::new(3);
            for _ in 0..300 {
                let case = random_case(&mut random, 100_000);
                let to = span(&case.shape, &case.dst_strides, case.itemsize);
                let from = span(&case.shape, &case.src_strides, case.itemsize);
                let dst_at = -to.0 + random.between(0, 100);
                let src_at = -from.0 + random.between(0, 100);
                let len = usize::try_from((dst_at + to.1).max(src_at + from.1)).unwrap();
                if len > arena.size {
                    continue; // Gaps made it large.
                }
                let before = noise(len, 5);
                let mut expected = before.clone();
                case.copy(&mut expected, dst_at, &before, src_at);
                arena.write(&before);
                let at = |offset: i64| (arena.address as u64).wrapping_add_signed(offset);
                // SAFETY: the arena has the bytes of both sides, and is used by this thread alone.
                unsafe { enqueue_overlapping(&plan(&case), at(dst_at), at(src_at), &stream, None) }
                    .unwrap();
                stream.synchronize().unwrap();
                let mut result = vec![0; len];
                arena.read(&mut result);
                assert!(result == expected, "{case:?}");
            }
        })
        .unwrap();
}

/// Threads with a stream each share nothing but the kernels that they load.
#[test]
fn eight_threads_copy_on_eight_streams() {
    let Some((device, raw, _turn)) = gpu() else { return };
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let raw = &raw;
            scope.spawn(move || {
                device
                    .with_context(|| {
                        let mut runner = Runner::new(raw, device.create_stream().unwrap());
                        let mut random = Random::new(100 + seed);
                        for _ in 0..150 {
                            let case = random_case(&mut random, 60_000);
                            let moved = moves(&mut random, case.itemsize);
                            runner.check(&case, moved);
                        }
                        runner.finish();
                    })
                    .unwrap();
            });
        }
    });
}

/// The driver compiles nothing where there is machine code for its GPU.
#[test]
fn no_kernel_is_compiled_by_the_driver() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let (major, minor) = device.compute_capability().unwrap();
    if ![8, 9, 10, 12].contains(&major) {
        return note(&format!("skipped, there is no machine code for {major}.{minor}"));
    }
    device
        .with_context(|| {
            let mut runner = Runner::new(&raw, device.create_stream().unwrap());
            let mut random = Random::new(200);
            for _ in 0..100 {
                let case = random_case(&mut random, 20_000);
                runner.check(&case, (0, 0));
            }
            runner.finish();
        })
        .unwrap();
    let images = loaded_images(device.ordinal());
    note(&format!("{images:?}"));
    assert!(images.len() > 3);
    assert!(images.iter().all(|image| image.is_machine_code()), "{images:?}");
}

/// A capture records what is queued, its first use of a kernel and a temporary included; each launch
/// of the graph does it again.
#[test]
fn copies_are_captured_into_a_graph() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let stream = device.create_stream().unwrap();
            let arena = Arena::new(&raw, 1 << 20);
            // 100 x 70 items of 8 bytes, transposed, and 70 x 100 of them moved on by one.
            let (rows, columns, item) = (100, 70, 8);
            let transposed = CopyCase {
                shape: vec![columns, rows],
                dst_strides: vec![rows * item, item],
                src_strides: vec![item, columns * item],
                itemsize: item,
            };
            let moved = CopyCase {
                shape: vec![rows * columns - 1],
                dst_strides: vec![item],
                src_strides: vec![item],
                itemsize: item,
            };
            let half = 512 << 10;
            let mut expected = noise(2 * half, 9);
            arena.write(&expected);
            let (src, dst) = (arena.address as u64, arena.address as u64 + half as u64);
            raw.begin_capture(stream.handle()).unwrap();
            // SAFETY: the arena has the bytes of both sides, and is used by this thread alone.
            unsafe { enqueue(&DevicePlan::new(&plan(&transposed), dst, src), dst, src, &stream) }
                .unwrap();
            // SAFETY: as above.
            unsafe { enqueue_overlapping(&plan(&moved), dst + 8, dst, &stream, None) }.unwrap();
            let graph = raw.end_capture_into(stream.handle()).unwrap();
            for seed in 0..3 {
                let fresh = noise(half, seed);
                expected[..half].copy_from_slice(&fresh);
                arena.write(&fresh);
                raw.launch_graph(graph, stream.handle()).unwrap();
                stream.synchronize().unwrap();
                let before = expected.clone();
                transposed.copy(&mut expected, half as i64, &before, 0);
                let before = expected.clone();
                moved.copy(&mut expected, half as i64 + 8, &before, half as i64);
                let mut result = vec![0; 2 * half];
                arena.read(&mut result);
                assert!(result == expected);
            }
            raw.destroy_graph(graph).unwrap();
        })
        .unwrap();
}

/// More items than 32 bits count, in several kernels.
#[test]
fn more_items_than_32_bits_count() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let stream = device.create_stream().unwrap();
            // Two and a half times 2^31 bytes.
            let (rows, columns) = (81_920_i64, 65_537_i64);
            let bytes = usize::try_from(rows * columns).unwrap();
            let Ok(first) = raw.allocate(bytes) else { return note("skipped, too little memory") };
            let second = raw.allocate(bytes).unwrap();
            let third = raw.allocate(bytes).unwrap();
            let (first, second, third) = (first as u64, second as u64, third as u64);
            let block = noise(64 << 20, 4);
            let mut at = 0;
            while at < bytes {
                let part = block.len().min(bytes - at);
                raw.copy(first as usize + at, block.as_ptr().addr(), part, 0).unwrap();
                // Not quite the same again.
                at += part.saturating_sub((at / block.len()) % 251).max(1);
            }
            let run = |case: &CopyCase, dst: u64, src: u64| {
                let plan = DevicePlan::new(&plan(case), dst, src);
                note(plan.kernel_name());
                // SAFETY: three spans of their own, each with the bytes of the case.
                unsafe { enqueue(&plan, dst, src, &stream) }.unwrap();
                stream.synchronize().unwrap();
            };
            let case = |shape: [i64; 2], dst: [i64; 2], src: [i64; 2]| CopyCase {
                shape: shape.to_vec(),
                dst_strides: dst.to_vec(),
                src_strides: src.to_vec(),
                itemsize: 1,
            };
            // There and back: transposed, then transposed again; reversed twice.
            run(&case([columns, rows], [rows, 1], [1, columns]), second, first);
            run(&case([rows, columns], [columns, 1], [1, rows]), third, second);
            compare(&raw, first, third, bytes);
            let size = rows * columns;
            run(&case([1, size], [size, 1], [size, -1]), second, first + size as u64 - 1);
            run(&case([1, size], [size, 1], [size, -1]), third, second + size as u64 - 1);
            compare(&raw, first, third, bytes);
            // Rows apart: the last of them lie beyond 2^32.
            run(&case([rows / 2, columns - 1], [2 * columns, 1], [2 * columns, 1]), third, second);
            let mut there = vec![0_u8; 1 << 16];
            let mut wanted = there.clone();
            let offset = (rows / 2 - 1) * 2 * columns;
            raw.copy(there.as_mut_ptr().addr(), (third as i64 + offset) as usize, there.len(), 0)
                .unwrap();
            raw.copy(wanted.as_mut_ptr().addr(), (second as i64 + offset) as usize, there.len(), 0)
                .unwrap();
            assert!(there == wanted);
            for address in [first, second, third] {
                raw.free(address as usize).unwrap();
            }
        })
        .unwrap();
}

fn compare(raw: &Raw, one: u64, other: u64, bytes: usize) {
    let (mut left, mut right) = (vec![0_u8; 256 << 20], vec![0_u8; 256 << 20]);
    let mut at = 0;
    while at < bytes {
        let part = left.len().min(bytes - at);
        raw.copy(left.as_mut_ptr().addr(), one as usize + at, part, 0).unwrap();
        raw.copy(right.as_mut_ptr().addr(), other as usize + at, part, 0).unwrap();
        assert!(left[..part] == right[..part], "after byte {at}");
        at += part;
    }
}
