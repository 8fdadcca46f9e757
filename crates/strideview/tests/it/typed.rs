//! Typed access: what it checks, and what it reads.

use std::sync::atomic::Ordering;

use strideview::{
    Access, DType, Element, Error, MemoryError, Slice, StreamToken, StridedLayout,
    StridedMemoryView,
};

use crate::{Outcome, bytes_of, counted_buffer};

fn round_trip<T: Element + PartialEq + std::fmt::Debug>(values: &[T]) -> Outcome {
    let view = StridedMemoryView::from_vec(values.to_vec(), &[values.len() as i64])?;
    assert_eq!(view.dtype(), Some(T::DTYPE));
    assert_eq!(view.as_slice::<T>()?[..], *values);
    assert_eq!(view.to_vec::<T>()?, values);
    assert_eq!(view.get::<T>(&[-1])?, values[values.len() - 1]);
    Ok(())
}

#[test]
fn every_element_type_is_read_as_it_was_written() -> Outcome {
    round_trip(&[i8::MIN, 0, i8::MAX])?;
    round_trip(&[i16::MIN, 0, i16::MAX])?;
    round_trip(&[i32::MIN, 0, i32::MAX])?;
    round_trip(&[i64::MIN, 0, i64::MAX])?;
    round_trip(&[0, u8::MAX])?;
    round_trip(&[0, u16::MAX])?;
    round_trip(&[0, u32::MAX])?;
    round_trip(&[0, u64::MAX])?;
    round_trip(&[f32::MIN, -0.0, f32::INFINITY])?;
    round_trip(&[f64::MIN, -0.0, f64::INFINITY])
}

#[test]
fn another_dtype_is_refused() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![1_i32], &[1])?;
    let wanted = Error::DTypeMismatch { wanted: DType::U32, got: DType::I32 };
    assert_eq!(view.as_slice::<u32>().unwrap_err(), wanted);
    assert_eq!(view.get::<u32>(&[0]).unwrap_err(), wanted);
    assert!(view.values::<u32>().is_err_and(|error| error == wanted));
    // A bool is a byte that may be anything: it is read as a byte, on purpose.
    let bools = bytes_of(2)?.view(None, Some(DType::BOOL))?;
    assert!(bools.as_slice::<u8>().is_err());
    assert_eq!(bools.view(None, Some(DType::U8))?.to_vec::<u8>()?, [0, 0]);
    assert_eq!(bytes_of(2)?.get::<u8>(&[0]).unwrap_err(), Error::Untyped);
    Ok(())
}

#[test]
fn a_slice_needs_c_order() -> Outcome {
    let view = StridedMemoryView::from_vec((0..6_u8).collect(), &[2, 3])?;
    let refused = [
        view.reversed_axes()?,
        view.sliced(&[Slice::ALL, (0..2).into()])?,
        view.sliced(&[Slice::step(-1)])?,
        view.broadcast_to(&[2, 2, 3])?,
    ];
    for part in refused {
        assert_eq!(part.as_slice::<u8>().unwrap_err(), Error::NotContiguous);
    }
    let taken = view.sliced(&[Slice::Index(1), Slice::NewAxis])?;
    assert_eq!(taken.as_slice::<u8>()?[..], [3, 4, 5]);
    let scalar = view.sliced(&[Slice::Index(1), Slice::Index(1)])?;
    assert_eq!(scalar.as_slice::<u8>()?[..], [4]);
    Ok(())
}

#[test]
fn a_slice_needs_alignment_and_reading_does_not() -> Outcome {
    let all = StridedMemoryView::from_vec((0..17_u8).collect(), &[17])?;
    let start = i64::from(all.address() % 2 == 0);
    let layout = StridedLayout::with_offset(&[8], None, 1, start)?;
    let odd = all.view(Some(&layout), None)?;
    // Four numbers of two bytes at an odd address: `view` repacks only aligned ones, a layout may.
    let numbers = StridedLayout::new(&[4], None, 2)?;
    let odd = odd.view(Some(&numbers), Some(DType::U16))?;
    let address = odd.address();
    assert_eq!(odd.as_slice::<u16>().unwrap_err(), Error::Misaligned { address, alignment: 2 });
    let first = [start as u8, start as u8 + 1];
    assert_eq!(odd.get::<u16>(&[0])?, u16::from_ne_bytes(first));
    assert_eq!(odd.values::<u16>()?.count(), 4);
    Ok(())
}

#[test]
fn an_empty_slice_needs_nothing_of_its_address() -> Outcome {
    let view = StridedMemoryView::from_vec(Vec::<f64>::new(), &[0, 3])?;
    assert!(view.as_slice::<f64>()?.is_empty());
    let part = StridedMemoryView::from_vec(vec![1_u8, 2, 3], &[3])?;
    let layout = StridedLayout::with_offset(&[0], None, 8, 0)?;
    let part = part.sliced(&[(1..3).into()])?.view(Some(&layout), Some(DType::F64))?;
    assert!(part.as_slice::<f64>()?.is_empty());
    assert_eq!(part.to_vec::<f64>()?, [0.0; 0]);
    Ok(())
}

#[test]
fn device_memory_is_not_touched() -> Outcome {
    let (buffer, _) = counted_buffer(2, Access::device(3));
    let layout = StridedLayout::new(&[2], None, 8)?;
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U64), false)?;
    let wanted = Error::NotHostAccessible { device_id: 3 };
    assert_eq!(view.as_slice::<u64>().unwrap_err(), wanted);
    assert_eq!(view.get::<u64>(&[0]).unwrap_err(), wanted);
    assert_eq!((view.device_id(), view.access()), (3, Access::device(3)));
    Ok(())
}

#[test]
fn a_slice_keeps_the_memory() -> Outcome {
    let (buffer, drops) = counted_buffer(2, Access::host());
    let layout = StridedLayout::new(&[2], None, 8)?;
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U64), false)?;
    let (slice, values) = (view.as_slice::<u64>()?, view.values::<u64>()?);
    assert_eq!(buffer.close(StreamToken::NONE), Err(MemoryError::InUse { leases: 2 }));
    drop((view, buffer));
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    let read = std::thread::spawn(move || (slice.to_vec(), values.collect::<Vec<_>>())).join();
    let (slice, values) = read.expect("reading does not panic");
    assert_eq!((slice, values), (vec![0x0706_0504_0302_0100; 2], vec![0x0706_0504_0302_0100; 2]));
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn a_closed_buffer_is_not_read() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![1_u8], &[1])?;
    view.buffer().close(StreamToken::NONE)?;
    let closed = Error::Memory(MemoryError::Closed);
    assert_eq!(view.as_slice::<u8>().unwrap_err(), closed);
    assert_eq!(view.get::<u8>(&[0]).unwrap_err(), closed);
    Ok(())
}

#[test]
fn a_vector_must_have_as_many_values_as_the_shape() {
    let error = StridedMemoryView::from_vec(vec![0_u8; 5], &[2, 3]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { wanted: 6, got: 5 });
    assert!(StridedMemoryView::from_vec(vec![0_u8; 5], &[-5]).is_err());
    assert!(StridedMemoryView::from_vec(vec![7_u8], &[]).is_ok());
}

#[test]
fn an_index_must_be_inside() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?;
    assert_eq!(view.get::<u8>(&[2]).unwrap_err().code(), "layout.index_out_of_range");
    assert_eq!(view.get::<u8>(&[-3]).unwrap_err().code(), "layout.index_out_of_range");
    assert_eq!(view.get::<u8>(&[]).unwrap_err().code(), "layout.index_count");
    Ok(())
}
