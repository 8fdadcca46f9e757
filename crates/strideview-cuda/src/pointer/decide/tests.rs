//! Every row of the table, with what a driver was seen to say of each kind of memory.

use super::*;

const AT: usize = 0x7f00_0000_1000;
const ELSEWHERE: usize = AT + 0x10_0000_0000;

/// What a data-centre card on Linux says of itself.
const PLAIN: DeviceTraits = DeviceTraits {
    pageable_memory_access: false,
    can_use_host_pointer: true,
    managed_memory: true,
    concurrent_managed_access: true,
    memory_pools: true,
    multiprocessors: 132,
};
/// A card under WSL or Windows.
const WSL: DeviceTraits =
    DeviceTraits { can_use_host_pointer: false, concurrent_managed_access: false, ..PLAIN };
/// A machine whose device reaches pageable memory.
const COHERENT: DeviceTraits = DeviceTraits { pageable_memory_access: true, ..PLAIN };

fn base() -> Attributes {
    Attributes { address: AT, ordinal: 0, has_context: true, ..Attributes::default() }
}

/// Memory that the driver does not know: it echoes the address as host pointer.
fn unknown_memory() -> Attributes {
    Attributes { ordinal: -2, host_pointer: AT, ..base() }
}

/// Known memory, by type, device pointer, host pointer and access.
fn memory(memory_type: u32, device_pointer: usize, host_pointer: usize, access: u32) -> Attributes {
    Attributes { memory_type, device_pointer, host_pointer, access, ..base() }
}

fn managed() -> Attributes {
    Attributes { managed: true, ..memory(2, AT, AT, 3) }
}

/// Device, host, device writes, DLPack device.
type Answer = (bool, bool, bool, (i32, i32));

#[track_caller]
fn check(attributes: Attributes, declared: Declared, traits: DeviceTraits, wanted: Answer) {
    let facts = decide(&attributes, declared, 0, traits).unwrap();
    let Access { device, host, .. } = facts.access;
    assert_eq!((device, host, facts.device_writable, facts.dl_device), wanted);
    assert_eq!(facts.verified, attributes.has_context);
    assert_eq!(facts.access.device_id, if device { 0 } else { -1 });
}

#[test]
fn row_1_unknown_memory_of_the_host() {
    for declared in [Declared::Host, Declared::PinnedHost, Declared::Managed] {
        check(unknown_memory(), declared, PLAIN, (false, true, false, (1, 0)));
        check(unknown_memory(), declared, COHERENT, (true, true, true, (1, 0)));
    }
}

#[test]
fn row_2_unknown_memory_of_a_device() {
    let refused = decide(&unknown_memory(), Declared::Device, 0, PLAIN);
    assert_eq!(refused, Err(CudaError::UnknownPointer { address: AT }));
    check(unknown_memory(), Declared::Device, COHERENT, (true, true, true, (1, 0)));
}

#[test]
fn row_3_the_device_pointer_is_the_address() {
    let cases: [(Attributes, Answer); 10] = [
        // Pinned, write-combined, registered, or a mapping of the host with both granted.
        (memory(1, AT, AT, 3), (true, true, true, (3, 0))),
        // Registered read-only.
        (memory(1, AT, AT, 1), (true, true, false, (3, 0))),
        // Pinned under WSL.
        (memory(1, AT, AT, 3), (true, true, true, (3, 0))),
        (managed(), (true, true, true, (13, 0))),
        // A managed pool, whose access is not asked for.
        (Attributes { pool: 7, ..managed() }, (true, true, true, (13, 0))),
        // cuMemAlloc, or a mapping with read-write access.
        (memory(2, AT, 0, 3), (true, false, true, (2, 0))),
        // A mapping with read access.
        (memory(2, AT, 0, 1), (true, false, false, (2, 0))),
        // The device's own pool.
        (Attributes { pool: 7, ..memory(2, AT, 0, 3) }, (true, false, true, (2, 0))),
        // A host pool with access granted.
        (
            Attributes { pool: 7, pool_access: Some(3), ..memory(1, AT, AT, 3) },
            (true, true, true, (3, 0)),
        ),
        // A mapping of host memory that only the device may touch.
        (memory(1, AT, 0, 3), (true, false, true, (2, 0))),
    ];
    for (attributes, wanted) in cases {
        for declared in [Declared::Host, Declared::Device, Declared::Managed] {
            check(attributes, declared, PLAIN, wanted);
            check(attributes, declared, WSL, wanted);
        }
    }
}

#[test]
fn a_pool_that_grants_reading_is_not_written() {
    let attributes = Attributes { pool: 7, pool_access: Some(1), ..memory(1, AT, AT, 3) };
    check(attributes, Declared::Host, PLAIN, (true, true, false, (3, 0)));
}

#[test]
fn row_4_registered_memory_of_a_device_that_takes_host_pointers() {
    check(memory(1, ELSEWHERE, AT, 3), Declared::Host, PLAIN, (true, true, true, (3, 0)));
    check(memory(1, ELSEWHERE, AT, 1), Declared::Host, PLAIN, (true, true, false, (3, 0)));
}

#[test]
fn row_5_registered_memory_at_another_address() {
    let attributes = memory(1, ELSEWHERE, AT, 3);
    check(attributes, Declared::PinnedHost, WSL, (false, true, false, (1, 0)));
    let facts = decide(&attributes, Declared::PinnedHost, 0, WSL).unwrap();
    assert_eq!(facts.device_alias, Some(ELSEWHERE));
    // Not host memory: the trait of the device does not help.
    let attributes = memory(2, ELSEWHERE, 0, 3);
    let facts = decide(&attributes, Declared::Device, 0, PLAIN).unwrap();
    assert_eq!((facts.access, facts.device_alias), (Access::NONE, Some(ELSEWHERE)));
}

#[test]
fn row_6_no_device_pointer() {
    // A host pool without access granted, although the access reads as read-write.
    let attributes = Attributes { pool: 7, pool_access: Some(0), ..memory(1, 0, AT, 3) };
    check(attributes, Declared::PinnedHost, PLAIN, (false, true, false, (1, 0)));
    // A mapping of host memory that only the host may touch.
    check(memory(1, 0, AT, 0), Declared::Host, PLAIN, (false, true, false, (1, 0)));
    // A mapping of device memory without access.
    let facts = decide(&memory(2, 0, 0, 0), Declared::Device, 0, PLAIN).unwrap();
    assert_eq!(facts.access, Access::NONE);
    assert_eq!(facts.reachable(AT), Err(CudaError::Unreachable { address: AT }));
}

#[test]
fn row_7_no_context() {
    let blind = |attributes| Attributes { has_context: false, ..attributes };
    check(blind(memory(2, 0, 0, 3)), Declared::Device, PLAIN, (true, false, true, (2, 0)));
    check(blind(memory(1, 0, AT, 3)), Declared::PinnedHost, PLAIN, (true, true, true, (3, 0)));
    check(blind(memory(1, 0, AT, 1)), Declared::PinnedHost, PLAIN, (true, true, false, (3, 0)));
    let managed = Attributes { device_pointer: 0, ..managed() };
    check(blind(managed), Declared::Managed, PLAIN, (true, true, true, (13, 0)));
    let pool = Attributes { pool: 7, pool_access: Some(0), ..memory(1, 0, AT, 3) };
    check(blind(pool), Declared::PinnedHost, PLAIN, (false, true, false, (1, 0)));
    let granted = Attributes { pool_access: Some(3), ..pool };
    check(blind(granted), Declared::PinnedHost, PLAIN, (true, true, true, (3, 0)));
    // What another device's context says of the address is no answer for this one.
    check(blind(memory(2, AT, 0, 3)), Declared::Device, PLAIN, (true, false, true, (2, 0)));
}

#[test]
fn managed_memory_may_need_the_device_idle() {
    let needs = |traits| decide(&managed(), Declared::Managed, 0, traits).unwrap().host_needs_sync;
    assert!(needs(WSL));
    assert!(!needs(PLAIN));
    let pinned = decide(&memory(1, AT, AT, 3), Declared::PinnedHost, 0, WSL).unwrap();
    assert!(!pinned.host_needs_sync);
}

#[test]
fn memory_keeps_the_device_it_lives_on() {
    let attributes = Attributes { ordinal: 1, ..memory(2, AT, 0, 3) };
    let facts = decide(&attributes, Declared::Device, 0, PLAIN).unwrap();
    assert_eq!((facts.access.device_id, facts.dl_device), (1, (2, 1)));
}

#[test]
fn a_range_is_believed_within_one_allocation_only() {
    let range = |context, pool| Attributes {
        range_start: AT - 16,
        range_size_in_bytes: 116,
        context,
        pool,
        ..memory(2, AT, 0, 3)
    };
    assert!(range(9, 0).covers(AT + 99));
    assert!(!range(9, 0).covers(AT + 100));
    assert!(range(0, 9).covers(AT + 99));
    assert!(!range(0, 0).covers(AT + 99), "a reservation may hold several mappings");
    assert!(unknown_memory().covers(AT + 99));
    let wrapping = Attributes { range_start: AT, range_size_in_bytes: usize::MAX, ..range(9, 0) };
    assert!(!wrapping.covers(AT + 1));
}

#[test]
fn both_ends_must_agree() {
    let of = |attributes| decide(&attributes, Declared::Host, 0, PLAIN).unwrap();
    let (pinned, device) = (of(memory(1, AT, AT, 3)), of(memory(2, AT, 0, 3)));
    let (read_only, plain) = (of(memory(1, AT, AT, 1)), of(unknown_memory()));
    assert_eq!(pinned.both(&pinned), pinned);
    assert_eq!(pinned.both(&read_only), read_only);
    assert_eq!(pinned.both(&plain), plain);
    assert_eq!(device.both(&pinned), device);
    assert_eq!(device.both(&plain).access, Access::NONE);
}
