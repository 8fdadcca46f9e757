//! Windows, splits and diagonals.

use strideview_layout::StridedLayout;
use strideview_testkit::{Fault, Random, arguments, view};

use super::check_view;
use crate::program::{Operation, run_both};
use crate::support::for_every_layout;

/// `windows(axis, size, step)(.., w, .., k) = self(.., w·step + k, ..)`.
fn check_windows(layout: &StridedLayout, axis: i64, size: i64, step: i64) {
    let operation = Operation::Windows(axis, size, step);
    let view = view::windows(layout.shape(), axis, size, step);
    if size == 0 && run_both(layout, &operation).is_err() {
        return; // Windows without elements may be refused.
    }
    check_view(layout, &operation, view);
}

/// `split_axis(axis, inner)(.., a, b, ..) = self(.., a·inner + b, ..)`; flattening both is the identity.
fn check_split_axis(layout: &StridedLayout, axis: i64, inner: i64) {
    let operation = Operation::SplitAxis(axis, inner);
    let view = view::split_axis(layout.shape(), axis, inner);
    let Some(result) = check_view(layout, &operation, view) else { return };
    let at = view::normal_axis(axis, layout.rank()).unwrap();
    let at = i64::try_from(at).unwrap();
    let back = result.flattened(at, at + 1, None).unwrap();
    assert!(back.maps_like(layout), "{layout} {operation:?}: there and back gives {back}");
}

/// `diagonal(axis1, axis2, offset)(.., d)` walks both axes at once, as NumPy does.
fn check_diagonal(layout: &StridedLayout, axis1: i64, axis2: i64, offset: i64) {
    let operation = Operation::Diagonal(axis1, axis2, offset);
    let view = view::diagonal(layout.shape(), axis1, axis2, offset);
    check_view(layout, &operation, view);
}

/// An axis, mostly in range, and its extent (0 when there is none).
fn axis_and_extent(layout: &StridedLayout, random: &mut Random) -> (i64, i64) {
    let axis = arguments::any_axis(random, layout.rank());
    let extent = view::normal_axis(axis, layout.rank()).map_or(0, |at| layout.shape()[at]);
    (axis, extent)
}

#[test]
fn windows() {
    for_every_layout(13, |layout, random| {
        for _ in 0..4 {
            let (axis, extent) = axis_and_extent(layout, random);
            let (size, step) =
                (arguments::amount(random, extent), arguments::amount(random, extent));
            check_windows(layout, axis, size, step);
        }
    });
}

#[test]
fn split_axis() {
    for_every_layout(14, |layout, random| {
        for _ in 0..4 {
            let (axis, extent) = axis_and_extent(layout, random);
            check_split_axis(layout, axis, arguments::amount(random, extent));
            check_split_axis(layout, axis, extent);
        }
    });
}

#[test]
fn diagonal() {
    for_every_layout(15, |layout, random| {
        for _ in 0..4 {
            let rank = layout.rank();
            let (one, other) = (arguments::any_axis(random, rank), arguments::axis(random, rank));
            check_diagonal(layout, one, other, arguments::diagonal_offset(random));
        }
    });
}

#[test]
fn the_same_axis_twice_is_no_diagonal() {
    let layout = crate::support::strided(&[2, 3], &[3, 1], 4);
    for (one, other) in [(0, 0), (1, -1), (-2, 0)] {
        let view = view::diagonal(layout.shape(), one, other, 0);
        assert!(matches!(view, Err(Fault::Value)));
        check_diagonal(&layout, one, other, 0);
    }
}
