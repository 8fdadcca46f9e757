//! Check 89: no copy of the driver has a pitch of 0, rows that are not there, or no stream, and what
//! they copy is what the naive copy does.

use std::collections::BTreeMap;

use strideview_copy::CopyPlan;
use strideview_cuda::{
    DevicePlan, Direction, HostMemory, Stream, TransferPlan, enqueue, enqueue_peer, transfer,
};
use strideview_testkit::copy_case::{CopyCase, noise, span};

use crate::{Standin, device, emulator, standin};

/// Rows at both sides of what a call of the driver is worth, and empty ones.
const WIDTHS: [i64; 5] = [0, 1, 511, 512, 700];
const HEIGHTS: [i64; 4] = [0, 1, 2, 5];
const DEPTHS: [i64; 4] = [0, 1, 2, 3];

/// How far rows and slices are apart on a side: dense, with gaps, again and again, backwards. The
/// destination has a place for each.
fn pitches(width: i64, height: i64, is_source: bool) -> Vec<(i64, i64)> {
    let mut rows = vec![width.max(1), width + 1, width + 16, 3 * width.max(1)];
    if is_source {
        rows.extend([0, -width.max(1), -width - 3]);
    }
    let with_slices = |row: i64| {
        let slice = row.abs().max(1) * height.max(1);
        let mut slices = vec![slice, slice + row.abs(), slice + 1];
        if is_source {
            slices.extend([0, -slice]);
        }
        slices.into_iter().map(move |slice| (slice, row)).collect::<Vec<_>>()
    };
    rows.into_iter().flat_map(with_slices).collect()
}

fn cases() -> Vec<CopyCase> {
    let mut cases = Vec::new();
    for (width, height, depth) in WIDTHS.into_iter().flat_map(|width| {
        HEIGHTS.into_iter().flat_map(move |height| DEPTHS.map(|depth| (width, height, depth)))
    }) {
        let (to, from) = (pitches(width, height, false), pitches(width, height, true));
        // Each pitch of the one side with several of the other.
        for number in 0..to.len().max(from.len()) {
            let ((dst_slice, dst_row), (src_slice, src_row)) =
                (to[number % to.len()], from[(number + number / from.len()) % from.len()]);
            cases.push(CopyCase {
                shape: vec![depth, height, width],
                dst_strides: vec![dst_slice, dst_row, 1],
                src_strides: vec![src_slice, src_row, 1],
                itemsize: 1,
            });
        }
    }
    cases
}

/// Which engine does a case.
#[derive(Clone, Copy, Debug)]
enum Way {
    OnDevice,
    Over(Direction, HostMemory),
    Peers,
}

const WAYS: [Way; 6] = [
    Way::OnDevice,
    Way::Over(Direction::ToDevice, HostMemory::Pinned),
    Way::Over(Direction::ToHost, HostMemory::Pinned),
    Way::Over(Direction::ToDevice, HostMemory::Pageable),
    Way::Over(Direction::ToHost, HostMemory::Pageable),
    Way::Peers,
];

impl Way {
    fn run(self, plan: &CopyPlan, dst: u64, src: u64, stream: &Stream) {
        match self {
            // SAFETY: memory of the stand-in's device is that of the host, and these have the bytes.
            Self::OnDevice => unsafe {
                enqueue(&DevicePlan::new(plan, dst, src), dst, src, stream)
            },
            Self::Over(direction, host) => {
                let plan = TransferPlan::new(plan, dst, src, direction, host);
                // SAFETY: as above.
                unsafe { transfer(&plan, dst, src, stream, None) }
            }
            // SAFETY: as above.
            Self::Peers => unsafe {
                enqueue_peer(plan, (dst, device(1)), (src, device(0)), stream, None)
            },
        }
        .unwrap();
    }
}

/// Does a case, and looks at all of the destination and at the calls.
fn check(standin: &Standin, case: &CopyCase, way: Way, stream: &Stream) -> Vec<usize> {
    const GUARD: i64 = 32;
    let to = span(&case.shape, &case.dst_strides, 1);
    let from = span(&case.shape, &case.src_strides, 1);
    let (dst_at, src_at) = (GUARD - to.0, GUARD - from.0);
    let src = noise(usize::try_from(src_at + from.1 + GUARD).unwrap(), 7);
    let mut dst = noise(usize::try_from(dst_at + to.1 + GUARD).unwrap(), 8);
    let mut expected = dst.clone();
    case.copy(&mut expected, dst_at, &src, src_at);
    let plan = CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, 1).unwrap();
    standin.reset();
    let (dst_address, src_address) = (
        dst.as_mut_ptr().expose_provenance() as u64 + dst_at.cast_unsigned(),
        src.as_ptr().expose_provenance() as u64 + src_at.cast_unsigned(),
    );
    way.run(&plan, dst_address, src_address, stream);
    let copies = standin.copies();
    for copy in &copies {
        assert!(copy.is_plain(), "{copy:?} by {way:?} for {case:?}");
    }
    for batched in ["cuMemcpyBatchAsync", "cuMemcpy3DBatchAsync"] {
        assert_eq!(standin.calls(batched), 0, "{batched} by {way:?}");
    }
    assert!(dst == expected, "{way:?}: {case:?}\n{copies:?}");
    copies.iter().map(|copy| copy.axes).collect()
}

#[test]
fn check_89_driver_copies_are_plain() {
    let standin = standin();
    if !emulator::start(&standin) {
        return;
    }
    let streams = [device(0).create_stream().unwrap(), device(0).default_stream().unwrap()];
    let mut counts = BTreeMap::<usize, usize>::new();
    let cases = cases();
    for (number, case) in cases.iter().enumerate() {
        for way in WAYS {
            for axes in check(&standin, case, way, &streams[number % 2]) {
                *counts.entry(axes).or_default() += 1;
            }
        }
    }
    println!("{} cases, calls by their axes: {counts:?}", cases.len());
    assert!((1..=3).all(|axes| counts.get(&axes).is_some_and(|count| *count > 30)), "{counts:?}");
}
