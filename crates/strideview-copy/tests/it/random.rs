//! Random pairs of layouts.

use proptest::prelude::*;

use strideview_copy::{CopyPlan, host};

use crate::cases::dense;
use crate::laws::{check_invariants, check_pairs};
use crate::oracle::Case;
use crate::runner::check;

/// A shape with the strides of a destination: axes in any order, gaps, any sign.
fn destination() -> impl Strategy<Value = (Vec<i64>, Vec<i64>, i64)> {
    let itemsize = prop_oneof![Just(1_i64), Just(2), Just(4), Just(8), Just(16), 1..40_i64];
    let extent = prop_oneof![8 => 1..6_i64, 1 => 0..2_i64, 1 => 30..40_i64];
    (prop::collection::vec((extent, any::<bool>()), 0..5), itemsize).prop_flat_map(
        |(axes, itemsize)| {
            let order: Vec<usize> = (0..axes.len()).collect();
            let gaps = (Just(order).prop_shuffle(), 0..3_i64, 0..9_i64);
            gaps.prop_map(move |(order, apart, gap)| {
                let shape: Vec<i64> = axes.iter().map(|(extent, _)| *extent).collect();
                let mut strides = dense(&shape, &order, itemsize + apart, gap);
                for (stride, (_, is_reversed)) in strides.iter_mut().zip(&axes) {
                    *stride = if *is_reversed { -*stride } else { *stride };
                }
                (shape, strides, itemsize)
            })
        },
    )
}

/// A destination with the strides of a source: like those of a destination, or anything.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    destination().prop_flat_map(|(shape, dst_strides, itemsize)| {
        let rank = shape.len();
        let anything = prop::collection::vec(-70..70_i64, rank);
        let order: Vec<usize> = (0..rank).collect();
        let (again, copied) = (shape.clone(), dst_strides.clone());
        let permuted = (Just(order).prop_shuffle(), 0..2_i64)
            .prop_map(move |(order, gap)| dense(&again, &order, itemsize, gap * itemsize));
        let zeros = prop::collection::vec(prop::bool::weighted(0.15), rank);
        (prop_oneof![2 => permuted, 1 => anything, 1 => Just(copied)], zeros).prop_map(
            move |(mut src_strides, zeros)| {
                for (stride, is_zero) in src_strides.iter_mut().zip(zeros) {
                    *stride = if is_zero { 0 } else { *stride };
                }
                let (shape, dst_strides) = (shape.clone(), dst_strides.clone());
                Case { shape, dst_strides, src_strides, itemsize }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn copies_what_the_oracle_copies(case in case()) {
        check(&case, &|plan, dst, src| {
            // SAFETY: (1) the runner gives memory for both sides of the case; (2, 3) they are two
            // vectors of its own.
            unsafe { host::copy(plan, dst, src) };
        });
    }

    #[test]
    fn plans_say_what_the_strides_say(case in case()) {
        let plan =
            CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize).unwrap();
        check_pairs(&case, &plan);
        check_invariants(&plan);
    }

    /// Any numbers at all: a plan or an error, never a panic.
    #[test]
    fn any_numbers_give_a_plan_or_an_error(
        axes in prop::collection::vec((any_number(), any_number(), any_number()), 0..6),
        itemsize in any_number(),
    ) {
        let shape: Vec<i64> = axes.iter().map(|axis| axis.0).collect();
        let dst: Vec<i64> = axes.iter().map(|axis| axis.1).collect();
        let src: Vec<i64> = axes.iter().map(|axis| axis.2).collect();
        match CopyPlan::new(&shape, &dst, &src, itemsize) {
            Ok(plan) => check_invariants(&plan),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

fn any_number() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => -3..9_i64,
        1 => any::<i64>(),
        1 => (0..63_u32, -1..2_i64).prop_map(|(bits, by)| (1_i64 << bits) + by),
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(i64::MIN + 1)],
    ]
}
