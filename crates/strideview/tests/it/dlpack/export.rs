//! Checks 3 to 30, as far as they need neither Python nor a GPU.

use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strideview::interop::dlpack::abi::{DLDeviceType, DLPackVersion, DLTensor};
use strideview::interop::dlpack::{
    DLDevice, DLManagedTensorVersioned, Flags, Managed, Request, device_of, export, export_copy,
    export_legacy, export_versioned, import_managed,
};
use strideview::{
    Access, DType, Error, ErrorKind, MemoryError, Slice, StreamToken, StridedLayout,
    StridedMemoryView,
};

use crate::{Outcome, bytes_of, counted_buffer};

/// A tensor that is given back when this is dropped, as a consumer would.
struct Consumer(Managed);

impl Consumer {
    fn tensor(&self) -> &DLTensor {
        match self.0 {
            // SAFETY: exported, and given back in `drop`.
            Managed::Versioned(tensor) => &unsafe { &*tensor.as_ptr() }.dl_tensor,
            // SAFETY: as above.
            Managed::Legacy { tensor, .. } => &unsafe { &*tensor.as_ptr() }.dl_tensor,
        }
    }

    fn versioned(&self) -> &DLManagedTensorVersioned {
        let Managed::Versioned(tensor) = &self.0 else { panic!("a versioned tensor is wanted") };
        // SAFETY: exported, and given back in `drop`.
        unsafe { tensor.as_ref() }
    }

    /// The numbers at one of the two arrays of the tensor.
    fn numbers(&self, address: *mut i64) -> Vec<i64> {
        let len = self.tensor().ndim as usize;
        if len == 0 {
            return Vec::new();
        }
        assert!(!address.is_null());
        // SAFETY: exported tensors have `ndim` numbers at both addresses.
        unsafe { slice::from_raw_parts(address, len) }.to_vec()
    }

    fn shape(&self) -> Vec<i64> {
        self.numbers(self.tensor().shape)
    }

    fn strides(&self) -> Vec<i64> {
        self.numbers(self.tensor().strides)
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        // SAFETY: (1, 2) exported, and given to nobody else.
        unsafe { self.0.give_back() };
    }
}

fn versioned(view: &StridedMemoryView) -> Result<Consumer, Error> {
    Ok(Consumer(Managed::Versioned(export_versioned(view, Flags::NONE)?)))
}

fn legacy(view: &StridedMemoryView) -> Result<Consumer, Error> {
    Ok(Consumer(Managed::Legacy { tensor: export_legacy(view)?, readonly: false }))
}

/// The view that a consumer makes of an export.
fn imported(tensor: NonNull<DLManagedTensorVersioned>) -> Result<StridedMemoryView, Error> {
    // SAFETY: (1 to 3) exported by the caller, and given to nobody else.
    unsafe { import_managed(Managed::Versioned(tensor)) }
}

fn numbers() -> Result<StridedMemoryView, Error> {
    StridedMemoryView::from_vec((0..24_i32).collect(), &[2, 3, 4])
}

/// A view on memory that is said to be of a device.
fn of_device(access: Access) -> Result<(StridedMemoryView, Arc<AtomicUsize>), Error> {
    let (buffer, drops) = counted_buffer(4, access);
    let layout = StridedLayout::new(&[4], None, 8)?;
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U64), false)?;
    Ok((view, drops))
}

#[test]
fn check_03_the_form_follows_the_version_wanted() -> Outcome {
    let view = numbers()?;
    for max_version in [None, Some((0, 0)), Some((0, 8))] {
        let tensor = Consumer(export(&view, Request { max_version, ..Request::default() })?);
        assert!(matches!(tensor.0, Managed::Legacy { readonly: false, .. }));
    }
    for max_version in [(1, 0), (1, 3), (1, 99), (2, 0)] {
        let request = Request { max_version: Some(max_version), ..Request::default() };
        let tensor = Consumer(export(&view, request)?);
        assert_eq!(tensor.versioned().version, DLPackVersion { major: 1, minor: 3 });
        assert_eq!(tensor.versioned().flags, Flags::NONE);
    }
    Ok(())
}

#[test]
fn check_06_shape_and_strides_are_spelled_out_in_elements() -> Outcome {
    let view = numbers()?;
    let views = [
        view.clone(),
        view.reversed_axes()?,
        view.sliced(&[Slice::ALL, Slice::ALL, Slice::step(2)])?,
        view.sliced(&[Slice::step(-1), Slice::Index(1), Slice::step(-1)])?,
        view.unsqueezed(&[0, 2])?.broadcast_to(&[3, 2, 5, 3, 4])?,
        view.sliced(&[(1..1).into()])?,
        view.view(Some(&StridedLayout::new(&[6, 4], None, 4)?), None)?,
    ];
    for view in views {
        for tensor in [versioned(&view)?, legacy(&view)?] {
            assert_eq!(tensor.shape(), view.shape());
            assert_eq!(tensor.strides(), view.layout().strides());
            assert_eq!(tensor.tensor().byte_offset, 0);
            assert_eq!(tensor.tensor().device, DLDevice::CPU);
            let dtype = tensor.tensor().dtype;
            assert_eq!((dtype.code.0, dtype.bits, dtype.lanes), (0, 32, 1));
        }
    }
    Ok(())
}

#[test]
fn check_07_no_axes() -> Outcome {
    let view = numbers()?.sliced(&[Slice::Index(1), Slice::Index(-1), Slice::Index(0)])?;
    let again = imported(export_versioned(&view, Flags::NONE)?)?;
    assert_eq!((again.rank(), again.get::<i32>(&[])?), (0, 20));
    assert_eq!(legacy(&view)?.tensor().ndim, 0);
    Ok(())
}

#[test]
fn check_08_nothing_has_a_null_pointer() -> Outcome {
    let view = numbers()?.sliced(&[Slice::ALL, (3..3).into()])?;
    for tensor in [versioned(&view)?, legacy(&view)?] {
        assert!(tensor.tensor().data.is_null());
        assert_eq!(tensor.shape(), [2, 0, 4]);
    }
    let again = imported(export_versioned(&view, Flags::NONE)?)?;
    assert_eq!(again.shape(), [2, 0, 4]);
    Ok(())
}

#[test]
fn check_09_the_data_pointer_is_that_of_the_first_element() -> Outcome {
    let view = numbers()?;
    let part = view.sliced(&[Slice::step(-1), (1..).into()])?;
    for tensor in [versioned(&part)?, legacy(&part)?] {
        assert_eq!(tensor.tensor().data.addr(), view.address() + 4 * (12 + 4));
    }
    let again = imported(export_versioned(&part, Flags::NONE)?)?;
    assert_eq!(again.to_vec::<i32>()?, part.to_vec::<i32>()?);
    Ok(())
}

#[test]
fn check_10_as_many_axes_as_a_layout_has() -> Outcome {
    let view = StridedMemoryView::from_vec(vec![1_u8, 2], &[2])?;
    let mut shape = vec![1; 63];
    shape.push(2);
    let view = view.reshaped(&shape)?;
    let again = imported(export_versioned(&view, Flags::NONE)?)?;
    assert_eq!((again.rank(), again.to_vec::<u8>()?), (64, vec![1, 2]));
    assert_eq!(legacy(&view)?.shape().len(), 64);
    Ok(())
}

#[test]
fn check_11_read_only() -> Outcome {
    let view = numbers()?.as_readonly();
    assert_eq!(versioned(&view)?.versioned().flags, Flags::READ_ONLY);
    assert_eq!(export_legacy(&view), Err(Error::LegacyReadOnly));
    let request = Request::default();
    assert_eq!(export(&view, request).unwrap_err().kind(), ErrorKind::Interop);
    assert!(imported(export_versioned(&view, Flags::NONE)?)?.readonly());
    // A copy is the consumer's own, so it can be written, and said in the legacy form.
    let copied = Consumer(export(&view, Request { copy: Some(true), ..request })?);
    assert!(matches!(copied.0, Managed::Legacy { .. }));
    assert_eq!(view.buffer().leases(), 0);
    Ok(())
}

#[test]
fn check_12_copies() -> Outcome {
    let view = numbers()?.reversed_axes()?.sliced(&[Slice::step(-1)])?.as_readonly();
    let request = Request { max_version: Some((1, 0)), ..Request::default() };
    for copy in [None, Some(false)] {
        let tensor = Consumer(export(&view, Request { copy, ..request })?);
        assert_eq!(tensor.tensor().data.addr(), view.address());
        assert_eq!(tensor.versioned().flags, Flags::READ_ONLY);
    }
    let tensor = export(&view, Request { copy: Some(true), ..request })?;
    let Managed::Versioned(tensor) = tensor else { panic!("a versioned tensor is wanted") };
    // SAFETY: just exported.
    assert_eq!(unsafe { tensor.as_ref() }.flags, Flags::IS_COPIED);
    let copied = imported(tensor)?;
    assert_ne!(copied.address(), view.address());
    assert_eq!(copied.to_vec::<i32>()?, view.to_vec::<i32>()?);
    assert!(copied.layout().is_dense() && !copied.readonly());
    let broadcast = view.sliced(&[(0..1).into()])?.broadcast_to(&[4, 3, 2])?;
    let copied = imported(export_copy(&broadcast)?)?;
    assert_eq!((copied.nbytes(), copied.buffer().len_bytes()), (96, 96));
    assert_eq!(copied.to_vec::<i32>()?, broadcast.to_vec::<i32>()?);
    Ok(())
}

/// What becomes of the wish for a device: a device, or the code of an error.
fn wish(
    view: &StridedMemoryView,
    device: (i32, i32),
    copy: Option<bool>,
) -> Result<DLDevice, &'static str> {
    let device = Some(DLDevice::new(DLDeviceType(device.0), device.1));
    let request = Request { max_version: Some((1, 0)), device, copy, ..Request::default() };
    let tensor = Consumer(export(view, request).map_err(|error| error.code())?);
    if copy != Some(true) {
        assert_eq!(tensor.tensor().data.addr(), view.address());
        assert_eq!(tensor.versioned().flags, Flags::NONE);
    }
    Ok(tensor.tensor().device)
}

#[test]
fn check_13_devices_wanted() -> Outcome {
    let (host, pinned) = (of_device(Access::host())?.0, of_device(Access::pinned(0))?.0);
    let (managed, device) = (of_device(Access::managed(0))?.0, of_device(Access::device(1))?.0);
    let cuda = |id| DLDevice::new(DLDeviceType::CUDA, id);
    // The device it is of.
    assert_eq!(wish(&host, (1, 0), None), Ok(DLDevice::CPU));
    assert_eq!(wish(&pinned, (3, 0), Some(false)), Ok(DLDevice::new(DLDeviceType::CUDA_HOST, 0)));
    assert_eq!(wish(&managed, (13, 0), None), Ok(DLDevice::new(DLDeviceType::CUDA_MANAGED, 0)));
    assert_eq!(wish(&device, (2, 1), None), Ok(cuda(1)));
    // A device that reaches it as well.
    for view in [&pinned, &managed] {
        assert_eq!(wish(view, (1, 0), Some(false)), Ok(DLDevice::CPU));
        assert_eq!(wish(view, (2, 0), None), Ok(cuda(0)));
        assert_eq!(wish(view, (1, 0), Some(true)), Ok(DLDevice::CPU));
        assert_eq!(wish(view, (2, 1), None), Err("dlpack.device_request"));
    }
    // One that does not.
    for copy in [None, Some(false), Some(true)] {
        assert_eq!(wish(&host, (2, 0), copy), Err("dlpack.device_request"));
        assert_eq!(wish(&host, (99, 0), copy), Err("dlpack.device_request"));
        assert_eq!(wish(&host, (1, 1), copy), Err("dlpack.device_request"));
        assert_eq!(wish(&device, (2, 0), copy), Err("dlpack.device_request"));
    }
    assert_eq!(wish(&device, (1, 0), Some(false)), Err("dlpack.copy_needed"));
    if strideview::Device::cuda(0).is_ok() {
        return Ok(()); // Copies to and from devices that are there are tested there.
    }
    assert_eq!(wish(&device, (1, 0), None), Err("dlpack.copy_device"));
    // A copy in memory that this machine does not have.
    assert_eq!(wish(&pinned, (3, 0), Some(true)), Err("dlpack.copy_device"));
    assert_eq!(wish(&device, (2, 1), Some(true)), Err("dlpack.copy_device"));
    Ok(())
}

#[test]
fn check_20_a_closed_view_is_not_exported() -> Outcome {
    let view = numbers()?;
    view.buffer().close(StreamToken::NONE)?;
    let closed = Error::Memory(MemoryError::Closed);
    assert_eq!(export_versioned(&view, Flags::NONE), Err(closed));
    assert_eq!(export_legacy(&view), Err(closed));
    assert_eq!(export_copy(&view), Err(closed));
    Ok(())
}

#[test]
fn check_20_a_buffer_is_not_closed_under_a_consumer() -> Outcome {
    let view = numbers()?;
    let tensor = versioned(&view)?;
    assert_eq!(view.buffer().close(StreamToken::NONE), Err(MemoryError::InUse { leases: 1 }));
    drop(tensor);
    assert_eq!(view.buffer().close(StreamToken::NONE), Ok(()));
    Ok(())
}

#[test]
fn check_21_and_27_the_owner_goes_with_the_last_of_view_and_consumer() -> Outcome {
    let (view, drops) = of_device(Access::host())?;
    let (one, two) = (versioned(&view)?, legacy(&view)?);
    let three = imported(export_versioned(&view, Flags::NONE)?)?;
    drop(view);
    assert_eq!(three.to_vec::<u64>()?, [0x0706_0504_0302_0100; 4]);
    drop((one, three));
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(two);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn check_22_data_is_there_until_the_tensor_is_given_back() -> Outcome {
    let (view, drops) = of_device(Access::host())?;
    let tensor = versioned(&view)?;
    drop(view);
    // SAFETY: four numbers are exported, and the tensor is not given back yet.
    let first = unsafe { tensor.tensor().data.cast::<u64>().read() };
    assert_eq!((first, drops.load(Ordering::SeqCst)), (0x0706_0504_0302_0100, 0));
    drop(tensor);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

/// The owner of a buffer, whose end is a panic.
struct Grudge;

impl Drop for Grudge {
    fn drop(&mut self) {
        panic!("on purpose");
    }
}

#[test]
fn check_26_the_deleter_is_there_tolerates_null_and_lets_no_panic_out() -> Outcome {
    let view = numbers()?;
    let (versioned, legacy) = (versioned(&view)?, legacy(&view)?);
    let deleter = versioned.versioned().deleter.expect("never null");
    // SAFETY: null is allowed.
    unsafe { deleter(std::ptr::null_mut()) };
    let Managed::Legacy { tensor, .. } = legacy.0 else { panic!("a legacy tensor is wanted") };
    // SAFETY: just exported.
    let deleter = unsafe { tensor.as_ref() }.deleter.expect("never null");
    // SAFETY: null is allowed.
    unsafe { deleter(std::ptr::null_mut()) };
    assert_eq!(view.buffer().leases(), 2);
    drop((versioned, legacy));

    fn ignore(_: &MemoryError) {}
    let hook = strideview::set_release_error_hook(ignore);
    // SAFETY: (1, 2) no bytes are promised.
    let buffer = unsafe {
        strideview::Buffer::from_raw(
            std::ptr::null_mut(),
            0,
            Access::host(),
            Some(Arc::new(Grudge)),
        )
    };
    let layout = StridedLayout::new(&[0], None, 1)?;
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U8), false)?;
    let tensor = self::versioned(&view)?;
    drop((view, buffer));
    drop(tensor); // the last handle: the owner panics, and nobody is told by unwinding
    strideview::set_release_error_hook(hook);
    Ok(())
}

#[test]
fn check_28_the_device_is_that_of_the_tensor() -> Outcome {
    let devices = [
        (Access::host(), 1, 0),
        (Access::pinned(2), 3, 0),
        (Access::managed(2), 13, 0),
        (Access::device(2), 2, 2),
    ];
    for (access, device_type, device_id) in devices {
        let (view, drops) = of_device(access)?;
        let wanted = DLDevice::new(DLDeviceType(device_type), device_id);
        assert_eq!(device_of(&view)?, wanted);
        assert_eq!(versioned(&view)?.tensor().device, wanted);
        assert_eq!(legacy(&view)?.tensor().device, wanted);
        drop(view);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
    let (nobody, _) = of_device(Access::NONE)?;
    assert_eq!(device_of(&nobody), Err(Error::Unreachable));
    assert_eq!(export_versioned(&nobody, Flags::NONE), Err(Error::Unreachable));
    Ok(())
}

#[test]
fn check_29_a_thousand_exports_at_once() -> Outcome {
    let (view, drops) = of_device(Access::host())?;
    let tensors: Vec<Consumer> = (0..1000).map(|_| versioned(&view)).collect::<Result<_, _>>()?;
    let mut addresses: Vec<usize> =
        tensors.iter().map(|tensor| std::ptr::from_ref(tensor.versioned()).addr()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 1000);
    assert_eq!(view.buffer().leases(), 1000);
    drop(view);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(tensors);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn check_30_less_than_a_byte() -> Outcome {
    let bytes = bytes_of(4)?;
    let padded = bytes.view(None, Some(DType::F4_E2M1FN))?;
    let tensor = versioned(&padded)?;
    assert_eq!(tensor.versioned().flags, Flags::IS_SUBBYTE_TYPE_PADDED);
    let dtype = tensor.tensor().dtype;
    assert_eq!((dtype.code.0, dtype.bits, dtype.lanes), (17, 4, 1));
    assert_eq!(export_legacy(&padded), Err(Error::LegacyPadded));
    let again = imported(export_versioned(&padded, Flags::NONE)?)?;
    assert_eq!(again.dtype(), Some(DType::F4_E2M1FN));
    let pairs = bytes.view(None, Some(DType::F4_E2M1FN_X2))?;
    let tensor = legacy(&pairs)?;
    assert_eq!((tensor.tensor().dtype.lanes, tensor.shape()), (2, vec![4]));
    assert_eq!(versioned(&pairs)?.versioned().flags, Flags::NONE);
    Ok(())
}

#[test]
fn check_51_every_dtype_survives_a_round_trip() -> Outcome {
    for &(dtype, name) in DType::ALL {
        let layout = StridedLayout::new(&[2, 3], Some(&[-3, 1]), dtype.itemsize_bytes() as i64)?;
        let all = bytes_of(128)?.sliced(&[(64..).into()])?;
        let view = all.view(Some(&layout), Some(dtype))?;
        let again = imported(export_versioned(&view, Flags::NONE)?)?;
        assert_eq!((again.dtype(), again.layout()), (Some(dtype), view.layout()), "{name}");
        assert_eq!(again.address(), view.address());
    }
    Ok(())
}

#[test]
fn an_untyped_view_is_not_exported() -> Outcome {
    let view = bytes_of(4)?;
    assert_eq!(export_versioned(&view, Flags::NONE), Err(Error::UntypedExport));
    assert_eq!(export_legacy(&view), Err(Error::UntypedExport));
    assert_eq!(export_copy(&view), Err(Error::UntypedExport));
    assert_eq!(view.buffer().leases(), 0);
    Ok(())
}

#[test]
fn flags_of_the_caller_are_added() -> Outcome {
    let view = numbers()?;
    let flags = Flags::IS_COPIED | Flags::READ_ONLY;
    let tensor = Consumer(Managed::Versioned(export_versioned(&view, flags)?));
    assert_eq!(tensor.versioned().flags, flags);
    let tensor = Consumer(Managed::Versioned(export_versioned(&view, Flags(u64::MAX))?));
    assert_eq!(tensor.versioned().flags, flags);
    Ok(())
}
