//! Views copied between every two kinds of memory.

use strideview::cuda::Stream;
use strideview::interop::dlpack::abi::DLDeviceType;
use strideview::interop::dlpack::{DLDevice, Managed, Request, export};
use strideview::{
    Buffer, CopyOptions, DType, Device, Error, StridedLayout, StridedMemoryView, copy_with,
    empty_like_on, explain_copy, to_device, to_host,
};

use crate::{KINDS, buffer, content, standin};

const ROWS: i64 = 6;
const COLUMNS: i64 = 1000;
const SIZE: usize = 6000;

/// Rows of bytes, and the same memory as columns.
fn rows(of: &Buffer) -> StridedMemoryView {
    let layout = StridedLayout::new(&[ROWS, COLUMNS], None, 1).unwrap();
    StridedMemoryView::from_buffer(of, &layout, Some(DType::U8), false).unwrap()
}

fn fill(of: &Buffer) -> Vec<u8> {
    let bytes: Vec<u8> = (0..SIZE).map(|at| (at * 7 % 251) as u8).collect();
    let start = std::ptr::with_exposed_provenance_mut::<u8>(of.address());
    // SAFETY: all memory of the stand-in is memory of the host, and these are its bytes.
    unsafe { std::slice::from_raw_parts_mut(start, SIZE) }.copy_from_slice(&bytes);
    bytes
}

/// Without an emulator of kernels only copies of the driver and of the host move bytes: so these are
/// contiguous.
#[test]
fn every_two_kinds_and_who_waits() {
    let standin = standin();
    let stream = strideview::cuda::Device::new(0).unwrap().create_stream().unwrap();
    for blocking in [None, Some(true), Some(false)] {
        for (to, from) in KINDS.iter().flat_map(|to| KINDS.iter().map(move |from| (*to, *from))) {
            let (dst, src) = (buffer(to, SIZE), buffer(from, SIZE));
            let bytes = fill(&src);
            standin.reset();
            let options = CopyOptions { stream: stream.token(), blocking, allocator: None };
            copy_with(&rows(&dst), &rows(&src), options).unwrap();
            let waits = standin.calls("cuStreamSynchronize");
            strideview_cuda::wait_for_retired();
            assert_eq!(content(&dst), bytes, "{from} to {to}");
            let is_managed = to == "managed" || from == "managed";
            let is_on_host = match (to, from) {
                ("device", _) | (_, "device") => false,
                ("host", _) | (_, "host") => true,
                _ => !is_managed,
            };
            let is_waited_for = match (to, from) {
                ("host", "host") => false,
                _ if is_on_host => true,
                ("device", "device") => blocking == Some(true),
                _ => blocking != Some(false),
            };
            assert_eq!(waits > 0, is_waited_for, "{from} to {to}, {blocking:?}");
            assert_eq!((standin.depth(), dst.leases(), src.leases()), (0, 0, 0), "{from} to {to}");
        }
    }
}

#[test]
fn what_is_queued_keeps_its_buffers() {
    let _standin = standin();
    for kind in ["host", "pinned"] {
        let (dst, src) = (buffer("device", SIZE), buffer(kind, SIZE));
        fill(&src);
        let options = CopyOptions { blocking: Some(false), ..CopyOptions::default() };
        copy_with(&rows(&dst), &rows(&src), options).unwrap();
        drop(src);
        strideview_cuda::wait_for_retired();
        assert_eq!(dst.leases(), 0);
    }
}

#[test]
fn new_views_on_devices_and_back() {
    let standin = standin();
    let device = Device::cuda(0).unwrap();
    let src = buffer("host", SIZE);
    let bytes = fill(&src);
    let stream = Stream::new(strideview::cuda::Device::new(0).unwrap()).unwrap();
    let options = CopyOptions { stream: stream.token(), ..CopyOptions::default() };
    let there = to_device(&rows(&src), device, options).unwrap();
    assert_eq!((there.access().host, there.device_id()), (false, 0));
    let back = to_host(&there.reversed_axes().unwrap(), options).unwrap();
    // As it lies in memory.
    assert_eq!((back.shape(), back.layout().strides()), (&[COLUMNS, ROWS][..], &[1, COLUMNS][..]));
    assert_eq!(content(back.buffer()), bytes);
    let empty = empty_like_on(&there, device, stream.token()).unwrap();
    assert_eq!((empty.shape(), empty.dtype()), (&[ROWS, COLUMNS][..], Some(DType::U8)));
    drop((there, empty));
    assert_eq!(standin.depth(), 0);
}

#[test]
fn explanations_say_who_does_it() {
    let _standin = standin();
    let columns = |kind| {
        rows(&buffer(kind, SIZE)).reshaped(&[COLUMNS, ROWS]).unwrap().reversed_axes().unwrap()
    };
    let last = |to: StridedMemoryView, from: StridedMemoryView| {
        let explained = explain_copy(&to, &from).unwrap();
        assert_eq!(explained.bytes(), SIZE as i64);
        explained.to_string().lines().skip(4).collect::<Vec<_>>().join("\n")
    };
    let kept = |kind| rows(&buffer(kind, SIZE));
    assert!(last(kept("host"), columns("pinned")).starts_with("host: "));
    assert!(last(kept("device"), columns("managed")).starts_with("on the device: kernel: "));
    let staged = last(kept("device"), columns("host"));
    assert!(
        staged.starts_with("to device: 1 chunk of up to 6000 bytes\nhost: contiguous"),
        "{staged}"
    );
    assert!(
        staged.contains("\ndevice: ") && staged.ends_with("bytes over the link: 6000"),
        "{staged}"
    );
    assert!(last(columns("pinned"), kept("device")).contains(" on pinned memory"));
    assert_eq!(
        last(kept("pinned"), kept("device")),
        "to host: cuMemcpyAsync\nbytes over the link: 6000"
    );
}

#[test]
fn failures_of_each_call_are_errors_and_leave_nothing() {
    let standin = standin();
    let pairs = [
        ("device", "host"),
        ("host", "device"),
        ("device", "pinned"),
        ("device", "device"),
        ("host", "pinned"),
    ];
    for (to, from) in pairs {
        for blocking in [Some(true), Some(false)] {
            let (dst, src) = (buffer(to, SIZE), buffer(from, SIZE));
            for nth in 1..500 {
                standin.fail(nth, 999);
                let outcome = copy_with(
                    &rows(&dst),
                    &rows(&src),
                    CopyOptions { blocking, ..CopyOptions::default() },
                );
                strideview_cuda::wait_for_retired();
                let failed = standin.failed();
                standin.fail(0, 0);
                assert_eq!((dst.leases(), src.leases()), (0, 0), "{from} to {to}: {failed}");
                if let Err(error) = outcome {
                    assert!(matches!(error, Error::Cuda(_)), "{from} to {to}: {failed}: {error}");
                }
                while standin.depth() > 0 {
                    standin.set_current(0);
                }
                if failed.is_empty() {
                    break;
                }
            }
        }
    }
}

#[test]
fn exports_that_copy() {
    let _standin = standin();
    for (kind, device_type) in [
        ("pinned", DLDeviceType::CUDA_HOST),
        ("managed", DLDeviceType::CUDA_MANAGED),
        ("device", DLDeviceType::CUDA),
    ] {
        let src = buffer(kind, SIZE);
        fill(&src);
        let own = DLDevice::new(device_type, 0);
        for wanted in [own, DLDevice::CPU] {
            let request = Request {
                max_version: Some((1, 3)),
                device: Some(wanted),
                copy: Some(true),
                ..Request::default()
            };
            let tensor = export(&rows(&src), request).unwrap();
            let Managed::Versioned(pointer) = tensor else { panic!("wanted a versioned tensor") };
            // SAFETY: just made, and not given back yet.
            let told = unsafe { pointer.as_ref() };
            assert_eq!((told.dl_tensor.device, told.flags.0 & 2), (wanted, 2), "{kind}");
            assert_ne!(told.dl_tensor.data.addr(), src.address(), "{kind}");
            // SAFETY: (1, 2) just made, and given to nobody else.
            unsafe { tensor.give_back() };
        }
        let request =
            Request { device: Some(DLDevice::CPU), copy: Some(false), ..Request::default() };
        let outcome = export(&rows(&src), request);
        assert_eq!(outcome.is_err(), kind == "device");
        if let Ok(tensor) = outcome {
            // SAFETY: (1, 2) just made, and given to nobody else.
            unsafe { tensor.give_back() };
        }
    }
}
