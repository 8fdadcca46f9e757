//! Tensors of candle: out without a copy, in with one.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

#[path = "../../examples/candle.rs"]
mod example;

use candle_core::{CpuStorage, DType as CandleDType, Device, Storage, Tensor, WithDType};
use strideview::interop::candle::{copy_into_tensor, copy_to_tensor, from_tensor, lend};
use strideview::{
    DType, Device as Place, Element, Error, MemoryError, Slice, StreamToken, StridedLayout,
    StridedMemoryView, copy_bytes, fill_bytes,
};

#[test]
fn the_example_runs() {
    example::main().unwrap();
}

/// Where the elements of a tensor lie, as candle says.
fn address(tensor: &Tensor) -> usize {
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(CpuStorage::F32(values)) = &*storage else { panic!("f32 on the host") };
    values[layout.start_offset()..].as_ptr().addr()
}

#[test]
fn a_tensor_is_seen_with_its_strides_where_it_lies() {
    let dense = Tensor::arange(0_f32, 60.0, &Device::Cpu).unwrap().reshape((3, 4, 5)).unwrap();
    let tensors = [
        dense.clone(),
        dense.transpose(0, 2).unwrap(),
        dense.narrow(1, 1, 2).unwrap(),
        dense.permute((1, 2, 0)).unwrap().narrow(2, 2, 1).unwrap(),
        dense.get(1).unwrap().unsqueeze(0).unwrap().broadcast_as((6, 4, 5)).unwrap(),
        dense.flatten_all().unwrap().get(17).unwrap(),
        dense.narrow(0, 3, 0).unwrap(),
    ];
    for tensor in tensors {
        lend(&tensor, |view| {
            let strides: Vec<i64> = tensor.stride().iter().map(|&stride| stride as i64).collect();
            assert_eq!((view.layout().strides(), view.dtype()), (&strides[..], Some(DType::F32)));
            let values = tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap();
            assert_eq!(view.to_vec::<f32>().unwrap(), values);
            assert!(view.readonly());
            assert!(values.is_empty() || view.address() == address(&tensor));
        })
        .unwrap();
    }
}

#[track_caller]
fn check_dtype<T: WithDType + Element + PartialEq>(values: &[T], dtype: DType) {
    let tensor = Tensor::new(values, &Device::Cpu).unwrap();
    lend(&tensor, |view| {
        assert_eq!(view.dtype(), Some(dtype));
        assert!(view.to_vec::<T>().unwrap() == values);
        assert!(copy_to_tensor(view).unwrap().to_vec1::<T>().unwrap() == values);
    })
    .unwrap();
}

#[test]
fn every_dtype_of_candle_goes_both_ways() {
    check_dtype(&[0_u8, 255], DType::U8);
    check_dtype(&[0, u32::MAX], DType::U32);
    check_dtype(&[i16::MIN, 5], DType::I16);
    check_dtype(&[i32::MIN, 5], DType::I32);
    check_dtype(&[i64::MIN, 5], DType::I64);
    check_dtype(&[f32::MIN, 0.5], DType::F32);
    check_dtype(&[f64::MIN, 0.5], DType::F64);
    for (candle, dtype) in [
        (CandleDType::F16, DType::F16),
        (CandleDType::BF16, DType::BF16),
        (CandleDType::F8E4M3, DType::F8_E4M3FN),
    ] {
        let floats = Tensor::new(&[0.5_f32, -2.0], &Device::Cpu).unwrap();
        let tensor = floats.to_dtype(candle).unwrap();
        let again = lend(&tensor, |view| {
            assert_eq!(view.dtype(), Some(dtype));
            copy_to_tensor(view)
        });
        let again = again.unwrap().unwrap();
        assert_eq!(again.dtype(), candle);
        let values = again.to_dtype(CandleDType::F32).unwrap().to_vec1::<f32>().unwrap();
        assert_eq!(values, [0.5, -2.0]);
    }
}

#[test]
fn a_view_of_any_strides_becomes_a_tensor() {
    let view = StridedMemoryView::from_vec((0..24_i32).collect(), &[2, 3, 4]).unwrap();
    let turned = view.permuted(&[2, 0, 1]).unwrap().sliced(&[Slice::step(-1)]).unwrap();
    let tensor = copy_to_tensor(&turned).unwrap();
    assert_eq!(tensor.dims(), [4, 2, 3]);
    let values = tensor.flatten_all().unwrap().to_vec1::<i32>().unwrap();
    assert_eq!(values, turned.to_vec::<i32>().unwrap());
    let scalar = copy_to_tensor(&view.sliced(&[Slice::Index(1); 3]).unwrap()).unwrap();
    assert_eq!(scalar.to_scalar::<i32>().unwrap(), 17);
    let empty = copy_to_tensor(&view.sliced(&[(0..0).into()]).unwrap()).unwrap();
    assert_eq!(empty.dims(), [0, 3, 4]);
}

#[test]
fn only_the_elements_of_the_tensor_are_written() {
    let whole = Tensor::zeros((4, 5), CandleDType::U8, &Device::Cpu).unwrap();
    let part = whole.transpose(0, 1).unwrap().narrow(0, 1, 3).unwrap().narrow(1, 1, 2).unwrap();
    let view = StridedMemoryView::from_vec(vec![1_u8, 2, 3, 4, 5, 6], &[3, 2]).unwrap();
    copy_into_tensor(&view, &part).unwrap();
    let wanted = [[0, 0, 0, 0, 0], [0, 1, 3, 5, 0], [0, 2, 4, 6, 0], [0, 0, 0, 0, 0]];
    assert_eq!(whole.to_vec2::<u8>().unwrap(), wanted);
}

#[test]
fn what_a_call_keeps_is_closed_afterwards() {
    let tensor = Tensor::new(&[1_u32, 2], &Device::Cpu).unwrap();
    let kept = lend(&tensor, Clone::clone).unwrap();
    assert_eq!(kept.get::<u32>(&[0]), Err(Error::Memory(MemoryError::Closed)));
    // The lock is free again: this would wait for ever.
    copy_into_tensor(&StridedMemoryView::from_vec(vec![3_u32, 4], &[2]).unwrap(), &tensor).unwrap();
    assert_eq!(tensor.to_vec1::<u32>().unwrap(), [3, 4]);
}

#[test]
fn a_view_keeps_its_tensor() {
    let tensor = Tensor::arange(0_f32, 1000.0, &Device::Cpu).unwrap();
    let address = address(&tensor);
    // SAFETY: (1) nothing changes it.
    let view = unsafe { from_tensor(&tensor) }.unwrap();
    drop(tensor);
    assert_eq!((view.address(), view.get::<f32>(&[999])), (address, Ok(999.0)));
}

#[test]
fn what_does_not_fit_is_an_error_and_changes_nothing() {
    let tensor = Tensor::zeros((2, 2), CandleDType::F32, &Device::Cpu).unwrap();
    let view = |len: i64| StridedMemoryView::from_vec(vec![1_f32; len as usize], &[len]).unwrap();
    let shape = copy_into_tensor(&view(4), &tensor).unwrap_err();
    assert_eq!(shape.code(), "copy.rank_mismatch");
    let ints = StridedMemoryView::from_vec(vec![1_i32; 4], &[2, 2]).unwrap();
    let dtype = copy_into_tensor(&ints, &tensor).unwrap_err();
    assert_eq!(dtype, Error::DTypeMismatch { wanted: DType::F32, got: DType::I32 });
    let repeated = tensor.get(0).unwrap().broadcast_as((4, 2)).unwrap();
    let many = StridedMemoryView::from_vec(vec![1_f32; 8], &[4, 2]).unwrap();
    assert_eq!(copy_into_tensor(&many, &repeated), Err(Error::NotUnique));
    assert_eq!(tensor.sum_all().unwrap().to_scalar::<f32>().unwrap(), 0.0);
}

#[test]
fn a_dtype_without_a_counterpart_is_an_error() {
    let view = StridedMemoryView::from_vec(vec![1_u16], &[1]).unwrap();
    let error = copy_to_tensor(&view).unwrap_err();
    assert_eq!(error, Error::NoCounterpart { library: "candle", dtype: DType::U16 });
    let untyped =
        StridedMemoryView::from_buffer(view.buffer(), view.layout(), None, false).unwrap();
    assert_eq!(copy_to_tensor(&untyped).unwrap_err(), Error::Untyped);
    // Packed in candle, so no layout can address the elements.
    let storage = Storage::Cpu(CpuStorage::F4(vec![0; 2]));
    let op = candle_core::op::BackpropOp::none();
    let packed = Tensor::from_storage(storage, 4, op, false);
    let error = lend(&packed, |_| ()).unwrap_err();
    assert_eq!(error, Error::PackedSubByte { bits: 4, lanes: 1 });
}

/// candle makes a tensor of any shape out of any storage; a view is checked.
#[test]
fn a_tensor_larger_than_its_storage_is_refused() {
    let storage = Storage::Cpu(CpuStorage::U8(vec![0; 5]));
    let tensor = Tensor::from_storage(storage, (2, 3), candle_core::op::BackpropOp::none(), false);
    let error = Error::OutOfBounds { lowest: 0, end: 6, size_in_bytes: 5 };
    assert_eq!(lend(&tensor, |_| ()).unwrap_err(), error);
    let view = StridedMemoryView::from_vec(vec![1_u8; 6], &[2, 3]).unwrap();
    assert_eq!(copy_into_tensor(&view, &tensor), Err(error));
}

/// Whoever holds the lock for reading too would see the elements change.
#[test]
fn the_buffer_of_a_read_only_view_is_not_written_either() {
    let tensor = Tensor::new(&[1_u8, 2, 3], &Device::Cpu).unwrap();
    lend(&tensor, check_refused).unwrap();
    // SAFETY: (1) nothing changes it.
    check_refused(&unsafe { from_tensor(&tensor) }.unwrap());
    assert_eq!(tensor.to_vec1::<u8>().unwrap(), [1, 2, 3]);
}

#[track_caller]
fn check_refused(view: &StridedMemoryView) {
    let buffer = view.buffer();
    assert!(view.readonly() && buffer.readonly());
    let writable = StridedMemoryView::from_buffer(buffer, view.layout(), view.dtype(), false);
    assert_eq!(writable.unwrap_err(), Error::ReadOnly);
    assert_eq!(fill_bytes(buffer, &[9], StreamToken::NONE), Err(Error::ReadOnly));
    let other = Place::cpu().allocate(buffer.len_bytes()).unwrap();
    assert_eq!(copy_bytes(buffer, &other, StreamToken::NONE), Err(Error::ReadOnly));
}

#[test]
fn a_view_larger_than_memory_is_an_error() {
    let one = StridedMemoryView::from_vec(vec![1_f32], &[1]).unwrap();
    // 2^60 bytes fit in no address space, 2^62 values in no number of bytes.
    let (size_in_bytes, many) = (1 << 60, one.broadcast_to(&[1 << 30, 1 << 28]).unwrap());
    let error = Error::Memory(MemoryError::OutOfMemory { size_in_bytes });
    assert_eq!(copy_to_tensor(&many).unwrap_err(), error);
    match one.broadcast_to(&[1 << 31, 1 << 31]) {
        Ok(many) => assert!(copy_to_tensor(&many).is_err()),
        Err(error) => assert_eq!(error.code(), "layout.overflow"),
    }
    // Without elements there is no byte, but candle multiplies the extents.
    let none = StridedMemoryView::from_vec(Vec::<f32>::new(), &[0, 1, 1]).unwrap();
    let shape = [1 << 40, 0, 1 << 40];
    let layout = StridedLayout::new(&shape, None, 4).unwrap();
    let none = StridedMemoryView::from_buffer(none.buffer(), &layout, none.dtype(), true).unwrap();
    assert_eq!(copy_to_tensor(&none).unwrap_err().code(), "layout.overflow");
}
