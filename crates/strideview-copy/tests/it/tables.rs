//! Plans of well-known copies, worked out by hand.

use strideview_copy::{CopyPlan, Kernel, PlanAxis};

use crate::laws::check_invariants;

fn plan(shape: &[i64], dst: &[i64], src: &[i64], itemsize: i64) -> CopyPlan {
    let plan = CopyPlan::new(shape, dst, src, itemsize).expect("a copy that fits");
    check_invariants(&plan);
    plan
}

fn axis(extent: i64, dst_stride: i64, src_stride: i64) -> PlanAxis {
    PlanAxis { extent, dst_stride, src_stride }
}

#[test]
fn both_reversed_is_one_run() {
    let plan = plan(&[3, 4], &[-16, -4], &[-16, -4], 4);
    assert_eq!((plan.kernel(), plan.run_bytes()), (Kernel::Contiguous, 48));
    assert_eq!((plan.dst_offset(), plan.src_offset()), (-44, -44));
}

#[test]
fn a_reversed_destination_reverses_the_source() {
    let plan = plan(&[5], &[-8], &[8], 8);
    assert_eq!((plan.dst_offset(), plan.src_offset()), (-32, 32));
    assert_eq!(plan.axes(), [axis(5, 8, -8)]);
}

#[test]
fn fortran_to_fortran_is_one_run() {
    let plan = plan(&[3, 4, 5], &[2, 6, 24], &[2, 6, 24], 2);
    assert_eq!((plan.kernel(), plan.run_bytes()), (Kernel::Contiguous, 120));
}

#[test]
fn interleaved_pixels_to_planes() {
    // (2, 3, 480, 640): planes from pixels of three bytes.
    let (w, h) = (640, 480);
    let plan = plan(&[2, 3, h, w], &[3 * h * w, h * w, w, 1], &[3 * h * w, 1, 3 * w, 3], 1);
    assert_eq!(plan.kernel(), Kernel::Transposed);
    assert_eq!(plan.axes(), [axis(2, 921_600, 921_600), axis(3, 307_200, 1), axis(307_200, 1, 3)]);
}

#[test]
fn planes_to_interleaved_pixels() {
    let (w, h) = (640, 480);
    let plan = plan(&[2, h, w, 3], &[3 * h * w, 3 * w, 3, 1], &[3 * h * w, w, 1, h * w], 1);
    assert_eq!(plan.kernel(), Kernel::Transposed);
    assert_eq!(plan.axes(), [axis(2, 921_600, 921_600), axis(307_200, 3, 1), axis(3, 1, 307_200)]);
}

#[test]
fn attention_heads_move_in_runs() {
    // (batch, sequence, head, channel) to (batch, head, sequence, channel), two bytes each.
    let (s, h, d) = (128, 16, 64);
    let plan = plan(
        &[2, h, s, d],
        &[2 * h * s * d, 2 * s * d, 2 * d, 2],
        &[2 * h * s * d, 2 * d, 2 * h * d, 2],
        2,
    );
    assert_eq!((plan.kernel(), plan.run_bytes()), (Kernel::Runs, 128));
    assert_eq!(plan.axes().len(), 3);
}

#[test]
fn three_axes_reversed_pair_the_outermost_with_the_innermost() {
    let plan = plan(&[4, 5, 6], &[120, 24, 4], &[4, 16, 80], 4);
    assert_eq!(plan.kernel(), Kernel::Transposed);
    assert_eq!(plan.axes(), [axis(5, 24, 16), axis(4, 120, 4), axis(6, 4, 80)]);
}

#[test]
fn padded_rows_move_in_runs() {
    let plan = plan(&[100, 33], &[132, 4], &[256, 4], 4);
    assert_eq!((plan.kernel(), plan.run_bytes()), (Kernel::Runs, 132));
    assert_eq!(plan.axes(), [axis(100, 132, 256)]);
}

#[test]
fn a_broadcast_scalar_is_one_axis() {
    let plan = plan(&[10, 20, 30], &[2400, 120, 4], &[0, 0, 0], 4);
    assert_eq!(plan.kernel(), Kernel::Strided);
    assert_eq!(plan.axes(), [axis(6000, 4, 0)]);
}

#[test]
fn a_broadcast_row_moves_in_runs() {
    let plan = plan(&[10, 20], &[80, 4], &[0, 4], 4);
    assert_eq!((plan.kernel(), plan.run_bytes()), (Kernel::Runs, 80));
}

#[test]
fn a_broadcast_column_is_not_transposed() {
    let plan = plan(&[10, 20], &[80, 4], &[4, 0], 4);
    assert_eq!(plan.kernel(), Kernel::Strided);
    assert_eq!(plan.axes(), [axis(10, 80, 4), axis(20, 4, 0)]);
}

#[test]
fn pairs_become_wider_items() {
    // Complex numbers as two floats each, transposed.
    let plan = plan(&[6, 7, 2], &[56, 8, 4], &[8, 48, 4], 4);
    assert_eq!((plan.kernel(), plan.run_bytes()), (Kernel::Transposed, 8));
}

#[test]
fn strides_without_meaning_are_ignored() {
    let odd = i64::MIN;
    assert_eq!(plan(&[1, 3, 1], &[odd, 4, odd], &[odd, 4, -1], 4), plan(&[3], &[4], &[4], 4));
    assert_eq!(plan(&[0, 3], &[odd, odd], &[odd, 1], 4), plan(&[0], &[0], &[0], 4));
}

#[test]
fn a_plan_prints_a_line_for_each_fact() {
    let contiguous = plan(&[3, 4], &[16, 4], &[16, 4], 4);
    assert_eq!(
        contiguous.to_string(),
        "kernel: contiguous, runs of 48 bytes\naxes: none\nfirst run: destination 0, source 0\n\
         bytes to move: 48"
    );
}
