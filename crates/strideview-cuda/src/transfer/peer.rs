//! Copies from one device to another.

use strideview_copy::{CopyPlan, Temporary};

use crate::copy::{Allocation, Allocator};
use crate::driver::driver;
use crate::{CudaError, Device, DevicePlan, Stream, enqueue};

/// Queues a copy between memory of two devices, and returns without waiting for it.
///
/// What is not dense on the one side is packed there, and unpacked on the other; the driver takes it
/// from device to device, through the host where the two cannot reach each other. The work is in the
/// order of `stream`, which is one of either device, or of a third: a stream of each device takes part.
///
/// # Safety
///
/// 1. Every byte that the plan says lies in memory that stays alive until the work is done: of
///    `dst_device` from `dst`, of `src_device` from `src`.
/// 2. Until then nobody else writes what is read, nor reads or writes what is written, but in the
///    order of the stream.
///
/// # Errors
///
/// A failed call. What was queued before is waited for.
pub unsafe fn enqueue_peer(
    plan: &CopyPlan,
    (dst, dst_device): (u64, Device),
    (src, src_device): (u64, Device),
    stream: &Stream,
    allocator: Allocator<'_>,
) -> Result<(), CudaError> {
    let Some(halves) = Temporary::of(plan).filter(|_| plan.bytes() > 0) else { return Ok(()) };
    let peers = Peers {
        to: stream_on(dst_device, stream)?,
        from: stream_on(src_device, stream)?,
        halves: &halves,
        allocator,
    };
    // SAFETY: (1, 2) the caller promises them.
    let outcome = unsafe { peers.enqueue(dst, src) }
        .and_then(|()| stream.wait_for(&peers.from))
        .and_then(|()| stream.wait_for(&peers.to));
    if outcome.is_err() {
        let _ = peers.from.synchronize();
        let _ = peers.to.synchronize();
    }
    outcome
}

/// The stream itself, or a new one of the device that comes after it.
fn stream_on(device: Device, stream: &Stream) -> Result<Stream, CudaError> {
    if stream.device() == device {
        return Ok(stream.clone());
    }
    let other = Stream::new(device)?;
    other.wait_for(stream)?;
    Ok(other)
}

struct Peers<'a> {
    to: Stream,
    from: Stream,
    halves: &'a Temporary,
    allocator: Allocator<'a>,
}

impl Peers<'_> {
    /// # Safety
    ///
    /// Those of [`enqueue_peer`].
    unsafe fn enqueue(&self, dst: u64, src: u64) -> Result<(), CudaError> {
        let (gather, scatter) = (self.halves.gather(), self.halves.scatter());
        let packed = self.room(gather, &self.from)?;
        let outcome = self.room(scatter, &self.to).and_then(|unpacked| {
            let from = packed
                .as_ref()
                .map_or(src.wrapping_add_signed(gather.src_offset()), |room| room.address);
            let to = unpacked
                .as_ref()
                .map_or(dst.wrapping_add_signed(scatter.dst_offset()), |room| room.address);
            // SAFETY: the caller promises both sides; a room has the bytes of the temporary.
            let outcome = unsafe {
                self.move_all((dst, to, unpacked.is_some()), (src, from, packed.is_some()))
            };
            outcome.and(release(unpacked))
        });
        outcome.and(release(packed))
    }

    /// Memory for the dense form of a side that is not dense.
    fn room<'s>(
        &self,
        plan: &CopyPlan,
        stream: &'s Stream,
    ) -> Result<Option<Allocation<'s>>, CudaError> {
        if plan.axes().is_empty() {
            return Ok(None);
        }
        Allocation::new(self.halves.bytes() as usize, stream, self.allocator).map(Some)
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn move_all(
        &self,
        (dst, to, is_unpacked): (u64, u64, bool),
        (src, from, is_packed): (u64, u64, bool),
    ) -> Result<(), CudaError> {
        let (gather, scatter) = (self.halves.gather(), self.halves.scatter());
        if is_packed {
            // SAFETY: the caller promises the source, and the room is ours.
            unsafe { enqueue(&DevicePlan::new(gather, from, src), from, src, &self.from) }?;
        }
        // The destination, or its room, is free.
        self.from.wait_for(&self.to)?;
        // SAFETY: the caller promises both, which are dense or rooms of ours.
        unsafe { self.link(to, from) }?;
        self.to.wait_for(&self.from)?;
        if is_unpacked {
            // SAFETY: the caller promises the destination, and the room holds what was sent.
            unsafe { enqueue(&DevicePlan::new(scatter, dst, to), dst, to, &self.to) }?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// Both have the bytes of the temporary, on their devices.
    unsafe fn link(&self, to: u64, from: u64) -> Result<(), CudaError> {
        let (to_context, from_context) =
            (self.to.device().primary_context()?, self.from.device().primary_context()?);
        let _guard = self.from.enter()?;
        let bytes = self.halves.bytes() as usize;
        // SAFETY: the caller promises both spans; contexts and stream are alive.
        unsafe {
            driver()?.cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, self.from.raw())
        }
    }
}

fn release(room: Option<Allocation<'_>>) -> Result<(), CudaError> {
    room.map_or(Ok(()), Allocation::release)
}
