//! Numbers of 16 bits as elements of typed views.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

#[path = "../../examples/half.rs"]
mod example;

use half::{bf16, f16};
use strideview::{DType, Element, Error, Slice, StridedMemoryView};

#[test]
fn the_example_runs() {
    example::main().unwrap();
}

/// Every pattern of bits comes back as it was, also those of NaNs.
#[track_caller]
fn check_bits<T: Element>(dtype: DType, from: fn(u16) -> T, to: fn(T) -> u16) {
    assert_eq!(T::DTYPE, dtype);
    let view =
        StridedMemoryView::from_vec((0..=u16::MAX).map(from).collect(), &[256, 256]).unwrap();
    assert_eq!((view.dtype(), view.itemsize()), (Some(dtype), 2));
    let columns = view.transposed(0, 1).unwrap();
    let read: Vec<u16> = columns.values::<T>().unwrap().map(to).collect();
    let wanted: Vec<u16> = (0..=u16::MAX).map(|place| place.rotate_left(8)).collect();
    assert_eq!(read, wanted);
    let slice = view.as_slice::<T>().unwrap();
    assert!(slice.iter().map(|&value| to(value)).eq(0..=u16::MAX));
}

#[test]
fn every_pattern_of_bits_is_kept() {
    check_bits::<f16>(DType::F16, f16::from_bits, f16::to_bits);
    check_bits::<bf16>(DType::BF16, bf16::from_bits, bf16::to_bits);
}

#[test]
fn another_type_of_16_bits_is_refused() {
    let view = StridedMemoryView::from_vec(vec![f16::ONE; 3], &[3]).unwrap();
    let error = Error::DTypeMismatch { wanted: DType::BF16, got: DType::F16 };
    assert_eq!(view.as_slice::<bf16>().unwrap_err(), error);
    let error = Error::DTypeMismatch { wanted: DType::U16, got: DType::F16 };
    assert_eq!(view.get::<u16>(&[0]).unwrap_err(), error);
    let other = StridedMemoryView::from_vec(vec![bf16::ONE; 3], &[3]).unwrap();
    let error = Error::DTypeMismatch { wanted: DType::F16, got: DType::BF16 };
    assert_eq!(view.copy_from(&other), Err(error));
}

#[test]
fn copies_take_any_strides() {
    let values: Vec<bf16> = (0..12).map(|value| bf16::from_f32(value as f32)).collect();
    let view = StridedMemoryView::from_vec(values.clone(), &[3, 4]).unwrap();
    let dst = StridedMemoryView::from_vec(vec![bf16::ZERO; 12], &[4, 3]).unwrap();
    let backwards = view.reversed_axes().unwrap().sliced(&[Slice::step(-1)]).unwrap();
    dst.copy_from(&backwards).unwrap();
    assert_eq!(dst.get::<bf16>(&[0, 2]).unwrap(), values[11]);
    assert_eq!(dst.get::<bf16>(&[3, 0]).unwrap(), values[0]);
}
