//! Copies between host and device: what is queued, and, by the emulator, what that does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strideview_copy::CopyPlan;
use strideview_cuda::{
    CudaError, Direction, HostMemory, Stream, TransferPlan, enqueue_peer, enqueue_transfer,
    release_staging, staging_bytes, transfer, wait_for_retired,
};
use strideview_standin::Live;
use strideview_testkit::Random;
use strideview_testkit::copy_case::{CopyCase, moves, noise, random_case, span};

use crate::{Standin, device, emulator, standin};

const GUARD: i64 = 64;
const WAYS: [Direction; 2] = [Direction::ToDevice, Direction::ToHost];
const KINDS: [HostMemory; 2] = [HostMemory::Pageable, HostMemory::Pinned];

fn plan(case: &CopyCase) -> CopyPlan {
    CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize).unwrap()
}

/// The bytes of both sides of a case, with guards, and where the first items lie.
struct Sides {
    dst: Vec<u8>,
    src: Vec<u8>,
    dst_at: i64,
    src_at: i64,
    expected: Vec<u8>,
}

impl Sides {
    fn new(case: &CopyCase, (dst_by, src_by): (i64, i64)) -> Self {
        let to = span(&case.shape, &case.dst_strides, case.itemsize);
        let from = span(&case.shape, &case.src_strides, case.itemsize);
        let (dst_at, src_at) = (GUARD + dst_by - to.0, GUARD + src_by - from.0);
        let dst = noise(usize::try_from(dst_at + to.1 + GUARD).unwrap(), 5);
        let src = noise(usize::try_from(src_at + from.1 + GUARD).unwrap(), 6);
        let mut expected = dst.clone();
        case.copy(&mut expected, dst_at, &src, src_at);
        Self { dst, src, dst_at, src_at, expected }
    }

    fn addresses(&mut self) -> (u64, u64) {
        let dst = self.dst.as_mut_ptr().expose_provenance() as u64;
        let src = self.src.as_ptr().expose_provenance() as u64;
        (dst.wrapping_add_signed(self.dst_at), src.wrapping_add_signed(self.src_at))
    }
}

/// What is dropped when a transfer is done.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Does a case, at once or queued; the bytes kept are those of both sides.
fn run(plan: &TransferPlan, sides: &mut Sides, stream: &Stream, is_queued: bool) {
    let (dst, src) = sides.addresses();
    if !is_queued {
        // SAFETY: memory of the stand-in's device is that of the host, and these two have the bytes.
        return unsafe { transfer(plan, dst, src, stream, None) }.unwrap();
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let keep = Box::new(Counted(Arc::clone(&dropped)));
    // SAFETY: as above; they live until all is done, below.
    unsafe { enqueue_transfer(plan, dst, src, stream, None, keep) }.unwrap();
    wait_for_retired();
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn all_of_it_arrives_and_nothing_else_is_written() {
    let standin = standin();
    if !emulator::start(&standin) {
        return;
    }
    let stream = device(0).create_stream().unwrap();
    let mut random = Random::new(3);
    let mut routes = BTreeMap::<String, u64>::new();
    for _ in 0..400 {
        let case = random_case(&mut random, 20_000);
        let moved = moves(&mut random, case.itemsize);
        let plan = plan(&case);
        for (direction, host) in WAYS.into_iter().flat_map(|way| KINDS.map(|kind| (way, kind))) {
            let mut sides = Sides::new(&case, moved);
            let addresses = sides.addresses();
            let transfer_plan = match random.below(3) {
                0 => TransferPlan::new(&plan, addresses.0, addresses.1, direction, host),
                _ => {
                    let chunk = random.pick(&[100, 1000, 4096]);
                    TransferPlan::in_chunks(&plan, addresses, direction, host, chunk)
                }
            };
            run(&transfer_plan, &mut sides, &stream, random.once_in(2));
            assert!(sides.dst == sides.expected, "{case:?} {moved:?} {plan}\n{transfer_plan}");
            let text = transfer_plan.to_string();
            let link =
                text.lines().find(|line| line.starts_with("link") || !line.contains("chunk"));
            *routes.entry(link.unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    println!("{routes:?}");
}

/// 64 x 300 items of four bytes that the device transposes; dense on both sides.
fn transposed() -> CopyCase {
    CopyCase {
        shape: vec![64, 300],
        dst_strides: vec![1200, 4],
        src_strides: vec![4, 256],
        itemsize: 4,
    }
}

/// As above without a permutation, with 600 bytes in a row of 640 on one side.
fn pitched() -> CopyCase {
    CopyCase {
        shape: vec![30, 600],
        dst_strides: vec![640, 1],
        src_strides: vec![600, 1],
        itemsize: 1,
    }
}

#[test]
fn calls_of_each_way() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    let flat =
        CopyCase { shape: vec![5000], dst_strides: vec![1], src_strides: vec![1], itemsize: 1 };
    let counts = |case: &CopyCase, direction, host| {
        let mut sides = Sides::new(case, (0, 0));
        let addresses = sides.addresses();
        let plan = TransferPlan::in_chunks(&plan(case), addresses, direction, host, 19_200);
        run(&plan, &mut sides, &stream, false); // first uses
        standin.reset();
        run(&plan, &mut sides, &stream, false);
        let calls = ["cuMemcpyAsync", "cuMemcpy2DAsync", "cuLaunchKernel", "cuMemAllocAsync"];
        calls.map(|call| standin.calls(call))
    };
    for way in WAYS {
        assert_eq!(counts(&flat, way, HostMemory::Pinned), [1, 0, 0, 0]);
        assert_eq!(counts(&flat, way, HostMemory::Pageable), [1, 0, 0, 0]);
        assert_eq!(counts(&pitched(), way, HostMemory::Pinned), [0, 1, 0, 0]);
        // 76 800 bytes in four chunks.
        assert_eq!(counts(&transposed(), way, HostMemory::Pinned), [4, 0, 4, 1]);
        assert_eq!(counts(&transposed(), way, HostMemory::Pageable), [4, 0, 4, 1]);
    }
    // The gaps are the host's: it packs what is pageable, and the driver takes rows of what is pinned.
    assert_eq!(counts(&pitched(), Direction::ToHost, HostMemory::Pageable), [1, 0, 0, 0]);
    assert_eq!(counts(&pitched(), Direction::ToDevice, HostMemory::Pageable), [1, 0, 1, 1]);
}

#[test]
fn failures_of_each_call_leave_nothing_behind() {
    let standin = standin();
    {
        let stream = device(0).create_stream().unwrap();
        for case in [transposed(), pitched()] {
            for (direction, host) in WAYS.into_iter().flat_map(|way| KINDS.map(|kind| (way, kind)))
            {
                for is_queued in [false, true] {
                    let mut sides = Sides::new(&case, (0, 0));
                    check_failures(
                        &standin,
                        &stream,
                        &case,
                        &mut sides,
                        (direction, host),
                        is_queued,
                    );
                }
            }
        }
    }
}

fn check_failures(
    standin: &Standin,
    stream: &Stream,
    case: &CopyCase,
    sides: &mut Sides,
    (direction, host): (Direction, HostMemory),
    is_queued: bool,
) {
    let (dst, src) = sides.addresses();
    let plan = TransferPlan::in_chunks(&plan(case), (dst, src), direction, host, 19_200);
    let dropped = Arc::new(AtomicUsize::new(0));
    let mut given = 0;
    fail_in_turn(standin, || {
        let outcome = if is_queued {
            given += 1;
            let keep = Box::new(Counted(Arc::clone(&dropped)));
            // SAFETY: the bytes of both sides are there until the end of the test.
            unsafe { enqueue_transfer(&plan, dst, src, stream, None, keep) }
        } else {
            // SAFETY: as above.
            unsafe { transfer(&plan, dst, src, stream, None) }
        };
        wait_for_retired();
        outcome
    });
    assert_eq!(dropped.load(Ordering::SeqCst), given, "each is dropped once");
}

/// Runs `operation` with each of its calls failing in turn, each time with nothing staged before. What
/// is alive afterwards is what was alive before, but for what a failed release has left.
fn fail_in_turn(standin: &Standin, mut operation: impl FnMut() -> Result<(), CudaError>) {
    for nth in 1..2000 {
        release_staging();
        let before = (standin.depth(), standin.current(), standin.alive());
        standin.fail(nth, 999);
        let outcome = operation();
        let failed = standin.failed();
        standin.fail(0, 0);
        release_staging();
        while failed == "cuCtxPopCurrent" && standin.depth() > before.0 {
            standin.set_current(0);
        }
        assert_eq!((standin.depth(), standin.current()), (before.0, before.1), "after {failed}");
        match outcome {
            Err(error) => {
                assert!(error.to_string().contains(&failed), "{failed} failed, but got: {error}")
            }
            // Those of releases, of waiting for what is kept, and of what is tried again.
            Ok(()) => assert!(
                failed.is_empty() || UNNOTICED.contains(&&*failed),
                "{failed} was not noticed"
            ),
        }
        if failed.is_empty() {
            return;
        }
        if !["cuEventDestroy", "cuStreamDestroy"].contains(&&*failed) {
            assert_eq!(standin.alive(), before.2, "left alive after {failed}");
        }
    }
    panic!("wanted an operation of less than 2000 calls");
}

const UNNOTICED: [&str; 8] = [
    "cuCtxPopCurrent",
    "cuMemFreeAsync",
    "cuEventSynchronize",
    "cuEventDestroy",
    "cuStreamDestroy",
    "cuCtxGetCurrent",
    "cuCtxPushCurrent",
    "cuCtxSynchronize",
];

#[test]
fn staging_is_kept_and_released() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    let blocks = standin.live(Live::Blocks);
    for _ in 0..2 {
        let mut sides = Sides::new(&pitched(), (0, 0));
        let (dst, src) = sides.addresses();
        let plan =
            TransferPlan::new(&plan(&pitched()), dst, src, Direction::ToHost, HostMemory::Pageable);
        run(&plan, &mut sides, &stream, false);
        assert_eq!((standin.live(Live::Blocks), staging_bytes()), (blocks + 1, 8 << 20));
    }
    release_staging();
    assert_eq!((standin.live(Live::Blocks), staging_bytes()), (blocks, 0));
}

/// The host's part cannot be recorded; what the device does alone can.
#[test]
fn copies_under_capture() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    let mut sides = Sides::new(&transposed(), (0, 0));
    let (dst, src) = sides.addresses();
    standin.capture(stream.handle(), true);
    for host in KINDS {
        let plan = TransferPlan::new(&plan(&transposed()), dst, src, Direction::ToDevice, host);
        // SAFETY: refused, or done at once; the bytes of both sides are there.
        let outcome = unsafe { enqueue_transfer(&plan, dst, src, &stream, None, Box::new(())) };
        match host {
            HostMemory::Pinned => assert_eq!(outcome, Ok(())),
            HostMemory::Pageable => assert!(matches!(outcome, Err(CudaError::Unsupported { .. }))),
        }
    }
    assert_eq!((standin.calls("cuMemcpyAsync"), standin.calls("cuLaunchHostFunc")), (0, 0));
}

/// Several at a time, each with slots of its own.
#[test]
fn transfers_of_many_threads() {
    let _standin = standin();
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || {
                let stream = device(0).create_stream().unwrap();
                let case = CopyCase {
                    shape: vec![40, 500],
                    dst_strides: vec![500, 1],
                    src_strides: vec![513, 1],
                    itemsize: 1,
                };
                let plan = plan(&case);
                for round in 0..20 {
                    let mut sides = Sides::new(&case, (0, 0));
                    let addresses = sides.addresses();
                    let plan = TransferPlan::in_chunks(
                        &plan,
                        addresses,
                        Direction::ToDevice,
                        HostMemory::Pageable,
                        700,
                    );
                    run(&plan, &mut sides, &stream, (number + round) % 2 == 0);
                    assert!(sides.dst == sides.expected);
                }
            });
        }
    });
}

#[test]
fn copies_between_two_devices() {
    let standin = standin();
    if !emulator::start(&standin) {
        return;
    }
    let streams = [0, 1, 2].map(|ordinal| device(ordinal).create_stream().unwrap());
    let mut random = Random::new(4);
    for number in 0..300 {
        let case = random_case(&mut random, 20_000);
        let mut sides = Sides::new(&case, moves(&mut random, case.itemsize));
        let (dst, src) = sides.addresses();
        let stream = &streams[number % 3];
        // SAFETY: as above.
        unsafe { enqueue_peer(&plan(&case), (dst, device(1)), (src, device(0)), stream, None) }
            .unwrap();
        assert!(sides.dst == sides.expected, "{case:?}");
    }
    assert_eq!(standin.calls("cuMemcpyPeerAsync"), 300);
}

#[test]
fn failures_between_two_devices_leave_nothing_behind() {
    let standin = standin();
    {
        let stream = device(0).create_stream().unwrap();
        let mut sides = Sides::new(&transposed(), (0, 0));
        let (dst, src) = sides.addresses();
        let plan = plan(&transposed());
        // SAFETY: the bytes of both sides are there.
        fail_in_turn(&standin, || unsafe {
            enqueue_peer(&plan, (dst, device(1)), (src, device(0)), &stream, None)
        });
    }
}
