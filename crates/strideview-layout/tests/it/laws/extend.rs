//! Two layouts as one.

use strideview_layout::{ErrorKind, StridedLayout};
use strideview_testkit::index::{narrow, samples};
use strideview_testkit::{PlainLayout, Random, Verdict, arguments, generated, verdict, view};

use crate::program::{Operation, check_layout, run_both};
use crate::support::{build, for_every_layout, plain};

/// `extended(other, axis)`: the index with other's part cut out at `axis` is an index of `self`, the part
/// one of `other`, and the offsets add.
fn check_extended(layout: &StridedLayout, other: &StridedLayout, axis: i64) {
    let outcome = run_both(layout, &Operation::Extend(other.clone(), axis));
    let context = format!("{layout} and {other} at {axis}");
    // A position from 0 to the rank, or -1 for the end; no other negative one.
    let counted = if axis < -1 { i64::MAX } else { axis };
    let Ok(at) = view::normal_axis(counted, layout.rank() + 1) else {
        assert_eq!(outcome.expect_err(&context).kind(), ErrorKind::Axis, "{context}");
        return;
    };
    let expected = joined(&plain(layout), &plain(other), at);
    let offset = i128::from(layout.slice_offset()) + i128::from(other.slice_offset());
    let strides = expected.wide_strides();
    if layout.itemsize() != other.itemsize() || expected.rank() > strideview_layout::MAX_RANK {
        assert_eq!(outcome.expect_err(&context).kind(), ErrorKind::Value, "{context}");
        return;
    }
    match (verdict(&expected.shape, &strides, layout.itemsize(), offset), outcome) {
        (Verdict::Accept | Verdict::Either, Ok(result)) => {
            check_sum(&result, &expected, offset, &context);
        }
        (Verdict::Refuse | Verdict::Either, Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::Overflow, "{context}: {error}");
        }
        (verdict, outcome) => panic!("{context}: {outcome:?}, expected {verdict:?}"),
    }
}

/// The axes of both, the offset left out.
fn joined(layout: &PlainLayout, other: &PlainLayout, at: usize) -> PlainLayout {
    let mut result = PlainLayout { offset: 0, ..layout.clone() };
    result.shape.splice(at..at, other.shape.iter().copied());
    result.strides.splice(at..at, other.strides.iter().copied());
    result
}

fn check_sum(result: &StridedLayout, expected: &PlainLayout, offset: i128, context: &str) {
    check_layout(result);
    assert_eq!(result.shape(), expected.shape, "{context}: shape");
    assert!(!result.has_implicit_strides(), "{context}: strides must be explicit");
    if result.is_empty() {
        return;
    }
    let expected = PlainLayout { offset: narrow(offset), ..expected.clone() };
    for index in samples(result.shape()) {
        let sum = i128::from(result.offset_of(&index).unwrap());
        assert_eq!(sum, expected.offset_at(&index), "{context} at {index:?}");
    }
}

#[test]
fn extended() {
    let mut others = Random::new(20);
    for_every_layout(21, |layout, random| {
        for _ in 0..2 {
            let mut other = generated::layout(&mut others);
            if !random.once_in(4) {
                other.itemsize = layout.itemsize();
            }
            let fits =
                verdict(&other.shape, &other.wide_strides(), other.itemsize, other.offset.into());
            if fits == Verdict::Accept {
                let axis = arguments::any_axis(random, layout.rank() + 1);
                check_extended(layout, &build(&other), axis);
            }
        }
        check_extended(layout, layout, -1);
        check_extended(layout, layout, 0);
    });
}
