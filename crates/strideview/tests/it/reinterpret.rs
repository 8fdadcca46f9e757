//! The same memory with another dtype.

use strideview::{DType, Error, Slice, StridedLayout, StridedMemoryView};

use crate::{Outcome, bytes_of};

#[test]
fn the_same_itemsize_keeps_the_layout() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![1_f32, -1.0], &[2])?;
    let bits = view.sliced(&[Slice::step(-1)])?.view(None, Some(DType::U32))?;
    assert_eq!(bits.to_vec::<u32>()?, [0xbf80_0000, 0x3f80_0000]);
    assert_eq!(bits.layout().strides(), [-1]);
    Ok(())
}

#[test]
fn another_itemsize_repacks_the_last_axis() -> Outcome {
    let view = StridedMemoryView::from_vec((0..12_u16).collect(), &[3, 4])?;
    let wide = view.view(None, Some(DType::C64))?;
    assert_eq!((wide.shape(), wide.layout().strides()), (&[3, 1][..], &[1, 1][..]));
    let narrow = view.sliced(&[Slice::ALL, (1..3).into()])?.view(None, Some(DType::U8))?;
    assert_eq!((narrow.shape(), narrow.layout().strides()), (&[3, 4][..], &[8, 1][..]));
    assert_eq!(narrow.offset_in_bytes(), 2);
    assert_eq!(narrow.get::<u8>(&[1, 0])?, 5);
    Ok(())
}

#[test]
fn a_wider_item_needs_its_alignment() -> Outcome {
    let view = StridedMemoryView::from_vec((0..9_u32).collect(), &[9])?;
    let at = view.address() % 8 / 4;
    let aligned = view.sliced(&[(at as i64..at as i64 + 8).into()])?;
    assert_eq!(aligned.view(None, Some(DType::U64))?.shape(), [4]);
    let odd = view.sliced(&[(1 - at as i64..9 - at as i64).into()])?;
    let error = odd.view(None, Some(DType::U64)).unwrap_err();
    assert_eq!(error.code(), "layout.not_divisible");
    Ok(())
}

#[test]
fn what_numpy_refuses_is_refused() -> Outcome {
    let view = StridedMemoryView::from_vec((0..12_u16).collect(), &[3, 4])?;
    let refused = [
        (view.reversed_axes()?, DType::U8, "layout.repack_stride"),
        (view.reversed_axes()?, DType::U32, "layout.repack_stride"),
        (view.sliced(&[Slice::ALL, (0..3).into()])?, DType::U32, "layout.not_divisible"),
        (view.sliced(&[Slice::Index(0), Slice::Index(0)])?, DType::U8, "layout.axis_out_of_range"),
        (view.sliced(&[(0..0).into()])?, DType::U8, "layout.repack_empty"),
        (view, DType::from_dlpack(1, 8, 3, false)?, "layout.itemsize_ratio"),
    ];
    for (view, dtype, code) in refused {
        assert_eq!(view.view(None, Some(dtype)).unwrap_err().code(), code, "{dtype}");
    }
    Ok(())
}

#[test]
fn a_layout_and_a_dtype_must_agree() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![0_u16; 4], &[4])?;
    let pairs = StridedLayout::new(&[2], None, 4)?;
    let error = view.view(Some(&pairs), None).unwrap_err();
    assert_eq!(error, Error::ItemsizeMismatch { dtype_itemsize: 2, itemsize: 4 });
    assert_eq!(view.view(Some(&pairs), Some(DType::F32))?.dtype(), Some(DType::F32));
    let untyped = bytes_of(8)?;
    assert_eq!(untyped.view(Some(&pairs), None)?.dtype(), None);
    Ok(())
}

#[test]
fn bytes_come_as_they_lie_in_memory() -> Outcome {
    let view = StridedMemoryView::from_vec((0..6_u16).collect(), &[2, 3])?;
    let all: Vec<u8> = (0..6_u16).flat_map(u16::to_ne_bytes).collect();
    for same in [view.clone(), view.reversed_axes()?, view.unsqueezed(&[1])?] {
        let bytes = same.bytes_view()?;
        assert_eq!(bytes.to_vec::<u8>()?, all);
        assert_eq!((bytes.shape(), bytes.dtype()), (&[12][..], Some(DType::U8)));
    }
    let row = view.sliced(&[Slice::Index(1)])?.bytes_view()?;
    assert_eq!(row.to_vec::<u8>()?, all[6..]);
    let refused = [
        view.sliced(&[Slice::ALL, (0..2).into()])?,
        view.sliced(&[Slice::step(-1)])?,
        view.sliced(&[Slice::ALL, Slice::step(2)])?,
    ];
    for part in refused {
        assert_eq!(part.bytes_view().unwrap_err(), Error::NotContiguous);
    }
    assert_eq!(view.sliced(&[(2..2).into()])?.bytes_view()?.shape(), [0]);
    Ok(())
}
