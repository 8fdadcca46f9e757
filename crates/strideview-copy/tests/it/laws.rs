//! A plan says the same pairs of bytes as the shape and strides that it was made from.

use strideview_copy::{CopyPlan, Kernel, MAX_RANK};

use crate::cases::cases;
use crate::oracle::{Case, indices, offset};

/// Law: the pairs (destination byte, source byte) of the plan are those of the case.
pub(crate) fn check_pairs(case: &Case, plan: &CopyPlan) {
    let extents: Vec<i64> = plan.axes().iter().map(|axis| axis.extent).collect();
    let dst_strides: Vec<i64> = plan.axes().iter().map(|axis| axis.dst_stride).collect();
    let src_strides: Vec<i64> = plan.axes().iter().map(|axis| axis.src_stride).collect();
    let mut pairs: Vec<(i128, i128)> = vec![];
    for index in indices(&extents) {
        let dst = i128::from(plan.dst_offset()) + offset(&index, &dst_strides);
        let src = i128::from(plan.src_offset()) + offset(&index, &src_strides);
        let run = 0..i128::from(plan.run_bytes());
        pairs.extend(run.map(|byte| (dst + byte, src + byte)));
    }
    let mut expected = case.pairs();
    expected.sort_unstable();
    pairs.sort_unstable();
    assert!(pairs == expected, "{case:?}\n{plan}");
}

/// The invariants that [`CopyPlan`] lists.
pub(crate) fn check_invariants(plan: &CopyPlan) {
    let volume: i64 = plan.axes().iter().map(|axis| axis.extent).product();
    assert_eq!(volume * plan.run_bytes(), plan.bytes(), "{plan}");
    assert!(plan.axes().len() <= MAX_RANK, "{plan}");
    assert!(plan.axes().iter().all(|axis| axis.extent >= 2 && axis.dst_stride >= 0), "{plan}");
    let is_fit = match plan.kernel() {
        Kernel::Nothing => plan.bytes() == 0 && plan.dst_offset() == 0 && plan.src_offset() == 0,
        Kernel::Contiguous => plan.bytes() > 0 && plan.axes().is_empty(),
        Kernel::Runs => plan.run_bytes() >= 32 && !plan.axes().is_empty(),
        Kernel::Strided => (1..32).contains(&plan.run_bytes()) && !plan.axes().is_empty(),
        Kernel::Transposed => (1..32).contains(&plan.run_bytes()) && plan.axes().len() >= 2,
        other => panic!("unknown kernel {other}"),
    };
    assert!(is_fit, "{plan}");
    check_order(plan);
}

/// The destination is walked from its largest stride to its smallest, but for the axis that
/// `Transposed` puts before the innermost.
fn check_order(plan: &CopyPlan) {
    let mut strides: Vec<i64> = plan.axes().iter().map(|axis| axis.dst_stride).collect();
    if let (Kernel::Transposed, [.., outer, inner]) = (plan.kernel(), plan.axes()) {
        assert!(outer.src_stride.abs() < inner.src_stride.abs(), "{plan}");
        strides.remove(plan.axes().len() - 2);
    }
    assert!(strides.is_sorted_by(|before, after| before >= after), "{plan}");
}

#[test]
fn plans_say_what_the_strides_say() {
    for itemsize in [1, 4] {
        for case in cases(itemsize) {
            let plan =
                CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, itemsize).unwrap();
            check_pairs(&case, &plan);
            check_invariants(&plan);
        }
    }
}

/// Law: the steps leave nothing that could still be merged or widened.
#[test]
fn plans_are_as_short_as_they_can_be() {
    for case in cases(4) {
        let plan = CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, 4).unwrap();
        for outer in plan.axes() {
            for inner in plan.axes() {
                let is_one = outer.dst_stride == inner.extent * inner.dst_stride
                    && outer.src_stride == inner.extent * inner.src_stride;
                assert!(!is_one || outer.dst_stride == 0, "{case:?}\n{plan}");
            }
            let is_run =
                outer.dst_stride == plan.run_bytes() && outer.src_stride == plan.run_bytes();
            assert!(!is_run, "{case:?}\n{plan}");
        }
    }
}
