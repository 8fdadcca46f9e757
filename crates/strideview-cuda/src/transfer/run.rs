//! Doing a transfer, and waiting for it or not.

use super::direct::enqueue_direct;
use super::inline::Staged;
use super::queued;
use super::retire::{Keep, retire};
use super::transfer_plan::{Route, TransferPlan};
use super::wire::Wire;
use crate::copy::Allocator;
use crate::{CudaError, Stream};

/// Copies between the host and a device in the order of a stream, and returns when it is done.
///
/// `dst` and `src` are the addresses of element `[0, …, 0]` on either side, and the stream one of the
/// device. Pageable memory goes through pinned memory that is kept for later copies: see
/// [`release_staging`](super::release_staging), or comes from `allocator` where that is pinned; so does
/// memory of the device from one that is of the device. The calling thread moves bytes then, with the
/// others that host copies use.
///
/// # Safety
///
/// 1. Every byte that the plan says is memory of the kind that the plan was made for: readable from
///    `src`, writable from `dst`; the side of the device is reached by the device of the stream.
/// 2. No byte that is written is one that is read.
/// 3. Nobody else writes what is read, nor reads or writes what is written, until the work is done,
///    but in the order of the stream.
///
/// # Errors
///
/// A failed call. What was queued before is waited for; the destination may be written in part.
/// [`CudaError::Misaligned`] when an address is aligned less than the one the plan was made for.
pub unsafe fn transfer(
    plan: &TransferPlan,
    dst: u64,
    src: u64,
    stream: &Stream,
    allocator: Allocator<'_>,
) -> Result<(), CudaError> {
    let outcome = match &plan.route {
        Route::Nothing => return Ok(()),
        Route::Staged(wire) => {
            check_not_capturing(stream)?;
            // SAFETY: (1 to 3) the caller promises them.
            unsafe { staged(plan, wire, (dst, src), stream, allocator).run() }
        }
        // SAFETY: as above.
        _ => unsafe { enqueue_direct(plan, dst, src, stream, allocator) },
    };
    let waited = stream.synchronize();
    if waited.is_err() {
        // The memory is the caller's again: once more, and then nothing can be done.
        let _ = stream.synchronize();
    }
    outcome.and(waited)
}

/// Queues a copy between the host and a device on a stream, and returns without waiting for it; `keep`
/// is dropped when it is done, on another thread.
///
/// The host's part of a copy of pageable memory is queued too, and done by a thread of the driver in
/// the order of the stream: who waits for the stream waits for all of it.
///
/// # Safety
///
/// 1. and 2. of [`transfer`], and 3. until the work is done: `keep` keeps the memory alive as long.
///
/// # Errors
///
/// Those of [`transfer`], also about what was queued before; `keep` is dropped.
/// [`CudaError::Unsupported`] for pageable memory on a stream that is being captured into a graph. Under
/// capture `keep` is dropped at once: who has the graph keeps the memory.
pub unsafe fn enqueue_transfer(
    plan: &TransferPlan,
    dst: u64,
    src: u64,
    stream: &Stream,
    allocator: Allocator<'_>,
    keep: Keep,
) -> Result<(), CudaError> {
    let outcome = match &plan.route {
        Route::Nothing => return Ok(()),
        Route::Staged(wire) => {
            check_not_capturing(stream)?;
            let staged = staged(plan, wire, (dst, src), stream, allocator);
            // SAFETY: (1 to 3) the caller promises them, and that `keep` keeps the memory.
            return unsafe { queued::enqueue(&staged, keep) };
        }
        // SAFETY: as above.
        _ => unsafe { enqueue_direct(plan, dst, src, stream, allocator) },
    };
    match outcome {
        Ok(()) if stream.is_capturing()? => Ok(()),
        Ok(()) => retire(stream, keep),
        Err(error) => {
            // Some of it may be queued, and uses what is dropped now.
            let _ = stream.synchronize();
            Err(error)
        }
    }
}

fn staged<'a>(
    plan: &TransferPlan,
    wire: &'a Wire,
    (dst, src): (u64, u64),
    stream: &'a Stream,
    allocator: Allocator<'a>,
) -> Staged<'a> {
    Staged { direction: plan.direction, wire, bytes: plan.bytes(), dst, src, stream, allocator }
}

/// What the host does cannot be recorded.
fn check_not_capturing(stream: &Stream) -> Result<(), CudaError> {
    if stream.is_capturing()? {
        let ordinal = stream.device().ordinal();
        return Err(CudaError::Unsupported {
            feature: "a captured copy of pageable memory",
            ordinal,
        });
    }
    Ok(())
}
