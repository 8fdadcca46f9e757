//! Merging neighbours.

use strideview_layout::StridedLayout;
use strideview_testkit::{PlainLayout, Random, arguments, oracle, view};

use super::{check_refusal, check_view};
use crate::program::{Operation, run_both};
use crate::support::{for_every_layout, plain, strided};

/// `flattened(start, end, mask)` visits the same offsets in C order and merges all neighbours in the
/// range whose merge keeps the map.
fn check_flattened(layout: &StridedLayout, start: i64, end: i64, mask: Option<u64>) {
    let operation = Operation::Flatten(start, end, mask);
    match view::flattened(&plain(layout), start, end, mask) {
        Ok(Some(view)) => {
            check_view(layout, &operation, Ok(view));
        }
        // The extents of an empty layout have a product that fits in no integer.
        Ok(None) => {
            if let Ok(result) = run_both(layout, &operation) {
                assert!(result.is_empty(), "{layout}");
            }
        }
        Err(fault) => {
            // Out of range or ending before it starts: either way a ValueError.
            let outcome = run_both(layout, &operation);
            let kind = outcome.as_ref().map_err(strideview_layout::LayoutError::kind);
            let fault = match kind {
                Err(strideview_layout::ErrorKind::Axis) => strideview_testkit::Fault::Axis,
                Err(strideview_layout::ErrorKind::Value) => strideview_testkit::Fault::Value,
                _ => fault,
            };
            check_refusal(&outcome, fault, &format!("{layout} {operation:?}"));
        }
    }
}

/// `coalesced()` visits the same offsets in C order with the fewest axes, none of extent 1; it is the same
/// for every layout that visits these offsets.
fn check_coalesced(layout: &StridedLayout, random: &mut Random) {
    let view = view::coalesced(&plain(layout));
    let result = check_view(layout, &Operation::Coalesce, view).expect("it cannot fail");
    if result.is_empty() {
        assert_eq!((result.shape(), result.strides()), (&[0][..], &[0][..]), "{layout}");
        return;
    }
    assert!(!result.shape().contains(&1), "{layout}: {result}");
    assert_eq!(result.flattened_axis_mask(), 0, "{layout}: {result} merges further");
    assert_eq!(result.coalesced(), result, "{layout}: twice");
    let target = arguments::reshape_target(random, layout.shape());
    if let Ok(other) = layout.reshaped(&target) {
        assert_eq!(other.coalesced(), result, "{layout} as {target:?}");
    }
}

/// Bit i of `flattened_axis_mask()` is set iff reshaping the nearest wider axis left of i and axis i to
/// one axis keeps the map: decided by enumeration.
fn check_mask(layout: &StridedLayout) {
    let source = plain(layout);
    let mask = layout.flattened_axis_mask();
    assert_eq!(mask & 1, 0, "{layout}: bit 0");
    for axis in 1..source.rank() {
        let merges = source.is_empty() || pair_is_one_axis(&source, axis);
        assert_eq!(mask >> axis & 1 == 1, merges, "{layout}: bit {axis} of {mask:#b}");
    }
    assert_eq!(source.rank().min(63), source.rank().min(63).max(highest_bit(mask)));
}

fn highest_bit(mask: u64) -> usize {
    63_usize.saturating_sub(usize::try_from(mask.leading_zeros()).unwrap())
}

fn pair_is_one_axis(source: &PlainLayout, axis: usize) -> bool {
    let Some(left) = (0..axis).rev().find(|&left| source.shape[left] != 1) else { return true };
    let pair = source.axes(&[left, axis]);
    match view::reshaped(&pair.shape, &[-1]) {
        Ok(view) => view.derive(&pair).is_some(),
        Err(_) => panic!("{source:?}: -1 can be inferred"),
    }
}

#[test]
fn flattened() {
    for_every_layout(9, |layout, random| {
        check_flattened(layout, 0, -1, None);
        check_flattened(layout, 0, -1, Some(0));
        check_flattened(layout, 0, -1, Some(u64::MAX));
        check_flattened(layout, 0, -1, Some(layout.flattened_axis_mask()));
        for _ in 0..4 {
            let (start, end, mask) = arguments::flatten_range(random, layout.rank());
            check_flattened(layout, start, end, mask);
        }
    });
}

#[test]
fn coalesced() {
    for_every_layout(10, check_coalesced);
}

#[test]
fn flattened_axis_mask() {
    for_every_layout(11, |layout, _| check_mask(layout));
}

/// Masks of layouts of the same shape combine: both flatten to the same shape.
#[test]
fn masks_of_two_layouts_combine() {
    for_every_layout(12, |layout, random| {
        let order = arguments::permutation(random, layout.rank());
        let order = strideview_layout::StrideOrder::Axes(&order);
        let other = layout.to_dense(order).unwrap();
        let mask = layout.flattened_axis_mask() & other.flattened_axis_mask();
        if layout.is_empty() {
            return;
        }
        let one = layout.flattened(0, -1, Some(mask)).unwrap();
        let other = other.flattened(0, -1, Some(mask)).unwrap();
        assert_eq!(one.shape(), other.shape(), "{layout}: mask {mask:#b}");
        assert_eq!(oracle::axis_mask(&plain(&one)) & oracle::axis_mask(&plain(&other)), 0);
    });
}

#[test]
fn rank_zero() {
    let scalar = strided(&[], &[], 4);
    assert_eq!(scalar.flattened(0, -1, None).unwrap().shape(), [1]);
    for (start, end) in [(0, 0), (1, -1), (0, 1), (-1, -1), (i64::MIN, i64::MAX)] {
        check_flattened(&scalar, start, end, None);
    }
}
