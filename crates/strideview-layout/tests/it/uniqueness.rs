//! `uniqueness()` is exact: Unique iff no two indices share an offset.

use std::time::{Duration, Instant};

use strideview_layout::{StridedLayout, Uniqueness};
use strideview_testkit::index::indices;
use strideview_testkit::{Random, generated, oracle};

use crate::support::{build, plain, strided};

/// Compares with the enumeration; returns whether the layout is unique.
fn check_uniqueness(layout: &StridedLayout) -> bool {
    let unique = oracle::is_unique(&plain(layout));
    let expected = if unique { Uniqueness::Unique } else { Uniqueness::Overlapping };
    assert_eq!(layout.uniqueness(), expected, "{layout}");
    assert_eq!(layout.is_unique(), unique, "{layout}");
    unique
}

/// Checks a whole family and counts its unique members.
fn count_unique(shapes: &[i64], least_extent: i64, strides: &[i64], signs: &[i64]) -> usize {
    let mut count = 0;
    for shape in indices(shapes) {
        let shape: Vec<i64> = shape.iter().map(|extent| extent + least_extent).collect();
        for strides in indices(strides) {
            let strides: Vec<i64> =
                strides.iter().zip(signs).map(|(stride, sign)| (stride + 1) * sign).collect();
            count += usize::from(check_uniqueness(&strided(&shape, &strides, 1)));
        }
    }
    count
}

/// Extents 2 to 6 and strides 1 to 12: a sorted test finds half of the unique ones only.
#[test]
fn all_of_two_axes() {
    for signs in [[1, 1], [-1, 1], [1, -1], [-1, -1]] {
        assert_eq!(count_unique(&[5, 5], 2, &[12, 12], &signs), 2692);
    }
}

/// Extents 2 to 4 and strides 1 to 9: a sorted test finds a quarter of the unique ones only.
#[test]
fn all_of_three_axes() {
    assert_eq!(count_unique(&[3, 3, 3], 2, &[9, 9, 9], &[1, 1, 1]), 3744);
    assert_eq!(count_unique(&[3, 3, 3], 2, &[9, 9, 9], &[1, -1, 1]), 3744);
}

#[test]
fn random_strides_on_more_axes() {
    let mut random = Random::new(40);
    for _ in 0..3000 {
        let rank = 3 + random.below(5);
        let shape: Vec<i64> = (0..rank).map(|_| random.between(1, 3)).collect();
        let most = random.pick(&[8, 60, 400, 1 << 20, 1 << 50]);
        let strides: Vec<i64> = (0..rank).map(|_| random.between(-most, most)).collect();
        check_uniqueness(&strided(&shape, &strides, 2));
    }
}

#[test]
fn generated_layouts() {
    for layout in generated(41, 4000) {
        check_uniqueness(&build(&layout));
    }
}

/// Sets with distinct subset sums whose members are all about the same size: no sorted test sees it.
#[test]
fn distinct_subset_sums() {
    for strides in [
        &[3, 5, 6, 7][..],
        &[6, 9, 11, 12, 13],
        &[11, 17, 20, 22, 23, 24],
        &[20, 31, 37, 40, 42, 43, 44],
        &[40, 60, 71, 77, 80, 82, 83, 84],
    ] {
        let shape = vec![2; strides.len()];
        assert!(check_uniqueness(&strided(&shape, strides, 1)), "{strides:?}");
        let mut last = strides.to_vec();
        last[0] -= 1;
        check_uniqueness(&strided(&shape, &last, 1));
    }
}

/// Large strides and extents where enumeration is out of reach, but the answer is known.
#[test]
fn large_layouts() {
    let known = |shape: &[i64], strides: &[i64], expected| {
        assert_eq!(strided(shape, strides, 1).uniqueness(), expected, "{shape:?} {strides:?}");
    };
    let (p, q) = (1_000_003, 998_244_353);
    known(&[q, p], &[p, q], Uniqueness::Unique);
    known(&[q + 1, p + 1], &[p, q], Uniqueness::Overlapping);
    known(&[q + 1, p], &[p, q], Uniqueness::Unique);
    known(&[2, 2], &[i64::MIN, 1], Uniqueness::Unique);
    known(&[2, 2], &[i64::MIN, i64::MAX - 1], Uniqueness::Unique);
    known(&[2, 2, 2], &[i64::MIN, 1 << 62, 1], Uniqueness::Unique);
    known(&[2, 3], &[1 << 61, 1 << 60], Uniqueness::Overlapping);
    known(&[i64::MAX], &[1], Uniqueness::Unique);
    known(&[1 << 31, 1 << 31], &[1, 1 << 31], Uniqueness::Unique);
    known(&[1 << 31, 1 << 31], &[1, (1 << 31) - 1], Uniqueness::Overlapping);
    known(&[1 << 20, 3, 1 << 20], &[1, 0, 1 << 20], Uniqueness::Overlapping);
}

/// Deciding such a layout is a subset-sum problem; it may stay undecided, but not take long.
#[test]
fn hard_layouts_end_quickly() {
    let mut random = Random::new(42);
    for rank in [16, 24, 32, 40, 50] {
        let strides: Vec<i64> = (0..rank).map(|_| random.between(1 << 50, 1 << 56)).collect();
        let layout = strided(&vec![2; rank], &strides, 1);
        let start = Instant::now();
        let answer = layout.uniqueness();
        assert_eq!(layout.is_unique(), answer == Uniqueness::Unique);
        assert!(start.elapsed() < Duration::from_secs(5), "rank {rank}: {answer:?}");
    }
}
