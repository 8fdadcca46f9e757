//! Classification, from the batch query to the facts.

use std::sync::Arc;

use strideview_cuda::{
    CudaError, Declared, DeviceResource, ManagedResource, PinnedResource, PointerFacts, classify,
};
use strideview_memory::{Access, Buffer, MemoryResource, StreamToken};
use strideview_standin::Answers;

use crate::{Standin, device, fail_each, standin};

const AT: usize = 0x5000_0000_0000;
const POOL: usize = 0xaaaa_0000;

fn known(memory_type: i32, device: i32, host: i32, access: i32) -> Answers {
    Answers { memory_type, device, host, access, context: 1, ..Answers::default() }
}

/// The facts of scripted memory, with the number of batches that it took.
fn ask(standin: &Standin, answers: Answers, declared: Declared) -> (PointerFacts, u64) {
    standin.reset();
    standin.script(AT, 4096, answers);
    let facts = classify(AT, 4096, declared, Some(0)).unwrap();
    (facts, standin.calls("cuPointerGetAttributes"))
}

#[test]
fn every_kind_of_memory_takes_one_batch() {
    let standin = standin();
    let pool = Answers { pool: POOL, context: 0, ..known(1, 0, 1, 3) };
    // Device, host, device writes, DLPack device.
    let kinds = [
        ("pinned", known(1, 1, 1, 3), (true, true, true, (3, 0))),
        ("registered read-only", known(1, 1, 1, 1), (true, true, false, (3, 0))),
        ("managed", Answers { managed: 1, ..known(2, 1, 1, 3) }, (true, true, true, (13, 0))),
        (
            "managed pool",
            Answers { managed: 1, pool: POOL, ..known(2, 1, 1, 3) },
            (true, true, true, (13, 0)),
        ),
        ("cuMemAlloc", known(2, 1, 0, 3), (true, false, true, (2, 0))),
        ("device pool", Answers { pool: POOL, ..known(2, 1, 0, 3) }, (true, false, true, (2, 0))),
        ("host pool, not granted", pool, (false, true, false, (1, 0))),
        ("mapped for the host only", known(1, 0, 1, 0), (false, true, false, (1, 0))),
        ("mapped read-only", known(2, 1, 0, 1), (true, false, false, (2, 0))),
        ("host memory for the device only", known(1, 1, 0, 3), (true, false, true, (2, 0))),
    ];
    for (name, answers, (on_device, on_host, writable, dl_device)) in kinds {
        for declared in [Declared::Host, Declared::Device, Declared::PinnedHost] {
            let (facts, batches) = ask(&standin, answers, declared);
            assert_eq!((facts.access.device, facts.access.host), (on_device, on_host), "{name}");
            assert_eq!((facts.device_writable, facts.dl_device), (writable, dl_device), "{name}");
            assert!(facts.verified, "{name}");
            assert_eq!(batches, 1, "{name}");
            assert_eq!(standin.depth(), 0, "{name}");
        }
    }
}

#[test]
fn a_pool_is_asked_what_it_grants() {
    let standin = standin();
    let granted = Answers { pool: POOL, context: 0, ..known(1, 1, 1, 3) };
    for (flags, writable) in [(3, true), (1, false)] {
        standin.reset();
        standin.script(AT, 64, granted);
        standin.pool_access(POOL, 0, flags);
        let facts = classify(AT, 64, Declared::PinnedHost, Some(0)).unwrap();
        assert_eq!((facts.access.device, facts.device_writable), (true, writable));
        assert_eq!(standin.calls("cuMemPoolGetAccess"), 1);
    }
    // A managed pool says 0 although it is reachable, so it is not asked.
    ask(&standin, Answers { managed: 1, ..granted }, Declared::Managed);
    assert_eq!(standin.calls("cuMemPoolGetAccess"), 0);
}

#[test]
fn unreachable_memory_is_an_error() {
    let standin = standin();
    standin.script(AT, 64, known(2, 0, 0, 0));
    let error = classify(AT, 64, Declared::Device, Some(0)).unwrap_err();
    assert_eq!(error, CudaError::Unreachable { address: AT });
}

#[test]
fn unknown_memory_is_as_the_row_says() {
    let standin = standin();
    for declared in [Declared::Host, Declared::PinnedHost, Declared::Managed] {
        let facts = classify(AT, 64, declared, Some(0)).unwrap();
        assert_eq!((facts.access, facts.dl_device), (Access::host(), (1, 0)));
        let coherent = classify(AT, 64, declared, Some(2)).unwrap();
        assert_eq!((coherent.access, coherent.dl_device), (Access::pinned(2), (1, 0)));
        assert!(coherent.device_writable);
    }
    let error = classify(AT, 64, Declared::Device, Some(0)).unwrap_err();
    assert_eq!(error, CudaError::UnknownPointer { address: AT });
    assert!(classify(AT, 64, Declared::Device, Some(2)).unwrap().access.host);
    assert_eq!(standin.depth(), 0);
}

#[test]
fn plain_host_memory_needs_no_context() {
    let standin = standin();
    let facts = classify(AT, 64, Declared::Host, None).unwrap();
    assert_eq!(facts.access, Access::host());
    assert_eq!(standin.calls("cuPointerGetAttributes"), 1);
    assert_eq!(standin.calls("cuCtxPushCurrent"), 0);
}

#[test]
fn an_empty_span_is_as_declared_without_a_call() {
    let standin = standin();
    let wanted = [
        (Declared::Host, Access::host(), (1, 0)),
        (Declared::Device, Access::device(1), (2, 1)),
        (Declared::PinnedHost, Access::pinned(1), (3, 0)),
        (Declared::Managed, Access::managed(1), (13, 0)),
    ];
    for (declared, access, dl_device) in wanted {
        for address in [0, AT] {
            let facts = classify(address, 0, declared, Some(1)).unwrap();
            assert_eq!((facts.access, facts.dl_device), (access, dl_device));
        }
    }
    assert_eq!(standin.all_calls(), 0);
}

#[test]
fn null_is_no_memory() {
    let _standin = standin();
    let error = classify(0, 8, Declared::Host, None).unwrap_err();
    assert_eq!(error, CudaError::UnknownPointer { address: 0 });
}

#[test]
fn the_device_of_the_memory_is_asked_when_none_is_named() {
    let standin = standin();
    standin.script(AT, 64, Answers { ordinal: 1, ..known(2, 1, 0, 3) });
    // Without a context, and with one of another device: a batch to learn the device, and one there.
    for current in [None, Some(0)] {
        if let Some(ordinal) = current {
            device(ordinal).set_current().unwrap();
        }
        let before = standin.current();
        let batches = standin.calls("cuPointerGetAttributes");
        let facts = classify(AT, 64, Declared::Device, None).unwrap();
        assert_eq!((facts.access, facts.dl_device), (Access::device(1), (2, 1)));
        assert_eq!(standin.calls("cuPointerGetAttributes") - batches, 2);
        assert_eq!(standin.current(), before);
    }
    // With its own context: one batch.
    device(1).set_current().unwrap();
    standin.reset();
    standin.script(AT, 64, Answers { ordinal: 1, ..known(2, 1, 0, 3) });
    classify(AT, 64, Declared::Device, None).unwrap();
    assert_eq!(standin.calls("cuPointerGetAttributes"), 1);
    assert_eq!(standin.calls("cuCtxPushCurrent"), 0);
    standin.set_current(0);
}

#[test]
fn registered_memory_under_wsl_has_an_alias() {
    let standin = standin();
    let registered = Answers { ordinal: 1, alias: 0x1000, ..known(1, 1, 1, 3) };
    standin.script(AT, 64, registered);
    let facts = classify(AT, 64, Declared::PinnedHost, Some(1)).unwrap();
    assert_eq!((facts.access, facts.device_alias), (Access::host(), Some(AT + 0x1000)));
    assert!(!facts.device_writable);
    // A device that takes host pointers uses the same address.
    let facts = classify(AT, 64, Declared::PinnedHost, Some(0)).unwrap();
    assert_eq!((facts.access.device, facts.device_alias), (true, None));
}

#[test]
fn managed_memory_under_wsl_needs_the_device_idle() {
    let standin = standin();
    standin.script(AT, 64, Answers { managed: 1, ordinal: 1, ..known(2, 1, 1, 3) });
    assert!(classify(AT, 64, Declared::Managed, Some(1)).unwrap().host_needs_sync);
    assert!(!classify(AT, 64, Declared::Managed, Some(0)).unwrap().host_needs_sync);
}

#[test]
fn a_span_over_two_mappings_is_asked_at_both_ends() {
    let standin = standin();
    let reservation = |access, device| Answers {
        context: 0,
        range_start: AT,
        range_size_in_bytes: 8192,
        ..known(2, device, 0, access)
    };
    standin.script(AT, 4096, reservation(3, 1));
    standin.script(AT + 4096, 4096, reservation(1, 1));
    let facts = classify(AT, 8192, Declared::Device, Some(0)).unwrap();
    assert_eq!((facts.access, facts.device_writable), (Access::device(0), false));
    assert_eq!(standin.calls("cuPointerGetAttributes"), 2);
    standin.script(AT + 4096, 4096, reservation(0, 0));
    let error = classify(AT, 8192, Declared::Device, Some(0)).unwrap_err();
    assert_eq!(error, CudaError::Unreachable { address: AT });
    // Past the end of everything.
    let error = classify(AT, 8193, Declared::Device, Some(0)).unwrap_err();
    assert_eq!(error, CudaError::UnknownPointer { address: AT + 8192 });
}

#[test]
fn without_a_context_the_answer_is_unverified() {
    let standin = standin();
    standin.script(AT, 64, known(2, 1, 0, 3));
    let calls_before = {
        classify(AT, 64, Declared::Device, Some(0)).unwrap();
        standin.all_calls()
    };
    let mut unverified = 0;
    for nth in 1..=calls_before {
        standin.fail(nth, 999);
        if let Ok(facts) = classify(AT, 64, Declared::Device, Some(0)) {
            unverified += u64::from(!facts.verified);
            assert!(facts.verified || facts.access == Access::device(0));
        }
        standin.fail(0, 0);
    }
    // Asking for the current context, and pushing the device's.
    assert_eq!(unverified, 2);
    assert_eq!(standin.depth(), 0);
}

#[test]
fn each_failure_is_named_or_leaves_the_answer_open() {
    let standin = standin();
    for answers in [known(1, 1, 1, 3), Answers { pool: POOL, context: 0, ..known(1, 1, 1, 3) }] {
        standin.reset();
        standin.script(AT, 64, answers);
        fail_each(
            &standin,
            || {
                classify(AT, 64, Declared::PinnedHost, Some(0))
                    .map(|_| ())
                    .map_err(|error| error.to_string())
            },
            |failed| {
                ["cuCtxPopCurrent", "cuCtxPushCurrent", "cuCtxGetCurrent", "cuMemPoolGetAccess"]
                    .contains(&failed)
            },
        );
    }
}

#[test]
fn an_unknown_device_is_refused() {
    let _standin = standin();
    let error = classify(AT, 64, Declared::Device, Some(9)).unwrap_err();
    assert_eq!(error, CudaError::NoSuchDevice { ordinal: 9, count: 4 });
}

#[test]
fn memory_of_the_resources_is_what_they_say() {
    let standin = standin();
    type Case = (Arc<dyn MemoryResource>, Declared, (i32, i32));
    let resources: [Case; 3] = [
        (Arc::new(DeviceResource::new(device(0)).unwrap()), Declared::Device, (2, 0)),
        (Arc::new(PinnedResource::new(device(0)).unwrap()), Declared::PinnedHost, (3, 0)),
        (Arc::new(ManagedResource::new(device(0)).unwrap()), Declared::Managed, (13, 0)),
    ];
    for (resource, declared, dl_device) in resources {
        let buffer = Buffer::allocate(&resource, 100, StreamToken::NONE).unwrap();
        // Whole, an interior part, and with another claim.
        for (offset, size) in [(0, 100), (99, 1), (10, 50)] {
            for declared in [declared, Declared::Host] {
                let facts = classify(buffer.address() + offset, size, declared, None).unwrap();
                assert_eq!((facts.access, facts.dl_device), (buffer.access(), dl_device));
                assert!(facts.verified && facts.device_writable);
            }
        }
        let address = buffer.address();
        buffer.close(StreamToken::NONE).unwrap();
        assert!(classify(address, 100, Declared::Device, None).is_err(), "freed");
    }
    assert_eq!(standin.alive(), (0, 0, 0));
}
