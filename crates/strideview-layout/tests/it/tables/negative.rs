//! Layouts that run backwards. Cases ng of the bug reports.

use strideview_layout::{ErrorKind, StridedLayout};

use super::{flags, implicit, kind, range};
use crate::support::strided;

/// ng-01: byte strides (-4, 20) of 4-byte items are (-1, 5), not a huge positive number.
#[test]
fn byte_strides_divide_with_their_sign() {
    let layout = StridedLayout::from_byte_strides(&[5, 2], &[-4, 20], 4, 4).unwrap();
    assert_eq!(layout.strides(), [-1, 5]);
    assert_eq!(layout.strides_in_bytes().to_vec(), [-4, 20]);
    for (bytes, elements) in [(i64::MIN, i64::MIN / 8), (-8, -1), (8, 1), (0, 0)] {
        let layout = StridedLayout::from_byte_strides(&[2], &[bytes], 8, 0).unwrap();
        assert_eq!(layout.strides(), [elements]);
    }
}

/// ng-03, ng-04: `[::-1]` starts at the last element. NumPy: shape (4,), byte strides (-8,).
#[test]
fn reversing() {
    let reversed = implicit(&[4], 8).sliced(&[range(None, None, -1)]).unwrap();
    assert_eq!(reversed, StridedLayout::with_offset(&[4], Some(&[-1]), 8, 3).unwrap());
    assert_eq!(reversed.offsets().collect::<Vec<_>>(), [3, 2, 1, 0]);
    let rows = implicit(&[3, 4], 8).sliced(&[range(None, None, -1)]).unwrap();
    assert_eq!(rows.slice_offset_in_bytes(), 8 * 8);
    assert_eq!(rows.offset_bounds(), (0, 11));
}

/// ng-06: a reversed vector has the bounds of the forward one and is exhaustive, not contiguous.
#[test]
fn a_reversed_vector_covers_its_buffer() {
    let reversed = StridedLayout::with_offset(&[4], Some(&[-1]), 8, 3).unwrap();
    assert_eq!(reversed.required_size_in_bytes(), Ok(32));
    assert!(reversed.is_exhaustive() && reversed.is_unique());
    assert_eq!(flags(&reversed), (false, false, false));
}

/// ng-07: offset 0 with stride -2 reaches elements before the buffer; offset 4 does not.
#[test]
fn before_the_buffer() {
    let before = strided(&[3, 2], &[-2, 1], 4);
    assert_eq!(before.min_offset(), -4);
    assert_eq!(kind(before.required_size_in_bytes()), ErrorKind::Value);
    let inside = StridedLayout::with_offset(&[3, 2], Some(&[-2, 1]), 4, 4).unwrap();
    assert_eq!(inside.offset_bounds(), (0, 5));
    assert_eq!(inside.required_size_in_bytes(), Ok(24));
}

/// ng-09: NumPy views one reversed 2-byte element as two bytes that run forwards.
#[test]
fn one_reversed_element_unpacks_forwards() {
    let layout = strided(&[1], &[-1], 2).repacked(1, 0, -1, true).unwrap();
    assert_eq!((layout.shape(), layout.strides()), (&[2][..], &[1][..]));
}

/// ng-10: NumPy sets both flags on an empty part of a reversed view, and none with elements.
#[test]
fn empty_part_of_a_reversed_view() {
    assert_eq!(flags(&strided(&[0, 0, 3], &[5760, 3, -1], 1)), (true, true, true));
    assert_eq!(flags(&strided(&[2, 2, 3], &[6, 3, -1], 1)), (false, false, false));
}
