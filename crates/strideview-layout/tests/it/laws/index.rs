//! From indices to offsets and back, and all properties of all layouts.

use strideview_layout::{ErrorKind, StridedLayout};
use strideview_testkit::index::{indices, samples};
use strideview_testkit::{Random, arguments, oracle};

use crate::program::check_layout;
use crate::support::{for_every_layout, plain};

/// `offset_of(i) = slice_offset + Σ i[k]·strides[k]`; negative entries count from the end.
fn check_offset_of(layout: &StridedLayout, random: &mut Random) {
    let source = plain(layout);
    for index in samples(layout.shape()) {
        let offset = i128::from(layout.offset_of(&index).unwrap());
        assert_eq!(offset, source.offset_at(&index), "{layout} at {index:?}");
    }
    if let Some(index) = arguments::index_in(random, &source) {
        let from_end: Vec<i64> = (0..).zip(&index).map(|(k, &at)| at - source.shape[k]).collect();
        let offset = layout.offset_of(&from_end).unwrap();
        assert_eq!(i128::from(offset), source.offset_at(&index), "{layout} at {from_end:?}");
        check_bad_index(layout, &index, random);
    }
}

fn check_bad_index(layout: &StridedLayout, index: &[i64], random: &mut Random) {
    let kind_of = |index: &[i64]| layout.offset_of(index).map_err(|error| error.kind());
    let longer = [index, &[0]].concat();
    assert_eq!(kind_of(&longer), Err(ErrorKind::Value), "{layout} at {longer:?}");
    if index.is_empty() {
        return;
    }
    assert_eq!(kind_of(&index[1..]), Err(ErrorKind::Value), "{layout}: an entry is missing");
    let axis = random.below(index.len());
    let extent = layout.shape()[axis];
    let mut outside = index.to_vec();
    outside[axis] = random.pick(&[extent, -extent - 1, i64::MIN, i64::MAX]);
    assert_eq!(kind_of(&outside), Err(ErrorKind::Index), "{layout} at {outside:?}");
}

/// `index_of(offset)` is the first index in C order with that offset, or None.
fn check_index_of(layout: &StridedLayout) {
    let source = plain(layout);
    let (low, high) = layout.offset_bounds();
    if source.volume() > 256 || i128::from(high) - i128::from(low) > 400 {
        return;
    }
    for offset in low.saturating_sub(2)..=high.saturating_add(2) {
        let found = layout.index_of(offset).unwrap_or_else(|error| panic!("{layout}: {error}"));
        let expected = oracle::index_of(&source, i128::from(offset));
        assert_eq!(found.map(|index| index.to_vec()), expected, "{layout}: {offset}");
    }
}

#[test]
fn properties() {
    for_every_layout(24, |layout, _| check_layout(layout));
}

#[test]
fn offset_of() {
    for_every_layout(25, check_offset_of);
}

#[test]
fn index_of() {
    for_every_layout(26, |layout, _| check_index_of(layout));
}

/// In a layout without shared offsets `index_of` is the inverse of `offset_of`, however large it is.
#[test]
fn index_of_inverts_offset_of() {
    for_every_layout(27, |layout, random| {
        let Some(index) = arguments::index_in(random, &plain(layout)) else { return };
        if !layout.is_unique() {
            return;
        }
        let offset = layout.offset_of(&index).unwrap();
        if let Ok(found) = layout.index_of(offset) {
            assert_eq!(found.map(|found| found.to_vec()), Some(index), "{layout}: {offset}");
        }
    });
}

/// The same map, unit axes ignored: the same as the same offsets for every index without unit axes.
#[test]
fn maps_like() {
    let mut before: Option<StridedLayout> = None;
    for_every_layout(28, |layout, random| {
        assert!(layout.maps_like(layout) && layout.maps_like(&layout.clone()));
        let squeezed = unit_axes_dropped(layout);
        assert!(squeezed.maps_like(layout) && layout.maps_like(&squeezed), "{layout}");
        let axes = [arguments::axis(random, layout.rank() + 1)];
        if let Ok(wider) = layout.unsqueezed(&axes) {
            assert!(wider.maps_like(layout), "{layout} and {wider}");
        }
        if let Some(other) = before.replace(squeezed.clone()) {
            assert_eq!(other.maps_like(layout), same_map(&other, &squeezed), "{layout} {other}");
        }
    });
}

/// The given unit axes squeezed, which keeps an empty shape as it is otherwise.
fn unit_axes_dropped(layout: &StridedLayout) -> StridedLayout {
    let units = (0..).zip(layout.shape()).filter(|&(_, &extent)| extent == 1);
    let axes: Vec<i64> = units.map(|(axis, _)| axis).collect();
    layout.squeezed(Some(&axes)).unwrap()
}

/// Compares two layouts without unit axes index by index.
fn same_map(one: &StridedLayout, other: &StridedLayout) -> bool {
    let same = |index: Vec<i64>| one.offset_of(&index) == other.offset_of(&index);
    one.shape() == other.shape()
        && one.itemsize() == other.itemsize()
        && if one.volume() <= 2048 {
            indices(one.shape()).all(same)
        } else {
            samples(one.shape()).into_iter().all(same)
        }
}

#[test]
fn maps_that_differ_in_one_number() {
    let layout = crate::support::strided(&[2, 1, 3], &[3, 9, 1], 4);
    let differs = |shape: &[i64], strides: &[i64], itemsize, offset| {
        let other = StridedLayout::with_offset(shape, Some(strides), itemsize, offset).unwrap();
        assert!(!layout.maps_like(&other) && !other.maps_like(&layout), "{other}");
    };
    differs(&[2, 1, 3], &[3, 9, 1], 4, 1);
    differs(&[2, 1, 3], &[4, 9, 1], 4, 0);
    differs(&[2, 1, 2], &[3, 9, 1], 4, 0);
    differs(&[3, 2], &[1, 3], 4, 0);
    differs(&[6], &[1], 4, 0);
    differs(&[0, 3], &[3, 1], 4, 0);
}
