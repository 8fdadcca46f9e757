//! Whole buffers copied and filled, between every two kinds of memory.

use strideview::{
    Access, DType, Device, Error, StreamToken, StridedLayout, StridedMemoryView, copy_bytes,
    fill_bytes,
};
use strideview_standin::Live;

use crate::{KINDS, buffer, content, part, standin};

const SIZE: usize = 96;

fn reaches_host(kind: &str) -> bool {
    kind != "device"
}

#[test]
fn every_two_kinds_and_who_waits() {
    let standin = standin();
    let stream = strideview::cuda::Device::new(0).unwrap().create_stream().unwrap();
    for token in [StreamToken::NONE, stream.token()] {
        for (to, from) in KINDS.iter().flat_map(|to| KINDS.iter().map(move |from| (*to, *from))) {
            let (dst, src) = (buffer(to, SIZE), buffer(from, SIZE));
            fill_bytes(&src, &[1, 2, 3, 4], token).unwrap();
            fill_bytes(&dst, &[9], token).unwrap();
            standin.reset();
            copy_bytes(&dst, &src, token).unwrap();
            assert_eq!(content(&dst), [1, 2, 3, 4].repeat(SIZE / 4), "{from} to {to}");
            let by_driver = !(reaches_host(to) && reaches_host(from));
            assert_eq!(standin.calls("cuMemcpyAsync"), u64::from(by_driver), "{from} to {to}");
            let waits = standin.calls("cuStreamSynchronize");
            match (to, from) {
                ("device", "device") | ("host", "host") => assert_eq!(waits, 0, "{from} to {to}"),
                _ => assert!(waits > 0, "{from} to {to}"),
            }
            assert_eq!((standin.depth(), dst.leases(), src.leases()), (0, 0, 0));
        }
    }
}

#[test]
fn every_pattern_in_every_kind() {
    let standin = standin();
    for kind in KINDS {
        for length in [1, 2, 4, 8] {
            let pattern: Vec<u8> = (1..=length).collect();
            let buffer = buffer(kind, SIZE);
            standin.reset();
            fill_bytes(&buffer, &pattern, StreamToken::NONE).unwrap();
            let wanted = pattern.repeat(SIZE / usize::from(length));
            assert_eq!(content(&buffer), wanted, "{kind} {pattern:?}");
            let waits = standin.calls("cuStreamSynchronize");
            assert_eq!(waits, u64::from(matches!(kind, "pinned" | "managed")), "{kind}");
        }
    }
}

/// As through a temporary, whichever end comes first.
#[test]
fn overlapping_memory() {
    let standin = standin();
    let before_all = standin.live(Live::Blocks);
    for kind in KINDS {
        for (to, from) in [(0, 5), (5, 0), (7, 7)] {
            let all = buffer(kind, SIZE);
            let (dst, src) = (part(&all, to, 64, all.access()), part(&all, from, 64, all.access()));
            let before: Vec<u8> = (0..SIZE as u8).collect();
            write(&all, &before);
            copy_bytes(&dst, &src, StreamToken::NONE).unwrap();
            let mut wanted = before.clone();
            wanted[to..to + 64].copy_from_slice(&before[from..from + 64]);
            assert_eq!(content(&all), wanted, "{kind} {from} to {to}");
        }
    }
    assert_eq!(standin.live(Live::Blocks), before_all);
}

fn write(buffer: &strideview::Buffer, bytes: &[u8]) {
    for (offset, &byte) in bytes.iter().enumerate() {
        fill_bytes(&part(buffer, offset, 1, buffer.access()), &[byte], StreamToken::NONE).unwrap();
    }
}

/// Whoever copies: the host, or the driver.
#[test]
fn memory_that_is_borrowed_or_read_only_is_not_written() {
    let _standin = standin();
    let none = StreamToken::NONE;
    for (to, from) in KINDS.iter().flat_map(|to| KINDS.iter().map(move |from| (*to, *from))) {
        let (dst, src) = (buffer(to, 8), buffer(from, 8));
        fill_bytes(&dst, &[1], none).unwrap();
        if reaches_host(to) {
            let layout = StridedLayout::new(&[4], None, 1).unwrap();
            let view = StridedMemoryView::from_buffer(&dst, &layout, Some(DType::U8), false);
            let slice = view.unwrap().as_slice::<u8>().unwrap();
            assert_eq!(copy_bytes(&dst, &src, none), Err(Error::SliceAlive), "{from} to {to}");
            assert_eq!(fill_bytes(&dst, &[9], none), Err(Error::SliceAlive), "{to}");
            assert_eq!(slice[..], [1; 4]);
        }
        dst.make_readonly();
        assert_eq!(copy_bytes(&dst, &src, none), Err(Error::ReadOnly), "{from} to {to}");
        assert_eq!(fill_bytes(&dst, &[9], none), Err(Error::ReadOnly), "{to}");
        assert_eq!(copy_bytes(&src, &dst, none), Ok(()), "{to} to {from}");
        assert_eq!((content(&dst), content(&src)), (vec![1; 8], vec![1; 8]));
    }
}

#[test]
fn what_is_refused() {
    let _standin = standin();
    for (to, from) in [("host", "host"), ("device", "host"), ("host", "device")] {
        let (dst, src) = (buffer(to, 8), buffer(from, 4));
        let error = copy_bytes(&dst, &src, StreamToken::NONE).unwrap_err();
        assert_eq!(error, Error::SizeMismatch { dst_size_in_bytes: 8, src_size_in_bytes: 4 });
        for pattern in [&[][..], &[1, 2, 3], &[0; 16], &[0; 8]] {
            let error = fill_bytes(&part(&dst, 0, 4, dst.access()), pattern, StreamToken::NONE);
            let pattern_in_bytes = pattern.len();
            assert_eq!(error, Err(Error::FillPattern { size_in_bytes: 4, pattern_in_bytes }));
        }
        dst.close(StreamToken::NONE).unwrap();
        assert_eq!(fill_bytes(&dst, &[1], StreamToken::NONE).unwrap_err().code(), "memory.closed");
        assert_eq!(copy_bytes(&dst, &src, StreamToken::NONE).unwrap_err().code(), "memory.closed");
    }
    let host = buffer("host", 8);
    let nobody = part(&host, 0, 8, Access::NONE);
    let device = buffer("device", 8);
    assert_eq!(fill_bytes(&nobody, &[1], StreamToken::NONE), Err(Error::Unreachable));
    assert_eq!(copy_bytes(&nobody, &device, StreamToken::NONE), Err(Error::Unreachable));
    assert_eq!(copy_bytes(&device, &nobody, StreamToken::NONE), Err(Error::Unreachable));
}

#[test]
fn nothing_is_called_for_no_bytes() {
    let standin = standin();
    for kind in KINDS {
        let (dst, src) = (buffer(kind, 0), buffer(kind, 0));
        standin.reset();
        copy_bytes(&dst, &src, StreamToken::NONE).unwrap();
        fill_bytes(&dst, &[1, 2], StreamToken::NONE).unwrap();
        assert_eq!(standin.all_calls(), 0);
    }
}

/// Each call fails in turn: its error comes out, and nothing is left behind.
#[test]
fn failed_calls() {
    let standin = standin();
    let host = Device::cpu().allocate(SIZE).unwrap();
    let (device, other) = (buffer("device", SIZE), buffer("device", SIZE));
    let shifted = part(&device, 0, SIZE - 1, device.access());
    let end = part(&device, 1, SIZE - 1, device.access());
    let works: [&dyn Fn() -> strideview::Result<()>; 6] = [
        &|| copy_bytes(&device, &host, StreamToken::NONE),
        &|| copy_bytes(&host, &device, StreamToken::NONE),
        &|| copy_bytes(&device, &other, StreamToken::NONE),
        &|| copy_bytes(&shifted, &end, StreamToken::NONE),
        &|| fill_bytes(&device, &[1, 2], StreamToken::NONE),
        &|| fill_bytes(&device, &[1, 2, 3, 4, 5, 6, 7, 8], StreamToken::NONE),
    ];
    for (number, work) in works.into_iter().enumerate() {
        for nth in 1.. {
            standin.fail(nth, 999);
            let outcome = work();
            let failed = standin.failed();
            standin.fail(0, 0);
            if failed.is_empty() {
                assert_eq!(outcome, Ok(()), "work {number}");
                break;
            }
            if failed == "cuCtxPopCurrent" {
                standin.set_current(0); // put back one level deeper
            } else {
                assert!(outcome.unwrap_err().to_string().contains(&failed), "work {number}");
            }
            assert_eq!((standin.depth(), device.leases(), host.leases()), (0, 0, 0), "{failed}");
        }
    }
}
