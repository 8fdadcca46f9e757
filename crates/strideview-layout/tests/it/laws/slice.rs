//! Index expressions.

use strideview_layout::{Slice, StridedLayout};
use strideview_testkit::{PlainSlice, arguments, view};

use super::check_view;
use crate::program::Operation;
use crate::support::{for_every_layout, plain, slice, strided};

/// `sliced(x)(i) = self(j)` by CPython's rules; indices drop their axis. An empty result has strides 0 and
/// the offset that the other axes give.
fn check_sliced(layout: &StridedLayout, items: &[PlainSlice]) {
    let operation = Operation::Slice(items.iter().copied().map(slice).collect());
    let view = view::sliced(layout.shape(), items);
    let Some(result) = check_view(layout, &operation, view) else { return };
    if !result.is_empty() {
        return;
    }
    assert!(result.strides().iter().all(|&stride| stride == 0), "{layout} {items:?}: {result}");
    if !layout.is_empty() {
        let kept = view::kept_offset(&plain(layout), items).unwrap();
        assert_eq!(i128::from(result.slice_offset()), kept, "{layout} {items:?}: offset");
    }
}

#[test]
fn sliced() {
    for_every_layout(16, |layout, random| {
        check_sliced(layout, &[]);
        check_sliced(layout, &[PlainSlice::Ellipsis]);
        for _ in 0..6 {
            check_sliced(layout, &arguments::slices(random, layout.shape()));
        }
    });
}

/// Slicing a slice is one slice: offsets compose.
#[test]
fn slices_compose() {
    for_every_layout(17, |layout, random| {
        let first = arguments::slices(random, layout.shape());
        let items: Vec<Slice> = first.iter().copied().map(slice).collect();
        if let Ok(part) = layout.sliced(&items) {
            check_sliced(&part, &arguments::slices(random, part.shape()));
        }
    });
}

/// Every start, stop and step around small extents, and the ends of int64.
#[test]
fn all_small_slices() {
    let bounds: Vec<Option<i64>> = std::iter::once(None)
        .chain((-7..=7).map(Some))
        .chain([Some(i64::MIN), Some(i64::MAX)])
        .collect();
    for extent in 0..6 {
        let layout = strided(&[extent], &[3], 4);
        for &start in &bounds {
            for &stop in &bounds {
                for step in [0, 1, -1, 2, -2, 5, -7, i64::MAX, i64::MIN, i64::MIN + 1] {
                    check_sliced(&layout, &[PlainSlice::Range(start, stop, step)]);
                }
            }
        }
    }
}

#[test]
fn all_small_indices() {
    for extent in 0..4 {
        let layout = strided(&[extent, 2], &[-5, 1], 2);
        for at in (-6..6).chain([i64::MIN, i64::MAX]) {
            check_sliced(&layout, &[PlainSlice::Index(at)]);
            check_sliced(&layout, &[PlainSlice::Ellipsis, PlainSlice::Index(at)]);
            check_sliced(&layout, &[PlainSlice::NewAxis, PlainSlice::Index(at)]);
        }
    }
}

#[test]
fn new_axes_count_towards_the_rank() {
    let layout = strided(&[2], &[1], 1);
    check_sliced(&layout, &[PlainSlice::NewAxis; 63]);
    check_sliced(&layout, &[PlainSlice::NewAxis; 64]);
    check_sliced(&layout, &[PlainSlice::NewAxis; 200]);
}
