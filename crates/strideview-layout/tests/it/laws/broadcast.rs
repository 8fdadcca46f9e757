//! Repeating elements, and the reverse.

use std::collections::BTreeSet;

use strideview_layout::StridedLayout;
use strideview_testkit::{arguments, view};

use super::check_view;
use crate::program::Operation;
use crate::support::{for_every_layout, plain};

/// `broadcast_to(shape)(i) = self(j)`, right-aligned, `j[k] = 0` where the extent was 1.
fn check_broadcast_to(layout: &StridedLayout, shape: &[i64]) {
    let operation = Operation::BroadcastTo(shape.to_vec());
    let view = view::broadcast_to(layout.shape(), shape);
    let Some(result) = check_view(layout, &operation, view) else { return };
    if result.is_empty() {
        return;
    }
    let added = result.rank() - layout.rank();
    for axis in 0..result.rank() {
        let repeats = axis < added || layout.shape()[axis - added] == 1;
        if repeats && result.shape()[axis] != 1 {
            assert_eq!(result.strides()[axis], 0, "{layout} to {shape:?}: axis {axis}");
        }
    }
}

/// `unbroadcast()` is `self` at index 0 of every axis of stride 0: the same offsets; an empty layout
/// stays as it is.
fn check_unbroadcast(layout: &StridedLayout) {
    let source = plain(layout);
    let view = view::unbroadcast(&source);
    let result = check_view(layout, &Operation::Unbroadcast, view).expect("it cannot fail");
    assert_eq!(result.is_empty(), layout.is_empty());
    assert_eq!(result.unbroadcast(), result, "{layout}: twice");
    if source.volume() <= 2048 {
        let offsets: BTreeSet<i64> = layout.offsets().collect();
        assert_eq!(result.offsets().collect::<BTreeSet<_>>(), offsets, "{layout}");
    }
}

#[test]
fn broadcast_to() {
    for_every_layout(6, |layout, random| {
        check_broadcast_to(layout, layout.shape());
        for _ in 0..4 {
            check_broadcast_to(layout, &arguments::broadcast_target(random, layout.shape()));
        }
        if let Some(fewer) = layout.shape().get(1..) {
            check_broadcast_to(layout, fewer);
        }
    });
}

#[test]
fn broadcast_there_and_back() {
    for_every_layout(7, |layout, random| {
        check_unbroadcast(layout);
        let target = arguments::broadcast_target(random, layout.shape());
        if let Ok(wide) = layout.broadcast_to(&target) {
            check_unbroadcast(&wide);
        }
    });
}
