//! The lists and the oracles themselves, on what is known of them.

use strideview_testkit::index::{indices, offsets, position, samples, unravel, volume};
use strideview_testkit::odd::overflowing_layouts;
use strideview_testkit::slice::slice_indices;
use strideview_testkit::{
    Fault, PlainLayout, PlainSlice, Random, Verdict, generated, odd_layouts, oracle, verdict, view,
};

fn verdict_of(layout: &PlainLayout) -> Verdict {
    assert_eq!(layout.shape.len(), layout.strides.len(), "{layout:?}");
    let offset = i128::from(layout.offset);
    verdict(&layout.shape, &layout.wide_strides(), layout.itemsize, offset)
}

#[test]
fn listed_layouts_are_what_they_are_said_to_be() {
    for layout in odd_layouts().iter().chain(&generated(1, 2000)) {
        assert_eq!(verdict_of(layout), Verdict::Accept, "{layout:?}");
    }
    for layout in overflowing_layouts() {
        assert_eq!(verdict_of(&layout), Verdict::Refuse, "{layout:?}");
    }
}

#[test]
fn generated_layouts_are_the_same_every_time() {
    assert_eq!(generated(7, 50), generated(7, 50));
    assert_ne!(generated(7, 50), generated(8, 50));
    let layouts = generated(9, 1000);
    for rank in 0..=5 {
        assert!(layouts.iter().any(|layout| layout.rank() == rank), "rank {rank}");
    }
    assert!(layouts.iter().any(PlainLayout::is_empty));
}

#[test]
fn positions_and_offsets_agree() {
    for shape in [&[][..], &[4], &[2, 3, 4], &[1, 5, 1], &[3, 0]] {
        let strides: Vec<i64> = (1..).take(shape.len()).map(|axis| 7 - 3 * axis).collect();
        let layout = PlainLayout::new(shape, &strides, 1, 11);
        let each: Vec<i128> = indices(shape).map(|index| layout.offset_at(&index)).collect();
        assert_eq!(each, offsets(shape, &strides, 11));
        for (at, index) in (0..).zip(indices(shape)) {
            assert_eq!((position(shape, &index), unravel(shape, at)), (at, index));
        }
    }
    assert_eq!(volume(&[i64::MAX, i64::MAX, i64::MAX]), i128::MAX);
    assert!(samples(&[1 << 40, 3]).iter().all(|index| index[0] < 1 << 40 && index[1] < 3));
}

/// `range` of Python written as a loop.
#[test]
fn slices_are_ranges() {
    for extent in 0..5 {
        for (start, stop) in [(None, None), (Some(-3), Some(9)), (Some(4), None), (None, Some(1))] {
            for step in [-3, -1, 1, 2] {
                let (first, step, count) = slice_indices(start, stop, step, extent).unwrap();
                let all = (0..count).map(|k| first + k * step);
                assert!(all.clone().all(|at| (0..i128::from(extent)).contains(&at)));
                assert!(count <= i128::from(extent));
            }
        }
    }
    assert_eq!(slice_indices(None, None, 0, 3), None);
    assert_eq!(
        slice_indices(Some(i64::MIN), Some(i64::MAX), i64::MAX, 3),
        Some((0, i64::MAX.into(), 1))
    );
    assert_eq!(slice_indices(None, None, i64::MIN, 3), Some((2, i64::MIN.into(), 1)));
}

#[test]
fn a_view_that_no_layout_is() {
    let columns = PlainLayout::new(&[2, 3], &[1, 2], 8, 0);
    let flat = view::reshaped(&columns.shape, &[6]).unwrap();
    assert_eq!(flat.derive(&columns), None);
    let rows = PlainLayout::new(&[2, 3], &[3, 1], 8, 0);
    assert_eq!(flat.derive(&rows).unwrap().strides, [1]);
}

#[test]
fn faults_have_their_kinds() {
    assert_eq!(view::permuted(&[2, 3], &[0]).unwrap_err(), Fault::Value);
    assert_eq!(view::permuted(&[2, 3], &[0, 2]).unwrap_err(), Fault::Axis);
    assert_eq!(view::permuted(&[2, 3], &[1, -1]).unwrap_err(), Fault::Value);
    assert_eq!(view::sliced(&[2], &[PlainSlice::Index(2)]).unwrap_err(), Fault::Index);
    assert_eq!(view::sliced(&[2], &[PlainSlice::Range(None, None, 0)]).unwrap_err(), Fault::Value);
    assert_eq!(view::reshaped(&[0, 4], &[0, -1]).unwrap_err(), Fault::Value);
}

#[test]
fn numbers_stay_in_their_range() {
    let mut random = Random::new(3);
    for _ in 0..1000 {
        assert!((-3..=4).contains(&random.between(-3, 4)));
        assert!(random.below(5) < 5);
    }
    assert_eq!(random.between(i64::MAX, i64::MAX), i64::MAX);
    let mut shuffled = random.shuffled((0..20).collect());
    shuffled.sort_unstable();
    assert_eq!(shuffled, (0..20).collect::<Vec<_>>());
}

/// Packed in some order: exactly the layouts that some order of the axes makes C-contiguous.
#[test]
fn packed_layouts_nest() {
    for layout in generated(2, 3000) {
        let order = oracle::stride_order(&layout);
        let nests = oracle::is_c_contiguous(&layout.axes(&order));
        assert_eq!(oracle::is_packed_in_some_order(&layout), nests, "{layout:?}");
    }
}
