//! Descriptors of views: which address each coordinate of a box reaches.

use strideview::cuda::{
    CudaError, TensorMapFault, TensorMapFill, TensorMapModes, TensorMapSwizzle, TensorMapType,
};
use strideview::{
    Access, Buffer, DType, Error, ErrorKind, Slice, StridedLayout, StridedMemoryView, TensorMap,
    TensorMapOptions,
};
use strideview_standin::TensorMapCall;
use strideview_testkit::Random;

use crate::{buffer, part, standin};

const SIZE: usize = 1 << 19;

fn view(of: &Buffer, shape: &[i64], dtype: DType) -> StridedMemoryView {
    let layout = StridedLayout::new(shape, None, dtype.itemsize_bytes() as i64).unwrap();
    StridedMemoryView::from_buffer(of, &layout, Some(dtype), false).unwrap()
}

fn described(map: &TensorMap) -> TensorMapCall {
    TensorMapCall::of(map.as_bytes())
}

fn plain() -> TensorMapOptions<'static> {
    TensorMapOptions::default()
}

/// A random view: permuted, sliced, reversed, broadcast, with axes of extent 1.
fn random_view(random: &mut Random, of: &Buffer) -> StridedMemoryView {
    let dtype = random.pick(&[DType::U8, DType::F16, DType::F32, DType::F64]);
    let rank = random.between(1, 4) as usize;
    let shape: Vec<i64> = (0..rank).map(|_| random.pick(&[1, 2, 3, 4, 16])).collect();
    let mut view = view(of, &shape, dtype);
    for _ in 0..random.below(4) {
        let axis = random.below(view.rank().max(1));
        if view.rank() == 0 {
            break;
        }
        view = match random.below(5) {
            0 => view.transposed(0, axis as i64).unwrap(),
            1 => {
                let mut slices = vec![Slice::ALL; view.rank()];
                slices[axis] = random.pick(&[
                    Slice::step(2),
                    Slice::step(-1),
                    Slice::range(1, i64::MAX, 1),
                    Slice::Index(0),
                ]);
                view.sliced(&slices).unwrap()
            }
            2 => view.unsqueezed(&[axis as i64]).unwrap(),
            3 => {
                let wider = view.unsqueezed(&[axis as i64]).unwrap();
                let mut shape = wider.shape().to_vec();
                shape[axis] = 3;
                wider.broadcast_to(&shape).unwrap()
            }
            _ => view,
        };
    }
    view
}

/// Whether a descriptor can say where the elements are, found from the view alone.
fn is_expressible(view: &StridedMemoryView, inner: usize) -> bool {
    let (shape, strides, itemsize) = (view.shape(), view.layout().strides(), view.itemsize());
    let is_lawful = |axis: usize| {
        let stride = strides[axis] * itemsize;
        axis == inner || shape[axis] == 1 || (stride >= 0 && stride % 16 == 0)
    };
    let is_inner = shape[inner] == 1 || strides[inner] == 1;
    is_inner
        && view.address().is_multiple_of(16)
        && !view.layout().is_empty()
        && (0..view.rank()).all(is_lawful)
}

/// The address of an element of the tensor that a descriptor describes; None for one outside.
fn reached(call: &TensorMapCall, coordinates: &[i64], itemsize: i64) -> Option<i64> {
    let mut address = call.address as i64;
    for (axis, &coordinate) in coordinates.iter().enumerate() {
        if coordinate < 0 || coordinate >= call.extents[axis] as i64 {
            return None;
        }
        let stride = if axis == 0 { itemsize } else { call.strides_in_bytes[axis - 1] as i64 };
        address += coordinate * stride;
    }
    Some(address)
}

/// Every coordinate around the tensor reaches what the index of the view does.
fn check_addresses(view: &StridedMemoryView, map: &TensorMap) {
    let call = described(map);
    assert_eq!(call.rank, map.axes().len());
    let mut index = vec![-1; view.rank()];
    loop {
        let coordinates: Vec<i64> = map.axes().iter().map(|axis| index[*axis]).collect();
        let is_inside =
            index.iter().zip(view.shape()).all(|(at, extent)| (0..*extent).contains(at));
        let wanted = is_inside.then(|| {
            let offset = view.layout().offset_of(&index).unwrap() * view.itemsize();
            view.address() as i64 + offset
        });
        assert_eq!(reached(&call, &coordinates, view.itemsize()), wanted, "{view:?} {index:?}");
        // The next index, from -1 to the extent.
        let Some(axis) = (0..view.rank()).rev().find(|axis| index[*axis] < view.shape()[*axis])
        else {
            return;
        };
        index[axis] += 1;
        index[axis + 1..].fill(-1);
    }
}

#[test]
fn coordinates_reach_what_indices_do_or_the_view_is_refused() {
    let _standin = standin();
    let memory = buffer("device", SIZE);
    let mut random = Random::new(88);
    let (mut made, mut refused) = (0, 0);
    for _ in 0..4000 {
        let view = random_view(&mut random, &memory);
        let row = 16 / view.itemsize();
        if view.rank() == 0 || view.rank() > 5 {
            continue;
        }
        // A box of 16 bytes along one axis; where that is the innermost one it is allowed.
        let outcomes: Vec<_> = (0..view.rank())
            .map(|inner| {
                let box_extents: Vec<i64> =
                    (0..view.rank()).map(|axis| if axis == inner { row } else { 2 }).collect();
                (inner, view.as_tensor_map(&box_extents, plain()))
            })
            .collect();
        let is_possible = (0..view.rank()).any(|inner| is_expressible(&view, inner));
        let mut taken =
            outcomes.iter().filter_map(|(inner, map)| Some((inner, map.as_ref().ok()?)));
        match taken.next() {
            Some((_, map)) => {
                assert!(is_possible, "{view:?}");
                assert!(is_expressible(&view, map.axes()[0]), "{view:?} {map:?}");
                check_addresses(&view, map);
                made += 1;
            }
            None => {
                // Another axis might have been the innermost; the first of these is taken.
                let inner = view.layout().strides().iter().zip(view.shape());
                let dense = inner.filter(|(stride, extent)| **stride == 1 && **extent > 1).count();
                assert!(!is_possible || dense == 0 || dense > 1, "{view:?} {outcomes:?}");
                refused += 1;
            }
        }
    }
    assert!(made > 400 && refused > 400, "{made} made, {refused} refused");
}

#[test]
fn axes_are_those_of_the_view_from_the_dense_one_outwards() {
    let _standin = standin();
    let memory = buffer("device", SIZE);
    let rows = view(&memory, &[4, 8, 16], DType::F32);
    let axes = |view: &StridedMemoryView, boxes: &[i64]| {
        view.as_tensor_map(boxes, plain()).unwrap().axes().to_vec()
    };
    assert_eq!(axes(&rows, &[1, 2, 16]), [2, 1, 0]);
    assert_eq!(axes(&rows.permuted(&[1, 0, 2]).unwrap(), &[1, 2, 16]), [2, 1, 0]);
    assert_eq!(axes(&rows.reversed_axes().unwrap(), &[16, 2, 1]), [0, 2, 1]);
    // An axis of extent 1 does not change the order of the others.
    let one = rows.sliced(&[Slice::ALL, Slice::range(0, 1, 1), Slice::ALL]).unwrap();
    assert_eq!(axes(&one, &[1, 2, 16]), [2, 1, 0]);
    let broadcast = rows.unsqueezed(&[1]).unwrap().broadcast_to(&[4, 5, 8, 16]).unwrap();
    let map = broadcast.as_tensor_map(&[1, 5, 1, 16], plain()).unwrap();
    assert_eq!(map.axes(), [3, 2, 1, 0]);
    assert_eq!(described(&map).strides_in_bytes[..3], [64, 0, 512]);
    // Of six axes those of extent 1 go.
    let six = rows.unsqueezed(&[0, 2, 4]).unwrap();
    assert_eq!(axes(&six, &[1, 1, 1, 2, 1, 16]), [5, 3, 1]);
    let error = six.as_tensor_map(&[2, 1, 2, 2, 2, 16], plain()).unwrap_err();
    assert!(error.to_string().contains("wanted 1 to 5 axes, got 6"), "{error}");
}

#[test]
fn options_and_offsets_are_passed_on() {
    let _standin = standin();
    let memory = buffer("device", SIZE);
    let all = view(&memory, &[16, 64], DType::F32);
    let inside = all.sliced(&[Slice::range(2, 10, 1), Slice::range(4, 36, 1)]).unwrap();
    let options = TensorMapOptions {
        element_strides: Some(&[2, 1]),
        data_type: Some(TensorMapType::Tfloat32),
        modes: TensorMapModes {
            swizzle: TensorMapSwizzle::Bytes64,
            fill: TensorMapFill::Nan,
            ..TensorMapModes::default()
        },
    };
    let map = inside.as_tensor_map(&[8, 16], options).unwrap();
    let call = described(&map);
    assert_eq!(call.address, memory.address() as u64 + 2 * 256 + 16);
    assert_eq!((&call.extents[..2], &call.box_extents[..2]), (&[32, 8][..], &[16, 8][..]));
    assert_eq!((call.element_strides[..2].to_vec(), call.data_type), (vec![1, 2], 11));
    assert_eq!(call.modes, [0, 2, 0, 1]);
    assert_eq!((map.box_bytes(), map.box_extents()), (4 * 64, &[16, 8][..]));
    assert_eq!((map.data_type(), map.device().ordinal()), (TensorMapType::Tfloat32, 0));
}

/// Each with the axis of the view, what was wanted and what was got.
#[test]
fn refusals_name_the_axis_of_the_view() {
    let _standin = standin();
    let memory = buffer("device", SIZE);
    let rows = view(&memory, &[16, 64], DType::F32);
    let fault = |view: &StridedMemoryView, boxes: &[i64], options: TensorMapOptions<'_>| match view
        .as_tensor_map(boxes, options)
        .unwrap_err()
    {
        Error::Cuda(CudaError::TensorMap(fault)) => fault,
        error => panic!("wanted a fault of a tensor map, got {error}"),
    };
    let backwards = rows.sliced(&[Slice::step(-1), Slice::ALL]).unwrap();
    let wanted = TensorMapFault::Stride { axis: 0, stride_in_bytes: -256, multiple: 16 };
    assert_eq!(fault(&backwards, &[8, 16], plain()), wanted);
    let odd = view(&memory, &[16, 65], DType::F32);
    let wanted = TensorMapFault::Stride { axis: 0, stride_in_bytes: 260, multiple: 16 };
    assert_eq!(fault(&odd, &[8, 16], plain()), wanted);
    let shifted = rows.sliced(&[Slice::ALL, Slice::range(1, 64, 1)]).unwrap();
    let address = memory.address() as u64 + 4;
    let wanted = TensorMapFault::Address { address, multiple: 16 };
    assert_eq!(fault(&shifted, &[8, 16], plain()), wanted);
    let apart = rows.sliced(&[Slice::ALL, Slice::step(2)]).unwrap();
    assert_eq!(fault(&apart, &[8, 16], plain()), TensorMapFault::Innermost { itemsize: 4 });
    // Without the last axis, the one before would have to be dense, which it is not.
    let six = view(&memory, &[2, 2, 2, 2, 4, 2], DType::F32);
    let index: Vec<Slice> = (0..5).map(|_| Slice::ALL).chain([Slice::range(0, 1, 1)]).collect();
    let one = six.sliced(&index).unwrap();
    let wanted = TensorMapFault::Rank { least: 1, rank: 6 };
    assert_eq!(fault(&one, &[1, 1, 1, 1, 4, 1], plain()), wanted);
    let wanted = TensorMapFault::Box { axis: 0, extent: 257 };
    assert_eq!(fault(&rows, &[257, 16], plain()), wanted);
    let wanted = TensorMapFault::BoxRow { axis: 1, size_in_bytes: 12 };
    assert_eq!(fault(&rows, &[8, 3], plain()), wanted);
    let wanted = TensorMapFault::BoxSize { size_in_bytes: 256 << 10, most: 227 << 10 };
    assert_eq!(fault(&rows, &[256, 256], plain()), wanted);
    let wanted = TensorMapFault::Entries { what: "box extents", wanted: 2, got: 1 };
    assert_eq!(fault(&rows, &[8], plain()), wanted);
    let steps = TensorMapOptions { element_strides: Some(&[9, 1]), ..plain() };
    let wanted = TensorMapFault::ElementStride { axis: 0, stride: 9 };
    assert_eq!(fault(&rows, &[9, 16], steps), wanted);
    let half = TensorMapOptions { data_type: Some(TensorMapType::Float16), ..plain() };
    assert_eq!(fault(&rows, &[8, 16], half), TensorMapFault::Itemsize { wanted: 2, itemsize: 4 });
    let empty = rows.sliced(&[Slice::range(0, 0, 1), Slice::ALL]).unwrap();
    assert_eq!(fault(&empty, &[8, 16], plain()), TensorMapFault::Extent { axis: 0, extent: 0 });
}

#[test]
fn only_memory_that_a_device_reaches() {
    let _standin = standin();
    for (kind, is_taken) in [("host", false), ("pinned", true), ("managed", true), ("device", true)]
    {
        let memory = buffer(kind, SIZE);
        let outcome = view(&memory, &[16, 64], DType::U8).as_tensor_map(&[8, 16], plain());
        assert_eq!(outcome.is_ok(), is_taken, "{kind}: {outcome:?}");
        if let Err(error) = outcome {
            let wanted = ("view.not_device_accessible", ErrorKind::Interop);
            assert_eq!((error.code(), error.kind()), wanted);
        }
    }
    let memory = buffer("device", SIZE);
    let elsewhere = part(&memory, 0, SIZE, Access::device(3));
    let error = view(&elsewhere, &[16, 64], DType::U8).as_tensor_map(&[8, 16], plain());
    assert_eq!(error.unwrap_err().code(), "cuda.unsupported");
    let error = view(&memory, &[16, 64], DType::C128).as_tensor_map(&[8, 16], plain());
    assert_eq!(error.unwrap_err(), Error::NoTensorMapType { dtype: DType::C128 });
}

#[test]
fn a_map_keeps_the_buffer_open() {
    let _standin = standin();
    let memory = buffer("device", SIZE);
    let map = view(&memory, &[16, 64], DType::F32).as_tensor_map(&[8, 16], plain()).unwrap();
    assert_eq!(memory.leases(), 1);
    assert!(memory.close(strideview::StreamToken::NONE).is_err());
    drop(map);
    memory.close(strideview::StreamToken::NONE).unwrap();
}
