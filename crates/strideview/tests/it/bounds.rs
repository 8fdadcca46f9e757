//! A view is made iff every byte of it lies inside the buffer.

use strideview::{Device, Error, MemoryError, StreamToken, StridedLayout, StridedMemoryView};
use strideview_testkit::{PlainLayout, generated, odd_layouts};

use crate::{Outcome, bytes_of};

/// Whether every byte of every element lies in `0 .. size`, with element offset 0 at `origin`.
fn fits(plain: &PlainLayout, origin: i128, size: i128) -> bool {
    let itemsize = i128::from(plain.itemsize);
    plain.offsets().iter().all(|offset| {
        let first = origin + offset * itemsize;
        first >= 0 && first + itemsize <= size
    })
}

fn layout_of(plain: &PlainLayout) -> StridedLayout {
    let PlainLayout { shape, strides, itemsize, offset } = plain;
    StridedLayout::with_offset(shape, Some(strides), *itemsize, *offset).expect("a valid layout")
}

/// The constructor agrees with the enumeration, and the view is where the layout is.
fn check(plain: &PlainLayout, size: usize) -> Outcome {
    let buffer = Device::cpu().allocate(size)?;
    let layout = layout_of(plain);
    let made = StridedMemoryView::from_buffer(&buffer, &layout, None, false);
    assert_eq!(made.is_ok(), fits(plain, 0, size as i128), "{layout} in {size}");
    let view = match made {
        Ok(view) => view,
        Err(error) => {
            assert_eq!(error.code(), "view.out_of_bounds", "{layout} in {size}");
            return Ok(());
        }
    };
    assert_eq!(view.layout().slice_offset(), 0);
    let itemsize = i128::from(plain.itemsize);
    let there =
        view.layout().offsets().map(|o| view.offset_in_bytes() as i128 + i128::from(o) * itemsize);
    let wanted: Vec<i128> = plain.offsets().iter().map(|offset| offset * itemsize).collect();
    assert_eq!(there.collect::<Vec<_>>(), wanted, "{layout} in {size}");
    assert!((0..=size as isize).contains(&view.offset_in_bytes()));
    Ok(())
}

#[test]
fn small_layouts_by_brute_force() -> Outcome {
    for itemsize in 1..=3 {
        for offset in -3..=9 {
            for extent in 0..=3 {
                for stride in -4..=4 {
                    let line = PlainLayout::new(&[extent], &[stride], itemsize, offset);
                    check(&line, 12)?;
                    for other in -3..=3 {
                        let plane =
                            PlainLayout::new(&[extent, 2], &[stride, other], itemsize, offset);
                        check(&plane, 12)?;
                    }
                }
            }
            check(&PlainLayout::new(&[], &[], itemsize, offset), 12)?;
        }
    }
    Ok(())
}

#[test]
fn generated_layouts_in_buffers_around_their_size() -> Outcome {
    for plain in generated(11, 1500) {
        let end = layout_of(&plain).max_offset().saturating_add(1) * plain.itemsize;
        for change in [-1, 0, 1, 40] {
            check(&plain, usize::try_from(end + change).unwrap_or(0).min(1 << 16))?;
        }
    }
    Ok(())
}

#[test]
fn huge_layouts_are_refused_without_overflow() -> Outcome {
    let buffer = Device::cpu().allocate(64)?;
    for plain in odd_layouts().into_iter().filter(|plain| plain.volume() > 1 << 20) {
        let layout = layout_of(&plain);
        let (min, max) = layout.offset_bounds();
        let is_inside = min >= 0 && (max + 1) * layout.itemsize() <= 64;
        let made = StridedMemoryView::from_buffer(&buffer, &layout, None, false);
        assert_eq!(made.is_ok(), is_inside, "{layout}");
    }
    Ok(())
}

#[test]
fn odd_layouts_of_few_elements() -> Outcome {
    for plain in odd_layouts().into_iter().filter(|plain| plain.volume() <= 1 << 16) {
        for size in [0, 1, 64, 4096] {
            check(&plain, size)?;
        }
    }
    Ok(())
}

#[test]
fn a_view_of_a_view_is_checked_against_the_whole_buffer() -> Outcome {
    let all = bytes_of(24)?;
    for start in 0..=24 {
        let part = all.sliced(&[(start..24).into()])?;
        for plain in generated(12, 120) {
            let made = part.view(Some(&layout_of(&plain)), None);
            let fits = fits(&plain, part.offset_in_bytes() as i128, 24);
            assert_eq!(made.is_ok(), fits, "{plain:?} from {start}");
        }
    }
    Ok(())
}

#[test]
fn an_empty_layout_always_fits_and_stays_inside() -> Outcome {
    let buffer = Device::cpu().allocate(10)?;
    for (offset, wanted) in [(0, 0), (5, 10), (6, 0), (-1, 0), (i64::MAX / 2, 0)] {
        let layout = StridedLayout::with_offset(&[0, 3], Some(&[7, 1]), 2, offset)?;
        let view = StridedMemoryView::from_buffer(&buffer, &layout, None, false)?;
        assert_eq!(view.offset_in_bytes(), wanted);
        assert_eq!(view.layout().slice_offset(), 0);
    }
    Ok(())
}

#[test]
fn offset_and_size_together_must_fit() -> Outcome {
    let buffer = Device::cpu().allocate(40)?;
    let at = |offset| StridedLayout::with_offset(&[3, 3], None, 4, offset);
    assert!(StridedMemoryView::from_buffer(&buffer, &at(1)?, None, false).is_ok());
    let error = StridedMemoryView::from_buffer(&buffer, &at(2)?, None, false).unwrap_err();
    assert_eq!(error, Error::OutOfBounds { lowest: 8, end: 44, size_in_bytes: 40 });
    Ok(())
}

#[test]
fn implicit_strides_stay_implicit() -> Outcome {
    let buffer = Device::cpu().allocate(40)?;
    for offset in [0, 2] {
        let layout = StridedLayout::with_offset(&[2, 2], None, 4, offset)?;
        let view = StridedMemoryView::from_buffer(&buffer, &layout, None, false)?;
        assert!(view.layout().has_implicit_strides());
    }
    Ok(())
}

#[test]
fn a_closed_buffer_has_no_views_and_its_views_no_address() -> Outcome {
    let view = bytes_of(8)?;
    view.buffer().close(StreamToken::NONE)?;
    let layout = StridedLayout::new(&[0], None, 1)?;
    let error = StridedMemoryView::from_buffer(view.buffer(), &layout, None, false).unwrap_err();
    assert_eq!(error, Error::Memory(MemoryError::Closed));
    assert_eq!(view.view(None, None).unwrap_err(), error);
    assert_eq!(view.bytes_view().unwrap_err(), error);
    assert_eq!((view.address(), view.is_closed()), (0, true));
    // What it was can still be asked, and turned.
    assert_eq!(view.shape(), [8]);
    assert_eq!(view.reshaped(&[2, 4])?.shape(), [2, 4]);
    assert!(!view.is_same_memory(&view));
    Ok(())
}
