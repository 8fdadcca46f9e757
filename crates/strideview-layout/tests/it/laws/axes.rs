//! Axes in another order, fewer or more of them.

use strideview_layout::StridedLayout;
use strideview_testkit::{Random, arguments, view};

use super::check_view;
use crate::program::Operation;
use crate::support::for_every_layout;

/// `permuted(axes)(i) = self(j)` with `j[axes[k]] = i[k]`; the inverse permutation takes it back.
fn check_permuted(layout: &StridedLayout, axes: &[i64]) {
    let operation = Operation::Permute(axes.to_vec());
    let Some(result) = check_view(layout, &operation, view::permuted(layout.shape(), axes)) else {
        return;
    };
    let rank = layout.rank();
    let mut inverse = vec![0; rank];
    for (to, &from) in (0..).zip(axes) {
        inverse[view::normal_axis(from, rank).unwrap()] = to;
    }
    let back = result.permuted(&inverse).unwrap();
    assert_eq!(back, *layout, "{layout} {axes:?}: there and back");
}

/// `transposed(a, b)` exchanges two axes; twice is the identity.
fn check_transposed(layout: &StridedLayout, a: i64, b: i64) {
    let operation = Operation::Transpose(a, b);
    if let Some(result) = check_view(layout, &operation, view::transposed(layout.shape(), a, b)) {
        assert_eq!(result.transposed(b, a).unwrap(), *layout, "{layout}: twice");
    }
}

/// `moved_axis(from, to)` moves one axis; moving it back is the identity.
fn check_moved_axis(layout: &StridedLayout, from: i64, to: i64) {
    let operation = Operation::MoveAxis(from, to);
    let view = view::moved_axis(layout.shape(), from, to);
    if let Some(result) = check_view(layout, &operation, view) {
        assert_eq!(result.moved_axis(to, from).unwrap(), *layout, "{layout}: there and back");
    }
}

/// `reversed_axes()(i) = self(i reversed)`; twice is the identity.
fn check_reversed_axes(layout: &StridedLayout) {
    let view = view::reversed_axes(layout.shape());
    let result = check_view(layout, &Operation::ReverseAxes, view).expect("it cannot fail");
    assert_eq!(result.reversed_axes(), *layout);
}

/// `squeezed` drops unit axes, all or the given ones.
fn check_squeezed(layout: &StridedLayout, axes: Option<Vec<i64>>) {
    let view = view::squeezed(layout.shape(), axes.as_deref());
    check_view(layout, &Operation::Squeeze(axes), view);
}

/// `unsqueezed(axes)` puts unit axes at positions of the result; squeezing those is the identity.
fn check_unsqueezed(layout: &StridedLayout, axes: &[i64]) {
    let operation = Operation::Unsqueeze(axes.to_vec());
    if let Some(result) = check_view(layout, &operation, view::unsqueezed(layout.shape(), axes)) {
        let back = result.squeezed(Some(axes)).unwrap();
        assert_eq!(back, *layout, "{layout} {axes:?}: there and back");
        assert!(layout.is_empty() || result.maps_like(layout));
    }
}

/// `sub(axes)` keeps the listed axes, the others held at index 0.
fn check_sub(layout: &StridedLayout, axes: &[i64]) {
    let view = view::sub(layout.shape(), axes);
    let operation = Operation::Sub(axes.to_vec());
    // No index of an empty layout is 0, so only a result that is empty as well is a statement.
    let says_something = view.as_ref().is_err() || !layout.is_empty();
    if says_something || view.as_ref().is_ok_and(|view| view.shape.contains(&0)) {
        check_view(layout, &operation, view);
    } else if let Ok(result) = crate::program::run_both(layout, &operation) {
        assert_eq!(result.rank(), axes.len());
    }
}

/// Unit axes of the layout, some of them, sometimes another axis as well.
fn unit_axes(layout: &StridedLayout, random: &mut Random) -> Vec<i64> {
    let axes = (0..).zip(layout.shape()).filter(|&(_, &extent)| extent == 1 || random.once_in(9));
    let axes: Vec<i64> = axes.map(|(axis, _)| axis).collect();
    axes.into_iter().filter(|_| !random.once_in(4)).collect()
}

#[test]
fn permuted() {
    for_every_layout(1, |layout, random| {
        let rank = layout.rank();
        for _ in 0..2 {
            let axes = arguments::permutation(random, rank);
            check_permuted(layout, &axes);
            check_permuted(layout, &arguments::spoiled(random, axes, rank));
        }
    });
}

#[test]
fn transposed_moved_and_reversed() {
    for_every_layout(2, |layout, random| {
        let rank = layout.rank();
        let mut axis = || arguments::any_axis(random, rank);
        check_transposed(layout, axis(), axis());
        check_moved_axis(layout, axis(), axis());
        check_reversed_axes(layout);
    });
}

#[test]
fn squeezed() {
    for_every_layout(3, |layout, random| {
        check_squeezed(layout, None);
        check_squeezed(layout, Some(vec![]));
        let axes = unit_axes(layout, random);
        check_squeezed(layout, Some(axes.clone()));
        check_squeezed(layout, Some(arguments::spoiled(random, axes, layout.rank())));
    });
}

#[test]
fn unsqueezed() {
    for_every_layout(4, |layout, random| {
        let rank = layout.rank();
        for count in 0..3 {
            let mut axes = arguments::permutation(random, rank + count);
            axes.truncate(count);
            check_unsqueezed(layout, &axes);
        }
        let twice = arguments::axis(random, rank + 2);
        check_unsqueezed(layout, &[twice, twice]);
        check_unsqueezed(layout, &[arguments::bad_axis(random, rank + 1)]);
    });
}

#[test]
fn sub() {
    for_every_layout(5, |layout, random| {
        let rank = layout.rank();
        check_sub(layout, &[]);
        let axes = arguments::distinct_axes(random, rank);
        check_sub(layout, &axes);
        check_sub(layout, &arguments::spoiled(random, axes, rank));
    });
}
