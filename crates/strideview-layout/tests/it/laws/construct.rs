//! The checked constructors, equality and hash.

use std::hash::{BuildHasher, RandomState};

use strideview_layout::{ErrorKind, LayoutError, StrideOrder, StridedLayout};
use strideview_testkit::odd::overflowing_layouts;
use strideview_testkit::{PlainLayout, Random, Verdict, generated, odd_layouts, oracle, verdict};

use crate::program::check_layout;
use crate::support::for_every_layout;

/// `with_offset(..)` succeeds iff every quantity fits in int64, and keeps what it was given.
fn check_constructed(plain: &PlainLayout) {
    let PlainLayout { shape, strides, itemsize, offset } = plain;
    let outcome = StridedLayout::with_offset(shape, Some(strides), *itemsize, *offset);
    match verdict(shape, &plain.wide_strides(), *itemsize, i128::from(*offset)) {
        Verdict::Accept => {
            check_kept(&outcome.unwrap_or_else(|error| panic!("{plain:?}: {error}")), plain);
        }
        Verdict::Refuse => check_overflow(outcome, plain),
        Verdict::Either => match outcome {
            Ok(layout) => check_kept(&layout, plain),
            Err(_) => check_overflow(outcome, plain),
        },
    }
}

fn check_overflow(outcome: Result<StridedLayout, LayoutError>, plain: &PlainLayout) {
    match outcome {
        Ok(layout) => panic!("{plain:?}: gave {layout}"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Overflow, "{plain:?}: {error}"),
    }
}

/// A stride without a meaning is kept as well, unless its bytes do not fit: then it is 0.
fn check_kept(layout: &StridedLayout, plain: &PlainLayout) {
    check_layout(layout);
    assert_eq!((layout.shape(), layout.itemsize()), (&plain.shape[..], plain.itemsize));
    if !plain.is_empty() {
        assert_eq!(layout.slice_offset(), plain.offset, "{layout}");
    }
    assert!(!layout.has_implicit_strides(), "{layout}");
    for (axis, &stride) in plain.strides.iter().enumerate() {
        let fits = stride.checked_mul(plain.itemsize).is_some();
        let expected = if fits { stride } else { 0 };
        assert_eq!(layout.strides()[axis], expected, "{plain:?}: axis {axis}");
    }
}

/// Strides left out are those of C order (all 0 when empty), and make an equal layout with an equal hash.
fn check_implicit(plain: &PlainLayout) {
    let implicit = StridedLayout::new(&plain.shape, None, plain.itemsize);
    let dense = StridedLayout::dense(&plain.shape, plain.itemsize, StrideOrder::C);
    match (implicit, dense) {
        (Ok(implicit), Ok(dense)) => {
            check_layout(&implicit);
            assert!(implicit.has_implicit_strides() && !dense.has_implicit_strides());
            assert_eq!(implicit, dense);
            check_hash(&implicit, &dense);
            assert_eq!(implicit.to_string(), dense.to_string());
        }
        (Err(one), Err(other)) => {
            assert_eq!((one.kind(), other.kind()), (ErrorKind::Overflow, ErrorKind::Overflow));
        }
        (one, other) => panic!("{plain:?}: {one:?} and {other:?}"),
    }
}

/// The same at an offset: accepted iff the spelled out strides are.
fn check_implicit_at(shape: &[i64], itemsize: i64, offset: i64) {
    let order: Vec<usize> = (0..shape.len()).collect();
    let strides = oracle::dense_strides(shape, &order);
    let outcome = StridedLayout::with_offset(shape, None, itemsize, offset);
    let context = format!("{shape:?} x{itemsize} @{offset}: {outcome:?}");
    match (verdict(shape, &strides, itemsize, i128::from(offset)), outcome) {
        (Verdict::Accept | Verdict::Either, Ok(layout)) => {
            check_layout(&layout);
            let explicit = layout.strides().iter().map(|&stride| i128::from(stride));
            assert!(explicit.eq(strides.iter().copied()) || layout.volume() <= 1, "{context}");
            assert!(layout.is_empty() || layout.slice_offset() == offset, "{context}");
        }
        (Verdict::Refuse | Verdict::Either, Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::Overflow, "{context}");
        }
        (verdict, _) => panic!("{context}, expected {verdict:?}"),
    }
}

fn check_hash(one: &StridedLayout, other: &StridedLayout) {
    let state = RandomState::new();
    assert_eq!(state.hash_one(one), state.hash_one(other), "{one}: hash");
}

/// `from_byte_strides` divides; where strides carry no meaning any value is taken.
fn check_byte_strides(plain: &PlainLayout, random: &mut Random) {
    let itemsize = plain.itemsize;
    let used = |axis: usize| plain.shape[axis] > 1 && !plain.is_empty();
    let bytes: Option<Vec<i64>> = (0..plain.rank())
        .map(|axis| {
            if used(axis) { plain.strides[axis].checked_mul(itemsize) } else { Some(random.edge()) }
        })
        .collect();
    let Some(bytes) = bytes else { return };
    let made = StridedLayout::from_byte_strides(&plain.shape, &bytes, itemsize, plain.offset);
    let made = made.unwrap_or_else(|error| panic!("{plain:?} in bytes {bytes:?}: {error}"));
    check_layout(&made);
    for axis in 0..plain.rank() {
        if used(axis) || bytes[axis] % itemsize == 0 {
            assert_eq!(made.strides()[axis], bytes[axis] / itemsize, "{plain:?} {bytes:?}");
        }
    }
    let Some(axis) = (0..plain.rank()).find(|&axis| used(axis)) else { return };
    let mut crooked = bytes;
    crooked[axis] = crooked[axis].wrapping_add(1);
    if crooked[axis] % itemsize != 0 {
        let error =
            StridedLayout::from_byte_strides(&plain.shape, &crooked, itemsize, plain.offset)
                .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value, "{plain:?} {crooked:?}: {error}");
    }
}

#[test]
fn odd_and_generated_layouts_are_constructed() {
    for plain in odd_layouts().iter().chain(&generated(29, 4000)) {
        check_constructed(plain);
        check_implicit(plain);
        check_implicit_at(&plain.shape, plain.itemsize, plain.offset);
    }
    for plain in overflowing_layouts() {
        check_constructed(&plain);
        check_implicit(&plain);
    }
}

#[test]
fn byte_strides() {
    let mut random = Random::new(30);
    for plain in odd_layouts().iter().chain(&generated(31, 4000)) {
        check_byte_strides(plain, &mut random);
    }
}

/// Extents, strides, item sizes and offsets anywhere in int64.
#[test]
fn wild_layouts() {
    let mut random = Random::new(32);
    for _ in 0..30_000 {
        let rank = random.below(4);
        let wild = |random: &mut Random| match random.below(3) {
            0 => random.edge(),
            1 => random.between(-4, 4),
            _ => random.between(i64::MIN, i64::MAX) >> random.below(63),
        };
        let shape: Vec<i64> =
            (0..rank).map(|_| wild(&mut random).max(0) >> random.below(63)).collect();
        let strides = (0..rank).map(|_| wild(&mut random) >> random.below(8)).collect();
        let itemsize = if random.once_in(4) { wild(&mut random).max(1) } else { 4 };
        let offset = if random.once_in(2) { wild(&mut random) } else { 0 };
        check_implicit_at(&shape, itemsize, offset);
        check_constructed(&PlainLayout { shape, strides, itemsize, offset });
    }
}

/// One more than fits, and exactly what fits, at both ends.
#[test]
fn the_last_offset_that_fits() {
    for itemsize in [1, 2, 3, 8, 1 << 40] {
        let most = i64::MAX / itemsize;
        for (shape, stride, offset) in [
            (2, most - 1, 0),
            (2, most, 0),
            (2, most - 1, 1),
            (2, i64::MIN / itemsize, 0),
            (2, i64::MIN / itemsize, -1),
            (most, 1, 0),
            (most, 0, 0),
            (most, -1, most - 1),
            (most, -1, most),
            (1, 0, most - 1),
            (1, 0, most),
            (1, 0, i64::MIN / itemsize),
        ] {
            check_constructed(&PlainLayout::new(&[shape], &[stride], itemsize, offset));
            check_implicit_at(&[shape], itemsize, offset);
            check_implicit_at(&[1, shape, 1], itemsize, -offset.max(-i64::MAX));
        }
        if let Some(more) = most.checked_add(1) {
            check_constructed(&PlainLayout::new(&[more], &[0], itemsize, 0));
            check_implicit_at(&[more], itemsize, -9);
        }
    }
}

/// Two offsets further apart than int64 reaches: all that is listed fits, only the span does not.
#[test]
fn spans_wider_than_int64() {
    check_constructed(&PlainLayout::new(&[3], &[i64::MAX], 1, i64::MIN));
    check_constructed(&PlainLayout::new(&[2, 2], &[i64::MIN, i64::MAX - 1], 1, 0));
    check_constructed(&PlainLayout::new(&[2], &[i64::MAX - 1], 2, -(1 << 62)));
    check_constructed(&PlainLayout::new(&[3], &[i64::MAX / 2], 2, i64::MIN / 2));
}

#[test]
fn malformed_numbers_are_value_errors() {
    let refused = |shape: &[i64], strides: Option<&[i64]>, itemsize| {
        let error = StridedLayout::new(shape, strides, itemsize).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value, "{shape:?} {strides:?}: {error}");
    };
    refused(&[-1], None, 4);
    refused(&[0, -1], Some(&[1, 1]), 4);
    refused(&[i64::MIN], None, 4);
    refused(&[2], None, 0);
    refused(&[2], None, -4);
    refused(&[0], None, i64::MIN);
    refused(&[2, 3], Some(&[1]), 4);
    refused(&[], Some(&[1]), 4);
    refused(&[2], Some(&[]), 4);
    refused(&[1; 65], None, 4);
    refused(&[0; 65], Some(&[0; 65]), 4);
    refused(&[1; 1000], None, 4);
    let error = StridedLayout::from_byte_strides(&[2, 3], &[4], 4, 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    let error = StridedLayout::from_byte_strides(&[2], &[4], 0, 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
}

/// `==` compares shape, strides, itemsize and offset literally; an equal layout has an equal hash.
#[test]
fn equality_is_literal() {
    for_every_layout(33, |layout, random| {
        let twin = crate::support::build(&crate::support::plain(layout));
        assert_eq!(*layout, twin);
        check_hash(layout, &twin);
        if layout.rank() > 0 && !layout.is_empty() {
            let axis = random.below(layout.rank());
            let mut plain = crate::support::plain(layout);
            plain.strides[axis] = if plain.strides[axis] == 5 { 6 } else { 5 };
            let changed = StridedLayout::with_offset(
                &plain.shape,
                Some(&plain.strides),
                plain.itemsize,
                plain.offset,
            );
            assert!(changed.is_err() || changed.is_ok_and(|changed| changed != *layout));
        }
    });
    assert_ne!(crate::support::strided(&[1], &[0], 4), crate::support::strided(&[1], &[1], 4));
    assert_ne!(crate::support::strided(&[2], &[1], 4), crate::support::strided(&[2], &[1], 8));
}
