//! Other shapes for the same walk in C order.

use strideview_layout::{ErrorKind, StridedLayout};
use strideview_testkit::index::volume;
use strideview_testkit::{Fault, arguments, view};

use super::check_view;
use crate::program::{Operation, run_both};
use crate::support::{for_every_layout, strided};

/// `reshaped(shape)` succeeds iff some strided layout of that shape visits the same offsets in C order;
/// the result visits them.
fn check_reshaped(layout: &StridedLayout, shape: &[i64]) {
    let operation = Operation::Reshape(shape.to_vec());
    let view = view::reshaped(layout.shape(), shape);
    let too_large = volume(shape) > i128::from(i64::MAX);
    if too_large && matches!(view, Err(Fault::Value)) {
        let error = run_both(layout, &operation).expect_err("the volumes differ");
        assert!(matches!(error.kind(), ErrorKind::Value | ErrorKind::Overflow), "{error}");
        return;
    }
    if let Some(result) = check_view(layout, &operation, view) {
        assert_eq!(result.volume(), layout.volume());
    }
}

#[test]
fn reshaped() {
    for_every_layout(8, |layout, random| {
        check_reshaped(layout, layout.shape());
        check_reshaped(layout, &[-1]);
        check_reshaped(layout, &[]);
        check_reshaped(layout, &[1; 65]);
        for _ in 0..6 {
            check_reshaped(layout, &arguments::reshape_target(random, layout.shape()));
        }
    });
}

#[test]
fn shapes_that_fit_no_integer_are_refused() {
    let layout = strided(&[5], &[1], 4);
    for shape in [
        &[3, 7, 29, 36_760_123, 823_996_703][..],
        &[1 << 32, 1 << 32],
        &[i64::MAX, i64::MAX, i64::MAX, i64::MAX],
        &[i64::MAX, -1, i64::MAX],
        &[i64::MIN],
        &[5, i64::MIN],
        &[5, i64::MAX],
    ] {
        check_reshaped(&layout, shape);
        check_reshaped(&strided(&[0, 2], &[1, 1], 4), shape);
    }
    check_reshaped(&strided(&[0, 2], &[1, 1], 4), &[i64::MAX, i64::MAX, 0]);
    check_reshaped(&strided(&[0, 2], &[1, 1], 4), &[i64::MAX, 0, -1]);
}

/// Every factorisation of small volumes, for every layout of a few axes and strides: the peer that
/// looks at strides of unit axes refuses most of these.
#[test]
fn unit_axes_with_any_stride_reshape() {
    for a in 1..4 {
        for b in 1..4 {
            for unit_stride in [-100, -1, 0, 1, 2, 3, 100, i64::MAX, i64::MIN] {
                let layout = strided(&[a, 1, b], &[b, unit_stride, 1], 4);
                assert!(layout.is_contiguous_c());
                for shape in [&[a * b][..], &[a, b], &[1, a * b, 1], &[b, a], &[a, 1, b, 1]] {
                    let flat = layout.reshaped(shape).unwrap();
                    assert!(flat.is_contiguous_c(), "{layout} to {shape:?}");
                }
            }
        }
    }
}

/// Exhaustive: shapes of rank 3 with small strides, against every shape of the same volume.
#[test]
fn all_small_reshapes() {
    let targets: Vec<Vec<i64>> = strideview_testkit::index::indices(&[9, 9, 9])
        .filter(|shape| (1..=8).contains(&volume(shape)))
        .collect();
    for source in strideview_testkit::index::indices(&[3, 3, 3]) {
        let shape: Vec<i64> = source.iter().map(|extent| extent + 1).collect();
        for strides in strideview_testkit::index::indices(&[4, 4, 3]) {
            let strides = [strides[0] * 2, strides[1] - 1, strides[2] - 1];
            let layout = strided(&shape, &strides, 1);
            for target in targets.iter().filter(|target| volume(target) == volume(&shape)) {
                check_reshaped(&layout, target);
            }
        }
    }
}
