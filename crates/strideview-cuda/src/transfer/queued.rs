//! Pageable memory, staged in the order of a stream: the caller does not wait.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

use strideview_copy::host::HostPlan;

use super::direct::places;
use super::inline::Staged;
use super::retire::{Keep, retire};
use super::ring::Ring;
use super::transfer_plan::{Direction, host_plan};
use crate::driver::driver;
use crate::{CudaError, Stream};

/// What a thread of the driver does for a chunk.
struct Job {
    host: HostPlan,
    dst: usize,
    src: usize,
}

/// Queues all of a transfer: the host's part on the ring's side stream, the rest on its own.
///
/// # Safety
///
/// Those of [`super::enqueue_transfer`].
pub(super) unsafe fn enqueue(staged: &Staged<'_>, keep: Keep) -> Result<(), CudaError> {
    let mut lent = staged.lent()?;
    let ring = lent.ring();
    let side = ring.side()?;
    let jobs = jobs(staged, ring);
    // SAFETY: the caller promises it; the jobs are kept until the stream is done, below.
    let outcome = unsafe { enqueue_chunks(staged, ring, &side, &jobs) };
    if let Err(error) = outcome {
        // What is queued uses what is dropped now.
        let _ = side.synchronize();
        let _ = staged.stream.synchronize();
        return Err(error);
    }
    retire(staged.stream, Box::new((jobs, keep, lent.own())))
}

fn jobs(staged: &Staged<'_>, ring: &Ring) -> Arc<[Job]> {
    let job = |number: i64| {
        let chunk = staged.wire.chunk(number);
        let slot = ring.slot(number).address() as usize;
        let (dst, src) = places(&chunk, staged.direction, (staged.dst, staged.src));
        let host = host_plan(&chunk, staged.direction, staged.bytes);
        match staged.direction {
            Direction::ToDevice => Job { host, dst: slot, src: src as usize },
            Direction::ToHost => Job { host, dst: dst as usize, src: slot },
        }
    };
    (0..staged.wire.chunks()).map(job).collect()
}

/// # Safety
///
/// As above; the jobs live until the work is done.
unsafe fn enqueue_chunks(
    staged: &Staged<'_>,
    ring: &Ring,
    side: &Stream,
    jobs: &[Job],
) -> Result<(), CudaError> {
    let stream = staged.stream;
    side.wait_for(stream)?;
    let stage = staged.stage()?;
    let at = stage.as_ref().map(|stage| stage.address);
    let each = (0..).zip(jobs).try_for_each(|(number, job)| {
        let (chunk, slot) = (staged.wire.chunk(number), ring.slot(number));
        match staged.direction {
            Direction::ToDevice => {
                side.wait(&slot.done)?;
                // SAFETY: the caller promises the job; the slot is free in the order of the side.
                unsafe { launch(side, job) }?;
                side.record_into(&slot.full)?;
                stream.wait(&slot.full)?;
                // SAFETY: the caller promises it; the slot is full in the order of the stream.
                unsafe { staged.to_device(&chunk, slot.address(), at) }?;
                stream.record_into(&slot.done)
            }
            Direction::ToHost => {
                stream.wait(&slot.done)?;
                // SAFETY: as above; the slot is free in the order of the stream.
                unsafe { staged.to_slot(&chunk, slot.address(), at) }?;
                stream.record_into(&slot.full)?;
                side.wait(&slot.full)?;
                // SAFETY: as above; the slot is full in the order of the side.
                unsafe { launch(side, job) }?;
                side.record_into(&slot.done)
            }
        }
    });
    let joined = each.and_then(|()| stream.wait_for(side));
    joined.and(stage.map_or(Ok(()), |stage| stage.release()))
}

/// Queues a job.
///
/// # Safety
///
/// 1. The job lives until it is done, and its bytes are memory of the host that nobody else uses then
///    but in the order of the stream.
unsafe fn launch(stream: &Stream, job: &Job) -> Result<(), CudaError> {
    let _guard = stream.enter()?;
    let argument = (&raw const *job).cast_mut().cast();
    // SAFETY: the function takes a job, which lives (1); the stream is alive, its context current.
    unsafe { driver()?.cuLaunchHostFunc(stream.raw(), work, argument) }
}

/// Does a job. Calls no driver, as the driver asks.
///
/// # Safety
///
/// 1. `job` is that of [`launch`].
unsafe extern "C" fn work(job: *mut c_void) {
    // SAFETY: (1) a job that lives, and that nobody writes.
    let job = unsafe { &*job.cast::<Job>() };
    let (dst, src) = (with_exposed_provenance_mut(job.dst), with_exposed_provenance(job.src));
    // SAFETY: the promises of `launch` (1) are those of the copy.
    let copy = || unsafe { job.host.copy(dst, src) };
    // No panic may cross into the driver.
    let _ = catch_unwind(AssertUnwindSafe(copy));
}
