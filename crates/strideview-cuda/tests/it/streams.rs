//! Streams, events and their order.

use std::sync::Arc;

use strideview_cuda::{CaptureStatus, CudaError, Event, Stream, StreamArg, order_after};

use crate::{device, fail_each, standin};

fn text(error: CudaError) -> String {
    error.to_string()
}

fn pop_may_fail(failed: &str) -> bool {
    failed == "cuCtxPopCurrent"
}

#[test]
fn a_stream_is_destroyed_with_its_last_clone() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    let clone = stream.clone();
    drop(stream);
    assert_eq!(standin.alive(), (0, 1, 0));
    assert_eq!(clone.synchronize(), Ok(()));
    assert_eq!(clone.is_done(), Ok(true));
    drop(clone);
    assert_eq!(standin.alive(), (0, 0, 0));
    assert_eq!(standin.depth(), 0);
}

#[test]
fn a_stream_may_die_on_another_thread() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    std::thread::spawn(move || drop(stream)).join().unwrap();
    assert_eq!(standin.alive(), (0, 0, 0));
}

#[test]
fn default_streams_have_their_numbers() {
    let _standin = standin();
    let legacy = device(0).default_stream().unwrap();
    let per_thread = Stream::per_thread_default(device(0)).unwrap();
    assert_eq!((legacy.handle(), per_thread.handle()), (1, 2));
    assert_eq!(
        (legacy.arg(), per_thread.arg()),
        (StreamArg::LegacyDefault, StreamArg::PerThreadDefault)
    );
    assert!(!legacy.is_same(&device(1).default_stream().unwrap()));
    assert!(legacy.is_same(&device(0).default_stream().unwrap()));
    assert_eq!(legacy.synchronize(), Ok(()));
}

#[test]
fn foreign_streams_are_kept_and_not_destroyed() {
    let standin = standin();
    let theirs = standin.create_context(1);
    let raw = standin.create_stream(theirs);
    let keeper = Arc::new(5);
    // SAFETY: the stream lives until the end of this test.
    let stream = unsafe { Stream::from_handle(raw, None, Some(keeper.clone())) }.unwrap();
    assert_eq!((stream.device(), stream.handle()), (device(1), raw));
    // The event is made in the context of the stream, or the driver would refuse it.
    let event = stream.record().unwrap();
    assert_eq!(device(0).create_stream().unwrap().wait(&event), Ok(()));
    drop(event);
    assert_eq!(Arc::strong_count(&keeper), 2);
    drop(stream);
    assert_eq!(Arc::strong_count(&keeper), 1);
    assert_eq!(standin.alive(), (0, 1, 0));
    standin.destroy_stream(raw);
    assert_eq!(standin.depth(), 0);
}

#[test]
fn raw_zero_is_the_legacy_default_stream() {
    let standin = standin();
    // SAFETY: the default streams live as long as the device.
    let stream = unsafe { Stream::from_handle(0, None, None) }.unwrap();
    assert_eq!((stream.handle(), stream.device()), (1, device(0)));
    device(2).set_current().unwrap();
    // SAFETY: as above.
    let stream = unsafe { Stream::from_handle(2, None, None) }.unwrap();
    assert_eq!((stream.handle(), stream.device()), (2, device(2)));
    standin.set_current(0);
}

#[test]
fn ordering_makes_one_wait_and_leaves_no_event() {
    let standin = standin();
    let (earlier, later) = (device(0).create_stream().unwrap(), device(1).create_stream().unwrap());
    standin.reset();
    order_after(&later, &earlier).unwrap();
    assert_eq!((standin.waits(later.handle()), standin.waits(earlier.handle())), (1, 0));
    assert_eq!(standin.alive(), (0, 2, 0));
    for call in ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy"] {
        assert_eq!(standin.calls(call), 1, "{call}");
    }
    assert_eq!(standin.calls("cuStreamSynchronize"), 0);
    earlier.wait_for(&device(0).default_stream().unwrap()).unwrap();
    assert_eq!(standin.waits(earlier.handle()), 1);
}

#[test]
fn the_same_stream_needs_no_call() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    // SAFETY: alive as long as `stream`.
    let again = unsafe { Stream::from_handle(stream.handle(), None, None) }.unwrap();
    standin.reset();
    order_after(&stream, &again).unwrap();
    assert_eq!(standin.all_calls(), 0);
}

#[test]
fn a_capture_is_seen() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    assert_eq!(stream.capture_status(), Ok(CaptureStatus::None));
    standin.capture(stream.handle(), true);
    assert_eq!(stream.is_capturing(), Ok(true));
    assert!(stream.synchronize().is_err());
    standin.capture(stream.handle(), false);
    assert_eq!(stream.is_capturing(), Ok(false));
}

#[test]
fn events_are_waited_for_and_timed() {
    let standin = standin();
    let stream = device(0).create_stream().unwrap();
    let (first, last) =
        (Event::with_timing(device(0)).unwrap(), Event::with_timing(device(0)).unwrap());
    stream.record_into(&first).unwrap();
    stream.record_into(&last).unwrap();
    assert_eq!(last.synchronize(), Ok(()));
    assert_eq!(last.is_done(), Ok(true));
    assert_eq!(last.milliseconds_since(&first), Ok(1.0));
    let untimed = Event::new(device(0)).unwrap();
    assert!(untimed.milliseconds_since(&first).is_err());
    // SAFETY: alive as long as `first`.
    let borrowed = unsafe { Event::from_handle(first.handle(), device(0)) }.unwrap();
    drop(borrowed);
    drop((first, last, untimed, stream));
    assert_eq!(standin.alive(), (0, 0, 0));
}

#[test]
fn each_failure_is_named_and_leaves_nothing() {
    let standin = standin();
    let (one, two) = (device(0).create_stream().unwrap(), device(1).create_stream().unwrap());
    let event = Event::with_timing(device(0)).unwrap();
    one.record_into(&event).unwrap();
    fail_each(&standin, || Event::new(device(0)).map_err(text), pop_may_fail);
    fail_each(&standin, || Stream::new(device(0)).map_err(text), pop_may_fail);
    fail_each(&standin, || one.synchronize().map_err(text), pop_may_fail);
    fail_each(&standin, || one.is_done().map_err(text), pop_may_fail);
    fail_each(&standin, || one.record_into(&event).map_err(text), pop_may_fail);
    fail_each(&standin, || two.wait(&event).map_err(text), pop_may_fail);
    fail_each(&standin, || one.capture_status().map_err(text), pop_may_fail);
    fail_each(&standin, || event.synchronize().map_err(text), pop_may_fail);
    fail_each(&standin, || event.is_done().map_err(text), pop_may_fail);
    fail_each(&standin, || event.milliseconds_since(&event).map_err(text), pop_may_fail);
    let raw = one.handle();
    // SAFETY: alive as long as `one`.
    let wrap = || unsafe { Stream::from_handle(raw, None, None) }.map_err(text);
    fail_each(&standin, wrap, pop_may_fail);
}

#[test]
fn ordering_fails_without_harm() {
    let standin = standin();
    let (one, two) = (device(0).create_stream().unwrap(), device(0).create_stream().unwrap());
    // Destroying the event may fail too: there is nobody to tell, and a real driver does not.
    for nth in 1..30 {
        standin.fail(nth, 999);
        let outcome = order_after(&two, &one);
        let failed = standin.failed();
        standin.fail(0, 0);
        assert_eq!((standin.depth(), standin.current()), (0, 0), "after {failed}");
        match outcome {
            Ok(()) if failed.is_empty() => return,
            Ok(()) => assert!(
                ["cuCtxPopCurrent", "cuEventDestroy", "cuCtxGetCurrent", "cuCtxPushCurrent"]
                    .contains(&failed.as_str()),
                "{failed}"
            ),
            Err(error) => assert!(error.to_string().contains(&failed), "{failed}: {error}"),
        }
    }
    panic!("wanted fewer calls");
}

#[test]
fn stream_numbers() {
    assert_eq!(StreamArg::from_handle(0), StreamArg::LegacyDefault);
    let pairs = [
        (-1, StreamArg::NoOrdering),
        (1, StreamArg::LegacyDefault),
        (2, StreamArg::PerThreadDefault),
        (0x5000, StreamArg::Handle(0x5000)),
    ];
    for (number, arg) in pairs {
        assert_eq!(StreamArg::from_dlpack(number), Ok(arg));
        assert_eq!(arg.number(), number);
    }
    for number in [0, -2, i64::MIN] {
        let error = CudaError::InvalidStreamNumber { number };
        assert_eq!(StreamArg::from_dlpack(number), Err(error));
        assert_eq!(StreamArg::from_cuda_array_interface(Some(number)), Err(error));
    }
    assert_eq!(StreamArg::from_cuda_array_interface(None), Ok(StreamArg::NoOrdering));
    assert_eq!(StreamArg::from_cuda_array_interface(Some(2)), Ok(StreamArg::PerThreadDefault));
    assert_eq!(StreamArg::NoOrdering.handle(), None);
}
