//! Alignment, zeros, sizes and failures of host memory.

use strideview_memory::{Access, HostResource, MemoryError, MemoryResource, StreamToken};

const MIB: usize = 1 << 20;
const NONE: StreamToken = StreamToken::NONE;

/// Allocates, gives the bytes to `check`, and gives them back.
fn with_bytes(size_in_bytes: usize, check: impl FnOnce(&mut [u8])) {
    let host = HostResource::new();
    let address = host.allocate(size_in_bytes, NONE).expect("memory");
    // SAFETY: the resource promises this many initialised bytes that nobody else uses.
    check(unsafe { std::slice::from_raw_parts_mut(address, size_in_bytes) });
    // SAFETY: (1, 2) allocated above with this size, and the slice is gone.
    unsafe { host.deallocate(address, size_in_bytes, NONE) }.expect("taken back");
}

#[test]
fn every_size_is_aligned_zeroed_and_writable() {
    for size in [1, 2, 63, 64, 65, 4095, 4096, MIB + 1, 4 * MIB - 1] {
        with_bytes(size, |bytes| {
            assert_eq!(bytes.as_ptr().addr() % 64, 0, "size {size}");
            assert!(bytes.iter().all(|byte| *byte == 0), "size {size}");
            bytes.fill(0xA5);
        });
    }
}

#[test]
fn large_sizes_are_zeroed_to_the_last_byte() {
    for size in [4 * MIB, 4 * MIB + 1, 7 * MIB + 4097, 16 * MIB] {
        with_bytes(size, |bytes| {
            let linux = cfg!(all(target_os = "linux", target_arch = "x86_64"));
            let alignment = if linux { 2 * MIB } else { 64 };
            assert_eq!(bytes.as_ptr().addr() % alignment, 0, "size {size}");
            assert!(bytes.iter().all(|byte| *byte == 0), "size {size}");
            bytes.fill(0xA5);
        });
    }
}

#[test]
fn large_spans_do_not_touch_each_other() {
    let host = HostResource::new();
    let size = 5 * MIB + 3;
    let spans: Vec<*mut u8> = (0..8).map(|_| host.allocate(size, NONE).unwrap()).collect();
    for (value, span) in spans.iter().enumerate() {
        // SAFETY: this many bytes of its own.
        unsafe { span.write_bytes(u8::try_from(value).unwrap(), size) };
    }
    for (value, span) in spans.iter().enumerate() {
        // SAFETY: initialised above, and only read from here on.
        let bytes = unsafe { std::slice::from_raw_parts(*span, size) };
        assert!(bytes.iter().all(|byte| usize::from(*byte) == value));
    }
    for span in spans {
        // SAFETY: (1, 2) allocated above with this size, given back once.
        unsafe { host.deallocate(span, size, NONE) }.unwrap();
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn large_memory_goes_back_to_the_system() {
    // Without `munmap` this would need 16 TiB of address space and, touched, 1 GiB of memory.
    for _ in 0..(1 << 10) {
        with_bytes(1 << 30, |bytes| bytes[0] = 1);
    }
}

#[test]
fn nothing_has_an_address_and_is_not_freed() {
    let host = HostResource::new();
    let address = host.allocate(0, NONE).unwrap();
    assert!(!address.is_null());
    assert_eq!(address.addr() % 64, 0);
    // SAFETY: (1, 2) allocated above with size 0.
    assert_eq!(unsafe { host.deallocate(address, 0, NONE) }, Ok(()));
}

#[test]
fn too_much_is_an_error_that_says_how_much() {
    let host = HostResource::new();
    let limit_in_bytes = isize::MAX as usize;
    for size_in_bytes in [limit_in_bytes + 1, usize::MAX] {
        assert_eq!(
            host.allocate(size_in_bytes, NONE),
            Err(MemoryError::SizeTooLarge { size_in_bytes, limit_in_bytes })
        );
    }
    for size_in_bytes in [limit_in_bytes, limit_in_bytes - 64, limit_in_bytes / 8] {
        let error = host.allocate(size_in_bytes, NONE).unwrap_err();
        // Close to the limit, what alignment adds may be too much already.
        let too_large = MemoryError::SizeTooLarge { size_in_bytes, limit_in_bytes };
        assert!(error == MemoryError::OutOfMemory { size_in_bytes } || error == too_large);
    }
}

#[test]
fn only_the_host_reaches_it() {
    assert_eq!(HostResource::new().access(), Access::host());
}
