//! Copies that cannot be planned, and the edge of those that can.

use strideview_copy::{CopyError, CopyPlan, Kernel, Quantity, Side};

const MAX: i64 = i64::MAX;
const MIN: i64 = i64::MIN;

fn error(shape: &[i64], dst: &[i64], src: &[i64], itemsize: i64) -> CopyError {
    CopyPlan::new(shape, dst, src, itemsize).expect_err("no plan")
}

#[test]
fn what_is_no_layout_is_refused() {
    assert_eq!(
        error(&[1; 65], &[0; 65], &[0; 65], 1),
        CopyError::RankTooLarge { rank: 65, limit: 64 }
    );
    assert_eq!(
        error(&[2, 2], &[1], &[1, 1], 1),
        CopyError::StrideCount { side: Side::Destination, strides: 1, rank: 2 }
    );
    assert_eq!(
        error(&[2, 2], &[1, 1], &[1, 1, 1], 1),
        CopyError::StrideCount { side: Side::Source, strides: 3, rank: 2 }
    );
    assert_eq!(error(&[2], &[1], &[1], 0), CopyError::InvalidItemsize { itemsize: 0 });
    assert_eq!(error(&[2], &[1], &[1], MIN), CopyError::InvalidItemsize { itemsize: MIN });
    assert_eq!(
        error(&[0, -1], &[1, 1], &[1, 1], 1),
        CopyError::NegativeExtent { axis: 1, extent: -1 }
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let bytes = CopyError::Overflow { quantity: Quantity::Bytes };
    let dst = CopyError::Overflow { quantity: Quantity::Reach(Side::Destination) };
    let src = CopyError::Overflow { quantity: Quantity::Reach(Side::Source) };
    assert_eq!(error(&[MAX], &[1], &[0], 2), bytes);
    assert_eq!(error(&[1 << 40, 1 << 40], &[0, 0], &[0, 0], 1), bytes);
    assert_eq!(error(&[2], &[MAX], &[1], 1), dst);
    assert_eq!(error(&[2], &[MIN], &[1], 1), dst);
    assert_eq!(error(&[2], &[1], &[MIN], 1), src);
    assert_eq!(error(&[3], &[1], &[1 << 62], 1), src);
    assert_eq!(error(&[2, 2], &[1 << 62, 1 << 62], &[1, 1], 1), dst);
    assert_eq!(error(&[2, 2], &[1, 1], &[-MAX, -2], 1), src);
}

#[test]
fn what_just_fits_is_planned() {
    let plan = CopyPlan::new(&[MAX], &[1], &[1], 1).unwrap();
    assert_eq!((plan.kernel(), plan.bytes()), (Kernel::Contiguous, MAX));
    let plan = CopyPlan::new(&[2], &[MAX - 1], &[-MAX], 1).unwrap();
    assert_eq!(plan.bytes(), 2);
    let plan = CopyPlan::new(&[2, 2], &[1 << 62, -(1 << 62)], &[-MAX, MAX - 1], 1).unwrap();
    assert_eq!((plan.dst_offset(), plan.src_offset()), (-(1 << 62), MAX - 1));
    let plan = CopyPlan::new(&[1 << 31, 1 << 31], &[1 << 31, 1], &[0, 0], 1).unwrap();
    assert_eq!(plan.bytes(), 1 << 62);
}

#[test]
fn an_empty_copy_never_overflows() {
    for shape in [[MAX, MAX, 0], [0, MAX, MAX], [MAX, 0, MAX]] {
        let plan = CopyPlan::new(&shape, &[MAX, MIN, MAX], &[MIN, MAX, 1], MAX).unwrap();
        assert_eq!(plan.kernel(), Kernel::Nothing);
    }
}
