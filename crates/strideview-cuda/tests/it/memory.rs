//! Memory of the three resources.

use std::any::Any;
use std::sync::Arc;

use strideview_cuda::{CudaError, DeviceResource, ManagedResource, PinnedResource, Stream};
use strideview_memory::{Access, Buffer, MemoryError, MemoryResource, StreamToken};

use crate::{device, fail_each, standin};

/// Every resource that the stand-in's devices have: on device 3 without pools.
fn resources() -> Vec<(&'static str, Arc<dyn MemoryResource>)> {
    vec![
        ("device", Arc::new(DeviceResource::new(device(0)).unwrap())),
        ("device without pools", Arc::new(DeviceResource::new(device(3)).unwrap())),
        ("pinned", Arc::new(PinnedResource::new(device(0)).unwrap())),
        ("managed", Arc::new(ManagedResource::new(device(0)).unwrap())),
    ]
}

#[test]
fn memory_is_given_and_taken_back_on_any_thread() {
    let standin = standin();
    for (name, resource) in resources() {
        let before = standin.alive();
        let buffer = Buffer::allocate(&resource, 1000, StreamToken::NONE).unwrap();
        assert_ne!(buffer.address(), 0, "{name}");
        assert_eq!(standin.alive().0, before.0 + 1, "{name}");
        assert_eq!(standin.depth(), 0, "{name}");
        std::thread::spawn(move || drop(buffer)).join().unwrap();
        assert_eq!(standin.alive(), before, "{name}");
    }
    assert_eq!(standin.alive(), (0, 0, 0));
}

#[test]
fn access_is_what_the_resource_says() {
    let _standin = standin();
    let access: Vec<_> = resources().iter().map(|(_, resource)| resource.access()).collect();
    let wanted = [Access::device(0), Access::device(3), Access::pinned(0), Access::managed(0)];
    assert_eq!(access, wanted);
}

#[test]
fn memory_that_the_host_reaches_is_zeroed() {
    let _standin = standin();
    for (name, resource) in resources().into_iter().skip(2) {
        let buffer = Buffer::allocate(&resource, 333, StreamToken::NONE).unwrap();
        // SAFETY: host memory of this size, alive and initialised.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.as_ptr(), 333) };
        assert!(bytes.iter().all(|byte| *byte == 0), "{name}");
    }
}

#[test]
fn nothing_is_called_for_no_bytes() {
    let standin = standin();
    for (name, resource) in resources() {
        standin.reset();
        let buffer = Buffer::allocate(&resource, 0, StreamToken::NONE).unwrap();
        assert_eq!(buffer.close(StreamToken::NONE), Ok(()), "{name}");
        assert_eq!(standin.all_calls(), 0, "{name}");
    }
}

#[test]
fn sizes_out_of_range() {
    let _standin = standin();
    for (name, resource) in resources() {
        let huge = resource.allocate(usize::MAX, StreamToken::NONE).unwrap_err();
        assert_eq!(huge.code(), "memory.size_too_large", "{name}");
        let size_in_bytes = 1 << 40;
        let large = resource.allocate(size_in_bytes, StreamToken::NONE).unwrap_err();
        assert_eq!(large, MemoryError::OutOfMemory { size_in_bytes }, "{name}");
    }
}

#[test]
fn allocation_is_ordered_on_its_stream() {
    let standin = standin();
    let resource = DeviceResource::new(device(0)).unwrap();
    assert!(resource.is_stream_ordered());
    let resource: Arc<dyn MemoryResource> = Arc::new(resource);
    let stream = device(0).create_stream().unwrap();
    standin.reset();
    let buffer = Buffer::allocate(&resource, 64, stream.token()).unwrap();
    buffer.close(stream.token()).unwrap();
    assert_eq!((standin.calls("cuMemAllocAsync"), standin.calls("cuMemFreeAsync")), (1, 1));
    assert_eq!((standin.calls("cuMemAlloc"), standin.calls("cuStreamSynchronize")), (0, 0));
}

#[test]
fn a_stream_lives_as_long_as_memory_allocated_on_it() {
    let standin = standin();
    for (name, resource) in resources() {
        let before = standin.alive();
        let home = device(resource.access().device_id);
        let stream = home.create_stream().unwrap();
        let buffer = Buffer::allocate(&resource, 64, stream.token()).unwrap();
        drop(stream);
        assert_eq!(standin.alive().1, before.1 + 1, "{name}");
        // The release is ordered on the stream of the allocation.
        assert_eq!(buffer.close(StreamToken::NONE), Ok(()), "{name}");
        assert_eq!(standin.alive(), before, "{name}");
    }
}

/// A stream that somebody else made lives with its keeper, the one that came last; however often it comes,
/// an allocation keeps one.
#[test]
fn the_keeper_of_a_stream_lives_as_long_as_memory_allocated_on_it() {
    let standin = standin();
    for (name, resource) in resources() {
        let home = resource.access().device_id;
        let raw = standin.create_stream(standin.create_context(home));
        let wrapped = |keeper: &Arc<i32>| {
            let keeper: Arc<dyn Any + Send + Sync> = Arc::<i32>::clone(keeper);
            // SAFETY: the stream lives until the end of this test.
            unsafe { Stream::from_handle(raw, None, Some(keeper)) }.unwrap()
        };
        let (first, last) = (Arc::new(1), Arc::new(2));
        let counts = || (Arc::strong_count(&first), Arc::strong_count(&last));
        let streams = [wrapped(&first), wrapped(&last)];
        let buffer = Buffer::allocate(&resource, 64, streams[1].token()).unwrap();
        drop(streams);
        assert_eq!(counts(), (1, 2), "{name}");
        let mut newest = buffer;
        for _ in 0..10 {
            let stream = wrapped(&last);
            newest = Buffer::allocate(&resource, 64, stream.token()).unwrap();
        }
        assert_eq!(counts(), (1, 2), "{name}");
        newest.close(StreamToken::NONE).unwrap();
        assert_eq!(counts(), (1, 1), "{name}");
        standin.destroy_stream(raw);
    }
}

#[test]
fn what_is_freed_at_once_waits_for_its_stream() {
    let standin = standin();
    for (name, resource) in resources().into_iter().skip(1) {
        let stream = device(0).create_stream().unwrap();
        let buffer = Buffer::allocate(&resource, 64, StreamToken::NONE).unwrap();
        standin.reset();
        buffer.close(stream.token()).unwrap();
        assert_eq!(standin.calls("cuStreamSynchronize"), 1, "{name}");
    }
}

#[test]
fn the_pool_keeps_what_is_released() {
    let standin = standin();
    let _resource = DeviceResource::new(device(0)).unwrap();
    assert_eq!(standin.threshold(0), u64::MAX);
    standin.reset();
    let _resource = DeviceResource::new(device(0)).unwrap();
    assert_eq!(standin.calls("cuMemPoolSetAttribute"), 0);
}

#[test]
fn no_managed_memory_on_an_old_card() {
    let _standin = standin();
    let error = ManagedResource::new(device(3)).unwrap_err();
    assert_eq!(error, CudaError::Unsupported { feature: "managed memory", ordinal: 3 });
}

#[test]
fn each_failed_allocation_is_named_and_leaves_nothing() {
    let standin = standin();
    let theirs = standin.create_context(1);
    for before in [0, theirs] {
        standin.set_current(before);
        for (_, resource) in resources() {
            let stream = device(resource.access().device_id).create_stream().unwrap();
            fail_each(
                &standin,
                || {
                    Buffer::allocate(&resource, 64, stream.token())
                        .map_err(|error| error.to_string())
                },
                |failed| failed == "cuCtxPopCurrent",
            );
        }
    }
    standin.set_current(0);
}

#[test]
fn each_failed_release_is_named_and_done_once() {
    let standin = standin();
    for (name, resource) in resources() {
        let before = standin.alive().0;
        let mut lost = 0;
        for nth in 1..20 {
            let stream = device(resource.access().device_id).create_stream().unwrap();
            let buffer = Buffer::allocate(&resource, 64, stream.token()).unwrap();
            standin.fail(nth, 999);
            let outcome = buffer.close(StreamToken::NONE);
            let failed = standin.failed();
            standin.fail(0, 0);
            assert_eq!((standin.depth(), standin.current()), (0, 0), "{name}: {failed}");
            assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
            lost += usize::from(outcome.is_err());
            // An error means that the memory is lost, and only then.
            assert_eq!(standin.alive().0, before + lost, "{name}: {failed}");
            match outcome {
                Ok(()) if failed.is_empty() => break,
                Ok(()) => assert_eq!(failed, "cuCtxPopCurrent", "{name}"),
                Err(error) => assert!(error.to_string().contains(&failed), "{name}: {error}"),
            }
        }
        assert!((2..6).contains(&lost), "{name}: {lost}");
    }
}

#[test]
fn a_driver_that_is_gone_has_released_everything() {
    let standin = standin();
    for (name, resource) in resources() {
        let address = resource.allocate(64, StreamToken::NONE).unwrap();
        standin.fail(1, 4);
        // SAFETY: allocated above, with this size, once.
        let outcome = unsafe { resource.deallocate(address, 64, StreamToken::NONE) };
        assert_eq!(outcome, Ok(()), "{name}");
        standin.fail(0, 0);
        // For the next test, which counts what is alive.
        // SAFETY: the call above freed nothing.
        unsafe { resource.deallocate(address, 64, StreamToken::NONE) }.unwrap();
    }
}

#[test]
fn each_failure_to_make_a_resource_is_named_and_leaves_nothing() {
    let standin = standin();
    let make_device = || DeviceResource::new(device(0)).map_err(|error| error.to_string());
    let make_managed = || ManagedResource::new(device(0)).map_err(|error| error.to_string());
    fail_each(&standin, make_device, |failed| failed == "cuCtxPopCurrent");
    fail_each(&standin, make_managed, |failed| failed == "cuCtxPopCurrent");
}
