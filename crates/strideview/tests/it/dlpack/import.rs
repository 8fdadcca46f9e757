//! Checks 31 to 45: what a consumer does with tensors of every kind.

use strideview::interop::dlpack::abi::{DLDeviceType, DLPackVersion};
use strideview::interop::dlpack::{DLDevice, Flags, Managed, inspect};
use strideview::{Access, DType, Error, ErrorKind, LayoutError, StridedMemoryView};

use super::producer::{Made, Spec};
use crate::Outcome;

/// The tensor is refused with this code, taken over by nobody, and still there to be given back.
fn check_refused(spec: &Spec, code: &str) {
    let made = Made::new(spec);
    let error = made.import().expect_err("a refusal");
    assert_eq!((error.code(), error.kind()), (code, ErrorKind::Interop), "{error}");
    assert_eq!(made.deleted(), 0);
    made.give_back();
    assert_eq!(made.deleted(), 1);
}

/// The tensor is taken; dropping the view gives it back once.
fn check_taken(spec: &Spec, look: impl FnOnce(&StridedMemoryView) -> Outcome) -> Outcome {
    let made = Made::new(spec);
    let view = made.import()?;
    look(&view)?;
    let clone = view.clone();
    drop(view);
    assert_eq!(made.deleted(), 0);
    drop(clone);
    assert_eq!(made.deleted(), 1);
    Ok(())
}

const FLOATS: [f32; 12] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];

#[test]
fn check_31_the_base_case() -> Outcome {
    let data = FLOATS;
    check_taken(&Spec::floats(data.as_ptr(), &[3, 4]), |view| {
        assert_eq!(view.to_vec::<f32>()?, FLOATS);
        assert_eq!((view.address(), view.dtype()), (data.as_ptr().addr(), Some(DType::F32)));
        assert_eq!((view.readonly(), view.access()), (false, Access::host()));
        assert_eq!((view.layout().strides(), view.device_id()), (&[4, 1][..], -1));
        assert_eq!(view.buffer().len_bytes(), 48);
        Ok(())
    })
}

#[test]
fn check_31_strides_null_are_c_order_in_both_forms() -> Outcome {
    let data = FLOATS;
    let spec = Spec { strides: None, ..Spec::floats(data.as_ptr(), &[3, 4]) };
    check_taken(&spec, |view| {
        assert_eq!(view.layout().strides(), [4, 1]);
        assert!(view.layout().has_implicit_strides());
        assert_eq!(view.get::<f32>(&[1, 2])?, 6.0);
        Ok(())
    })?;
    let made = Made::new(&spec);
    let view = made.import_legacy(true)?;
    assert_eq!(view.get::<f32>(&[2, 3])?, 11.0);
    drop(view);
    assert_eq!(made.deleted(), 1);
    Ok(())
}

#[test]
fn check_31_no_axes_need_no_shape() -> Outcome {
    let data = [4.5_f32];
    let scalar = Spec::floats(data.as_ptr(), &[]);
    for (shape, strides) in [(None, None), (Some(vec![]), None), (Some(vec![]), Some(vec![]))] {
        check_taken(&Spec { shape, strides, ..scalar.clone() }, |view| {
            assert_eq!((view.rank(), view.get::<f32>(&[])?), (0, 4.5));
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn check_32_the_byte_offset_is_added() -> Outcome {
    let data = FLOATS;
    for shape in [&[4][..], &[][..], &[2, 2][..]] {
        let spec = Spec { byte_offset: 8, ..Spec::floats(data.as_ptr(), shape) };
        check_taken(&spec, |view| {
            assert_eq!(view.address(), data.as_ptr().addr() + 8);
            assert_eq!(view.values::<f32>()?.next(), Some(2.0));
            Ok(())
        })?;
    }
    let backwards =
        Spec { byte_offset: 16, strides: Some(vec![-1]), ..Spec::floats(data.as_ptr(), &[2]) };
    check_taken(&backwards, |view| {
        assert_eq!(view.to_vec::<f32>()?, [4.0, 3.0]);
        Ok(())
    })
}

#[test]
fn check_33_negative_zero_and_permuted_strides() -> Outcome {
    let data = FLOATS;
    type Case<'a> = (&'a [i64], &'a [i64], usize, &'a [f32]);
    let cases: [Case; 5] = [
        (&[4], &[-2], 7, &[7.0, 5.0, 3.0, 1.0]),
        (&[2, 3], &[0, 1], 3, &[3.0, 4.0, 5.0, 3.0, 4.0, 5.0]),
        (&[3, 2], &[1, 4], 1, &[1.0, 5.0, 2.0, 6.0, 3.0, 7.0]),
        (&[2, 2], &[-4, 3], 4, &[4.0, 7.0, 0.0, 3.0]),
        (&[5, 1, 1], &[1, 5, i64::MIN], 0, &[0.0, 1.0, 2.0, 3.0, 4.0]),
    ];
    for (shape, strides, first, wanted) in cases {
        let start = data.as_ptr().wrapping_add(first);
        let spec = Spec { strides: Some(strides.to_vec()), ..Spec::floats(start, shape) };
        check_taken(&spec, |view| {
            assert_eq!(view.to_vec::<f32>()?, wanted);
            assert_eq!(view.address(), start.addr());
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn check_34_major_2_is_refused() {
    for (major, minor) in [(0, 8), (2, 0), (u32::MAX, u32::MAX)] {
        let version = DLPackVersion { major, minor };
        check_refused(&Spec { version, ..Spec::nowhere(&[2]) }, "dlpack.major_version");
    }
}

/// The version lies at the end of a page, and the next page cannot be read.
#[cfg(target_os = "linux")]
#[test]
fn check_34_of_an_unknown_major_nothing_but_the_version_is_read() {
    use std::ffi::{c_int, c_void};
    use std::ptr::null_mut;
    unsafe extern "C" {
        fn mmap(
            at: *mut c_void,
            len: usize,
            prot: c_int,
            flags: c_int,
            fd: c_int,
            off: i64,
        ) -> *mut c_void;
        fn mprotect(at: *mut c_void, len: usize, prot: c_int) -> c_int;
        fn munmap(at: *mut c_void, len: usize) -> c_int;
    }
    const PAGE: usize = 1 << 16;
    // SAFETY: a private anonymous mapping (2 | 0x20), without access (0), at any address.
    let pages = unsafe { mmap(null_mut(), 2 * PAGE, 0, 2 | 0x20, -1, 0) };
    assert_ne!(pages.addr(), usize::MAX);
    // SAFETY: the first page of the mapping is made readable and writable (1 | 2).
    let status = unsafe { mprotect(pages, PAGE, 1 | 2) };
    assert_eq!(status, 0);
    let version = pages.wrapping_byte_add(PAGE - 8).cast::<DLPackVersion>();
    // SAFETY: the last eight bytes of the first page, aligned.
    unsafe { version.write(DLPackVersion { major: 2, minor: 0 }) };
    let tensor = Managed::versioned(version.cast()).expect("not null");
    // SAFETY: (1) there is a version, of an unknown major; (2) nothing else is there.
    let error = unsafe { inspect(tensor) }.unwrap_err();
    assert_eq!(error, Error::MajorVersion { major: 2, supported: 1 });
    // SAFETY: the whole mapping, used by nobody any more.
    let status = unsafe { munmap(pages, 2 * PAGE) };
    assert_eq!(status, 0);
}

#[test]
fn check_35_newer_minors_and_their_flags() -> Outcome {
    let data = FLOATS;
    let of = |minor: u32, flags: u64| Spec {
        version: DLPackVersion { major: 1, minor },
        flags: Flags(flags),
        ..Spec::floats(data.as_ptr(), &[3])
    };
    for (minor, flags) in [(0, 0), (99, 0), (99, 7), (3, 1 << 40), (0, !7)] {
        check_taken(&of(minor, flags), |view| {
            assert_eq!(view.readonly(), flags & 1 == 1);
            assert_eq!(view.to_vec::<f32>()?, [0.0, 1.0, 2.0]);
            Ok(())
        })?;
    }
    for (minor, flags) in [(4, 8), (99, 1 << 63)] {
        check_refused(&of(minor, flags), "dlpack.unknown_flags");
    }
    Ok(())
}

#[test]
fn check_36_read_only_is_kept() -> Outcome {
    let data = FLOATS;
    let spec = Spec { flags: Flags::READ_ONLY, ..Spec::floats(data.as_ptr(), &[3]) };
    check_taken(&spec, |view| {
        assert!(view.readonly());
        let other = StridedMemoryView::from_vec(vec![9_f32; 3], &[3])?;
        assert_eq!(view.copy_from(&other), Err(Error::ReadOnly));
        Ok(())
    })?;
    assert_eq!(data, FLOATS);
    // A legacy tensor cannot say; the caller does.
    for readonly in [true, false] {
        let made = Made::new(&spec);
        let view = made.import_legacy(readonly)?;
        assert_eq!(view.readonly(), readonly);
        drop(view);
        assert_eq!(made.deleted(), 1);
    }
    Ok(())
}

#[test]
fn check_37_lanes() -> Outcome {
    let data = FLOATS;
    let spec = Spec::floats(data.as_ptr(), &[3]);
    check_refused(&Spec { dtype: (2, 32, 0), ..spec.clone() }, "dlpack.zero_lanes");
    check_taken(&Spec { dtype: (2, 32, 4), ..spec }, |view| {
        assert_eq!((view.itemsize(), view.buffer().len_bytes()), (16, 48));
        assert_eq!(view.dtype().map(|dtype| dtype.to_string()).as_deref(), Some("float32x4"));
        Ok(())
    })
}

#[test]
fn check_38_dtypes_that_nobody_has() {
    let refused = [
        ((200, 8, 1), "dlpack.unknown_dtype"),
        ((18, 8, 1), "dlpack.unknown_dtype"),
        ((6, 1, 1), "dlpack.unsupported_bits"),
        ((6, 32, 1), "dlpack.unsupported_bits"),
        ((15, 8, 1), "dlpack.unsupported_bits"),
        ((17, 8, 1), "dlpack.unsupported_bits"),
        ((2, 24, 1), "dlpack.unsupported_bits"),
        ((2, 128, 1), "dlpack.unsupported_bits"),
        ((4, 32, 1), "dlpack.unsupported_bits"),
        ((0, 0, 1), "dlpack.unsupported_bits"),
        ((17, 4, 1), "dlpack.packed_subbyte"),
        ((0, 4, 1), "dlpack.packed_subbyte"),
        ((16, 6, 1), "dlpack.packed_subbyte"),
    ];
    for (dtype, code) in refused {
        check_refused(&Spec { dtype, ..Spec::nowhere(&[4]) }, code);
        check_refused(&Spec { dtype, ..Spec::nowhere(&[0]) }, code);
    }
}

#[test]
fn check_38_less_than_a_byte_where_it_can_be_addressed() -> Outcome {
    let data = FLOATS;
    let floats = Spec::floats(data.as_ptr(), &[5]);
    let padded = Flags::IS_SUBBYTE_TYPE_PADDED;
    let taken = [
        ((17, 4, 1), padded, DType::F4_E2M1FN),
        ((17, 4, 2), Flags::NONE, DType::F4_E2M1FN_X2),
        ((0, 4, 1), padded, DType::I4),
        ((15, 6, 1), padded, DType::F6_E2M3FN),
    ];
    for (dtype, flags, wanted) in taken {
        check_taken(&Spec { dtype, flags, ..floats.clone() }, |view| {
            assert_eq!((view.dtype(), view.itemsize(), view.nbytes()), (Some(wanted), 1, 5));
            Ok(())
        })?;
    }
    check_refused(&Spec { dtype: (17, 4, 2), flags: padded, ..floats }, "dlpack.padded_lanes");
    Ok(())
}

#[test]
fn check_39_shapes_that_are_none() {
    let spec = Spec::nowhere(&[2, 2]);
    let refused = [
        (Spec { shape: Some(vec![2, -1]), ..spec.clone() }, "interop.layout"),
        (Spec { ndim: Some(-1), ..spec.clone() }, "dlpack.rank"),
        (Spec { ndim: Some(i32::MIN), ..spec.clone() }, "dlpack.rank"),
        (Spec { ndim: Some(65), ..spec.clone() }, "dlpack.rank"),
        (Spec { ndim: Some(i32::MAX), ..spec.clone() }, "dlpack.rank"),
        (Spec { shape: None, ndim: Some(2), ..spec.clone() }, "dlpack.null_shape"),
        (Spec { shape: Some(vec![1 << 40, 1 << 40]), ..spec.clone() }, "interop.layout"),
        (Spec { shape: Some(vec![i64::MAX, 1]), ..spec.clone() }, "interop.layout"),
        (Spec { strides: Some(vec![i64::MIN, 1]), ..spec.clone() }, "interop.layout"),
        (Spec { strides: Some(vec![-0x2000, 1]), ..spec.clone() }, "interop.address_range"),
        (Spec { strides: Some(vec![1 << 60, 1 << 60]), ..spec.clone() }, "interop.layout"),
        (Spec { byte_offset: u64::MAX, ..spec.clone() }, "interop.address_range"),
        (Spec { byte_offset: u64::MAX - 0x1005, ..spec.clone() }, "interop.address_range"),
        (Spec { data: std::ptr::null_mut(), ..spec.clone() }, "interop.null_address"),
        (Spec { data: std::ptr::null_mut(), byte_offset: 64, ..spec }, "interop.null_address"),
    ];
    for (spec, code) in refused {
        check_refused(&spec, code);
    }
    let made = Made::new(&Spec { shape: Some(vec![-3]), ..Spec::nowhere(&[1]) });
    let wanted = Error::ForeignLayout(LayoutError::NegativeExtent { axis: 0, extent: -3 });
    assert_eq!(made.import().unwrap_err(), wanted);
    made.give_back();
}

#[test]
fn check_40_the_address_of_nothing_is_not_looked_at() -> Outcome {
    for address in [0, 1, 0xdead_beef, usize::MAX] {
        let data = std::ptr::without_provenance_mut(address);
        for byte_offset in [0, 8, u64::MAX] {
            let spec = Spec { data, byte_offset, ..Spec::nowhere(&[0, 3]) };
            check_taken(&spec, |view| {
                assert_eq!((view.shape(), view.buffer().len_bytes()), (&[0, 3][..], 0));
                assert_eq!(view.to_vec::<f32>()?, [0.0; 0]);
                assert!(view.as_slice::<f32>()?.is_empty());
                Ok(())
            })?;
        }
    }
    Ok(())
}

#[test]
fn check_41_a_tensor_without_a_deleter() -> Outcome {
    let data = FLOATS;
    let spec = Spec { has_deleter: false, ..Spec::floats(data.as_ptr(), &[3]) };
    for legacy in [false, true] {
        let made = Made::new(&spec);
        let view = if legacy { made.import_legacy(true)? } else { made.import()? };
        assert_eq!(view.to_vec::<f32>()?, [0.0, 1.0, 2.0]);
        drop(view);
        assert_eq!(made.deleted(), 0);
        made.give_back(); // nothing to call, and no harm
        made.free();
    }
    Ok(())
}

#[test]
fn check_42_devices() -> Outcome {
    let data = FLOATS;
    let of = |device_type: DLDeviceType, device_id: i32| Spec {
        device: DLDevice::new(device_type, device_id),
        ..Spec::floats(data.as_ptr(), &[3])
    };
    let taken = [
        (DLDeviceType::CPU, 0, Access::host()),
        (DLDeviceType::CPU, 1, Access::host()),
        (DLDeviceType::CPU, -1, Access::host()),
        (DLDeviceType::CUDA_HOST, 0, Access::pinned(0)),
        (DLDeviceType::CUDA_MANAGED, 0, Access::managed(0)),
        (DLDeviceType::CUDA_MANAGED, 2, Access::managed(2)),
        (DLDeviceType::CUDA, 0, Access::device(0)),
        (DLDeviceType::CUDA, 4000, Access::device(4000)), // only a driver could know better
    ];
    for (device_type, device_id, access) in taken {
        check_taken(&of(device_type, device_id), |view| {
            assert_eq!((view.access(), view.device_id()), (access, access.device_id));
            assert_eq!(view.get::<f32>(&[1]).is_ok(), access.host);
            Ok(())
        })?;
    }
    for device_type in [-1, 0, 4, 7, 8, 10, 11, 12, 14, 18, 99, i32::MIN] {
        check_refused(&of(DLDeviceType(device_type), 0), "dlpack.unknown_device");
    }
    check_refused(&of(DLDeviceType::CUDA, -1), "dlpack.negative_device_id");
    Ok(())
}

#[test]
fn check_44_null_is_no_tensor() {
    assert_eq!(Managed::versioned(std::ptr::null_mut()), Err(Error::NullTensor));
    assert_eq!(Managed::legacy(std::ptr::null_mut(), false), Err(Error::NullTensor));
}

#[test]
fn inspecting_takes_nothing_however_often() -> Outcome {
    let data = FLOATS;
    let made = Made::new(&Spec::floats(data.as_ptr(), &[3, 4]));
    for _ in 0..3 {
        // SAFETY: (1, 2) made by the producer.
        let described = unsafe { inspect(made.versioned) }?;
        assert_eq!((described.layout().volume(), described.dtype()), (12, Some(DType::F32)));
        assert_eq!((described.address(), described.span_in_bytes()), (data.as_ptr().addr(), 48));
        assert!(!described.readonly());
    }
    let view = made.import()?;
    assert_eq!(made.deleted(), 0);
    drop(view);
    assert_eq!(made.deleted(), 1);
    Ok(())
}

#[test]
fn closing_the_buffer_gives_the_tensor_back() -> Outcome {
    let data = FLOATS;
    let made = Made::new(&Spec::floats(data.as_ptr(), &[3]));
    let view = made.import()?;
    let slice = view.as_slice::<f32>()?;
    assert!(view.buffer().close(strideview::StreamToken::NONE).is_err());
    drop(slice);
    view.buffer().close(strideview::StreamToken::NONE)?;
    assert_eq!(made.deleted(), 1);
    assert_eq!(view.get::<f32>(&[0]).unwrap_err().kind(), ErrorKind::Closed);
    drop(view);
    assert_eq!(made.deleted(), 1);
    Ok(())
}

#[test]
fn the_arrays_of_the_producer_are_not_needed_after_the_import() -> Outcome {
    let data = FLOATS;
    let made = Made::new(&Spec::floats(data.as_ptr(), &[2, 3]));
    let layout = made.import()?.layout().clone();
    assert_eq!(made.deleted(), 1);
    assert_eq!((layout.shape(), layout.strides()), (&[2, 3][..], &[3, 1][..]));
    Ok(())
}
