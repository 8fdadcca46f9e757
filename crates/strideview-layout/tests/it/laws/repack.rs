//! The same bytes with another item size.

use strideview_layout::{ErrorKind, StridedLayout};
use strideview_testkit::arguments::{self, Repack};
use strideview_testkit::{PlainLayout, index, oracle, view};

use crate::program::{Operation, check_layout, run_both};
use crate::support::{for_every_layout, plain, strided};

/// `repacked(..)` succeeds iff everything it divides is divisible; with the axis moved last, source and
/// result visit the same bytes in the same order. volume·itemsize is unchanged.
fn check_repacked(layout: &StridedLayout, arguments: Repack) {
    let Repack { itemsize, data_ptr, axis, keep_dim } = arguments;
    let operation = Operation::Repack { itemsize, data_ptr, axis, keep_dim };
    let outcome = run_both(layout, &operation);
    let context = format!("{layout} {operation:?}");
    if itemsize == layout.itemsize() {
        assert_eq!(outcome.as_ref(), Ok(layout), "{context}: the same itemsize");
        return;
    }
    let Ok(at) = view::normal_axis(axis, layout.rank()) else {
        let error = outcome.expect_err("there is no such axis");
        assert!(matches!(error.kind(), ErrorKind::Axis | ErrorKind::Value), "{context}: {error}");
        return;
    };
    let source = plain(layout);
    let allowed = oracle::may_repack(&source, itemsize, data_ptr, at);
    match outcome {
        Ok(result) => {
            assert!(allowed, "{context}: gave {result}");
            check_bytes(&source, &result, at, keep_dim, &context);
        }
        Err(error) => {
            assert!(!allowed, "{context}: {error}");
            assert_eq!(error.kind(), ErrorKind::Value, "{context}: {error}");
        }
    }
}

fn check_bytes(
    source: &PlainLayout,
    result: &StridedLayout,
    axis: usize,
    keep_dim: bool,
    context: &str,
) {
    check_layout(result);
    assert!(!result.has_implicit_strides(), "{context}: strides must be explicit");
    let bytes = source.volume() * i128::from(source.itemsize);
    assert_eq!(i128::from(result.nbytes()), bytes, "{context}: bytes");
    let drops = !keep_dim
        && result.itemsize() > source.itemsize
        && source.shape[axis] * source.itemsize == result.itemsize();
    assert_eq!(result.rank(), source.rank() - usize::from(drops), "{context}: rank");
    let walked = plain(result);
    let walked = if drops { walked } else { last(&walked, axis) };
    if source.volume() <= index::ENUMERATED && bytes <= 1 << 20 {
        let expected = oracle::bytes_in_order(&last(source, axis));
        assert_eq!(oracle::bytes_in_order(&walked), expected, "{context}: order of bytes");
    }
}

/// The layout with one axis moved to the end.
fn last(layout: &PlainLayout, axis: usize) -> PlainLayout {
    let mut axes: Vec<usize> = (0..layout.rank()).filter(|&other| other != axis).collect();
    axes.push(axis);
    layout.axes(&axes)
}

/// `max_compatible_itemsize(..)` is the largest multiple of the itemsize that divides the limit and that
/// `repacked` takes, and never less than the itemsize.
fn check_max_compatible_itemsize(layout: &StridedLayout, largest: i64, data_ptr: u64, axis: i64) {
    let context = format!("{layout}: at most {largest}, address {data_ptr}, axis {axis}");
    let answer = layout.max_compatible_itemsize(largest, data_ptr, axis);
    let at = view::normal_axis(axis, layout.rank());
    let (Ok(at), false) = (at, largest < layout.itemsize()) else {
        let error = answer.expect_err(&context);
        assert!(matches!(error.kind(), ErrorKind::Axis | ErrorKind::Value), "{context}: {error}");
        return;
    };
    let answer = answer.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(answer >= layout.itemsize() && answer % layout.itemsize() == 0, "{context}: {answer}");
    assert!(layout.repacked(answer, data_ptr, axis, true).is_ok(), "{context}: {answer}");
    if largest <= 4096 {
        let expected = oracle::max_compatible_itemsize(&plain(layout), largest, data_ptr, at);
        assert_eq!(answer, expected, "{context}");
    }
}

#[test]
fn repacked() {
    for_every_layout(18, |layout, random| {
        for _ in 0..8 {
            check_repacked(layout, arguments::repack(random, &plain(layout)));
        }
        let axis = arguments::bad_axis(random, layout.rank());
        check_repacked(layout, Repack { axis, ..arguments::repack(random, &plain(layout)) });
    });
}

/// Layouts that can be packed are rare among random ones: every pair of item sizes, both ways.
#[test]
fn dense_layouts_repack() {
    for itemsize in 1..=16 {
        for wanted in 1..=48 {
            for (shape, strides) in [(vec![12], vec![1]), (vec![2, 24], vec![48, 1])] {
                let layout = strided(&shape, &strides, itemsize);
                for (data_ptr, keep_dim) in [(0, true), (0, false), (24, true), (1, true)] {
                    let axis = -1;
                    let arguments = Repack { itemsize: wanted, data_ptr, axis, keep_dim };
                    check_repacked(&layout, arguments);
                }
            }
        }
    }
}

#[test]
fn max_compatible_itemsize() {
    for_every_layout(19, |layout, random| {
        let rank = layout.rank();
        for _ in 0..4 {
            let largest = random.pick(&[16, 16, 6, 5, 12, 48, 1, 0, -4, i64::MAX, i64::MIN, 840]);
            let data_ptr = random.pick(&[0, 0, 256, 2, 12, 1, u64::MAX, 1 << 63]);
            let axis = arguments::any_axis(random, rank);
            check_max_compatible_itemsize(layout, largest, data_ptr, axis);
        }
    });
}

#[test]
fn dense_layouts_have_the_largest_itemsize() {
    for itemsize in 1..=16 {
        for extent in 0..=24 {
            let layout = strided(&[3, extent], &[48, 1], itemsize);
            for largest in 1..=48 {
                for data_ptr in [0, 2, 12, 48] {
                    check_max_compatible_itemsize(&layout, largest, data_ptr, -1);
                }
            }
        }
    }
}
