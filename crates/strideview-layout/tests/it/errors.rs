//! Every error, its code, its kind, and both sides in its message.

use std::collections::BTreeSet;

use strideview_layout::{ErrorKind, LayoutError, Slice, StrideOrder, StridedLayout};
use strideview_testkit::Random;

use crate::support::strided;

/// An error that was provoked, with what must be seen in it.
struct Provoked {
    code: &'static str,
    kind: ErrorKind,
    error: LayoutError,
    /// What was wanted and what was got.
    sides: &'static [&'static str],
}

fn provoked<T: std::fmt::Debug>(
    code: &'static str,
    kind: ErrorKind,
    outcome: Result<T, LayoutError>,
    sides: &'static [&'static str],
) -> Provoked {
    let error = outcome.expect_err(code);
    Provoked { code, kind, error, sides }
}

/// A value error, as most are.
fn value<T: std::fmt::Debug>(
    code: &'static str,
    outcome: Result<T, LayoutError>,
    sides: &'static [&'static str],
) -> Provoked {
    provoked(code, ErrorKind::Value, outcome, sides)
}

fn matrix() -> StridedLayout {
    strided(&[2, 3], &[3, 1], 4)
}

/// A layout on which the search of an index is given up.
fn hard() -> StridedLayout {
    let mut random = Random::new(42);
    let strides: Vec<i64> = (0..40).map(|_| random.between(1 << 50, 1 << 56)).collect();
    strided(&[2; 40], &strides, 1)
}

fn of_constructors() -> Vec<Provoked> {
    let new = StridedLayout::new;
    let overflow = new(&[1 << 32, 1 << 32], None, 1);
    vec![
        value("layout.rank_too_large", new(&[1; 65], None, 4), &["65", "64"]),
        value("layout.negative_extent", new(&[2, -3], None, 4), &["axis 1", "0", "-3"]),
        value("layout.invalid_itemsize", new(&[2], None, -7), &["1", "-7"]),
        value("layout.stride_count", new(&[2, 3], Some(&[1]), 4), &["2", "1"]),
        value(
            "layout.stride_not_divisible",
            StridedLayout::from_byte_strides(&[3], &[12], 8, 0),
            &["axis 0", "8", "12"],
        ),
        provoked(
            "layout.overflow",
            ErrorKind::Overflow,
            overflow,
            &["9223372036854775807", "18446744073709551616"],
        ),
        value(
            "layout.no_order_to_keep",
            StridedLayout::dense(&[2], 4, StrideOrder::K),
            &["C", "F", "K"],
        ),
    ]
}

fn of_axes() -> Vec<Provoked> {
    let layout = matrix();
    vec![
        provoked("layout.axis_out_of_range", ErrorKind::Axis, layout.sub(&[-3]), &["-3", "2"]),
        provoked(
            "layout.position_out_of_range",
            ErrorKind::Axis,
            layout.extended(&layout, 7),
            &["7", "2"],
        ),
        value("layout.duplicate_axis", layout.permuted(&[1, -1]), &["once", "axis 1"]),
        value("layout.axis_count", layout.permuted(&[0, 1, 2]), &["2", "3"]),
        value("layout.axis_range", layout.flattened(1, 0, None), &["1", "0", "2"]),
        value("layout.not_unit_extent", layout.squeezed(Some(&[1])), &["extent 1", "extent 3"]),
    ]
}

fn of_shapes() -> Vec<Provoked> {
    let layout = matrix();
    vec![
        value("layout.volume_mismatch", layout.reshaped(&[4, 2]), &["6", "8"]),
        value("layout.second_inferred_extent", layout.reshaped(&[-1, -1]), &["one", "axis 1"]),
        value("layout.cannot_infer_extent", layout.reshaped(&[-1, 4]), &["4", "6"]),
        value(
            "layout.reshape_needs_copy",
            layout.reversed_axes().reshaped(&[6]),
            &["two strides", "one"],
        ),
        value("layout.broadcast_extent", layout.broadcast_to(&[2, 5]), &["axis 1", "3", "5"]),
        value("layout.broadcast_rank", layout.broadcast_to(&[3]), &["2", "1"]),
        value("layout.window_size", layout.windows(1, 4, 1), &["3", "4"]),
        value("layout.window_step", layout.windows(1, 2, 0), &["1", "0"]),
        value("layout.split_extent", layout.split_axis(1, 2), &["axis 1", "3", "2"]),
    ]
}

fn of_item_sizes() -> Vec<Provoked> {
    let layout = matrix();
    let empty = strided(&[0], &[0], 4);
    vec![
        value("layout.itemsize_ratio", layout.repacked(5, 0, -1, true), &["4", "5"]),
        value("layout.repack_empty", empty.repacked(8, 0, -1, true), &["4", "8"]),
        value("layout.repack_stride", layout.repacked(2, 0, 0, true), &["axis 0", "1", "3"]),
        value("layout.not_divisible", layout.repacked(8, 0, -1, true), &["2", "3"]),
        value(
            "layout.max_itemsize_too_small",
            layout.max_compatible_itemsize(3, 0, -1),
            &["4", "3"],
        ),
        value(
            "layout.itemsize_mismatch",
            layout.extended(&strided(&[2], &[1], 8), -1),
            &["4", "8"],
        ),
    ]
}

fn of_indices() -> Vec<Provoked> {
    let layout = matrix();
    let stepless = Slice::Range { start: None, stop: None, step: 0 };
    let range = ErrorKind::Index;
    vec![
        value("layout.zero_step", layout.sliced(&[stepless]), &["axis 0", "0"]),
        provoked(
            "layout.index_out_of_range",
            range,
            layout.sliced(&[Slice::Index(-3)]),
            &["-3", "axis 0", "2"],
        ),
        provoked(
            "layout.too_many_indices",
            range,
            layout.sliced(&[Slice::Index(0); 3]),
            &["2", "3"],
        ),
        value("layout.index_count", layout.offset_of(&[0]), &["2", "1"]),
        value("layout.second_ellipsis", layout.sliced(&[Slice::Ellipsis; 2]), &["one", "second"]),
        value(
            "layout.negative_min_offset",
            strided(&[3], &[-1], 4).required_size_in_bytes(),
            &["0", "-2"],
        ),
        value("layout.work_bound", hard().index_of(1 << 60), &["exact", "steps"]),
    ]
}

fn all() -> Vec<Provoked> {
    let mut all = of_constructors();
    all.extend(of_axes());
    all.extend(of_shapes());
    all.extend(of_item_sizes());
    all.extend(of_indices());
    all
}

#[test]
fn every_error_has_its_code_kind_and_both_sides() {
    for Provoked { code, kind, error, sides } in all() {
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.kind(), kind, "{error}");
        let message = error.to_string();
        for side in sides {
            assert!(message.contains(side), "{code}: \"{message}\" does not say {side}");
        }
    }
}

/// Messages start in lower case, or with a name, and have no full stop at the end.
#[test]
fn messages_have_the_house_form() {
    for Provoked { error, .. } in all() {
        let message = error.to_string();
        assert!(message.starts_with(|first: char| !first.is_uppercase()), "{message}");
        assert!(!message.ends_with('.') && !message.contains('\n'), "{message}");
        let source: &dyn std::error::Error = &error;
        assert!(source.source().is_none());
    }
}

#[test]
fn every_code_is_provoked() {
    let provoked: BTreeSet<&str> = all().iter().map(|provoked| provoked.code).collect();
    let listed: BTreeSet<&str> = LayoutError::CODES.iter().copied().collect();
    assert_eq!(listed.len(), LayoutError::CODES.len(), "a code is listed twice");
    assert_eq!(provoked, listed);
}

/// Codes are part of the interface: this list only grows.
#[test]
fn no_code_disappears() {
    let published = "rank_too_large negative_extent invalid_itemsize stride_count \
        stride_not_divisible overflow axis_out_of_range position_out_of_range duplicate_axis \
        axis_count no_order_to_keep volume_mismatch second_inferred_extent cannot_infer_extent \
        reshape_needs_copy axis_range not_unit_extent broadcast_extent broadcast_rank \
        itemsize_ratio repack_empty repack_stride not_divisible max_itemsize_too_small zero_step \
        index_out_of_range too_many_indices index_count second_ellipsis window_size window_step \
        split_extent itemsize_mismatch negative_min_offset work_bound";
    for slug in published.split_whitespace() {
        let code = format!("layout.{slug}");
        assert!(LayoutError::CODES.contains(&code.as_str()), "{code} has disappeared");
    }
}

/// An error is a small value: the result of a transform is not larger for it.
#[test]
fn errors_are_small() {
    assert!(size_of::<LayoutError>() <= 48);
    assert!(size_of::<LayoutError>() < size_of::<StridedLayout>());
}
