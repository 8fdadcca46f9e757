//! Copies inside one memory: the same result as through a temporary.

use proptest::prelude::*;

use strideview_copy::{CopyError, CopyPlan, host};

use crate::oracle::{Case, copied};
use crate::random::case;
use crate::runner::noise;

/// Copies with both sides in one memory, the source `shift` bytes after where the two begin
/// together, and compares all of it with the copy from a snapshot.
fn check(case: &Case, shift: usize, lead: usize) {
    check_shifted(case, (0, shift), lead);
}

/// As [`check`], with both sides moved from where they begin together: (destination, source).
fn check_shifted(case: &Case, by: (usize, usize), lead: usize) {
    let shift = by.0.max(by.1);
    let plan = CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize)
        .expect("small");
    let ((dst_low, dst_high), (src_low, src_high)) = (case.dst_span(), case.src_span());
    let len = (dst_high - dst_low).max(src_high - src_low);
    let mut memory = noise(usize::try_from(len).expect("small") + shift + lead + 32, 5);
    let dst_at = usize::try_from((lead + by.0) as i128 - dst_low).expect("small");
    let src_at = usize::try_from((lead + by.1) as i128 - src_low).expect("small");
    let expected = copied(&case.elements(), case.itemsize, (&memory, dst_at), (&memory, src_at));
    let start = memory.as_mut_ptr();
    // SAFETY: (1) both spans lie inside the vector; (2) it is a local variable.
    let result = unsafe {
        host::copy_overlapping(&plan, start.wrapping_add(dst_at), start.wrapping_add(src_at))
    };
    assert_eq!(result, Ok(()));
    assert!(memory == expected, "shifted by {by:?}: {case:?}\n{plan}");
}

fn line(extent: i64, dst_stride: i64, src_stride: i64, itemsize: i64) -> Case {
    Case {
        shape: vec![extent],
        dst_strides: vec![dst_stride],
        src_strides: vec![src_stride],
        itemsize,
    }
}

#[test]
fn shifts_by_any_number_of_bytes() {
    for itemsize in [1, 2, 4, 8, 12] {
        for shift in 0..40 {
            for lead in [32, 33] {
                check(&line(50, itemsize, itemsize, itemsize), shift, lead);
                check(&line(50, itemsize, -itemsize, itemsize), shift, lead);
                check(&line(50, 2 * itemsize, itemsize, itemsize), shift, lead);
                check(&line(50, -itemsize, 2 * itemsize, itemsize), shift, lead);
                check(&line(50, itemsize, 0, itemsize), shift, lead);
            }
        }
    }
}

/// The same layout on both sides, with gaps, moved either way: in place, without a temporary.
#[test]
fn layouts_with_gaps_move_either_way() {
    for itemsize in [1, 4, 12, 40] {
        for strides in [[64, 1], [-64, 1], [64, -3], [40, 2]] {
            let strides = strides.map(|stride| stride * itemsize).to_vec();
            let case = Case {
                shape: vec![5, 12],
                dst_strides: strides.clone(),
                src_strides: strides,
                itemsize,
            };
            for shift in 0..200 {
                check_shifted(&case, (0, shift), 1);
                check_shifted(&case, (shift, 0), 1);
            }
        }
    }
}

#[test]
fn transposes_in_place() {
    for itemsize in [1, 3, 4, 8, 40] {
        let n = 37;
        let case = Case {
            shape: vec![n, n],
            dst_strides: vec![n * itemsize, itemsize],
            src_strides: vec![itemsize, n * itemsize],
            itemsize,
        };
        check(&case, 0, 0);
    }
}

#[test]
fn no_memory_for_the_temporary_is_an_error_before_anything_is_written() {
    let plan = CopyPlan::new(&[1 << 61], &[2], &[1], 1).unwrap();
    let mut memory = [1_u8; 8];
    let start = memory.as_mut_ptr();
    // SAFETY: no byte is accessed, since there is no memory for the temporary.
    let result = unsafe { host::copy_overlapping(&plan, start, start) };
    assert_eq!(result, Err(CopyError::OutOfMemory { bytes: 1 << 61 }));
    assert_eq!(memory, [1; 8]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn any_two_layouts_in_one_memory(case in case(), shift in 0..200_usize, lead in 0..4_usize) {
        check(&case, shift, lead);
    }
}
