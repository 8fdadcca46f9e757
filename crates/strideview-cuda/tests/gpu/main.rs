//! Tests of a real driver and a real device.
//!
//! Without them each test prints that it is skipped; `STRIDEVIEW_REQUIRE=cuda` makes that a
//! failure.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod copies;
mod raw;
mod tensor_maps;
mod timed;
mod transfers;

use std::env;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use raw::Raw;
use strideview_cuda::{
    CudaError, Declared, Device, DeviceResource, Event, ManagedResource, PinnedResource,
    PointerFacts, Stream, classify, driver_version, order_after,
};
use strideview_memory::{Access, Buffer, MemoryError, MemoryResource, StreamToken};

/// One test at a time: an address that one frees must not be given to another.
static TURN: Mutex<()> = Mutex::new(());

/// A device and the driver for one test, or None with a printed reason.
fn gpu() -> Option<(Device, Raw, MutexGuard<'static, ()>)> {
    let found = Device::new(0).map_err(|error| error.to_string());
    match found.and_then(|device| Ok((device, Raw::open()?))) {
        Ok((device, raw)) => {
            Some((device, raw, TURN.lock().unwrap_or_else(PoisonError::into_inner)))
        }
        Err(reason) => {
            let required = env::var("STRIDEVIEW_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|item| item == "cuda"), "cuda is required: {reason}");
            // Not `println!`, which the test harness hides.
            let _ = writeln!(io::stderr(), "skipped, no GPU: {reason}");
            None
        }
    }
}

fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn resources(device: Device) -> [Arc<dyn MemoryResource>; 3] {
    [
        Arc::new(DeviceResource::new(device).unwrap()),
        Arc::new(PinnedResource::new(device).unwrap()),
        Arc::new(ManagedResource::new(device).unwrap()),
    ]
}

/// Bytes on the host, page-aligned so that registering them touches no neighbour.
fn host_pages(size: usize) -> (Vec<u8>, usize) {
    let bytes = vec![0_u8; size + 8192];
    let address = bytes.as_ptr().addr().next_multiple_of(4096);
    (bytes, address)
}

#[track_caller]
fn check(facts: PointerFacts, access: Access, writable: bool, dl_device: (i32, i32)) {
    assert_eq!((facts.access, facts.device_writable), (access, writable));
    assert_eq!(facts.dl_device, dl_device);
    assert!(facts.verified);
}

#[test]
fn the_device_describes_itself() {
    let Some((device, _raw, _turn)) = gpu() else { return };
    let (name, capability) = (device.name().unwrap(), device.compute_capability().unwrap());
    note(&format!("{name} {capability:?}, driver {}", driver_version().unwrap()));
    note(&format!("{:?}", device.traits().unwrap()));
    assert!(!name.is_empty() && capability.0 >= 5);
    assert!(device.multiprocessors().unwrap() > 0);
}

#[test]
fn errors_have_the_driver_s_text() {
    let Some((device, _raw, _turn)) = gpu() else { return };
    let error = device.attribute(-5).unwrap_err();
    assert_eq!(error, CudaError::Driver { call: "cuDeviceGetAttribute", status: 1 });
    assert!(error.to_string().contains("CUDA_ERROR_INVALID_VALUE"), "{error}");
    let count = Device::count().unwrap();
    let error = Device::new(count).unwrap_err();
    assert_eq!(error, CudaError::NoSuchDevice { ordinal: count, count });
}

#[test]
fn memory_is_given_and_taken_back_on_any_thread() {
    let Some((device, raw, _turn)) = gpu() else { return };
    for resource in resources(device) {
        for size in [0, 1, 4096, (2 << 20) + 256, 64 << 20] {
            let stream = device.create_stream().unwrap();
            let buffer = Buffer::allocate(&resource, size, stream.token()).unwrap();
            if resource.access().host && size > 0 {
                // SAFETY: host memory of this size, alive and initialised.
                let bytes = unsafe { std::slice::from_raw_parts(buffer.as_ptr(), size) };
                assert!(bytes.iter().all(|byte| *byte == 0));
            }
            drop(stream);
            let close = move || buffer.close(StreamToken::NONE);
            assert_eq!(std::thread::spawn(close).join().unwrap(), Ok(()));
            assert_eq!(raw.current(), 0);
        }
    }
}

#[test]
fn too_much_memory_is_an_error() {
    let Some((device, _raw, _turn)) = gpu() else { return };
    let resource = DeviceResource::new(device).unwrap();
    let size_in_bytes = 1 << 46;
    let error = resource.allocate(size_in_bytes, StreamToken::NONE).unwrap_err();
    assert_eq!(error, MemoryError::OutOfMemory { size_in_bytes });
    // The device works on.
    let address = resource.allocate(64, StreamToken::NONE).unwrap();
    // SAFETY: allocated above, with this size, once.
    unsafe { resource.deallocate(address, 64, StreamToken::NONE) }.unwrap();
}

#[test]
fn the_current_context_is_put_back() {
    let Some((device, raw, _turn)) = gpu() else { return };
    assert_eq!(raw.current(), 0);
    let inside = device.with_context(|| raw.current()).unwrap();
    assert_ne!(inside, 0);
    assert_eq!(raw.current(), 0);
    let stream = device.create_stream().unwrap();
    stream.record().unwrap().synchronize().unwrap();
    stream.synchronize().unwrap();
    drop(stream);
    device.synchronize().unwrap();
    assert_eq!(raw.current(), 0);
    device.set_current().unwrap();
    assert_eq!(raw.current(), inside);
    assert_eq!(Device::current(), Ok(Some(device)));
    raw.set_current(0).unwrap();
    assert_eq!(Device::current(), Ok(None));
}

#[test]
fn one_stream_waits_for_another() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let size = 256 << 20;
    let memory: Arc<dyn MemoryResource> = Arc::new(DeviceResource::new(device).unwrap());
    let pinned: Arc<dyn MemoryResource> = Arc::new(PinnedResource::new(device).unwrap());
    let target = Buffer::allocate(&memory, size, StreamToken::NONE).unwrap();
    let landing = Buffer::allocate(&pinned, 16, StreamToken::NONE).unwrap();
    device.synchronize().unwrap();
    let (earlier, later) = (device.create_stream().unwrap(), device.create_stream().unwrap());
    let last = target.address() + size - 16;
    device
        .with_context(|| {
            // Long work, whose last fill is what the other stream is to see.
            for value in 0..100 {
                raw.fill(target.address(), value, size, earlier.handle()).unwrap();
            }
            assert_eq!(earlier.is_done(), Ok(false), "the work is too short to show anything");
            order_after(&later, &earlier).unwrap();
            raw.copy(landing.address(), last, 16, later.handle()).unwrap();
        })
        .unwrap();
    assert_eq!(later.is_done(), Ok(false));
    later.synchronize().unwrap();
    assert_eq!(earlier.is_done(), Ok(true));
    // SAFETY: host memory of this size, which nothing writes any more.
    let bytes = unsafe { std::slice::from_raw_parts(landing.as_ptr(), 16) };
    assert_eq!(bytes, [99; 16]);
}

#[test]
fn default_and_foreign_streams_work() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let own = device.create_stream().unwrap();
    // SAFETY: alive as long as `own`; the default streams as long as the device.
    let wrap = |handle| unsafe { Stream::from_handle(handle, None, None) }.unwrap();
    let same = wrap(own.handle());
    assert!(same.is_same(&own) && same.device() == device);
    for stream in [device.default_stream().unwrap(), wrap(0), wrap(1), wrap(2), same] {
        order_after(&own, &stream).unwrap();
        order_after(&stream, &own).unwrap();
        assert_eq!(stream.is_capturing(), Ok(false));
        stream.synchronize().unwrap();
    }
    assert!(Stream::with_priority(device, -1).is_ok());
    assert_eq!(raw.current(), 0);
}

#[test]
fn events_measure_time() {
    let Some((device, _raw, _turn)) = gpu() else { return };
    let stream = device.create_stream().unwrap();
    let (start, end) = (Event::with_timing(device).unwrap(), Event::with_timing(device).unwrap());
    stream.record_into(&start).unwrap();
    stream.record_into(&end).unwrap();
    end.synchronize().unwrap();
    assert_eq!(end.is_done(), Ok(true));
    assert!(end.milliseconds_since(&start).unwrap() >= 0.0);
    assert!(Event::new(device).unwrap().milliseconds_since(&start).is_err());
}

#[test]
fn a_capture_goes_on() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let (stream, side) = (device.create_stream().unwrap(), device.create_stream().unwrap());
    raw.begin_capture(stream.handle()).unwrap();
    assert_eq!(stream.is_capturing(), Ok(true));
    // A fork and a join, as the rule of ordering is.
    order_after(&side, &stream).unwrap();
    assert_eq!(side.is_capturing(), Ok(true));
    order_after(&stream, &side).unwrap();
    raw.end_capture(stream.handle()).unwrap();
    assert_eq!(stream.is_capturing(), Ok(false));
}

#[test]
fn memory_of_the_host() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let (_bytes, address) = host_pages(8192);
    let pageable = device.traits().unwrap().pageable_memory_access;
    let plain = if pageable { Access::pinned(0) } else { Access::host() };
    for device in [None, Some(0)] {
        for declared in [Declared::Host, Declared::PinnedHost, Declared::Managed] {
            check(classify(address, 8192, declared, device).unwrap(), plain, pageable, (1, 0));
        }
        let claimed = classify(address, 64, Declared::Device, device);
        assert_eq!(claimed.is_ok(), pageable);
    }
    for (flags, writable) in [(0, true), (1, true), (2, true), (8, false)] {
        let outcome = device.with_context(|| raw.register(address, 8192, flags)).unwrap();
        if let Err(error) = outcome {
            note(&format!("registration with flags {flags} is not possible: {error}"));
            continue;
        }
        for (offset, size) in [(0, 8192), (8191, 1), (1000, 4096)] {
            let facts = classify(address + offset, size, Declared::Host, None).unwrap();
            if device.traits().unwrap().can_use_host_pointer {
                check(facts, Access::pinned(0), writable, (3, 0));
            } else {
                note(&format!("registered: {facts:?}"));
            }
        }
        device.with_context(|| raw.unregister(address)).unwrap().unwrap();
        let facts = classify(address, 8192, Declared::Host, Some(0)).unwrap();
        check(facts, plain, pageable, (1, 0));
    }
    // Half registered: what holds of both halves.
    device.with_context(|| raw.register(address, 4096, 0)).unwrap().unwrap();
    let facts = classify(address, 8192, Declared::Host, None).unwrap();
    assert_eq!((facts.access.host, facts.access.device), (true, pageable));
    device.with_context(|| raw.unregister(address)).unwrap().unwrap();
    assert_eq!(raw.current(), 0);
}

#[test]
fn memory_of_the_resources() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let kinds = [Declared::Device, Declared::PinnedHost, Declared::Managed];
    let numbers = [(2, 0), (3, 0), (13, 0)];
    for ((resource, declared), number) in resources(device).iter().zip(kinds).zip(numbers) {
        let size = (2 << 20) + 256;
        let buffer = Buffer::allocate(resource, size, StreamToken::NONE).unwrap();
        device.synchronize().unwrap();
        for (offset, size) in [(0, size), (1 << 20, 7), (size - 1, 1)] {
            for device in [None, Some(0)] {
                let facts = classify(buffer.address() + offset, size, declared, device).unwrap();
                check(facts, buffer.access(), true, number);
            }
        }
        buffer.close(StreamToken::NONE).unwrap();
    }
    assert_eq!(raw.current(), 0);
}

#[test]
fn memory_of_the_device() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let size = (2 << 20) + 256;
    let address = device.with_context(|| raw.allocate(size)).unwrap().unwrap();
    for declared in [Declared::Device, Declared::Host] {
        let facts = classify(address, size, declared, None).unwrap();
        check(facts, Access::device(0), true, (2, 0));
    }
    device.with_context(|| raw.free(address)).unwrap().unwrap();
    for address in [address, address + size - 1] {
        let error = classify(address, 1, Declared::Device, None).unwrap_err();
        assert_eq!(error, CudaError::UnknownPointer { address });
    }
}

#[test]
fn mappings_without_and_with_access() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let _ = device.with_context(|| {
        let (address, size) = match raw.map_two() {
            Ok(mapped) => mapped,
            Err(reason) => return note(&format!("skipped, no mappings: {reason}")),
        };
        let ask = |address, size| classify(address, size, Declared::Device, None);
        assert_eq!(ask(address, 64), Err(CudaError::Unreachable { address }));
        raw.grant(address, size, 3).unwrap();
        check(ask(address, size).unwrap(), Access::device(0), true, (2, 0));
        // The second mapping is of the same reservation, and has no access.
        assert_eq!(ask(address, 2 * size), Err(CudaError::Unreachable { address }));
        raw.grant(address + size, size, 1).unwrap();
        check(ask(address + size, size).unwrap(), Access::device(0), false, (2, 0));
        check(ask(address, 2 * size).unwrap(), Access::device(0), false, (2, 0));
        raw.grant(address + size, size, 3).unwrap();
        check(ask(address, 2 * size).unwrap(), Access::device(0), true, (2, 0));
        raw.unmap_two(address, size).unwrap();
    });
}

#[test]
fn a_pool_of_the_host_without_and_with_access() {
    let Some((device, raw, _turn)) = gpu() else { return };
    let _ = device.with_context(|| {
        let pool = match raw.host_pool() {
            Ok(pool) => pool,
            Err(reason) => return note(&format!("skipped, no host pools: {reason}")),
        };
        let address = raw.allocate_from(pool, 4096).unwrap();
        let ask = || classify(address, 4096, Declared::PinnedHost, None).unwrap();
        check(ask(), Access::host(), false, (1, 0));
        raw.grant_pool(pool).unwrap();
        let facts = ask();
        assert_eq!((facts.access.host, facts.access.device), (true, true));
        assert_eq!((facts.device_writable, facts.dl_device), (true, (3, 0)));
        raw.drop_pool(pool, address).unwrap();
    });
}
