//! Dense layouts.

use strideview_layout::{ErrorKind, StrideOrder, StridedLayout};
use strideview_testkit::view::{Fault, normal_axes};
use strideview_testkit::{Verdict, arguments, oracle, verdict};

use crate::program::{Operation, Order, check_layout, run_both};
use crate::support::for_every_layout;

/// The axes from slowest to fastest that an order means for this layout.
fn slowest_first(layout: &StridedLayout, order: &Order) -> Result<Vec<usize>, Fault> {
    let rank = layout.rank();
    match order {
        Order::C => Ok((0..rank).collect()),
        Order::F => Ok((0..rank).rev().collect()),
        Order::K => Ok(layout.stride_order().to_vec()),
        Order::Axes(axes) if axes.len() != rank => Err(Fault::Value),
        Order::Axes(axes) => normal_axes(axes, rank),
    }
}

/// `to_dense(order)`: shape and itemsize of `self`, offset 0, the offsets are 0 … volume-1 each once, and
/// the axes lie in the order asked for.
fn check_to_dense(layout: &StridedLayout, order: &Order) {
    let outcome = run_both(layout, &Operation::MakeDense(order.clone()));
    let context = format!("{layout} {order:?}");
    let like = StridedLayout::dense_like(layout, order.borrowed());
    assert_eq!(like, outcome, "{context}: dense_like");
    let axes = match slowest_first(layout, order) {
        Ok(axes) => axes,
        Err(fault) => return super::check_refusal(&outcome, fault, &context),
    };
    let strides = oracle::dense_strides(layout.shape(), &axes);
    let verdict = verdict(layout.shape(), &strides, layout.itemsize(), 0);
    assert_eq!(verdict, Verdict::Accept, "{context}: volume and bytes fit already");
    let result = outcome.unwrap_or_else(|error| panic!("{context}: {error}"));
    let found: Vec<i128> = result.strides().iter().map(|&stride| stride.into()).collect();
    assert_eq!(found, strides, "{context}: strides");
    assert_eq!((result.shape(), result.itemsize()), (layout.shape(), layout.itemsize()));
    assert_eq!(result.slice_offset(), 0, "{context}");
    assert!(result.is_dense() && result.is_unique() && result.is_exhaustive(), "{context}");
    assert_eq!(result.required_size_in_bytes(), Ok(layout.nbytes()), "{context}");
    check_layout(&result);
    check_dense(&result, order, &axes);
}

/// `dense(shape, itemsize, order)` gives the same, but refuses K, which has nothing to keep.
fn check_dense(expected: &StridedLayout, order: &Order, axes: &[usize]) {
    let (shape, itemsize) = (expected.shape(), expected.itemsize());
    let listed: Vec<i64> = axes.iter().map(|&axis| i64::try_from(axis).unwrap()).collect();
    let by_list = StridedLayout::dense(shape, itemsize, StrideOrder::Axes(&listed));
    assert_eq!(by_list.as_ref(), Ok(expected));
    match (order, StridedLayout::dense(shape, itemsize, order.borrowed())) {
        (Order::K, outcome) => assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Value),
        (_, outcome) => assert_eq!(outcome.as_ref(), Ok(expected)),
    }
}

#[test]
fn to_dense() {
    for_every_layout(22, |layout, random| {
        for order in [Order::C, Order::F, Order::K] {
            check_to_dense(layout, &order);
        }
        let axes = arguments::permutation(random, layout.rank());
        let spoiled = arguments::spoiled(random, axes.clone(), layout.rank());
        check_to_dense(layout, &Order::Axes(axes));
        check_to_dense(layout, &Order::Axes(spoiled));
    });
}

#[test]
fn keeping_the_order_twice_changes_nothing() {
    for_every_layout(23, |layout, _| {
        let once = layout.to_dense(StrideOrder::K).unwrap();
        if layout.is_unique() {
            let order = once.stride_order();
            let wide = |axes: &[usize]| -> Vec<usize> {
                axes.iter().copied().filter(|&axis| layout.shape()[axis] > 1).collect()
            };
            if !layout.is_empty() {
                assert_eq!(wide(&order), wide(&layout.stride_order()), "{layout}: {once}");
            }
        }
        let again = once.to_dense(StrideOrder::K).unwrap();
        assert!(again.maps_like(&once), "{layout}: {once}, then {again}");
    });
}

#[test]
fn dense_of_extents_that_do_not_fit() {
    let orders = [Order::C, Order::F, Order::Axes(vec![1, 0, 2])];
    for order in &orders {
        for shape in [[0, 1 << 62, 4], [1 << 62, 4, 0], [1 << 62, 0, 4], [i64::MAX, i64::MAX, 0]] {
            let layout = StridedLayout::dense(&shape, 8, order.borrowed()).unwrap();
            assert_eq!(layout.strides(), [0, 0, 0], "{shape:?} {order:?}");
        }
        for shape in [[1, 1 << 62, 4], [1 << 62, 4, 1], [1 << 21, 1 << 21, 1 << 21]] {
            let error = StridedLayout::dense(&shape, 8, order.borrowed()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Overflow, "{shape:?} {order:?}");
        }
        for (shape, itemsize) in [([2, -1, 0], 8), ([2, 2, 2], 0), ([0, 0, 0], -1)] {
            let error = StridedLayout::dense(&shape, itemsize, order.borrowed()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Value, "{shape:?} {order:?}");
        }
    }
    let error = StridedLayout::dense(&[1; 65], 8, StrideOrder::C).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
}
