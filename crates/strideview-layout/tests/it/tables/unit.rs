//! Axes of extent 1, whose strides carry no meaning, and byte strides. Cases s1 and bs of the bug reports.

use strideview_layout::{ErrorKind, StridedLayout};

use super::{flags, kind};
use crate::support::strided;

/// s1-01: a stride of a unit axis decides no flag. NumPy's relaxed rule.
#[test]
fn unit_strides_decide_nothing() {
    for stride in [1, 77, -5, 0, i64::MAX, i64::MIN] {
        let layout = strided(&[1, 77], &[stride, 1], 4);
        assert_eq!(flags(&layout), (true, true, true), "{layout}");
        assert!(layout.maps_like(&strided(&[77], &[1], 4)));
    }
}

/// s1-03, s1-04: a byte stride that does not divide is harmless on a unit axis.
#[test]
fn unit_byte_strides_need_not_divide() {
    let layout = StridedLayout::from_byte_strides(&[6, 4, 1], &[8, 48, 4], 8, 0).unwrap();
    assert_eq!(layout.strides()[..2], [1, 6]);
    let layout = StridedLayout::from_byte_strides(&[3, 1, 3], &[24, i64::MAX, 8], 8, 0).unwrap();
    assert!(layout.is_contiguous_c());
    assert_eq!(layout.required_size_in_bytes(), Ok(72));
}

/// s1-06: leading unit axes with stride 0.
#[test]
fn leading_unit_axes() {
    assert!(strided(&[1, 1, 5, 7], &[0, 0, 7, 1], 4).is_contiguous_c());
    assert!(!strided(&[1, 1, 5, 7], &[0, 0, 1, 0], 4).is_contiguous_c());
    assert!(!strided(&[1, 1, 5, 7], &[0, 0, 1, 5], 4).is_contiguous_c());
}

/// s1-07: reshaping a strided vector to trailing unit axes.
#[test]
fn trailing_unit_axes() {
    let layout = strided(&[6], &[2], 8).reshaped(&[6, 1, 1]).unwrap();
    assert_eq!((layout.shape(), layout.strides()[0]), (&[6, 1, 1][..], 2));
    assert_eq!(layout.offsets().collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
}

/// bs-01, bs-03: a byte stride that does not divide is refused at construction.
#[test]
fn byte_strides_must_divide() {
    assert_eq!(kind(StridedLayout::from_byte_strides(&[3], &[12], 8, 0)), ErrorKind::Value);
    assert_eq!(kind(StridedLayout::from_byte_strides(&[2], &[12], 8, 0)), ErrorKind::Value);
    assert_eq!(kind(StridedLayout::from_byte_strides(&[2], &[-12], 8, 0)), ErrorKind::Value);
}

/// bs-04: without elements it does not matter.
#[test]
fn byte_strides_of_an_empty_layout() {
    let layout = StridedLayout::from_byte_strides(&[0, 3], &[5, 7], 8, 0).unwrap();
    assert_eq!(layout.volume(), 0);
}
