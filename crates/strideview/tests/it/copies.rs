//! Copies against an oracle that reads everything before it writes anything.

use strideview::{
    Access, Buffer, CopyError, DType, Error, ErrorKind, Kernel, Slice, StreamToken, StridedLayout,
    StridedMemoryView, Uniqueness, copy, empty_like, explain_copy,
};
use strideview_testkit::{PlainLayout, Random, generated};

use crate::{Outcome, bytes_of, content, counted_buffer};

/// Bytes `lowest .. end` of a layout with elements, from its element offset 0.
fn span(plain: &PlainLayout) -> (i128, i128) {
    let itemsize = i128::from(plain.itemsize);
    let offsets = plain.offsets();
    let (min, max) = (offsets.iter().min(), offsets.iter().max());
    (min.map_or(0, |min| min * itemsize), max.map_or(0, |max| (max + 1) * itemsize))
}

fn layout_of(plain: &PlainLayout) -> StridedLayout {
    let PlainLayout { shape, strides, itemsize, offset } = plain;
    StridedLayout::with_offset(shape, Some(strides), *itemsize, *offset).expect("a valid layout")
}

/// A source with the shape and item size of the destination, and strides of its own.
fn source_for(dst: &PlainLayout, random: &mut Random) -> PlainLayout {
    let mut strides = dst.strides.clone();
    if random.once_in(2) {
        strides = random.shuffled(strides);
    }
    for (stride, &extent) in strides.iter_mut().zip(&dst.shape) {
        if extent == 1 || random.once_in(3) || stride.unsigned_abs() > 100 {
            *stride = random.between(-9, 9);
        }
    }
    PlainLayout { strides, offset: random.between(-5, 5), ..dst.clone() }
}

/// Whether two elements of a layout share an offset.
fn is_unique(plain: &PlainLayout) -> bool {
    let mut offsets = plain.offsets();
    let count = offsets.len();
    offsets.sort_unstable();
    offsets.dedup();
    offsets.len() == count
}

/// What the memory holds after a copy, by the definition.
fn oracle(
    memory: &[u8],
    (dst, dst_origin): (&PlainLayout, i128),
    (src, src_origin): (&PlainLayout, i128),
) -> Vec<u8> {
    let mut result = memory.to_vec();
    let itemsize = i128::from(dst.itemsize);
    for (to, from) in dst.offsets().iter().zip(src.offsets()) {
        for byte in 0..itemsize {
            let to = usize::try_from(dst_origin + to * itemsize + byte).expect("inside");
            let from = usize::try_from(src_origin + from * itemsize + byte).expect("inside");
            result[to] = memory[from];
        }
    }
    result
}

/// The view of a layout with its element offset 0 at a byte of a buffer.
fn at(
    all: &StridedMemoryView,
    origin: i128,
    plain: &PlainLayout,
) -> Result<StridedMemoryView, Error> {
    // A layout counts in elements; the origin may lie between two. So it goes through the bytes.
    let (lowest, _) = span(plain);
    let first = i64::try_from(origin + lowest).expect("a small number");
    let moved = layout_of(&PlainLayout { offset: plain.offset, ..plain.clone() });
    let moved = StridedLayout::with_offset(
        moved.shape(),
        Some(moved.strides()),
        moved.itemsize(),
        moved.slice_offset() - moved.min_offset(),
    )?;
    all.sliced(&[(first..).into()])?.view(Some(&moved), None)
}

/// Copies between two layouts in one arena, near enough to overlap, and looks at every byte.
fn check_in_arena(dst: &PlainLayout, src: &PlainLayout, random: &mut Random) -> Outcome {
    let ((dst_low, dst_end), (src_low, src_end)) = (span(dst), span(src));
    let reach = i64::try_from((dst_end - dst_low).max(src_end - src_low)).expect("small");
    let dst_origin = 100 + i128::from(reach) - dst_low;
    let src_origin = dst_origin + dst_low - src_low + i128::from(random.between(-reach, reach));
    let size = usize::try_from(dst_origin + dst_low + 3 * i128::from(reach) + 200).expect("small");
    let memory: Vec<u8> = (0..size).map(|k| (k * 7 % 253) as u8).collect();
    let all = bytes_of(size)?;
    let fresh = StridedMemoryView::from_vec(memory.clone(), &[size as i64])?;
    all.copy_from(&fresh)?;
    let (to, from) = (at(&all, dst_origin, dst)?, at(&all, src_origin, src)?);
    if !is_unique(dst) {
        assert_eq!(copy(&to, &from), Err(Error::NotUnique), "{dst:?}");
        assert_eq!(content(&all)?, memory);
        return Ok(());
    }
    copy(&to, &from)?;
    let wanted = oracle(&memory, (dst, dst_origin), (src, src_origin));
    assert_eq!(content(&all)?, wanted, "{dst:?} from {src:?}");
    Ok(())
}

#[test]
fn copies_in_one_arena_are_as_if_through_a_temporary() -> Outcome {
    let mut random = Random::new(41);
    for dst in generated(42, 3000).into_iter().filter(|plain| !plain.is_empty()) {
        let src = source_for(&dst, &mut random);
        check_in_arena(&dst, &src, &mut random)?;
    }
    Ok(())
}

#[test]
fn copies_between_two_buffers() -> Outcome {
    let mut random = Random::new(43);
    for dst in generated(44, 1500).into_iter().filter(is_unique) {
        let src = source_for(&dst, &mut random);
        let (dst_span, src_span) = (span(&dst), span(&src));
        let size = |(low, end): (i128, i128)| usize::try_from(end - low + 16).expect("small");
        let (to_all, from_all) = (bytes_of(size(dst_span))?, bytes_of(size(src_span))?);
        let values: Vec<u8> = (0..size(src_span)).map(|k| (k * 5 % 241 + 1) as u8).collect();
        from_all
            .copy_from(&StridedMemoryView::from_vec(values.clone(), &[values.len() as i64])?)?;
        let (to, from) = (at(&to_all, 8 - dst_span.0, &dst)?, at(&from_all, 8 - src_span.0, &src)?);
        to.copy_from(&from)?;
        let itemsize = i128::from(dst.itemsize);
        let mut wanted = vec![0; size(dst_span)];
        for (to, from) in dst.offsets().iter().zip(src.offsets()) {
            for byte in 0..itemsize {
                let to = 8 - dst_span.0 + to * itemsize + byte;
                let from = 8 - src_span.0 + from * itemsize + byte;
                wanted[usize::try_from(to).expect("inside")] =
                    values[usize::try_from(from).expect("inside")];
            }
        }
        assert_eq!(content(&to_all)?, wanted, "{dst:?} from {src:?}");
        assert_eq!(content(&from_all)?, values);
    }
    Ok(())
}

#[test]
fn a_shift_by_one_does_not_smear() -> Outcome {
    let view = StridedMemoryView::from_vec((0..24).map(f64::from).collect(), &[2, 4, 3])?;
    let (upper, lower) =
        (view.sliced(&[Slice::ALL, (1..).into()])?, view.sliced(&[Slice::ALL, (..3).into()])?);
    let wanted = lower.to_vec::<f64>()?;
    upper.copy_from(&lower)?;
    assert_eq!(upper.to_vec::<f64>()?, wanted);
    Ok(())
}

#[test]
fn gaps_are_not_written() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![-1.0; 16], &[16])?;
    let part = view.sliced(&[Slice::range(1, 13, 4)])?;
    StridedMemoryView::from_vec(vec![0.0, 1.0, 2.0], &[3])?.copy_to(&part)?;
    let mut wanted = [-1.0; 16];
    (wanted[1], wanted[5], wanted[9]) = (0.0, 1.0, 2.0);
    assert_eq!(view.to_vec::<f64>()?, wanted);
    Ok(())
}

#[test]
fn what_does_not_match_is_refused_and_nothing_is_written() -> Outcome {
    let dst = StridedMemoryView::from_vec(vec![7_u32; 6], &[2, 3])?;
    let words = |shape: &[i64]| StridedMemoryView::from_vec(vec![1_u32; 6], shape);
    let expected = StridedMemoryView::from_vec(vec![1_f32; 6], &[2, 3])?;
    let mismatch = Error::DTypeMismatch { wanted: DType::U32, got: DType::F32 };
    let broadcast = StridedMemoryView::from_vec(vec![1_u32], &[1])?.broadcast_to(&[2, 3])?;
    let refused = [
        (
            dst.copy_from(&words(&[3, 2])?),
            CopyError::ShapeMismatch { axis: 0, dst_extent: 2, src_extent: 3 }.into(),
        ),
        (dst.copy_from(&words(&[6])?), CopyError::RankMismatch { dst_rank: 2, src_rank: 1 }.into()),
        (
            dst.copy_from(&words(&[1, 2, 3])?),
            CopyError::RankMismatch { dst_rank: 2, src_rank: 3 }.into(),
        ),
        (dst.copy_from(&expected), mismatch),
        (dst.as_readonly().copy_from(&words(&[2, 3])?), Error::ReadOnly),
        (broadcast.copy_from(&words(&[2, 3])?), Error::NotUnique),
    ];
    for (got, wanted) in refused {
        assert_eq!(got, Err(wanted));
        assert_eq!(wanted.kind(), ErrorKind::Value);
    }
    assert_eq!(dst.to_vec::<u32>()?, [7; 6]);
    Ok(())
}

#[test]
fn an_untyped_view_needs_an_equal_itemsize() -> Outcome {
    let untyped = bytes_of(8)?.view(Some(&StridedLayout::new(&[2], None, 4)?), None)?;
    let floats = StridedMemoryView::from_vec(vec![1.5_f32, 2.5], &[2])?;
    untyped.copy_from(&floats)?;
    let words = StridedMemoryView::from_vec(vec![0_u32; 2], &[2])?;
    words.copy_from(&untyped)?;
    assert_eq!(words.to_vec::<u32>()?, [1.5_f32.to_bits(), 2.5_f32.to_bits()]);
    let doubles = StridedMemoryView::from_vec(vec![0_f64; 2], &[2])?;
    let wanted = CopyError::ItemsizeMismatch { dst_itemsize: 8, src_itemsize: 4 };
    assert_eq!(doubles.copy_from(&untyped), Err(wanted.into()));
    Ok(())
}

#[test]
fn undecided_uniqueness_is_refused_and_said() -> Outcome {
    let mut random = Random::new(45);
    let strides: Vec<i64> = (0..50).map(|_| random.between(1 << 50, 1 << 56)).collect();
    let layout = StridedLayout::new(&[2; 50], Some(&strides), 1)?;
    assert_eq!(layout.uniqueness(), Uniqueness::Undecided);
    let address = std::ptr::without_provenance_mut(1);
    // SAFETY: (1, 2) there is no such memory, and this test does not get to touching it.
    let buffer = unsafe { Buffer::from_raw(address, 1 << 62, Access::host(), None) };
    let view = StridedMemoryView::from_buffer(&buffer, &layout, None, false)?;
    let error = view.copy_from(&view).unwrap_err();
    assert_eq!(error, Error::UniquenessUndecided);
    assert!(error.to_string().contains("undecided"));
    Ok(())
}

#[test]
fn a_view_onto_itself_is_left_alone() -> Outcome {
    let view = StridedMemoryView::from_vec((0..6_u8).collect(), &[2, 3])?;
    view.copy_from(&view.clone())?;
    view.copy_from(&view.reversed_axes()?.reversed_axes()?)?;
    // Even where a slice is alive: nothing is written.
    let slice = view.as_slice::<u8>()?;
    view.copy_from(&view)?;
    assert_eq!(slice[..], [0, 1, 2, 3, 4, 5]);
    Ok(())
}

#[test]
fn nothing_is_copied_without_elements() -> Outcome {
    let (device, _) = counted_buffer(1, Access::device(0));
    let layout = StridedLayout::new(&[0, 3], None, 8)?;
    let nothing = StridedMemoryView::from_buffer(&device, &layout, None, false)?;
    nothing.copy_from(&nothing)?;
    nothing.copy_from(&empty_like(&nothing)?)?;
    let wide = StridedMemoryView::from_buffer(
        &device,
        &StridedLayout::new(&[0, 4], None, 8)?,
        None,
        false,
    )?;
    assert!(nothing.copy_from(&wide).is_err());
    Ok(())
}

#[test]
fn memory_of_a_device_that_is_not_there() -> Outcome {
    // No machine has as many, with a driver or without.
    let (buffer, _) = counted_buffer(1, Access::device(1_000_000));
    let layout = StridedLayout::new(&[1], None, 8)?;
    let device = StridedMemoryView::from_buffer(&buffer, &layout, None, false)?;
    let host = empty_like(&device)?;
    for outcome in [host.copy_from(&device), device.copy_from(&host)] {
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Runtime);
    }
    assert_eq!((host.buffer().leases(), device.buffer().leases()), (0, 0));
    device.copy_from(&device)?; // nothing to do
    let nowhere = Error::Unreachable;
    let (buffer, _) = counted_buffer(1, Access::NONE);
    let unreachable = StridedMemoryView::from_buffer(&buffer, &layout, None, false)?;
    assert_eq!(host.copy_from(&unreachable), Err(nowhere));
    assert_eq!(explain_copy(&unreachable, &host).unwrap_err(), nowhere);
    Ok(())
}

#[test]
fn closed_buffers_are_not_copied() -> Outcome {
    let (one, two) = (bytes_of(4)?, bytes_of(4)?);
    two.buffer().close(StreamToken::NONE)?;
    assert_eq!(one.copy_from(&two).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(two.copy_from(&one).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(two.copy_from(&two).unwrap_err().kind(), ErrorKind::Closed);
    Ok(())
}

#[test]
fn leases_end_with_the_copy() -> Outcome {
    let (one, two) = (bytes_of(4)?, bytes_of(4)?);
    one.copy_from(&two)?;
    assert_eq!((one.buffer().leases(), two.buffer().leases()), (0, 0));
    Ok(())
}

#[test]
fn the_plan_is_that_of_the_layouts() -> Outcome {
    let mut random = Random::new(46);
    for dst in generated(47, 800) {
        let src = source_for(&dst, &mut random);
        let size =
            |plain: &PlainLayout| usize::try_from(span(plain).1 - span(plain).0).expect("small");
        let (to, from) = (
            at(&bytes_of(size(&dst))?, -span(&dst).0, &dst)?,
            at(&bytes_of(size(&src))?, -span(&src).0, &src)?,
        );
        let wanted = strideview_copy::plan_for(to.layout(), from.layout()).expect("a plan");
        assert_eq!(explain_copy(&to, &from)?.plan(), &wanted, "{dst:?} from {src:?}");
    }
    Ok(())
}

#[test]
fn a_plan_is_explained() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![0_u8; 64], &[8, 8])?;
    let plan = explain_copy(&empty_like(&view)?, &view)?;
    assert_eq!((plan.kernel(), plan.bytes()), (Kernel::Contiguous, 64));
    let plan = explain_copy(&view.as_readonly(), &view.reversed_axes()?)?;
    assert_eq!(plan.kernel(), Kernel::Transposed);
    assert!(!plan.to_string().is_empty());
    Ok(())
}
