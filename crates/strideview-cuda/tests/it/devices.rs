//! Devices and the current context.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strideview_cuda::{Device, driver_version, is_available};

use crate::{device, fail_each, standin};

#[test]
fn a_device_describes_itself() {
    let _standin = standin();
    assert!(is_available());
    assert_eq!(driver_version(), Ok(12_080));
    assert_eq!(device(0).name().as_deref(), Ok("Stand-in"));
    assert_eq!(device(0).compute_capability(), Ok((9, 0)));
    assert_eq!(device(0).multiprocessors(), Ok(8));
    assert_eq!(device(0).can_access_peer(device(1)), Ok(true));
    assert_eq!(device(0).enable_peer_access(device(1)), Ok(()));
    let traits = device(1).traits().unwrap();
    assert!(!traits.can_use_host_pointer && !traits.concurrent_managed_access);
    assert!(device(2).traits().unwrap().pageable_memory_access);
    assert!(!device(3).traits().unwrap().memory_pools);
}

#[test]
fn traits_are_asked_for_once() {
    let standin = standin();
    device(0).traits().unwrap();
    assert_eq!(standin.all_calls(), 0);
}

#[test]
fn the_current_context_is_put_back() {
    let standin = standin();
    let theirs = standin.create_context(1);
    for before in [0, theirs] {
        standin.set_current(before);
        let inside = device(0).with_context(|| standin.current()).unwrap();
        assert_ne!(inside, before);
        assert_eq!(standin.current(), before);
        let panicked =
            catch_unwind(AssertUnwindSafe(|| device(0).with_context(|| panic!("on purpose"))));
        assert!(panicked.is_err());
        assert_eq!(standin.current(), before);
    }
    standin.set_current(0);
    assert_eq!(standin.depth(), 0);
}

#[test]
fn the_context_that_is_current_is_not_pushed() {
    let standin = standin();
    device(0).set_current().unwrap();
    standin.reset();
    device(0).with_context(|| ()).unwrap();
    assert_eq!((standin.calls("cuCtxPushCurrent"), standin.all_calls()), (0, 1));
    standin.set_current(0);
}

#[test]
fn contexts_nest() {
    let standin = standin();
    let nested = device(0).with_context(|| {
        let outer = standin.current();
        let inner = device(1).with_context(|| standin.current()).unwrap();
        (outer, inner, standin.current())
    });
    let (outer, inner, after) = nested.unwrap();
    assert_ne!(outer, inner);
    assert_eq!(outer, after);
    assert_eq!(standin.depth(), 0);
}

#[test]
fn set_current_stays() {
    let standin = standin();
    assert_eq!(Device::current(), Ok(None));
    device(1).set_current().unwrap();
    assert_eq!(Device::current(), Ok(Some(device(1))));
    // A thread begins without a context.
    let other = std::thread::spawn(Device::current).join().unwrap();
    assert_eq!(other, Ok(None));
    standin.set_current(0);
}

#[test]
fn each_failure_is_named_and_puts_the_context_back() {
    let standin = standin();
    let theirs = standin.create_context(1);
    for before in [0, theirs] {
        standin.set_current(before);
        let calls = fail_each(
            &standin,
            || device(0).synchronize().map_err(|error| error.to_string()),
            |failed| failed == "cuCtxPopCurrent",
        );
        assert_eq!(calls, 4);
        fail_each(
            &standin,
            || device(0).enable_peer_access(device(1)).map_err(|error| error.to_string()),
            |failed| failed == "cuCtxPopCurrent",
        );
    }
    standin.set_current(0);
}
