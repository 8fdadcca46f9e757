//! Devices, and views like others.

use strideview::{Access, DType, Device, Error, ErrorKind, Slice, StridedMemoryView, empty_like};

use crate::Outcome;

#[test]
fn the_host_allocates() -> Outcome {
    let device = Device::cpu();
    device.set_current()?;
    assert_eq!(device.memory_resource()?.access(), Access::host());
    for size in [0, 1, 100, 5 << 20] {
        let buffer = device.allocate(size)?;
        assert_eq!((buffer.len_bytes(), buffer.access()), (size, Access::host()));
    }
    assert_eq!(device.allocate(usize::MAX).unwrap_err().kind(), ErrorKind::Memory);
    Ok(())
}

/// The largest ordinal is one that no machine has, with or without a driver.
#[test]
fn a_device_that_is_not_there_is_a_clear_error() {
    let error = Device::cuda(i32::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Runtime);
    let missing = Device::Cuda(i32::MAX);
    assert_eq!(missing.set_current(), Err(error));
    assert_eq!(missing.allocate(8).unwrap_err(), error);
    assert_eq!(missing.name(), Err(error));
    assert!(error.to_string().starts_with("wanted"), "{error}");
}

#[test]
fn a_build_without_cuda_says_so() {
    let error = Error::NoCuda { ordinal: 2 };
    assert_eq!(error.kind(), ErrorKind::Runtime);
    let wanted = "wanted CUDA device 2, got no CUDA driver support in this build";
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn an_empty_view_like_another_is_dense_and_writable() -> Outcome {
    let view = StridedMemoryView::from_vec((0..24_u16).collect(), &[2, 3, 4])?;
    let part = view.permuted(&[2, 0, 1])?.sliced(&[Slice::step(-2)])?.as_readonly();
    let like = empty_like(&part)?;
    assert_eq!((like.shape(), like.dtype()), (part.shape(), Some(DType::U16)));
    assert_eq!((like.layout().strides(), like.buffer().len_bytes()), (&[1, 6, 2][..], 24));
    like.copy_from(&part)?;
    assert_eq!(like.to_vec::<u16>()?, part.to_vec::<u16>()?);
    let nothing = empty_like(&view.sliced(&[(0..0).into()])?)?;
    assert_eq!((nothing.shape(), nothing.nbytes()), (&[0, 3, 4][..], 0));
    Ok(())
}
