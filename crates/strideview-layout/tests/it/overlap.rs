//! `overlaps()`: do two layouts at two byte addresses share a byte.

use std::time::{Duration, Instant};

use strideview_layout::StridedLayout;
use strideview_testkit::{PlainLayout, Random, generated, odd_layouts, oracle};

use crate::support::{build, plain, strided};

/// Compares with the two sets of bytes; the question is symmetric.
fn check_overlap(one: &StridedLayout, address: u64, other: &StridedLayout, other_address: u64) {
    let expected = oracle::overlap(&plain(one), address, &plain(other), other_address);
    let context = format!("{one} at {address}, {other} at {other_address}");
    assert_eq!(one.overlaps(other, address, other_address), expected, "{context}");
    assert_eq!(other.overlaps(one, other_address, address), expected, "{context}, exchanged");
}

#[test]
fn generated_pairs() {
    let mut random = Random::new(50);
    let small = |layout: &PlainLayout| layout.volume() <= 60;
    let layouts: Vec<PlainLayout> = generated(51, 4000).into_iter().filter(small).collect();
    for pair in layouts.chunks_exact(2) {
        let address = 1_u64 << 20;
        let distance = random.between(-300, 300);
        let other_address = address.wrapping_add_signed(distance);
        check_overlap(&build(&pair[0]), address, &build(&pair[1]), other_address);
    }
}

/// Gapped layouts of the same strides that interleave: the ranges overlap, the bytes do not always.
#[test]
fn interleaved() {
    for itemsize in [1, 2, 4, 8] {
        for stride in 1..5 {
            for distance in -20_i64..20 {
                let one = strided(&[4], &[stride], itemsize);
                let other = strided(&[3, 2], &[2 * stride, -stride], itemsize);
                let address = 1000_u64.wrapping_add_signed(distance);
                check_overlap(&one, 1000, &other, address);
                check_overlap(&one, 1000, &one, address);
            }
        }
    }
}

#[test]
fn item_sizes_that_differ() {
    for (itemsize, other_itemsize) in [(1, 16), (3, 4), (12, 5)] {
        for address in 0..70 {
            let one = strided(&[3, 2], &[5, 2], itemsize);
            let other = strided(&[3], &[3], other_itemsize);
            check_overlap(&one, address, &other, 20);
        }
    }
}

#[test]
fn with_itself() {
    for layout in odd_layouts() {
        let layout = build(&layout);
        for address in [0, 4096, u64::MAX] {
            assert_eq!(layout.overlaps(&layout, address, address), !layout.is_empty(), "{layout}");
        }
    }
}

#[test]
fn empty_layouts_share_nothing() {
    let whole = strided(&[i64::MAX], &[1], 1);
    for layout in odd_layouts().iter().filter(|layout| layout.is_empty()) {
        let layout = build(layout);
        assert!(!layout.overlaps(&whole, 0, 0) && !whole.overlaps(&layout, 0, 0), "{layout}");
    }
}

#[test]
fn addresses_do_not_wrap() {
    let forward = strided(&[4], &[1], 4);
    let backward = strided(&[4], &[-1], 4);
    check_overlap(&forward, u64::MAX, &forward, 0);
    check_overlap(&forward, u64::MAX - 3, &forward, 8);
    check_overlap(&backward, 0, &forward, u64::MAX);
    check_overlap(&backward, 0, &forward, 0);
    check_overlap(&backward, 16, &forward, 4);
    let lowest = StridedLayout::with_offset(&[], Some(&[]), 1, i64::MIN).unwrap();
    let highest = StridedLayout::with_offset(&[], Some(&[]), 1, i64::MAX - 1).unwrap();
    check_overlap(&lowest, 1 << 63, &strided(&[], &[], 1), 0);
    check_overlap(&highest, u64::MAX, &lowest, u64::MAX);
    check_overlap(&highest, 0, &lowest, u64::MAX);
    check_overlap(&highest, 1, &lowest, u64::MAX);
}

/// Windows of one large array: rows against columns, far too many elements to enumerate.
#[test]
fn large_layouts() {
    let pitch = 1 << 31;
    let column = strided(&[1 << 30], &[pitch], 1);
    let row = strided(&[pitch], &[1], 1);
    assert!(column.overlaps(&row, 0, 5 * pitch.unsigned_abs()));
    assert!(!column.overlaps(&column, 0, 1));
    assert!(column.overlaps(&column, 0, 7 * pitch.unsigned_abs()));
    let even = strided(&[1 << 40], &[2], 8);
    assert!(!even.overlaps(&even, 0, 8) && even.overlaps(&even, 0, 12));
}

/// Undecided counts as overlapping, and does not take long.
#[test]
fn hard_pairs_end_quickly() {
    let mut random = Random::new(52);
    let mut hard = || {
        let strides: Vec<i64> = (0..24).map(|_| random.between(1 << 50, 1 << 56)).collect();
        strided(&[2; 24], &strides, 1)
    };
    for _ in 0..3 {
        let (one, other) = (hard(), hard());
        let start = Instant::now();
        let _either_answer_will_do = one.overlaps(&other, 0, 1);
        assert!(start.elapsed() < Duration::from_secs(5), "{one} and {other}");
    }
}
