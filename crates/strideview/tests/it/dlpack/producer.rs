//! A producer of DLPack tensors as odd as wanted, which counts the calls of its deleters.

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strideview::interop::dlpack::abi::{DLDataType, DLDataTypeCode, DLPackVersion, DLTensor};
use strideview::interop::dlpack::{
    DLDevice, DLManagedTensor, DLManagedTensorVersioned, Flags, Managed, import_managed,
};
use strideview::{Error, StridedMemoryView};

/// What a tensor says.
#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) version: DLPackVersion,
    pub(crate) flags: Flags,
    pub(crate) data: *mut c_void,
    pub(crate) device: DLDevice,
    /// None: as many as the shape has.
    pub(crate) ndim: Option<i32>,
    pub(crate) dtype: (u8, u8, u16),
    /// None: a null pointer.
    pub(crate) shape: Option<Vec<i64>>,
    /// None: a null pointer.
    pub(crate) strides: Option<Vec<i64>>,
    pub(crate) byte_offset: u64,
    pub(crate) has_deleter: bool,
}

impl Spec {
    /// A C-contiguous tensor of `f32` at this address, as a current producer would say.
    pub(crate) fn floats(data: *const f32, shape: &[i64]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis];
        }
        Self {
            version: DLPackVersion::CURRENT,
            flags: Flags::NONE,
            data: data.cast_mut().cast(),
            device: DLDevice::CPU,
            ndim: None,
            dtype: (2, 32, 1),
            shape: Some(shape.to_vec()),
            strides: Some(strides),
            byte_offset: 0,
            has_deleter: true,
        }
    }

    /// As above, without memory: for tensors that are refused, or have no elements.
    pub(crate) fn nowhere(shape: &[i64]) -> Self {
        Self::floats(std::ptr::without_provenance(0x1000), shape)
    }
}

/// What the manager context of a tensor points to: everything that the tensor consists of.
struct Holder {
    versioned: DLManagedTensorVersioned,
    legacy: DLManagedTensor,
    shape: Option<Vec<i64>>,
    strides: Option<Vec<i64>>,
    deleted: Arc<AtomicUsize>,
}

/// A tensor of ours, and how often it was given back.
pub(crate) struct Made {
    pub(crate) versioned: Managed,
    pub(crate) legacy: NonNull<DLManagedTensor>,
    deleted: Arc<AtomicUsize>,
}

impl Made {
    /// Makes both forms of the tensor, of which one is to be given back.
    pub(crate) fn new(spec: &Spec) -> Self {
        let deleted = Arc::new(AtomicUsize::new(0));
        let dl_tensor = DLTensor {
            data: spec.data,
            device: spec.device,
            ndim: spec.ndim.unwrap_or(spec.shape.as_ref().map_or(0, Vec::len) as i32),
            dtype: DLDataType {
                code: DLDataTypeCode(spec.dtype.0),
                bits: spec.dtype.1,
                lanes: spec.dtype.2,
            },
            shape: null_mut(),
            strides: null_mut(),
            byte_offset: spec.byte_offset,
        };
        let mut holder = Box::new(Holder {
            versioned: DLManagedTensorVersioned {
                version: spec.version,
                manager_ctx: null_mut(),
                deleter: spec.has_deleter.then_some(delete_versioned),
                flags: spec.flags,
                dl_tensor,
            },
            legacy: DLManagedTensor {
                dl_tensor,
                manager_ctx: null_mut(),
                deleter: spec.has_deleter.then_some(delete_legacy),
            },
            shape: spec.shape.clone(),
            strides: spec.strides.clone(),
            deleted: Arc::clone(&deleted),
        });
        let shape = holder.shape.as_mut().map_or(null_mut(), |shape| shape.as_mut_ptr());
        let strides = holder.strides.as_mut().map_or(null_mut(), |strides| strides.as_mut_ptr());
        for tensor in [&mut holder.versioned.dl_tensor, &mut holder.legacy.dl_tensor] {
            (tensor.shape, tensor.strides) = (shape, strides);
        }
        let holder = Box::into_raw(holder);
        // SAFETY: just made from a box, and nobody else has it.
        let parts = unsafe { &mut *holder };
        parts.versioned.manager_ctx = holder.cast();
        parts.legacy.manager_ctx = holder.cast();
        let (versioned, legacy) = (&raw mut parts.versioned, &raw mut parts.legacy);
        let legacy = NonNull::new(legacy).expect("a field of a box");
        Self {
            versioned: Managed::versioned(versioned).expect("a field of a box"),
            legacy,
            deleted,
        }
    }

    /// How often a deleter was called.
    pub(crate) fn deleted(&self) -> usize {
        self.deleted.load(Ordering::SeqCst)
    }

    /// The versioned form as a view.
    pub(crate) fn import(&self) -> Result<StridedMemoryView, Error> {
        // SAFETY: (1, 2) made by `new`, and imported once; (3) what the tests say of memory is true,
        // or they do not touch it.
        unsafe { import_managed(self.versioned) }
    }

    /// The legacy form as a view.
    pub(crate) fn import_legacy(&self, readonly: bool) -> Result<StridedMemoryView, Error> {
        // SAFETY: as above.
        unsafe { import_managed(Managed::Legacy { tensor: self.legacy, readonly }) }
    }

    /// Frees a tensor without a deleter, which nobody uses any more.
    pub(crate) fn free(self) {
        // SAFETY: made by `new`, and there is no deleter that could free it.
        let tensor = unsafe { self.legacy.read() };
        assert!(tensor.deleter.is_none());
        // SAFETY: as above; the context is that of `new`.
        unsafe { delete(tensor.manager_ctx) };
    }

    /// What the destructor of a capsule that was not consumed does.
    pub(crate) fn give_back(&self) {
        // SAFETY: (1, 2) made by `new`, and refused or never taken.
        unsafe { self.versioned.give_back() };
    }
}

/// Frees the holder, and counts.
///
/// # Safety
///
/// The context of the tensor is that of `Made::new`, not freed yet.
unsafe fn delete(context: *mut c_void) {
    // SAFETY: the caller promises it.
    let holder = unsafe { Box::from_raw(context.cast::<Holder>()) };
    holder.deleted.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: only called for tensors of `Made::new`, once.
    let tensor = unsafe { tensor.read() };
    // SAFETY: as above.
    unsafe { delete(tensor.manager_ctx) };
}

unsafe extern "C" fn delete_legacy(tensor: *mut DLManagedTensor) {
    // SAFETY: only called for tensors of `Made::new`, once.
    let tensor = unsafe { tensor.read() };
    // SAFETY: as above.
    unsafe { delete(tensor.manager_ctx) };
}
