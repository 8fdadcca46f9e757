//! A transform of a view keeps its elements where they are.

use strideview::{Error, LayoutError, Slice, StridedLayout, StridedMemoryView};
use strideview_testkit::{PlainLayout, Random, generated};

use crate::{Outcome, bytes_of};

/// Farther than any generated layout reaches, in bytes.
const MIDDLE: i64 = 1 << 17;

/// A view of a generated layout somewhere in a buffer, and that layout.
fn placed(plain: &PlainLayout) -> Result<(StridedMemoryView, StridedLayout), Error> {
    let PlainLayout { shape, strides, itemsize, offset } = plain;
    let layout = StridedLayout::with_offset(shape, Some(strides), *itemsize, *offset)?;
    let all = bytes_of(2 * MIDDLE as usize)?;
    let view = all.sliced(&[(MIDDLE..).into()])?.view(Some(&layout), None)?;
    Ok((view, layout))
}

/// The bytes of the elements, in C order, counted from the start of the buffer.
fn places(view: &StridedMemoryView) -> Vec<i64> {
    let first = view.offset_in_bytes() as i64;
    view.layout().offsets().map(|offset| first + offset * view.itemsize()).collect()
}

/// The transformed view is where the transformed layout says, and both fail alike.
fn check(
    (view, layout): &(StridedMemoryView, StridedLayout),
    of_view: impl FnOnce(&StridedMemoryView) -> Result<StridedMemoryView, Error>,
    of_layout: impl FnOnce(&StridedLayout) -> Result<StridedLayout, LayoutError>,
) {
    match (of_view(view), of_layout(layout)) {
        (Ok(got), Ok(wanted)) => {
            let wanted_places: Vec<i64> =
                wanted.offsets().map(|offset| MIDDLE + offset * wanted.itemsize()).collect();
            assert_eq!(places(&got), wanted_places, "{wanted}");
            assert_eq!((got.shape(), got.layout().slice_offset()), (wanted.shape(), 0));
            assert!(got.buffer().is_same(view.buffer()));
            assert_eq!((got.dtype(), got.readonly()), (view.dtype(), view.readonly()));
        }
        (Err(got), Err(wanted)) => assert_eq!(got, Error::Layout(wanted)),
        (got, wanted) => panic!("{got:?} but {wanted:?}"),
    }
}

#[test]
fn every_transform_does_to_views_what_it_does_to_layouts() -> Outcome {
    let mut random = Random::new(21);
    for plain in generated(22, 1200) {
        let pair = placed(&plain)?;
        let rank = plain.rank() as i64;
        let (a, b) = (random.between(-rank - 1, rank), random.between(-rank - 1, rank));
        let axes = random.shuffled((0..rank).collect());
        check(&pair, |v| v.permuted(&axes), |l| l.permuted(&axes));
        check(&pair, |v| v.transposed(a, b), |l| l.transposed(a, b));
        check(&pair, |v| v.moved_axis(a, b), |l| l.moved_axis(a, b));
        check(&pair, StridedMemoryView::reversed_axes, |l| Ok(l.reversed_axes()));
        check(&pair, |v| v.reshaped(&[-1]), |l| l.reshaped(&[-1]));
        check(&pair, |v| v.flattened(a, b), |l| l.flattened(a, b, None));
        check(&pair, |v| v.squeezed(None), |l| l.squeezed(None));
        check(&pair, |v| v.squeezed(Some(&[a])), |l| l.squeezed(Some(&[a])));
        check(&pair, |v| v.unsqueezed(&[a, b]), |l| l.unsqueezed(&[a, b]));
        let mut target = vec![2];
        target.extend(&plain.shape);
        check(&pair, |v| v.broadcast_to(&target), |l| l.broadcast_to(&target));
    }
    Ok(())
}

#[test]
fn slices_compose() -> Outcome {
    let mut random = Random::new(23);
    for plain in generated(24, 1200) {
        let (view, layout) = placed(&plain)?;
        let entries: Vec<Slice> = plain.shape.iter().map(|_| entry(&mut random)).collect();
        check(&(view.clone(), layout.clone()), |v| v.sliced(&entries), |l| l.sliced(&entries));
        let (Ok(part), Ok(part_layout)) = (view.sliced(&entries), layout.sliced(&entries)) else {
            continue;
        };
        let again = [Slice::Ellipsis, Slice::step(-1), Slice::NewAxis];
        check(&(part, part_layout), |v| v.sliced(&again), |l| l.sliced(&again));
    }
    Ok(())
}

fn entry(random: &mut Random) -> Slice {
    let bound = |random: &mut Random| (!random.once_in(3)).then(|| random.between(-6, 6));
    if random.once_in(5) {
        return Slice::Index(random.between(-3, 3));
    }
    let (start, stop) = (bound(random), bound(random));
    Slice::Range { start, stop, step: random.pick(&[-3, -2, -1, 1, 1, 2, 3]) }
}

#[test]
fn an_empty_part_stays_inside_its_buffer() -> Outcome {
    let view = bytes_of(5)?;
    let part = view.sliced(&[(5..5).into()])?;
    assert!((0..=5).contains(&part.offset_in_bytes()));
    assert_eq!(part.nbytes(), 0);
    let backwards = StridedLayout::with_offset(&[5], Some(&[-1]), 1, 4)?;
    let part = view.view(Some(&backwards), None)?.sliced(&[(5..5).into()])?;
    assert!((0..=5).contains(&part.offset_in_bytes()));
    Ok(())
}

#[test]
fn a_transform_of_a_read_only_view_is_read_only() -> Outcome {
    let view = bytes_of(6)?.as_readonly();
    assert!(view.reshaped(&[2, 3])?.reversed_axes()?.readonly());
    assert!(view.view(Some(&StridedLayout::new(&[2], None, 1)?), None)?.readonly());
    assert!(view.bytes_view()?.readonly());
    Ok(())
}
