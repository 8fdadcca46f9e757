//! Codes are API: the list is complete, and no code disappears.

use strideview_copy::{ALL_CODES, CopyError, Quantity, Side};

fn one_of_each() -> Vec<CopyError> {
    vec![
        CopyError::RankTooLarge { rank: 65, limit: 64 },
        CopyError::StrideCount { side: Side::Source, strides: 1, rank: 2 },
        CopyError::NegativeExtent { axis: 0, extent: -1 },
        CopyError::InvalidItemsize { itemsize: 0 },
        CopyError::RankMismatch { dst_rank: 1, src_rank: 2 },
        CopyError::ShapeMismatch { axis: 0, dst_extent: 1, src_extent: 2 },
        CopyError::ItemsizeMismatch { dst_itemsize: 4, src_itemsize: 8 },
        CopyError::Overflow { quantity: Quantity::Reach(Side::Destination) },
        CopyError::OutOfMemory { bytes: 9 },
    ]
}

#[test]
fn the_list_is_what_the_variants_say() {
    let codes: Vec<&str> = one_of_each().iter().map(CopyError::code).collect();
    assert_eq!(codes, ALL_CODES);
}

#[test]
fn no_code_changes() {
    assert_eq!(
        ALL_CODES,
        [
            "copy.rank_too_large",
            "copy.stride_count",
            "copy.negative_extent",
            "copy.invalid_itemsize",
            "copy.rank_mismatch",
            "copy.shape_mismatch",
            "copy.itemsize_mismatch",
            "copy.overflow",
            "copy.out_of_memory",
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
}

#[test]
fn errors_are_small() {
    assert!(size_of::<CopyError>() <= 32);
}
