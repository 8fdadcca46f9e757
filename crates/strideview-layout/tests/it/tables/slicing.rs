//! Reshaping and slicing. Cases rs of the bug reports, and what NumPy 2 gives.

use strideview_layout::{ErrorKind, Slice, StridedLayout};

use super::{implicit, kind, range};
use crate::support::strided;

/// rs-01: splitting an axis is always possible, merging only where strides nest. NumPy, `copy=False`.
#[test]
fn split_and_merge() {
    let layout = strided(&[2, 4, 3], &[12, 1, 4], 8);
    assert_eq!(layout.reshaped(&[2, 2, 2, 3]).unwrap().strides(), [12, 2, 1, 4]);
    assert_eq!(kind(layout.reshaped(&[2, 12])), ErrorKind::Value);
}

/// rs-03: first index and length as `len(range(*slice.indices(5)))`.
#[test]
fn slices_of_five() {
    for ((start, stop, step), offset, length) in [
        ((None, None, -2), 4, 3),
        ((Some(10), None, -1), 4, 5),
        ((Some(-10), None, 1), 0, 5),
        ((Some(3), Some(1), 1), 0, 0),
        ((Some(0), Some(1), -1), 0, 0),
        ((Some(4), Some(-6), -1), 4, 5),
        ((Some(1), Some(100), 7), 1, 1),
    ] {
        let part = implicit(&[5], 8).sliced(&[range(start, stop, step)]).unwrap();
        let context = format!("{start:?}:{stop:?}:{step}");
        assert_eq!((part.slice_offset(), part.shape()), (offset, &[length][..]), "{context}");
    }
    assert_eq!(kind(implicit(&[5], 8).sliced(&[range(None, None, 0)])), ErrorKind::Value);
    for index in [5, -6] {
        assert_eq!(kind(implicit(&[5], 8).sliced(&[Slice::Index(index)])), ErrorKind::Index);
    }
}

/// `a[1, ..., None, ::-2]` of `arange(24).reshape(2, 3, 4)`. NumPy: shape (3, 1, 2), strides (4, 0, -2).
#[test]
fn dots_and_new_axes() {
    let items = [Slice::Index(1), Slice::Ellipsis, Slice::NewAxis, range(None, None, -2)];
    let part = implicit(&[2, 3, 4], 1).sliced(&items).unwrap();
    assert_eq!((part.shape(), part.slice_offset()), (&[3, 1, 2][..], 15));
    assert_eq!((part.strides()[0], part.strides()[2]), (4, -2));
    let scalar = implicit(&[2], 1).sliced(&[Slice::Index(-1), Slice::Ellipsis]).unwrap();
    assert_eq!((scalar.rank(), scalar.slice_offset()), (0, 1));
}

/// The short ways to write an entry of an index.
#[test]
fn entries_from_indices_and_ranges() {
    assert_eq!(Slice::from(-2), Slice::Index(-2));
    assert_eq!(Slice::from(..), range(None, None, 1));
    assert_eq!(Slice::from(1..4), range(Some(1), Some(4), 1));
    assert_eq!(Slice::from(1..), range(Some(1), None, 1));
    assert_eq!(Slice::from(..-1), range(None, Some(-1), 1));
    assert_eq!(Slice::range(4, 1, -2), range(Some(4), Some(1), -2));
    assert_eq!(Slice::step(-3), range(None, None, -3));
    assert_eq!((Slice::ALL, Slice::default()), (range(None, None, 1), range(None, None, 1)));
}

/// An empty part keeps the offset that the other axes give.
#[test]
fn offset_of_an_empty_part() {
    let part = implicit(&[3, 4], 8).sliced(&[Slice::Index(2), range(Some(3), Some(1), 1)]).unwrap();
    assert_eq!((part.shape(), part.strides(), part.slice_offset()), (&[0][..], &[0][..], 8));
}

/// `sliding_window_view(arange(12).reshape(3, 4), 2, axis=1)[:, ::2]`. NumPy: shape (3, 2, 2).
#[test]
fn windows_of_an_axis() {
    let layout = implicit(&[3, 4], 8).windows(1, 2, 2).unwrap();
    assert_eq!((layout.shape(), layout.strides()), (&[3, 2, 2][..], &[4, 2, 1][..]));
    assert_eq!(layout.offsets().collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
}

/// `arange(24).reshape(2, 3, 4).diagonal(offset, axis1, axis2)`: shape, first element and step in NumPy.
#[test]
fn diagonals() {
    let layout = implicit(&[2, 3, 4], 8);
    for ((axis1, axis2, offset), shape, first, step) in [
        ((0, 1, 0), &[4, 2][..], 0, 16),
        ((1, 2, 1), &[2, 3], 1, 5),
        ((2, 1, 1), &[2, 2], 4, 5),
        ((1, 2, -2), &[2, 1], 8, 0),
        ((0, -1, 2), &[3, 2], 2, 13),
    ] {
        let diagonal = layout.diagonal(axis1, axis2, offset).unwrap();
        assert_eq!((diagonal.shape(), diagonal.slice_offset()), (shape, first));
        if shape[1] > 1 {
            assert_eq!(diagonal.strides()[1], step);
        }
    }
    for offset in [4, -3, i64::MAX, i64::MIN] {
        assert_eq!(layout.diagonal(1, 2, offset).unwrap().shape(), [2, 0], "{offset}");
    }
}

/// A stack of layouts: the offsets of both add.
#[test]
fn extending() {
    let rows = StridedLayout::with_offset(&[2], Some(&[10]), 4, 3).unwrap();
    let columns = StridedLayout::with_offset(&[3], Some(&[1]), 4, 4).unwrap();
    let grid = rows.extended(&columns, -1).unwrap();
    assert_eq!(grid.to_string(), "(2, 3):(10, 1) x4 @7");
    assert_eq!(rows.extended(&columns, 0).unwrap().to_string(), "(3, 2):(1, 10) x4 @7");
    assert_eq!(grid.sub(&[1]).unwrap().to_string(), "(3,):(1,) x4 @7");
}
