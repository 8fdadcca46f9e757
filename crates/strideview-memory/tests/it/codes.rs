//! Codes are API: the list is complete, and no code disappears.

use strideview_memory::{ALL_CODES, MemoryError};

fn one_of_each() -> Vec<MemoryError> {
    vec![
        MemoryError::OutOfMemory { size_in_bytes: 12 },
        MemoryError::SizeTooLarge { size_in_bytes: 34, limit_in_bytes: 5 },
        MemoryError::Closed,
        MemoryError::InUse { leases: 3 },
        MemoryError::Resource { call: "munmap", status: 22 },
        MemoryError::ReleasePanicked,
    ]
}

#[test]
fn the_list_is_what_the_variants_say() {
    let codes: Vec<&str> = one_of_each().iter().map(MemoryError::code).collect();
    assert_eq!(codes, ALL_CODES);
}

#[test]
fn no_code_changes() {
    assert_eq!(
        ALL_CODES,
        [
            "memory.out_of_memory",
            "memory.size_too_large",
            "memory.closed",
            "memory.in_use",
            "memory.resource",
            "memory.release_panicked",
        ]
    );
}

#[test]
fn messages_say_what_was_wanted_and_got() {
    for error in one_of_each() {
        let message = error.to_string();
        assert!(message.contains("wanted") && message.contains("got"), "{message}");
        assert!(!message.ends_with('.'), "{message}");
        assert!(message.starts_with(char::is_lowercase), "{message}");
    }
    assert_eq!(
        MemoryError::Resource { call: "munmap", status: 22 }.to_string(),
        "munmap failed: wanted status 0, got 22"
    );
}

#[test]
fn errors_are_small() {
    assert!(size_of::<MemoryError>() <= 32);
}
