//! Copies that the device does alone, since it reaches the memory of the host.

use super::driver_copy::DriverCopy;
use super::transfer_plan::{Direction, Route, TransferPlan};
use super::wire::{Chunk, Wire};
use crate::copy::{Allocation, Allocator};
use crate::resource::keep_released_memory;
use crate::{CudaError, DevicePlan, Stream, enqueue};

/// Queues a plan that is not staged.
///
/// # Safety
///
/// Those of [`super::enqueue_transfer`]. After an error, some of it may be queued.
pub(super) unsafe fn enqueue_direct(
    plan: &TransferPlan,
    dst: u64,
    src: u64,
    stream: &Stream,
    allocator: Allocator<'_>,
) -> Result<(), CudaError> {
    match &plan.route {
        Route::Nothing | Route::Staged(_) => Ok(()),
        Route::Driver(copy) => {
            let dst = dst.wrapping_add_signed(plan.dst_offset);
            let src = src.wrapping_add_signed(plan.src_offset);
            // SAFETY: (1, 2) the caller promises the bytes of the plan, which this call moves.
            unsafe { copy.enqueue(plan.direction, dst, src, stream) }
        }
        // SAFETY: (1 to 3) as above, of memory that the device reaches on both sides.
        Route::Mapped(kernel) => unsafe { enqueue(kernel, dst, src, stream) },
        Route::Pinned(wire) => {
            let stage = stage(wire, stream, allocator)?;
            // SAFETY: the caller promises it; the stage has the bytes of a chunk.
            let outcome =
                unsafe { enqueue_chunks(plan.direction, wire, (dst, src), stage.address, stream) };
            outcome.and(stage.release())
        }
    }
}

/// Memory of the device for a chunk.
pub(super) fn stage<'a>(
    wire: &Wire,
    stream: &'a Stream,
    allocator: Allocator<'_>,
) -> Result<Allocation<'a>, CudaError> {
    if stream.device().traits()?.memory_pools {
        let _guard = stream.enter()?;
        keep_released_memory(stream.device())?;
    }
    Allocation::new(wire.most_bytes() as usize, stream, allocator)
}

/// # Safety
///
/// As above; `stage` has the bytes of a chunk.
unsafe fn enqueue_chunks(
    direction: Direction,
    wire: &Wire,
    (dst, src): (u64, u64),
    stage: u64,
    stream: &Stream,
) -> Result<(), CudaError> {
    for number in 0..wire.chunks() {
        let chunk = wire.chunk(number);
        match direction {
            Direction::ToDevice => {
                let (dst, src) = places(&chunk, direction, (dst, src));
                // SAFETY: the caller promises the bytes of the chunk, and the stage.
                unsafe { link(&chunk, direction, stage, src, stream) }?;
                // SAFETY: as above.
                unsafe { permute(&chunk, dst, stage, stream) }?;
            }
            Direction::ToHost => {
                let (dst, src) = places(&chunk, direction, (dst, src));
                // SAFETY: as above.
                unsafe { permute(&chunk, stage, src, stream) }?;
                // SAFETY: as above.
                unsafe { link(&chunk, direction, dst, stage, stream) }?;
            }
        }
    }
    Ok(())
}

/// The addresses of a chunk's first runs, of the destination and of the source.
pub(super) fn places(chunk: &Chunk, direction: Direction, (dst, src): (u64, u64)) -> (u64, u64) {
    let (dst_at, src_at) = match direction {
        Direction::ToDevice => (chunk.device_at, chunk.host_at),
        Direction::ToHost => (chunk.host_at, chunk.device_at),
    };
    (dst.wrapping_add_signed(dst_at), src.wrapping_add_signed(src_at))
}

/// Queues the way of a chunk over the link.
///
/// # Safety
///
/// As above.
unsafe fn link(
    chunk: &Chunk,
    direction: Direction,
    dst: u64,
    src: u64,
    stream: &Stream,
) -> Result<(), CudaError> {
    if let Some(copy) = DriverCopy::of(&chunk.host) {
        let dst = dst.wrapping_add_signed(chunk.host.dst_offset());
        let src = src.wrapping_add_signed(chunk.host.src_offset());
        // SAFETY: (1, 2) the caller promises it.
        return unsafe { copy.enqueue(direction, dst, src, stream) };
    }
    // SAFETY: (1 to 3) the caller promises it, of memory that the device reaches on both sides.
    unsafe { permute_by(&chunk.host, dst, src, stream) }
}

/// Queues the device's part of a chunk.
///
/// # Safety
///
/// As above.
pub(super) unsafe fn permute(
    chunk: &Chunk,
    dst: u64,
    src: u64,
    stream: &Stream,
) -> Result<(), CudaError> {
    // SAFETY: the caller promises it.
    unsafe { permute_by(&chunk.device, dst, src, stream) }
}

/// # Safety
///
/// As above.
unsafe fn permute_by(
    plan: &strideview_copy::CopyPlan,
    dst: u64,
    src: u64,
    stream: &Stream,
) -> Result<(), CudaError> {
    // SAFETY: (1 to 3) the caller promises them for the bytes of this plan.
    unsafe { enqueue(&DevicePlan::new(plan, dst, src), dst, src, stream) }
}
