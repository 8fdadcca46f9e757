//! One `check_<operation>` for each operation: its law, checked by enumeration.
//!
//! A law says which index of the source each index of the result stands for. The testkit turns it into
//! strides, or finds that no layout obeys it; [`check_view`] compares.

mod axes;
mod broadcast;
mod construct;
mod dense;
mod extend;
mod flatten;
mod index;
mod part;
mod repack;
mod reshape;
mod slice;

use strideview_layout::{ErrorKind, LayoutError, StridedLayout};
use strideview_testkit::index::samples;
use strideview_testkit::{Derived, Fault, PlainLayout, Verdict, View, verdict};

use crate::program::{Operation, check_layout, run_both};
use crate::support::plain;

/// Checks that the transform, in both forms, is the view that the law describes: it succeeds iff the
/// arguments are good, a strided layout obeys the law, and that layout fits in int64.
pub(crate) fn check_view(
    layout: &StridedLayout,
    operation: &Operation,
    view: Result<View, Fault>,
) -> Option<StridedLayout> {
    let outcome = run_both(layout, operation);
    let context = format!("{layout} {operation:?}");
    let view = match view {
        Ok(view) => view,
        Err(fault) => {
            check_refusal(&outcome, fault, &context);
            return None;
        }
    };
    let source = plain(layout);
    match view.derive(&source) {
        Some(derived) => check_derived(&outcome, &view, &derived, &source, &context),
        None => {
            check_refusal(&outcome, Fault::Value, &context);
            None
        }
    }
}

/// Checks the kind of an error.
pub(crate) fn check_refusal(
    outcome: &Result<StridedLayout, LayoutError>,
    fault: Fault,
    context: &str,
) {
    let kind = match fault {
        Fault::Value => ErrorKind::Value,
        Fault::Axis => ErrorKind::Axis,
        Fault::Index => ErrorKind::Index,
    };
    match outcome {
        Ok(result) => panic!("{context}: gave {result}, expected {kind:?}"),
        Err(error) => assert_eq!(error.kind(), kind, "{context}: {error}"),
    }
}

fn check_derived(
    outcome: &Result<StridedLayout, LayoutError>,
    view: &View,
    derived: &Derived,
    source: &PlainLayout,
    context: &str,
) -> Option<StridedLayout> {
    match (verdict(&derived.shape, &derived.strides, source.itemsize, derived.offset), outcome) {
        (Verdict::Accept | Verdict::Either, Ok(result)) => {
            check_result(result, view, derived, source, context);
            Some(result.clone())
        }
        (Verdict::Refuse | Verdict::Either, Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::Overflow, "{context}: {error}");
            None
        }
        (verdict, _) => panic!("{context}: {outcome:?}, expected {verdict:?} of {derived:?}"),
    }
}

/// Checks shape, strides, offset and the law itself: for all i, `result(i) = source(j(i))`.
fn check_result(
    result: &StridedLayout,
    view: &View,
    derived: &Derived,
    source: &PlainLayout,
    context: &str,
) {
    assert_eq!(result.shape(), derived.shape, "{context}: shape");
    assert_eq!(result.itemsize(), source.itemsize, "{context}: itemsize");
    assert!(!result.has_implicit_strides(), "{context}: strides must be explicit");
    check_layout(result);
    if result.is_empty() {
        return;
    }
    assert_eq!(i128::from(result.slice_offset()), derived.offset, "{context}: offset");
    for (axis, &stride) in derived.strides.iter().enumerate() {
        if derived.shape[axis] > 1 {
            assert_eq!(i128::from(result.strides()[axis]), stride, "{context}: axis {axis}");
        }
    }
    for index in samples(result.shape()) {
        let offset = result.offset_of(&index).unwrap_or_else(|error| panic!("{context}: {error}"));
        let expected = source.offset_at(&view.source_index(&index));
        assert_eq!(i128::from(offset), expected, "{context} at {index:?}");
    }
}
