//! Layouts without elements and layouts without axes. Cases zs and zd of the bug reports.

use strideview_layout::{ErrorKind, Slice, StrideOrder, StridedLayout};

use super::{flags, implicit, kind, range};
use crate::support::strided;

/// zs-01: shape (0,) without strides. CUDA Array Interface v3.
#[test]
fn no_elements_no_strides() {
    let layout = implicit(&[0], 8);
    assert_eq!((layout.volume(), layout.nbytes()), (0, 0));
    assert!(layout.has_implicit_strides());
    assert_eq!(layout.required_size_in_bytes(), Ok(0));
}

/// zs-03: `arange(3)[0:1:-1]`. NumPy: shape (0,).
#[test]
fn a_part_without_elements() {
    let part = implicit(&[3], 8).sliced(&[range(Some(0), Some(1), -1)]).unwrap();
    assert_eq!((part.shape(), part.strides(), part.slice_offset()), (&[0][..], &[0][..], 0));
}

/// zs-04: NumPy gives `zeros((2, 3, 0, 4))` strides 0 and both flags.
#[test]
fn zero_strides_of_an_empty_layout_are_contiguous() {
    assert_eq!(flags(&strided(&[2, 3, 0, 4], &[0, 0, 0, 0], 4)), (true, true, true));
    assert_eq!(flags(&strided(&[2, 3, 0, 4], &[9, -5, 7, 1], 4)), (true, true, true));
}

/// zs-06, zs-07, zs-13: empty layouts with other strides are the same map, and share no byte.
#[test]
fn empty_layouts_are_alike() {
    let one = strided(&[0], &[1], 4);
    let other = strided(&[0], &[0], 4);
    assert!(one.maps_like(&other) && one != other);
    assert!(!one.overlaps(&other, 0, 0));
    assert_eq!(implicit(&[2, 0], 8).offsets().count(), 0);
    assert_eq!(strided(&[0, 3], &[3, 1], 4).runs().count(), 0);
}

/// zs-09: `zeros((3, 5, 4))[::2, 1:1, ::3]`. NumPy: shape (2, 0, 2), both flags.
#[test]
fn one_empty_axis_of_three() {
    let items = [range(None, None, 2), range(Some(1), Some(1), 1), range(None, None, 3)];
    let part = implicit(&[3, 5, 4], 8).sliced(&items).unwrap();
    assert_eq!((part.shape(), part.volume()), (&[2, 0, 2][..], 0));
    assert_eq!(flags(&part), (true, true, true));
}

/// zs-10: dense (18, 0) has strides 0 as in NumPy 1.23 and later, and passes our own checks.
#[test]
fn dense_without_elements() {
    for order in [StrideOrder::C, StrideOrder::F, StrideOrder::Axes(&[1, 0])] {
        let layout = StridedLayout::dense(&[18, 0], 8, order).unwrap();
        assert_eq!(layout.strides(), [0, 0]);
        assert_eq!(layout.required_size_in_bytes(), Ok(0));
        assert!(layout.is_contiguous_c() && layout.is_dense());
        let again = StridedLayout::new(layout.shape(), Some(layout.strides()), 8).unwrap();
        assert_eq!(again, layout);
    }
}

/// zs-12: no element, so no reachable offset, whatever the strides.
#[test]
fn huge_strides_without_elements() {
    let layout = strided(&[0, 4, 0], &[1, -4_611_686_018_427_387_904, 1], 8);
    assert_eq!(layout.offset_bounds(), (0, -1));
    assert_eq!((layout.min_offset(), layout.max_offset()), (0, -1));
    assert_eq!(layout.required_size_in_bytes(), Ok(0));
}

/// zs-15, zs-16: NumPy infers -1 beside a zero only when one value fits.
#[test]
fn inferring_beside_zero() {
    assert_eq!(kind(implicit(&[0, 0, 0], 4).reshaped(&[-1, 0])), ErrorKind::Value);
    assert_eq!(kind(implicit(&[0, 4], 4).reshaped(&[0, -1])), ErrorKind::Value);
    assert_eq!(implicit(&[0, 4], 4).reshaped(&[-1, 4]).unwrap().shape(), [0, 4]);
}

/// zd-01, zd-03, zd-04: one element without axes, also at an offset.
#[test]
fn no_axes() {
    let scalar = implicit(&[], 8);
    assert_eq!((scalar.volume(), scalar.rank()), (1, 0));
    assert_eq!(flags(&scalar), (true, true, true));
    assert_eq!(scalar.required_size_in_bytes(), Ok(8));
    let second = StridedLayout::with_offset(&[], None, 4, 2).unwrap();
    assert_eq!(second.slice_offset_in_bytes(), 8);
    assert_eq!(second.offsets().collect::<Vec<_>>(), [2]);
    assert_eq!(second.offset_of(&[]), Ok(2));
    assert_eq!(second.sliced(&[Slice::Ellipsis]).unwrap(), second);
    assert_eq!(scalar.stride_order().len(), 0);
    assert_eq!((scalar.to_string(), second.to_string()), ("():() x8".into(), "():() x4 @2".into()));
}

/// An empty layout stays empty when its axes of stride 0 shrink.
#[test]
fn unbroadcast_adds_no_element() {
    let layout = implicit(&[0, 3], 4).unbroadcast();
    assert!(layout.is_empty() && layout.offset_bounds() == (0, -1), "{layout}");
}
