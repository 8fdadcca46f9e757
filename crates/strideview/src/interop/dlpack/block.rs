//! The one allocation of an export: the managed structure, the lease, the shape and the strides.

use std::alloc::{Layout, alloc, dealloc};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use super::abi::{DLManagedTensor, DLManagedTensorVersioned};
use crate::{Lease, MAX_RANK, MemoryError, Result};

/// What an export allocates, followed by 2·`rank` numbers: the shape, then the strides.
///
/// The managed structure comes first, so that its address is that of the block.
#[repr(C)]
struct Block<M> {
    managed: M,
    lease: Lease,
    /// What the block was allocated with.
    layout: Layout,
}

/// A managed structure that a block can be given out as.
pub(super) trait ManagedStructure: Sized {}

impl ManagedStructure for DLManagedTensor {}
impl ManagedStructure for DLManagedTensorVersioned {}

/// The addresses of the shape and of the strides in a block; null for rank 0.
#[derive(Clone, Copy)]
pub(super) struct Arrays {
    pub(super) shape: *mut i64,
    pub(super) strides: *mut i64,
}

/// Allocates a block with these numbers and this lease, and gives out the structure that `fill`
/// makes of their addresses. `shape` and `strides` have the same length, at most 64.
///
/// Law: the result is to be given to [`free`] once.
pub(super) fn give_out<M: ManagedStructure>(
    lease: Lease,
    shape: &[i64],
    strides: &[i64],
    fill: impl FnOnce(Arrays) -> M,
) -> Result<NonNull<M>> {
    let rank = shape.len().min(strides.len()).min(MAX_RANK);
    let size_in_bytes = size_of::<Block<M>>();
    let (layout, start) = layout_of::<M>(rank).ok_or(MemoryError::OutOfMemory { size_in_bytes })?;
    // SAFETY: the size is not 0, since a block is not empty.
    let block = unsafe { alloc(layout) };
    let size_in_bytes = layout.size();
    let block = NonNull::new(block).ok_or(MemoryError::OutOfMemory { size_in_bytes })?;
    let arrays = arrays_at(block, start, rank);
    if rank > 0 {
        // SAFETY: `arrays` has room for `rank` numbers for the shape, which `shape` has, and the
        // block is fresh.
        unsafe { arrays.shape.copy_from_nonoverlapping(shape.as_ptr(), rank) };
        // SAFETY: as above, for the strides.
        unsafe { arrays.strides.copy_from_nonoverlapping(strides.as_ptr(), rank) };
    }
    let block = block.cast::<Block<M>>();
    // SAFETY: the block is allocated with the size and the alignment of `Block<M>`.
    unsafe { block.write(Block { managed: fill(arrays), lease, layout }) };
    Ok(block.cast())
}

/// Gives a block back, and lets go of its lease. Lets no panic out, and tolerates null.
///
/// # Safety
///
/// 1. `managed` is null, or came from [`give_out`] with this same `M` and has not been freed.
/// 2. Nothing uses it any more.
pub(super) unsafe fn free<M: ManagedStructure>(managed: *mut M) {
    let Some(block) = NonNull::new(managed.cast::<Block<M>>()) else { return };
    // SAFETY: (1) the caller promises that `give_out` wrote a block here; it is read once, because
    // it is freed once.
    let Block { lease, layout, .. } = unsafe { block.read() };
    // SAFETY: (1) allocated with this layout; (2) nothing uses it.
    unsafe { dealloc(block.as_ptr().cast(), layout) };
    // The lease may be the last handle of its buffer, whose owner then runs code of others. Nobody
    // is there to be told of a panic.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(lease)));
}

/// The layout of a block with room for 2·`rank` numbers, and where these start.
fn layout_of<M>(rank: usize) -> Option<(Layout, usize)> {
    let numbers = Layout::array::<i64>(rank.checked_mul(2)?).ok()?;
    let (layout, start) = Layout::new::<Block<M>>().extend(numbers).ok()?;
    Some((layout, start))
}

/// Where the numbers of a block are.
fn arrays_at(block: NonNull<u8>, start: usize, rank: usize) -> Arrays {
    if rank == 0 {
        return Arrays { shape: std::ptr::null_mut(), strides: std::ptr::null_mut() };
    }
    let shape = block.as_ptr().wrapping_add(start).cast::<i64>();
    Arrays { shape, strides: shape.wrapping_add(rank) }
}
