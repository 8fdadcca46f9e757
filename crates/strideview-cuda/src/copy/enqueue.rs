//! Giving a copy to a stream.

use std::ffi::c_void;
use std::ptr::null_mut;

use strideview_copy::{CopyPlan, Temporary};

use super::allocation::{Allocation, Allocator};
use super::device_plan::{Alignment, DevicePlan, Work};
use super::geometry::alignment;
use super::job::{AnyJob, THREADS};
use super::kernel::Kernel;
use super::{loaded, strip};
use crate::driver::driver;
use crate::driver::sys::CUstream;
use crate::{CudaError, Stream};

/// Queues a copy on a stream, and returns without waiting for it.
///
/// `dst` and `src` are the addresses of element `[0, …, 0]` on either side. Nothing is allocated, and
/// nothing synchronised, so the stream may be captured into a graph. The first copy of a kind loads
/// its kernels, in a millisecond or two. A microsecond or two of the host's time otherwise.
///
/// # Safety
///
/// 1. Every byte that the plan says lies in memory that the device of the stream can reach and that
///    stays alive until the work is done: readable from `src`, writable from `dst`.
/// 2. No byte that is written is one that is read.
/// 3. Until then nobody else writes what is read, nor reads or writes what is written, but in the
///    order of the stream.
///
/// # Errors
///
/// [`CudaError::Misaligned`] when an address is aligned less than the one the plan was made for, or a
/// failed call.
pub unsafe fn enqueue(
    plan: &DevicePlan,
    dst: u64,
    src: u64,
    stream: &Stream,
) -> Result<(), CudaError> {
    let dst = dst.wrapping_add_signed(plan.dst_offset);
    let src = src.wrapping_add_signed(plan.src_offset);
    check(plan.alignment, dst, src)?;
    let place = Place { src, span: plan.src_span };
    match &plan.work {
        Work::Nothing => Ok(()),
        Work::Memcpy(bytes) => {
            let _guard = stream.enter()?;
            // SAFETY: the caller promises both spans (1), which do not overlap (2); the stream is
            // alive and its context current.
            unsafe { driver()?.cuMemcpyDtoDAsync(dst, src, *bytes as usize, stream.raw()) }
        }
        Work::Tile(job, kernel) => {
            let mut job = *job;
            (job.dst, job.src, job.src_low, job.src_high) = (dst, src, place.low(), place.high());
            let launch = Launch::tiles(*kernel, job.tiles, 2 * job.buffer_bytes, plan.waves);
            // SAFETY: the kernel is for this job, which says what the plan does; the caller promises
            // its bytes (1, 2, 3).
            unsafe { launch.go(&job, stream) }
        }
        Work::Strip(job, kernel) => {
            let mut job = *job;
            (job.dst, job.src, job.src_low, job.src_high) = (dst, src, place.low(), place.high());
            let launch = Launch::tiles(*kernel, job.tiles, strip::SHARED_BYTES, plan.waves);
            // SAFETY: as above.
            unsafe { launch.go(&job, stream) }
        }
        Work::Direct(job, kernel) => {
            let mut job = *job;
            (job.dst, job.src, job.src_low, job.src_high) = (dst, src, place.low(), place.high());
            // SAFETY: as above.
            unsafe { Launch::tiles(*kernel, job.tiles, 0, plan.waves).go(&job, stream) }
        }
        Work::Interleave(job, kernel) => {
            let mut job = *job;
            (job.dst, job.src) = (dst, src);
            // SAFETY: as above.
            unsafe { Launch::tiles(*kernel, job.tiles, 0, plan.waves).go(&job, stream) }
        }
        Work::Any(job, kernel) => {
            let job = AnyJob { dst, src, ..**job };
            let blocks = job.items.div_ceil(u64::from(THREADS)).min(1 << 30);
            // SAFETY: as above.
            unsafe { Launch::tiles(*kernel, blocks as u32, 0, plan.waves).go(&job, stream) }
        }
    }
}

/// As [`enqueue`], where the bytes that are written may be among those that are read: the result is
/// that of a copy through a temporary, which is allocated and released in the order of the stream, by
/// `allocator` where it names a resource of the device.
///
/// Under capture the temporary belongs to the graph. On a device without pools the host waits for the
/// stream before the temporary is released, so that a capture fails.
///
/// # Safety
///
/// 1. and 3. of [`enqueue`].
///
/// # Errors
///
/// A failed call, of the allocation for example. Nothing is left allocated.
pub unsafe fn enqueue_overlapping(
    plan: &CopyPlan,
    dst: u64,
    src: u64,
    stream: &Stream,
    allocator: Allocator<'_>,
) -> Result<(), CudaError> {
    let Some(halves) = Temporary::of(plan) else { return Ok(()) };
    if plan.bytes() == 0 {
        return Ok(());
    }
    let temporary = Allocation::new(halves.bytes() as usize, stream, allocator)?;
    let gather = DevicePlan::new(halves.gather(), temporary.address, src);
    let scatter = DevicePlan::new(halves.scatter(), dst, temporary.address);
    // SAFETY: (1, 3) the caller promises what is read; the temporary has the bytes that `gather`
    // writes, and is ours. (2) It is fresh.
    let outcome = unsafe { enqueue(&gather, temporary.address, src, stream) }
        // SAFETY: as above, the other way round.
        .and_then(|()| unsafe { enqueue(&scatter, dst, temporary.address, stream) });
    let released = temporary.release();
    outcome.and(released)
}

/// The address of the first run that is read, and where what is read lies from there.
struct Place {
    src: u64,
    span: (i64, i64),
}

impl Place {
    fn low(&self) -> u64 {
        self.src.wrapping_add_signed(self.span.0)
    }

    fn high(&self) -> u64 {
        self.src.wrapping_add_signed(self.span.1)
    }
}

fn check(wanted: Alignment, dst: u64, src: u64) -> Result<(), CudaError> {
    for (address, wanted) in [(dst, wanted.dst), (src, wanted.src)] {
        if alignment([address.cast_signed()]) < wanted {
            return Err(CudaError::Misaligned {
                address: address as usize,
                wanted: wanted as usize,
            });
        }
    }
    Ok(())
}

/// How many blocks of which kernel.
struct Launch {
    kernel: Kernel,
    tiles: u32,
    shared_in_bytes: u32,
    waves: u32,
}

impl Launch {
    fn tiles(kernel: Kernel, tiles: u32, shared_in_bytes: u32, waves: u32) -> Self {
        Self { kernel, tiles, shared_in_bytes, waves }
    }

    /// # Safety
    ///
    /// The kernel takes one argument of type `T`, and what it does with this one is as promised to
    /// [`enqueue`].
    unsafe fn go<T>(self, job: &T, stream: &Stream) -> Result<(), CudaError> {
        let device = stream.device();
        let traits = device.traits()?;
        let at_a_time = traits.multiprocessors.cast_unsigned() * self.kernel.per_multiprocessor();
        let blocks = self.tiles.min(at_a_time.saturating_mul(self.waves)).max(1);
        let _guard = stream.enter()?;
        let function = loaded::kernel(device, self.kernel)?;
        let mut arguments: [*mut c_void; 1] = [(&raw const *job).cast_mut().cast()];
        let stream: CUstream = stream.raw();
        // SAFETY: the kernel is loaded, takes one argument, which is read before the call returns; the
        // stream is alive and its context current; the caller promises the rest.
        unsafe {
            driver()?.cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                THREADS,
                1,
                1,
                self.shared_in_bytes,
                stream,
                arguments.as_mut_ptr(),
                null_mut(),
            )
        }
    }
}
