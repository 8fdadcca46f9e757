//! Contiguity, uniqueness and implicit strides. Cases sn, ct and cy of the bug reports.

use strideview_layout::{ErrorKind, StridedLayout};

use super::{flags, implicit, kind};
use crate::support::strided;

/// sn-01, sn-04, sn-06: strides left out are C order, and can be spelled out.
#[test]
fn no_strides_mean_c_order() {
    let layout = implicit(&[3, 4], 4);
    assert_eq!((layout.strides(), layout.is_contiguous_c()), (&[4, 1][..], true));
    assert_eq!(layout.strides_in_bytes().to_vec(), [16, 4]);
    assert_eq!(layout, strided(&[3, 4], &[4, 1], 4));
}

/// sn-03: flags follow from the numbers only. NumPy's flags.
#[test]
fn explicit_strides_have_the_same_flags() {
    for (shape, strides, c, f) in [
        (&[3, 4][..], &[4, 1][..], true, false),
        (&[3, 4], &[1, 3], false, true),
        (&[5], &[1], true, true),
        (&[5], &[2], false, false),
    ] {
        let (found_c, found_f, _) = flags(&strided(shape, strides, 8));
        assert_eq!((found_c, found_f), (c, f), "{shape:?} {strides:?}");
    }
    assert_eq!(flags(&implicit(&[1, 5, 1], 8)), (true, true, true));
}

/// sn-07: as many strides as extents.
#[test]
fn lengths_must_agree() {
    assert_eq!(kind(StridedLayout::new(&[2, 4], Some(&[1]), 8)), ErrorKind::Value);
    assert_eq!(kind(StridedLayout::from_byte_strides(&[2, 4], &[8], 8, 0)), ErrorKind::Value);
}

/// ct-01: a transposed layout keeps its strides.
#[test]
fn transposing_keeps_the_elements() {
    let layout = implicit(&[2, 3], 8).reversed_axes();
    assert_eq!((layout.shape(), layout.strides()), (&[3, 2][..], &[1, 3][..]));
    assert_eq!(layout.offset_of(&[0, 1]), Ok(3));
}

/// ct-03: byte stride 16 over 8-byte items is stride 2, not contiguous.
#[test]
fn a_strided_column() {
    let layout = StridedLayout::from_byte_strides(&[4], &[16], 8, 0).unwrap();
    assert_eq!((layout.strides(), layout.is_contiguous_c()), (&[2][..], false));
}

/// ct-04: Fortran order is not one axis. NumPy raises with `copy=False`.
#[test]
fn fortran_order_does_not_flatten() {
    assert_eq!(kind(strided(&[2, 3], &[1, 2], 8).reshaped(&[6])), ErrorKind::Value);
}

/// ct-06: contiguous in some order: dense, not reversed, gapped or overlapping.
#[test]
fn contiguous_in_some_order() {
    for (shape, strides, any) in [
        (&[2, 3, 4][..], &[4, 8, 1][..], true),
        (&[4], &[-1], false),
        (&[2, 3], &[4, 1], false),
        (&[2, 3], &[0, 1], false),
        (&[3, 3], &[1, 1], false),
        (&[2, 1, 3], &[3, 99, 1], true),
    ] {
        assert_eq!(strided(shape, strides, 1).is_contiguous_any(), any, "{shape:?} {strides:?}");
    }
}

/// ct-07, cy-01: shared offsets, by enumeration.
#[test]
fn unique_or_not() {
    for (shape, strides, unique) in [
        (&[2, 3][..], &[3, 2][..], true),
        (&[3, 3], &[3, 2], true),
        (&[3, 4], &[3, 2], false),
        (&[2, 2], &[1, 1], false),
        (&[3], &[0], false),
        (&[10], &[0], false),
        (&[4, 2], &[1, -1], false),
    ] {
        assert_eq!(strided(shape, strides, 1).is_unique(), unique, "{shape:?} {strides:?}");
    }
    let offsets: Vec<i64> = strided(&[2, 3], &[3, 2], 1).offsets().collect();
    assert_eq!(offsets, [0, 2, 4, 3, 5, 7]);
}
