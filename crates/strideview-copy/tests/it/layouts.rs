//! Plans from layouts.

use strideview_copy::{CopyError, CopyPlan, Kernel, plan_for};
use strideview_layout::{Slice, StridedLayout};

fn layout(shape: &[i64], itemsize: i64) -> StridedLayout {
    StridedLayout::new(shape, None, itemsize).expect("a layout")
}

#[test]
fn shapes_and_items_must_agree() {
    let error = |dst: &StridedLayout, src: &StridedLayout| plan_for(dst, src).unwrap_err();
    assert_eq!(
        error(&layout(&[2, 3], 4), &layout(&[6], 4)),
        CopyError::RankMismatch { dst_rank: 2, src_rank: 1 }
    );
    assert_eq!(
        error(&layout(&[2, 3], 4), &layout(&[2, 1], 4)),
        CopyError::ShapeMismatch { axis: 1, dst_extent: 3, src_extent: 1 }
    );
    assert_eq!(
        error(&layout(&[2, 3], 4), &layout(&[2, 3], 8)),
        CopyError::ItemsizeMismatch { dst_itemsize: 4, src_itemsize: 8 }
    );
}

#[test]
fn slice_offsets_are_part_of_the_plan() {
    let whole = layout(&[10], 4);
    let reversed = whole.sliced(&[Slice::step(-1)]).unwrap();
    assert_eq!(reversed.slice_offset(), 9);
    let plan = plan_for(&whole, &reversed).unwrap();
    assert_eq!((plan.dst_offset(), plan.src_offset()), (0, 36));
    let back = plan_for(&reversed, &whole).unwrap();
    assert_eq!((back.dst_offset(), back.src_offset()), (0, 36));
    let same = plan_for(&reversed, &reversed).unwrap();
    assert_eq!((same.kernel(), same.dst_offset(), same.src_offset()), (Kernel::Contiguous, 0, 0));
}

#[test]
fn an_empty_layout_is_nothing_whatever_its_offset() {
    let empty = StridedLayout::with_offset(&[0, 3], None, 8, i64::MAX / 8).unwrap();
    assert_eq!(plan_for(&empty, &empty), CopyPlan::new(&[0, 3], &[0, 0], &[0, 0], 8));
}

#[test]
fn a_layout_that_no_memory_holds_is_refused_or_planned() {
    // Both ends fit in 64 bits, the distance between them does not.
    let quarter = 1_i64 << 61;
    let far = StridedLayout::with_offset(&[7], Some(&[-quarter]), 1, 3 * quarter).unwrap();
    let near = layout(&[7], 1);
    assert_eq!(plan_for(&far, &near).unwrap_err().code(), "copy.overflow");
    assert_eq!(plan_for(&near, &far).unwrap_err().code(), "copy.overflow");
}
