//! The two forms of a transform, compared.

use strideview_layout::{LayoutError, StridedLayout};

use super::Operation;

/// Runs both forms, compares them, and returns their result.
///
/// # Panics
/// When the forms differ, when a failed one changed the layout, or a message is missing.
pub(crate) fn run_both(
    layout: &StridedLayout,
    operation: &Operation,
) -> Result<StridedLayout, LayoutError> {
    let by_value = operation.by_value(layout);
    let mut changed = layout.clone();
    let in_place = operation.in_place(&mut changed);
    match (&by_value, &in_place) {
        (Ok(result), Ok(())) => assert_same(result, &changed, layout, operation),
        (Err(one), Err(other)) => {
            assert_eq!(one.code(), other.code(), "{layout} {operation:?}: the forms differ");
            assert_eq!(one.to_string(), other.to_string(), "{layout} {operation:?}");
            assert_same(layout, &changed, layout, operation);
        }
        _ => panic!("{layout} {operation:?}: by value {by_value:?}, in place {in_place:?}"),
    }
    by_value
}

/// Compares two layouts literally.
fn assert_same(
    one: &StridedLayout,
    other: &StridedLayout,
    layout: &StridedLayout,
    operation: &Operation,
) {
    assert_eq!(one, other, "{layout} {operation:?}: the two forms differ");
    assert_eq!(
        one.has_implicit_strides(),
        other.has_implicit_strides(),
        "{layout} {operation:?}: one form has implicit strides"
    );
}
