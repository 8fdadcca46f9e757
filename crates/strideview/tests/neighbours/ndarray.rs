//! Arrays of ndarray, both ways, against ndarray itself and against enumeration.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

#[path = "../../examples/ndarray.rs"]
mod example;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ndarray::{
    Array, Array1, Array2, ArrayD, ArrayViewD, Axis, Dimension, IxDyn, ShapeBuilder, Slice, arr0,
};
use strideview::interop::ndarray::{as_array, from_arc_array, from_array, lend, lend_mut};
use strideview::{
    Access, Buffer, DType, Device, Element, Error, LayoutError, MemoryError, Owner, Quantity,
    StreamToken, StridedLayout, StridedMemoryView, copy_bytes, fill_bytes,
};
use strideview_testkit::odd_layouts;

#[test]
fn the_example_runs() {
    example::main().unwrap();
}

/// Arrays of every rank to 7: dense in C and F order, permuted, with steps of either sign, and with
/// axes of one element and none.
fn arrays() -> Vec<ArrayD<i32>> {
    let mut found = vec![arr0(7).into_dyn()];
    for rank in 1..8 {
        for shape in [vec![2; rank], (1..=rank).collect(), (0..rank).map(|axis| axis % 3).collect()]
        {
            let volume = shape.iter().product::<usize>() as i32;
            let dense = Array::from_iter(0..volume).into_shape_with_order(IxDyn(&shape)).unwrap();
            let mut turned = dense.clone().reversed_axes();
            turned.invert_axis(Axis(rank / 2));
            let mut stepped = dense.clone();
            stepped.slice_axis_inplace(Axis(rank - 1), Slice::new(0, None, -2));
            stepped.swap_axes(0, rank - 1);
            let columns = Array::from_shape_fn(IxDyn(&shape).f(), |index| dense[index]);
            found.extend([dense, turned, stepped, columns]);
        }
    }
    found
}

/// A view has the shape, the strides where they mean something, and the elements of an array.
#[track_caller]
fn check_same<T: Element + PartialEq + std::fmt::Debug>(
    view: &StridedMemoryView,
    array: &ArrayViewD<'_, T>,
) {
    assert_eq!(view.dtype(), Some(T::DTYPE));
    let shape: Vec<usize> = view.shape().iter().map(|extent| *extent as usize).collect();
    assert_eq!(shape, array.shape());
    for (axis, extent) in shape.iter().enumerate().filter(|_| !array.is_empty()) {
        let stride = view.layout().strides()[axis];
        assert!(*extent == 1 || stride == array.strides()[axis] as i64, "axis {axis}");
    }
    assert_eq!(view.to_vec::<T>().unwrap(), array.iter().copied().collect::<Vec<T>>());
    if !array.is_empty() {
        assert_eq!(view.address(), array.as_ptr().addr());
    }
}

#[test]
fn an_array_is_seen_with_its_strides() {
    for array in arrays() {
        let address = array.as_ptr().addr();
        lend(&array, |view| {
            assert!(view.readonly());
            check_same(view, &array.view());
        })
        .unwrap();
        let shared = array.clone().into_shared();
        let view = from_arc_array(shared.clone()).unwrap();
        assert!(view.readonly());
        check_same(&view, &shared.view());
        let wanted = array.clone();
        let view = from_array(array).unwrap();
        assert!(!view.readonly() && (wanted.is_empty() || view.address() == address));
        assert_eq!(view.to_vec::<i32>().unwrap(), wanted.iter().copied().collect::<Vec<_>>());
        let back = as_array::<i32>(&view).unwrap();
        assert_eq!(*back, *wanted);
        check_same(&view, &back.view());
    }
}

#[test]
fn a_broadcast_array_keeps_its_strides_of_zero() {
    let row = Array1::from(vec![1_u8, 2, 3]);
    let rows = row.broadcast((4, 3)).unwrap();
    let sum: u32 = lend(&rows, |view| {
        assert_eq!(view.layout().strides(), [0, 1]);
        let array = as_array::<u8>(view).unwrap();
        assert_eq!((array.strides(), array.shape()), (&[0, 1][..], &[4, 3][..]));
        array.iter().map(|&value| u32::from(value)).sum()
    })
    .unwrap();
    assert_eq!(sum, 24);
}

/// Every odd layout that fits in a buffer: the array has the elements that enumeration finds.
#[test]
fn every_odd_layout_is_an_array() {
    let mut seen = 0;
    for plain in odd_layouts() {
        let Ok(layout) =
            StridedLayout::with_offset(&plain.shape, Some(&plain.strides), 4, plain.offset)
        else {
            continue;
        };
        let (min, max) = layout.offset_bounds();
        if min < -1000 || max > 1_000_000 || layout.volume() > 1_000_000 {
            continue;
        }
        // Moved up to where the lowest element is the first of the buffer.
        let offset = layout.slice_offset() - min.min(0);
        let strides = layout.strides().to_vec();
        let layout = StridedLayout::with_offset(layout.shape(), Some(&strides), 4, offset).unwrap();
        let words = (max - min.min(0) + 1).max(1);
        let whole = StridedMemoryView::from_vec((0..words as i32).collect(), &[words]).unwrap();
        let dtype = Some(DType::I32);
        let view = StridedMemoryView::from_buffer(whole.buffer(), &layout, dtype, false).unwrap();
        match as_array::<i32>(&view) {
            Ok(array) => {
                let offsets: Vec<i32> = layout.offsets().map(|offset| offset as i32).collect();
                assert_eq!(array.iter().copied().collect::<Vec<_>>(), offsets, "{layout}");
                seen += 1;
            }
            // Only an empty one may be too much for ndarray.
            Err(error) => assert!(layout.is_empty(), "{layout}: {error}"),
        }
    }
    assert!(seen > 50, "{seen} layouts");
}

#[test]
fn a_lent_array_is_written() {
    for array in arrays() {
        let mut dst = ArrayD::<i32>::from_elem(array.raw_dim(), -1).reversed_axes();
        let mut turned = dst.view_mut().reversed_axes();
        let src = from_array(array.clone()).unwrap();
        lend_mut(&mut turned, |view| view.copy_from(&src)).unwrap().unwrap();
        assert_eq!(turned, array);
    }
}

#[test]
fn what_a_call_keeps_is_closed_afterwards() {
    let array = Array2::<u16>::ones((3, 4));
    let (kept, part) = lend(&array, |view| (view.clone(), view.transposed(0, 1).unwrap())).unwrap();
    for view in [kept, part] {
        assert!(view.is_closed());
        assert_eq!(view.get::<u16>(&[0, 0]), Err(Error::Memory(MemoryError::Closed)));
        assert_eq!(as_array::<u16>(&view).err(), Some(Error::Memory(MemoryError::Closed)));
    }
}

#[test]
fn a_lease_that_outlives_the_call_is_waited_for() {
    let array = Array1::from(vec![5_u32; 8]);
    let (ready, go) = mpsc::channel();
    let reader = lend(&array, |view| {
        let slice = view.as_slice::<u32>().unwrap();
        let reader = thread::spawn(move || {
            ready.send(()).unwrap();
            thread::sleep(Duration::from_millis(20));
            slice.iter().sum::<u32>()
        });
        go.recv().unwrap();
        reader
    })
    .unwrap();
    drop(array); // nobody reads it any more
    assert_eq!(reader.join().unwrap(), 40);
}

#[test]
fn a_panic_in_the_call_closes_the_buffer_too() {
    let array = Array1::from(vec![1_u8, 2]);
    let (send, kept) = mpsc::channel();
    let outcome = std::panic::catch_unwind(|| {
        lend(&array, |view| {
            send.send(view.clone()).unwrap();
            panic!("on purpose");
        })
    });
    assert!(outcome.is_err());
    assert!(kept.recv().unwrap().is_closed());
}

#[test]
fn an_owned_array_is_freed_with_the_last_view() {
    let shared = Array1::from(vec![1_i64, 2, 3]).into_shared();
    let view = from_arc_array(shared.clone()).unwrap();
    let part = view.view(None, None).unwrap();
    drop(view);
    let shared = shared.try_into_owned_nocopy().unwrap_err(); // somebody has it
    drop(part);
    assert!(shared.try_into_owned_nocopy().is_ok());
}

#[test]
fn copies_into_a_borrowed_array_are_refused() {
    let view = StridedMemoryView::from_vec(vec![0_u8; 9], &[3, 3]).unwrap();
    let other = StridedMemoryView::from_vec(vec![1_u8; 9], &[3, 3]).unwrap();
    let array = as_array::<u8>(&view.transposed(0, 1).unwrap()).unwrap();
    assert_eq!(view.copy_from(&other), Err(Error::SliceAlive));
    let buffer = view.buffer().clone();
    drop(view);
    let closed = buffer.close(StreamToken::NONE);
    assert_eq!(closed, Err(MemoryError::InUse { leases: 1 }));
    assert_eq!((array.sum(), array.lease().len_bytes()), (0, 9));
    drop(array);
    assert_eq!(buffer.close(StreamToken::NONE), Ok(()));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let view = StridedMemoryView::from_vec(vec![1_i32, 2], &[2]).unwrap();
    let error = Error::DTypeMismatch { wanted: DType::F32, got: DType::I32 };
    assert_eq!(as_array::<f32>(&view).unwrap_err(), error);
    let untyped =
        StridedMemoryView::from_buffer(view.buffer(), view.layout(), None, false).unwrap();
    assert_eq!(as_array::<i32>(&untyped).unwrap_err(), Error::Untyped);
    let bytes = StridedMemoryView::from_vec(vec![0_u64; 2], &[2]).unwrap();
    let odd = StridedLayout::from_byte_strides(&[3], &[4], 4, 0).unwrap();
    let start = bytes.buffer().as_ptr().wrapping_add(1);
    let keep: std::sync::Arc<dyn Owner> = std::sync::Arc::new(bytes);
    // SAFETY: (1, 2) 15 of 16 bytes that the owner keeps.
    let shifted = unsafe { Buffer::from_raw(start, 15, Access::host(), Some(keep)) };
    let view = StridedMemoryView::from_buffer(&shifted, &odd, Some(DType::I32), false).unwrap();
    let error = Error::Misaligned { address: view.address(), alignment: 4 };
    assert_eq!(as_array::<i32>(&view).unwrap_err(), error);
    // SAFETY: (1, 2) as above, and nothing is read.
    let far = unsafe { Buffer::from_raw(start, 15, Access::device(3), None) };
    let view = StridedMemoryView::from_buffer(&far, &odd, Some(DType::I32), false).unwrap();
    let error = Error::NotHostAccessible { device_id: 3 };
    assert_eq!(as_array::<i32>(&view).unwrap_err(), error);
}

#[test]
fn too_many_axes_and_too_large_extents_are_errors() {
    let error = from_array(ArrayD::<u8>::zeros(IxDyn(&[1; 65]))).unwrap_err();
    assert_eq!(error.code(), "interop.layout");
    let array = ArrayD::<u8>::zeros(IxDyn(&[1; 64]));
    assert_eq!(array.raw_dim().ndim(), as_array::<u8>(&from_array(array).unwrap()).unwrap().ndim());
    let buffer = Device::cpu().allocate(0).unwrap();
    let layout = StridedLayout::new(&[1 << 40, 0, 1 << 40], None, 1).unwrap();
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U8), false).unwrap();
    let (quantity, value) = (Quantity::Volume, 1 << 80);
    let error = Error::Layout(LayoutError::Overflow { quantity, value });
    assert_eq!(as_array::<u8>(&view).unwrap_err(), error);
}

/// Whoever has a reference into the array would see its elements change.
#[test]
fn the_buffer_of_a_read_only_view_is_not_written_either() {
    let array = Array2::from_shape_fn((3, 4), |(row, column)| (10 * row + column) as u16);
    let first = &array[[0, 0]];
    lend(&array, check_refused).unwrap();
    let part = array.slice(ndarray::s![..;2, 1..;-1]);
    lend(&part, check_refused).unwrap();
    assert_eq!((*first, array[[2, 3]]), (0, 23));
    let shared = array.into_shared();
    check_refused(&from_arc_array(shared.clone()).unwrap());
    assert_eq!((shared[[0, 0]], shared[[2, 3]]), (0, 23));
}

/// Every safe function that writes takes a buffer or a view.
#[track_caller]
fn check_refused(view: &StridedMemoryView) {
    let (buffer, none) = (view.buffer(), StreamToken::NONE);
    assert!(view.readonly() && buffer.readonly());
    let writable = StridedMemoryView::from_buffer(buffer, view.layout(), view.dtype(), false);
    assert_eq!(writable.unwrap_err(), Error::ReadOnly);
    let other = Device::cpu().allocate(buffer.len_bytes()).unwrap();
    let zeros = StridedMemoryView::from_vec(vec![0_u16; view.volume() as usize], view.shape());
    assert_eq!(view.copy_from(&zeros.unwrap()), Err(Error::ReadOnly));
    assert_eq!(fill_bytes(buffer, &[1], none), Err(Error::ReadOnly));
    assert_eq!(copy_bytes(buffer, &other, none), Err(Error::ReadOnly));
    assert_eq!(copy_bytes(&other, buffer, none), Ok(())); // it is read
}

/// Columns of one array, of which every other one is lent to be written.
#[test]
fn what_lies_between_the_elements_of_a_lent_array_is_written() {
    let mut array = Array2::from_shape_fn((3, 4), |(row, column)| (10 * row + column) as u16);
    let (even, mut odd) = array.multi_slice_mut((ndarray::s![.., ..;2], ndarray::s![.., 1..;2]));
    let copied = lend(&even, |src| lend_mut(&mut odd, |dst| dst.copy_from(src)));
    assert_eq!(copied, Ok(Ok(Ok(()))));
    assert_eq!(array.row(2).to_vec(), [20, 20, 22, 22]);
}
