//! Inputs on which the nearest peer (cuda.core 1.2.2) refuses, misses a merge or computes wrong numbers.

use strideview_layout::{ErrorKind, Slice, StrideOrder, StridedLayout, Uniqueness};

use super::{implicit, kind, range};
use crate::support::strided;

/// An interior unit axis with any stride does not block a reshape.
#[test]
fn reshaping_over_a_unit_axis() {
    let layout = strided(&[2, 1, 3], &[3, 100, 1], 4);
    let flat = layout.reshaped(&[6]).unwrap();
    assert_eq!((flat.shape(), flat.strides()), (&[6][..], &[1][..]));
}

/// Nor a merge.
#[test]
fn flattening_over_unit_axes() {
    for (shape, strides, expected) in [
        (&[2, 1, 3][..], &[3, 100, 1][..], &[6][..]),
        (&[1, 2, 3], &[50, 3, 1], &[6]),
        (&[1, 1], &[0, 1], &[1]),
    ] {
        let flat = strided(shape, strides, 4).flattened(0, -1, None).unwrap();
        assert_eq!(flat.shape(), expected, "{shape:?} {strides:?}");
    }
}

/// One itemsize must divide the other; NumPy says ValueError.
#[test]
fn repacking_keeps_the_bytes() {
    for (extent, itemsize, wanted) in [
        (4, 4, 5),
        (4, 4, 6),
        (4, 4, 7),
        (4, 4, 3),
        (6, 4, 10),
        (4, 12, 5),
        (4, 12, 8),
        (4, 16, 12),
    ] {
        let layout = implicit(&[extent], itemsize);
        assert_eq!(kind(layout.repacked(wanted, 0, -1, true)), ErrorKind::Value, "to {wanted}");
    }
}

/// The largest multiple of the itemsize that divides 16: never less than the itemsize.
#[test]
fn compatible_itemsizes() {
    for (extent, itemsize, expected) in [(4, 3, 3), (6, 3, 3), (4, 6, 6), (4, 12, 12), (4, 4, 16)] {
        let layout = implicit(&[extent], itemsize);
        assert_eq!(layout.max_compatible_itemsize(16, 0, -1), Ok(expected), "itemsize {itemsize}");
    }
    let layout = implicit(&[4], 4);
    assert_eq!(layout.max_compatible_itemsize(6, 0, -1), Ok(4));
    assert_eq!(layout.max_compatible_itemsize(5, 0, -1), Ok(4));
    assert_eq!(layout.max_compatible_itemsize(16, 2, -1), Ok(4));
    assert_eq!(layout.max_compatible_itemsize(12, 0, -1), Ok(4));
    assert_eq!(implicit(&[6], 3).max_compatible_itemsize(9, 0, -1), Ok(9));
}

/// The stride of a unit axis does not hinder packing.
#[test]
fn packing_beside_a_unit_axis() {
    let layout = strided(&[1, 4], &[5, 1], 4);
    assert_eq!(layout.max_compatible_itemsize(16, 0, -1), Ok(16));
    let packed = layout.repacked(16, 0, -1, true).unwrap();
    assert_eq!((packed.shape(), packed.itemsize()), (&[1, 1][..], 16));
    assert_eq!(layout.repacked(16, 0, -1, false).unwrap().shape(), [1]);
    let unpacked = strided(&[1], &[0], 4).repacked(2, 0, -1, true).unwrap();
    assert_eq!((unpacked.shape(), unpacked.strides()), (&[2][..], &[1][..]));
}

/// Offsets 0, 2, 4, 3, 5, 7 are all different.
#[test]
fn interleaved_rows_are_unique() {
    assert_eq!(strided(&[2, 3], &[3, 2], 4).uniqueness(), Uniqueness::Unique);
}

/// |int64 minimum| is larger than 1.
#[test]
fn the_most_negative_stride() {
    let layout = strided(&[2, 2], &[i64::MIN, 1], 1);
    assert_eq!(layout.stride_order().to_vec(), [0, 1]);
    assert!(strided(&[2], &[i64::MIN], 1).is_unique());
}

/// 3·10^18 · 4 is -6446744073709551616 modulo 2^64, but not equal to it.
#[test]
fn a_merge_that_only_wraps() {
    let strides = [-6_446_744_073_709_551_616, 3_000_000_000_000_000_000];
    let layout = strided(&[2, 4], &strides, 1);
    assert_eq!(layout.flattened_axis_mask(), 0);
    assert_eq!(layout.flattened(0, -1, None).unwrap(), layout);
    assert!(layout.is_unique());
}

/// A zero extent rescues any product, before or after the factor that overflows.
#[test]
fn empty_layouts_do_not_overflow() {
    for shape in [[0, 1 << 62, 4], [1 << 62, 4, 0], [1 << 62, 0, 4]] {
        for order in [StrideOrder::C, StrideOrder::F] {
            let layout = StridedLayout::dense(&shape, 4, order).unwrap();
            assert_eq!((layout.volume(), layout.strides()), (0, &[0, 0, 0][..]));
        }
        assert_eq!(implicit(&shape, 4).volume(), 0);
        assert_eq!(implicit(&[0], 4).reshaped(&shape).unwrap().shape(), shape);
    }
    assert_eq!(strided(&[8, 0], &[1 << 62, 1], 1).offset_bounds(), (0, -1));
}

/// Equal strides: the larger extent is the slower axis, as in the peer (NumPy keeps C order).
#[test]
fn order_of_equal_strides() {
    let dense = strided(&[2, 3], &[0, 0], 4).to_dense(StrideOrder::K).unwrap();
    assert_eq!(dense.strides(), [1, 2]);
    for (shape, strides, order) in [
        (&[1, 2, 1][..], &[1, 1, 1][..], &[1, 0, 2][..]),
        (&[2, 1, 3], &[0, 0, 0], &[2, 0, 1]),
        (&[3, 4, 5], &[0, 0, 0], &[2, 1, 0]),
    ] {
        assert_eq!(strided(shape, strides, 4).stride_order().to_vec(), order, "{shape:?}");
    }
}

/// A step larger than the axis leaves one element, whose stride does not matter.
#[test]
fn huge_steps() {
    let one = strided(&[5], &[4], 4).sliced(&[range(None, None, 1 << 62)]).unwrap();
    assert_eq!((one.shape(), one.slice_offset()), (&[1][..], 0));
    let part = strided(&[2, 1], &[1, 1], 4);
    let part = part.sliced(&[range(None, None, 1), range(None, None, i64::MAX)]).unwrap();
    assert_eq!(part.shape(), [2, 1]);
    assert_eq!(part.strides_in_bytes().len(), 2);
}

/// The ellipsis and a new axis are index expressions like others.
#[test]
fn ellipsis_and_new_axis() {
    let layout = implicit(&[2, 3], 4);
    assert_eq!(layout.sliced(&[Slice::Ellipsis]).unwrap(), layout);
    assert_eq!(layout.sliced(&[Slice::NewAxis]).unwrap().shape(), [1, 2, 3]);
    assert_eq!(layout.sliced(&[Slice::Ellipsis, Slice::NewAxis]).unwrap().shape(), [2, 3, 1]);
}

/// An empty layout becomes the canonical empty one.
#[test]
fn dense_of_an_empty_layout() {
    let layout = strided(&[0, 3], &[5, 7], 4).to_dense(StrideOrder::K).unwrap();
    assert_eq!(layout, StridedLayout::dense(&[0, 3], 4, StrideOrder::C).unwrap());
}

/// A bad range is an error even with a mask.
#[test]
fn bad_ranges() {
    let layout = implicit(&[2, 3], 4);
    assert!(matches!(kind(layout.flattened(7, 9, Some(2))), ErrorKind::Value | ErrorKind::Axis));
    assert_eq!(kind(layout.flattened(1, 0, None)), ErrorKind::Value);
    assert_eq!(kind(layout.flattened(1, 0, Some(2))), ErrorKind::Value);
}
