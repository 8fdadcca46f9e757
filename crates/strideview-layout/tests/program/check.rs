//! The cheap laws of every valid layout.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use strideview_layout::{StridedLayout, Uniqueness};
use strideview_testkit::verdict::{fits, span};
use strideview_testkit::{PlainLayout, Verdict, index, oracle, verdict};

/// Layouts of at most this many elements are enumerated.
const ENUMERATED: i64 = 256;

/// Checks every property: by arithmetic in `i128`, and by enumeration when the layout is small.
///
/// # Panics
/// When one is wrong.
pub(crate) fn check_layout(layout: &StridedLayout) {
    let plain = PlainLayout::new(
        layout.shape(),
        layout.strides(),
        layout.itemsize(),
        layout.slice_offset(),
    );
    check_validity(layout, &plain);
    check_sizes(layout, &plain);
    check_bounds(layout, &plain);
    check_order(layout, &plain);
    assert_eq!(layout.to_string(), printed(&plain));
    check_equality(layout, &plain);
    if layout.volume() <= ENUMERATED {
        check_walks(layout, &plain);
        check_contiguity(layout, &plain);
        check_uniqueness(layout, &plain);
        check_index_of(layout, &plain);
    } else {
        check_first_steps(layout, &plain);
    }
}

fn check_validity(layout: &StridedLayout, plain: &PlainLayout) {
    assert_eq!(layout.rank(), plain.rank());
    assert!(layout.rank() <= strideview_layout::MAX_RANK && layout.itemsize() > 0, "{layout}");
    let strides = plain.wide_strides();
    let outcome = verdict(&plain.shape, &strides, plain.itemsize, i128::from(plain.offset));
    assert_ne!(outcome, Verdict::Refuse, "{layout} must not exist");
}

/// The same numbers make an equal layout with an equal hash, whatever way they came.
fn check_equality(layout: &StridedLayout, plain: &PlainLayout) {
    let PlainLayout { shape, strides, itemsize, offset } = plain;
    let again = StridedLayout::with_offset(shape, Some(strides), *itemsize, *offset)
        .unwrap_or_else(|error| panic!("{layout} again: {error}"));
    assert_eq!(again, *layout);
    assert_eq!(layout.clone(), *layout);
    let hash = |layout: &StridedLayout| BuildHasherDefault::<DefaultHasher>::new().hash_one(layout);
    assert_eq!(hash(&again), hash(layout), "{layout}: hash");
}

fn check_sizes(layout: &StridedLayout, plain: &PlainLayout) {
    let itemsize = i128::from(plain.itemsize);
    assert_eq!(layout.is_empty(), plain.is_empty(), "{layout}");
    assert_eq!(i128::from(layout.volume()), plain.volume(), "{layout}");
    assert_eq!(i128::from(layout.nbytes()), plain.volume() * itemsize, "{layout}");
    let offset = i128::from(plain.offset) * itemsize;
    assert_eq!(i128::from(layout.slice_offset_in_bytes()), offset, "{layout}");
    let in_bytes = layout.strides_in_bytes();
    assert_eq!(in_bytes.len(), plain.rank(), "{layout}");
    for (&bytes, stride) in in_bytes.iter().zip(plain.wide_strides()) {
        assert_eq!(i128::from(bytes), stride * itemsize, "{layout}: strides in bytes");
    }
}

fn check_bounds(layout: &StridedLayout, plain: &PlainLayout) {
    let wide = if plain.is_empty() {
        (0, -1)
    } else {
        span(&plain.shape, &plain.wide_strides(), i128::from(plain.offset))
    };
    let (low, high) = layout.offset_bounds();
    assert_eq!((i128::from(low), i128::from(high)), wide, "{layout}: bounds");
    assert_eq!((layout.min_offset(), layout.max_offset()), (low, high), "{layout}");
    match layout.required_size_in_bytes() {
        Ok(size) => {
            assert!(low >= 0, "{layout} starts before its buffer");
            assert_eq!(i128::from(size), (wide.1 + 1) * i128::from(plain.itemsize), "{layout}");
        }
        Err(error) => {
            assert!(low < 0, "{layout}: {error}");
            assert_eq!(error.code(), "layout.negative_min_offset");
        }
    }
}

fn check_order(layout: &StridedLayout, plain: &PlainLayout) {
    let order = layout.stride_order().to_vec();
    if layout.has_implicit_strides() {
        assert_eq!(order, (0..plain.rank()).collect::<Vec<_>>(), "{layout}: implicit order");
        assert!(layout.is_contiguous_c() && layout.is_unique(), "{layout}: implicit strides");
    } else {
        assert_eq!(order, oracle::stride_order(plain), "{layout}: stride order");
    }
    assert_eq!(layout.flattened_axis_mask(), oracle::axis_mask(plain), "{layout}: mask");
    let dense = layout.is_contiguous_any() && layout.slice_offset() == 0;
    assert_eq!(layout.is_dense(), dense, "{layout}: dense");
}

fn check_walks(layout: &StridedLayout, plain: &PlainLayout) {
    let count = usize::try_from(plain.volume()).expect("a small layout");
    assert_eq!(layout.offsets().size_hint(), (count, Some(count)), "{layout}");
    let offsets: Vec<i128> = layout.offsets().map(i128::from).collect();
    assert_eq!(offsets, plain.offsets(), "{layout}: offsets");
    let runs: Vec<(i128, i128)> = layout
        .runs()
        .map(|run| (i128::from(run.offset_in_bytes), i128::from(run.len_in_bytes)))
        .collect();
    assert_eq!(runs, oracle::runs(plain), "{layout}: runs");
}

fn check_contiguity(layout: &StridedLayout, plain: &PlainLayout) {
    assert_eq!(layout.is_contiguous_c(), oracle::is_c_contiguous(plain), "{layout}: C");
    assert_eq!(layout.is_contiguous_f(), oracle::is_f_contiguous(plain), "{layout}: F");
    let packed = oracle::is_packed_in_some_order(plain);
    assert_eq!(layout.is_contiguous_any(), packed, "{layout}: any order");
    assert_eq!(layout.is_exhaustive(), oracle::is_exhaustive(plain), "{layout}: exhaustive");
}

fn check_uniqueness(layout: &StridedLayout, plain: &PlainLayout) {
    let unique = oracle::is_unique(plain);
    let expected = if unique { Uniqueness::Unique } else { Uniqueness::Overlapping };
    assert_eq!(layout.uniqueness(), expected, "{layout}: uniqueness");
    assert_eq!(layout.is_unique(), unique, "{layout}");
}

/// The first, the last and a missing offset.
fn check_index_of(layout: &StridedLayout, plain: &PlainLayout) {
    let (low, high) = layout.offset_bounds();
    for offset in [low, high, low.wrapping_add(1), high.wrapping_add(1), i64::MIN, i64::MAX] {
        let found = layout.index_of(offset).expect("a small search ends");
        let expected = oracle::index_of(plain, i128::from(offset));
        assert_eq!(found.map(|index| index.to_vec()), expected, "{layout}: index of {offset}");
    }
}

/// What can be said without visiting every element.
fn check_first_steps(layout: &StridedLayout, plain: &PlainLayout) {
    let first: Vec<i128> = layout.offsets().take(8).map(i128::from).collect();
    let expected: Vec<i128> =
        index::indices(&plain.shape).take(8).map(|index| plain.offset_at(&index)).collect();
    assert_eq!(first, expected, "{layout}: first offsets");
    if let Ok(found) = layout.index_of(layout.slice_offset()) {
        assert!(found.is_some_and(|index| index.iter().all(|&at| at == 0)), "{layout}");
    }
    let run = layout.runs().next().expect("there are elements");
    assert_eq!(run.offset_in_bytes, layout.slice_offset_in_bytes(), "{layout}: first run");
    assert!(
        run.len_in_bytes >= layout.itemsize() && run.len_in_bytes <= layout.nbytes(),
        "{layout}"
    );
    assert_eq!(layout.is_unique(), layout.uniqueness() == Uniqueness::Unique, "{layout}");
    if layout.is_contiguous_any() {
        assert!(layout.is_exhaustive() && layout.is_unique(), "{layout}: contiguous");
    }
    assert!(fits(plain.volume()), "{layout}");
}

/// The one printed form: `(2, 3):(3, 1) x4 @5`.
fn printed(plain: &PlainLayout) -> String {
    let tuple = |values: &[i64]| {
        let numbers: Vec<String> = values.iter().map(i64::to_string).collect();
        let comma = if values.len() == 1 { "," } else { "" };
        format!("({}{comma})", numbers.join(", "))
    };
    let offset = if plain.offset == 0 { String::new() } else { format!(" @{}", plain.offset) };
    format!("{}:{} x{}{offset}", tuple(&plain.shape), tuple(&plain.strides), plain.itemsize)
}
