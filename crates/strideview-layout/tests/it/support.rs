//! Layouts to check, and the way from the plain form and back.

use strideview_layout::{Slice, StridedLayout};
use strideview_testkit::{PlainLayout, PlainSlice, Random, generated, odd_layouts};

/// How many generated layouts each law meets.
const GENERATED: usize = 2000;

/// The numbers of a layout.
pub(crate) fn plain(layout: &StridedLayout) -> PlainLayout {
    PlainLayout::new(layout.shape(), layout.strides(), layout.itemsize(), layout.slice_offset())
}

/// The layout with these numbers.
pub(crate) fn build(plain: &PlainLayout) -> StridedLayout {
    StridedLayout::with_offset(&plain.shape, Some(&plain.strides), plain.itemsize, plain.offset)
        .unwrap_or_else(|error| panic!("{plain:?}: {error}"))
}

/// A layout with explicit strides and offset 0.
pub(crate) fn strided(shape: &[i64], strides: &[i64], itemsize: i64) -> StridedLayout {
    build(&PlainLayout::new(shape, strides, itemsize, 0))
}

/// Calls `check` with every odd and every generated layout, and numbers of its own for the arguments.
pub(crate) fn for_every_layout(seed: u64, mut check: impl FnMut(&StridedLayout, &mut Random)) {
    let layouts = odd_layouts().into_iter().chain(generated(seed, GENERATED));
    let mut random = Random::new(!seed);
    for layout in layouts {
        check(&build(&layout), &mut random);
    }
}

/// The slice of the crate under test.
pub(crate) fn slice(item: PlainSlice) -> Slice {
    match item {
        PlainSlice::Index(at) => Slice::Index(at),
        PlainSlice::Range(start, stop, step) => Slice::Range { start, stop, step },
        PlainSlice::Ellipsis => Slice::Ellipsis,
        PlainSlice::NewAxis => Slice::NewAxis,
    }
}
