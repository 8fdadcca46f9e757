//! Tensors of [candle](candle_core) on the host as views, without a copy, and views as tensors, with
//! one.
//!
//! | from | to | by | copies |
//! |---|---|---|---|
//! | a tensor | a read-only view, for the time of a call | [`lend`] | nothing |
//! | a tensor | a read-only view that keeps it | [`from_tensor`], unsafe | nothing |
//! | a view | a new tensor | [`copy_to_tensor`] | each element once |
//! | a view | the elements of a tensor that is there | [`copy_into_tensor`] | each element once |
//!
//! The elements of a tensor lie in a `Vec` behind a lock. [`lend`] holds the lock for reading, so it
//! is sound and copies nothing. A view that outlives the lock is not safe: an operation in place may
//! write the elements, and a user's may put another `Vec` in their place.
//!
//! There is no way in without a copy: `CpuStorage` has a `Vec` for each dtype, and a `Vec` frees its
//! memory by Rust's allocator, with the alignment of its elements. Memory of others, and our own,
//! which is aligned to 64 bytes, cannot be handed to one.
//!
//! Tensors of a CUDA device need candle's feature `cuda`, which compiles kernels by `nvcc`. Their
//! storage is a `CudaSlice` of cudarc, the type that `interop::cudarc` lends (feature `cudarc`):
//! ask `CudaStorage::as_cuda_slice` for it, under the guard of `Tensor::storage_and_layout`.

use std::cell::Cell;
use std::sync::Arc;

use candle_core::{CpuStorage, DeviceLocation, InplaceOp1, Layout, Storage, Tensor};

use super::extents::check_extents;
use crate::transfer::check_unique;
use crate::{
    Access, Buffer, DType, Dims, Error, MemoryError, Owner, Result, StridedLayout,
    StridedMemoryView, copy,
};

/// Calls `work` with a read-only view of a tensor; returns what it returns. Two small allocations;
/// copies nothing. The buffer of the view is read-only too.
///
/// The tensor is locked for reading meanwhile: `work` must not change it in place, or it waits for
/// itself. Afterwards the buffer of the view is closed: clones and parts of the view that `work` kept
/// are of a closed buffer. A lease that is still alive then (a [`HostSlice`](crate::HostSlice), a copy
/// that was queued) is waited for, so keep none where nobody gives it up.
///
/// # Errors
///
/// [`Error::NotHostAccessible`] for a tensor of a device, [`Error::PackedSubByte`] for one of fewer
/// than 8 bits an element, [`Error::OutOfBounds`] for one made with a shape that its storage has not
/// got the elements for; then `work` is not called.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use strideview::interop::candle::lend;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tensor = Tensor::arange(0_f32, 6.0, &Device::Cpu)?.reshape((2, 3))?.t()?;
/// let (strides, last) = lend(&tensor, |view| {
///     (view.layout().strides().to_vec(), view.get::<f32>(&[2, 1]))
/// })?;
/// assert_eq!((strides, last?), (vec![1, 3], 5.0));
/// # Ok(())
/// # }
/// ```
pub fn lend<R>(tensor: &Tensor, work: impl FnOnce(&StridedMemoryView) -> R) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    let elements = Elements::of(&storage, tensor)?;
    // SAFETY: (1) the guard keeps the storage as it is, and `lend` closes the buffer before it goes;
    // (2, 3) it keeps others from writing, and the buffer of the view is read-only.
    let view = unsafe { elements.view(layout, true, None) }?;
    let result = super::lend::lend(view, work);
    drop(storage);
    Ok(result)
}

/// A read-only view of a tensor, which its buffer keeps. Two small allocations; copies nothing. The
/// buffer is read-only too.
///
/// # Errors
///
/// As [`lend`].
///
/// # Safety
///
/// 1. Until the buffer of the view is released, no operation in place is applied to the tensor, nor
///    to another one of the same storage: not by `Var::set`, `slice_set` and the like, nor by an
///    `InplaceOp1` of a user.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use strideview::{DType, interop::candle::from_tensor};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tensor = Tensor::new(&[[1_u8, 2], [3, 4]], &Device::Cpu)?;
/// // SAFETY: (1) nobody changes this tensor.
/// let view = unsafe { from_tensor(&tensor) }?;
/// drop(tensor);
/// assert_eq!((view.dtype(), view.to_vec::<u8>()?), (Some(DType::U8), vec![1, 2, 3, 4]));
/// # Ok(())
/// # }
/// ```
pub unsafe fn from_tensor(tensor: &Tensor) -> Result<StridedMemoryView> {
    let owner: Arc<dyn Owner> = Arc::new(tensor.clone());
    let (storage, layout) = tensor.storage_and_layout();
    let elements = Elements::of(&storage, tensor)?;
    // SAFETY: (1) the owner keeps the storage, which stays as it is: the caller promises (1); (2, 3)
    // by the same, nobody writes, and the buffer of the view is read-only.
    unsafe { elements.view(layout, true, Some(owner)) }
}

/// A new dense tensor on the host with the elements of a view, which may lie anywhere: one copy of
/// each element.
///
/// # Errors
///
/// [`Error::Untyped`]; [`Error::NoCounterpart`] for a dtype that candle has not got;
/// [`LayoutError::Overflow`](crate::LayoutError) for more elements than candle counts,
/// [`MemoryError::OutOfMemory`] for more bytes than the allocator gives; those of [`copy`](crate::copy()).
///
/// ```
/// use strideview::{Error, StridedMemoryView, interop::candle::copy_to_tensor};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rows = StridedMemoryView::from_vec(vec![1_i64, 2, 3, 4, 5, 6], &[2, 3])?;
/// let tensor = copy_to_tensor(&rows.reversed_axes()?)?;
/// assert_eq!(tensor.to_vec2::<i64>()?, [[1, 4], [2, 5], [3, 6]]);
/// let error = copy_to_tensor(&StridedMemoryView::from_vec(vec![1_u64], &[1])?).unwrap_err();
/// assert_eq!(error.to_string(), "wanted a dtype that candle has, got uint64");
/// # Ok(())
/// # }
/// ```
pub fn copy_to_tensor(view: &StridedMemoryView) -> Result<Tensor> {
    let dtype = view.dtype().ok_or(Error::Untyped)?;
    let dtype = candle_dtype(dtype).ok_or(Error::NoCounterpart { library: "candle", dtype })?;
    check_extents(view.layout())?;
    check_memory(view.layout())?;
    // At least 0, by the layout.
    let shape: Vec<usize> = view.shape().iter().map(|extent| *extent as usize).collect();
    let tensor = Tensor::zeros(shape, dtype, &candle_core::Device::Cpu)
        .map_err(|_| Error::Neighbour { library: "candle", call: "Tensor::zeros" })?;
    copy_into_tensor(view, &tensor)?;
    Ok(tensor)
}

/// candle ends the process where there is no memory for a tensor, so the allocator is asked first.
fn check_memory(layout: &StridedLayout) -> Result<()> {
    let size_in_bytes = usize::try_from(layout.nbytes()).unwrap_or(usize::MAX);
    let mut bytes = Vec::<u8>::new();
    let reserved = bytes.try_reserve_exact(size_in_bytes);
    Ok(reserved.map_err(|_| MemoryError::OutOfMemory { size_in_bytes })?)
}

/// Copies the elements of a view, which may lie anywhere, into a tensor on the host, in place: one
/// copy of each element, none besides.
///
/// The tensor is locked for writing meanwhile, so it must not be lent at the same time; other tensors
/// of the same storage see the change, as with every operation in place.
///
/// # Errors
///
/// Those of [`copy`](crate::copy()), with the tensor as the destination, and those of [`lend`].
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use strideview::{StridedMemoryView, interop::candle::copy_into_tensor};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tensor = Tensor::zeros((2, 2), DType::U32, &Device::Cpu)?;
/// let row = StridedMemoryView::from_vec(vec![7_u32, 8], &[2])?;
/// copy_into_tensor(&row, &tensor.get(1)?)?;
/// assert_eq!(tensor.to_vec2::<u32>()?, [[0, 0], [7, 8]]);
/// # Ok(())
/// # }
/// ```
pub fn copy_into_tensor(view: &StridedMemoryView, tensor: &Tensor) -> Result<()> {
    check_host(tensor)?;
    // Some versions of candle refuse such a tensor themselves, in words.
    check_unique(&strided_layout(tensor.layout(), 1)?)?;
    let refused = Error::Neighbour { library: "candle", call: "Tensor::inplace_op1" };
    let writing = CopyFrom { src: view, outcome: Cell::new(Err(refused)) };
    // An error of candle's own leaves the outcome as it is.
    let _ = tensor.inplace_op1(&writing);
    writing.outcome.get()
}

/// The copy as an operation of candle in place, which is how it gives a storage out for writing.
struct CopyFrom<'a> {
    src: &'a StridedMemoryView,
    outcome: Cell<Result<()>>,
}

impl InplaceOp1 for CopyFrom<'_> {
    fn name(&self) -> &'static str {
        "strideview::copy"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> candle_core::Result<()> {
        self.outcome.set(copy_into_storage(self.src, storage, layout));
        Ok(())
    }
}

fn copy_into_storage(
    src: &StridedMemoryView,
    storage: &mut CpuStorage,
    layout: &Layout,
) -> Result<()> {
    let elements = Elements::of_exclusive(storage)?;
    // SAFETY: (1) the storage is borrowed, and `lend` closes the buffer before that ends; (2, 3) the
    // borrow is the only one.
    let dst = unsafe { elements.view(layout, false, None) }?;
    super::lend::lend(dst, |dst| copy(dst, src))
}

/// The elements of a storage, in the order of their addresses.
#[derive(Clone, Copy)]
struct Elements {
    first: *mut u8,
    size_in_bytes: usize,
    dtype: DType,
}

/// The [`Elements`] of a storage, by one way to ask a vector for its address.
macro_rules! elements {
    ($storage:expr, |$values:ident| $first:expr) => {
        elements!(@match $storage, $values, $first,
            U8 => U8, U32 => U32, I16 => I16, I32 => I32, I64 => I64, BF16 => BF16, F16 => F16,
            F32 => F32, F64 => F64, F8E4M3 => F8_E4M3FN, F8E8M0 => F8_E8M0FNU)
    };
    (@match $storage:expr, $values:ident, $first:expr, $($variant:ident => $dtype:ident),*) => {
        match $storage {
            $(CpuStorage::$variant($values) => Ok(Elements {
                size_in_bytes: size_of_val(&$values[..]),
                first: $first,
                dtype: DType::$dtype,
            }),)*
            CpuStorage::F4(_) => Err(Error::PackedSubByte { bits: 4, lanes: 1 }),
            CpuStorage::F6E2M3(_) | CpuStorage::F6E3M2(_) => {
                Err(Error::PackedSubByte { bits: 6, lanes: 1 })
            }
        }
    };
}

impl Elements {
    fn of(storage: &Storage, tensor: &Tensor) -> Result<Self> {
        match storage {
            Storage::Cpu(storage) => Self::of_shared(storage),
            Storage::Cuda(_) | Storage::Metal(_) => Err(not_host(tensor)),
        }
    }

    /// To be read.
    fn of_shared(storage: &CpuStorage) -> Result<Self> {
        elements!(storage, |values| values.as_ptr().cast_mut().cast())
    }

    /// To be read and written.
    fn of_exclusive(storage: &mut CpuStorage) -> Result<Self> {
        elements!(storage, |values| values.as_mut_ptr().cast())
    }

    /// A view of them with candle's layout, which is checked to lie among them.
    ///
    /// # Safety
    ///
    /// 1. The elements stay where they are until `owner` is dropped or, without one, for as long as
    ///    anything uses the buffer of the view.
    /// 2. Nobody else writes them meanwhile.
    /// 3. Unless `readonly`, they may be written.
    unsafe fn view(
        self,
        layout: &Layout,
        readonly: bool,
        owner: Option<Arc<dyn Owner>>,
    ) -> Result<StridedMemoryView> {
        let Self { first, size_in_bytes, dtype } = self;
        let layout = strided_layout(layout, dtype.itemsize_bytes() as i64)?;
        // SAFETY: (1) the caller promises it in (1); (2) they are a vector, and initialised.
        let buffer = unsafe { Buffer::from_raw(first, size_in_bytes, Access::host(), owner) };
        if readonly {
            buffer.make_readonly();
        }
        StridedMemoryView::from_buffer(&buffer, &layout, Some(dtype), readonly)
    }
}

fn strided_layout(layout: &Layout, itemsize: i64) -> Result<StridedLayout> {
    // What does not fit is no layout of memory that is there, and is refused as such.
    let number = |number: &usize| i64::try_from(*number).unwrap_or(i64::MAX);
    let shape: Dims = layout.dims().iter().map(number).collect();
    let strides: Dims = layout.stride().iter().map(number).collect();
    let offset = number(&layout.start_offset());
    StridedLayout::with_offset(&shape, Some(&strides), itemsize, offset)
        .map_err(Error::ForeignLayout)
}

fn candle_dtype(dtype: DType) -> Option<candle_core::DType> {
    Some(match dtype {
        DType::U8 => candle_core::DType::U8,
        DType::U32 => candle_core::DType::U32,
        DType::I16 => candle_core::DType::I16,
        DType::I32 => candle_core::DType::I32,
        DType::I64 => candle_core::DType::I64,
        DType::BF16 => candle_core::DType::BF16,
        DType::F16 => candle_core::DType::F16,
        DType::F32 => candle_core::DType::F32,
        DType::F64 => candle_core::DType::F64,
        DType::F8_E4M3FN => candle_core::DType::F8E4M3,
        _ => return None,
    })
}

fn check_host(tensor: &Tensor) -> Result<()> {
    if tensor.device().is_cpu() { Ok(()) } else { Err(not_host(tensor)) }
}

fn not_host(tensor: &Tensor) -> Error {
    let device_id = match tensor.device().location() {
        DeviceLocation::Cpu => -1,
        DeviceLocation::Cuda { gpu_id } | DeviceLocation::Metal { gpu_id } => {
            i32::try_from(gpu_id).unwrap_or(i32::MAX)
        }
    };
    Error::NotHostAccessible { device_id }
}
