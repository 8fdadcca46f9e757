//! Bytes copied and filled on streams; the memory of the stand-in is the host's, so it can be read.

use std::sync::Arc;

use strideview_cuda::{DeviceResource, Stream};
use strideview_memory::{Buffer, MemoryResource};

use crate::{device, fail_each, standin};

const SIZE: usize = 256;

/// Memory of a device, as that of the stand-in is: readable by the host.
fn memory(stream: &Stream) -> Buffer {
    let resource: Arc<dyn MemoryResource> = Arc::new(DeviceResource::new(device(0)).unwrap());
    Buffer::allocate(&resource, SIZE, stream.token()).unwrap()
}

fn content(address: usize, size_in_bytes: usize) -> Vec<u8> {
    let start = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the tests give spans of live memory of the stand-in, which fills what it hands out.
    unsafe { std::slice::from_raw_parts(start, size_in_bytes) }.to_vec()
}

#[test]
fn every_pattern_at_every_alignment() {
    let _standin = standin();
    let stream = Stream::new(device(0)).unwrap();
    let buffer = memory(&stream);
    let patterns: [&[u8]; 8] = [
        &[9],
        &[1, 2],
        &[3, 3],
        &[1, 2, 3, 4],
        &[1, 2, 1, 2],
        &[1, 2, 3, 4, 5, 6, 7, 8],
        &[1, 2, 3, 4, 1, 2, 3, 4],
        &[1, 2, 3],
    ];
    for pattern in patterns {
        for offset in 0..9 {
            for count in [0, 1, 2, 3, 7, 20] {
                let (start, size) = (buffer.address() + offset, pattern.len() * count);
                // SAFETY: (1, 2) all of the buffer; the pattern has one byte.
                unsafe { stream.fill_bytes(buffer.address(), SIZE, &[0xee]) }.unwrap();
                // SAFETY: (1) inside of the buffer; (2) a multiple of the pattern.
                unsafe { stream.fill_bytes(start, size, pattern) }.unwrap();
                let mut wanted = vec![0xee; SIZE];
                let bytes = pattern.iter().copied().cycle().take(size);
                wanted.splice(offset..offset + size, bytes);
                let got = content(buffer.address(), SIZE);
                assert_eq!(got, wanted, "{pattern:?} {count} times at {offset}");
            }
        }
    }
}

#[test]
fn a_pattern_of_1_2_or_4_bytes_is_one_call() {
    let standin = standin();
    let stream = Stream::new(device(0)).unwrap();
    let buffer = memory(&stream);
    let calls = ["cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async"];
    let patterns: [&[u8]; 3] = [&[1, 1, 1, 1], &[1, 2], &[1, 2, 3, 4]];
    for (call, pattern) in calls.into_iter().zip(patterns) {
        standin.reset();
        // SAFETY: (1, 2) all of the buffer, whose size is a multiple of 4.
        unsafe { stream.fill_bytes(buffer.address(), SIZE, pattern) }.unwrap();
        assert_eq!(standin.calls(call), 1);
        assert_eq!(standin.calls("cuMemcpyAsync"), 0);
    }
}

#[test]
fn a_copy_is_one_call_and_nothing_is_called_for_no_bytes() {
    let standin = standin();
    let stream = Stream::new(device(0)).unwrap();
    let (dst, src) = (memory(&stream), memory(&stream));
    // SAFETY: (1, 2) all of the buffer.
    unsafe { stream.fill_bytes(src.address(), SIZE, &[5]) }.unwrap();
    standin.reset();
    // SAFETY: (1, 2) two buffers, whole.
    unsafe { stream.copy_bytes(dst.address(), src.address(), SIZE) }.unwrap();
    assert_eq!(content(dst.address(), SIZE), vec![5; SIZE]);
    assert_eq!((standin.calls("cuMemcpyAsync"), standin.calls("cuStreamSynchronize")), (1, 0));
    standin.reset();
    // SAFETY: (1, 2) no bytes.
    unsafe { stream.copy_bytes(0, 0, 0) }.unwrap();
    // SAFETY: (1, 2) no bytes.
    unsafe { stream.fill_bytes(0, 0, &[1]) }.unwrap();
    assert_eq!(standin.all_calls(), 0);
}

#[test]
fn failed_calls() {
    let standin = standin();
    let stream = Stream::new(device(0)).unwrap();
    let (dst, src) = (memory(&stream), memory(&stream));
    let patterns: [&[u8]; 4] = [&[1], &[1, 2], &[1, 2, 3, 4], &[1, 2, 3, 4, 5, 6, 7, 8]];
    for pattern in patterns {
        let fill = || {
            // SAFETY: (1, 2) all of the buffer, whose size is a multiple of 8.
            let outcome = unsafe { stream.fill_bytes(dst.address(), SIZE, pattern) };
            outcome.map_err(|error| error.to_string())
        };
        let calls = fail_each(&standin, fill, |failed| failed == "cuCtxPopCurrent");
        assert!(calls >= 3, "{calls}");
    }
    let copy = || {
        // SAFETY: (1, 2) two buffers, whole.
        let outcome = unsafe { stream.copy_bytes(dst.address(), src.address(), SIZE) };
        outcome.map_err(|error| error.to_string())
    };
    fail_each(&standin, copy, |failed| failed == "cuCtxPopCurrent");
}
