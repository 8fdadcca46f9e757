//! Pageable memory, staged by the calling thread.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use super::direct::{permute, places, stage};
use super::ring::{Lent, Ring, SLOTS};
use super::transfer_plan::{Direction, host_plan};
use super::wire::{Chunk, Wire};
use crate::copy::{Allocation, Allocator};
use crate::driver::driver;
use crate::{CudaError, Stream};

/// One staged transfer.
pub(super) struct Staged<'a> {
    pub(super) direction: Direction,
    pub(super) wire: &'a Wire,
    pub(super) bytes: i64,
    pub(super) dst: u64,
    pub(super) src: u64,
    pub(super) stream: &'a Stream,
    pub(super) allocator: Allocator<'a>,
}

impl Staged<'_> {
    /// Does all of it; the device's part may still be at work on return.
    ///
    /// # Safety
    ///
    /// Those of [`super::transfer`].
    pub(super) unsafe fn run(&self) -> Result<(), CudaError> {
        // What the stream does before may be about the memory of the host.
        self.stream.synchronize()?;
        let mut lent = self.lent()?;
        let stage = self.stage()?;
        let at = stage.as_ref().map(|stage| stage.address);
        let outcome = match self.direction {
            // SAFETY: the caller promises it.
            Direction::ToDevice => unsafe { self.send(lent.ring(), at) },
            // SAFETY: as above.
            Direction::ToHost => unsafe { self.receive(lent.ring(), at) },
        };
        if outcome.is_err() {
            // Before the slots are somebody else's.
            let _ = self.stream.synchronize();
        }
        outcome.and(stage.map_or(Ok(()), |stage| stage.release()))
    }

    /// Slots that hold a chunk each.
    pub(super) fn lent(&self) -> Result<Lent, CudaError> {
        let most_bytes = self.wire.most_bytes() as usize;
        Lent::take(self.stream, self.slots(), most_bytes, self.allocator)
    }

    /// How many slots are of use.
    fn slots(&self) -> usize {
        usize::try_from(self.wire.chunks()).unwrap_or(SLOTS).clamp(1, SLOTS)
    }

    /// Memory of the device where it permutes. All chunks are alike, or smaller.
    pub(super) fn stage(&self) -> Result<Option<Allocation<'_>>, CudaError> {
        let permutes = !self.wire.chunk(0).device.axes().is_empty();
        permutes.then(|| stage(self.wire, self.stream, self.allocator)).transpose()
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn send(&self, ring: &Ring, stage: Option<u64>) -> Result<(), CudaError> {
        for number in 0..self.wire.chunks() {
            let (chunk, slot) = (self.wire.chunk(number), ring.slot(number));
            slot.done.synchronize()?;
            let (_, src) = places(&chunk, self.direction, (self.dst, self.src));
            let host = host_plan(&chunk, self.direction, self.bytes);
            // SAFETY: (1) the caller promises the source, and the slot has the bytes of a chunk;
            // (2, 3) the slot is lent to this call, and the work with it is done.
            unsafe { host.copy(slot.as_ptr(), with_exposed_provenance(src as usize)) };
            // SAFETY: the caller promises it; the slot is full.
            unsafe { self.to_device(&chunk, slot.address(), stage) }?;
            self.stream.record_into(&slot.done)?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn receive(&self, ring: &Ring, stage: Option<u64>) -> Result<(), CudaError> {
        let (chunks, ahead) = (self.wire.chunks(), ring.slots());
        for number in 0..chunks + ahead {
            if number >= ahead {
                let (chunk, slot) = (self.wire.chunk(number - ahead), ring.slot(number - ahead));
                slot.done.synchronize()?;
                let (dst, _) = places(&chunk, self.direction, (self.dst, self.src));
                let host = host_plan(&chunk, self.direction, self.bytes);
                // SAFETY: (1) the caller promises the destination, and the slot has the bytes of a
                // chunk; (2, 3) the slot is lent to this call, and the work with it is done.
                unsafe { host.copy(with_exposed_provenance_mut(dst as usize), slot.as_ptr()) };
            }
            if number < chunks {
                let (chunk, slot) = (self.wire.chunk(number), ring.slot(number));
                self.stream.wait(&slot.done)?;
                // SAFETY: the caller promises it; the slot is free in the order of the stream.
                unsafe { self.to_slot(&chunk, slot.address(), stage) }?;
                self.stream.record_into(&slot.done)?;
            }
        }
        Ok(())
    }

    /// Queues the way of a chunk from a slot to its place on the device.
    ///
    /// # Safety
    ///
    /// As above; the slot holds the chunk, and the stage has the bytes of one.
    pub(super) unsafe fn to_device(
        &self,
        chunk: &Chunk,
        slot: u64,
        stage: Option<u64>,
    ) -> Result<(), CudaError> {
        let (dst, _) = places(chunk, self.direction, (self.dst, self.src));
        let Some(stage) = stage else {
            let to = dst.wrapping_add_signed(chunk.device.dst_offset());
            let from = slot.wrapping_add_signed(chunk.device.src_offset());
            // SAFETY: the caller promises the destination, which is in one piece.
            return unsafe { self.line(to, from, chunk.device.bytes()) };
        };
        // SAFETY: the caller promises both.
        unsafe { self.line(stage, slot, chunk.bytes) }?;
        // SAFETY: as above.
        unsafe { permute(chunk, dst, stage, self.stream) }
    }

    /// Queues the way of a chunk from its place on the device to a slot.
    ///
    /// # Safety
    ///
    /// As above; the slot is free in the order of the stream.
    pub(super) unsafe fn to_slot(
        &self,
        chunk: &Chunk,
        slot: u64,
        stage: Option<u64>,
    ) -> Result<(), CudaError> {
        let (_, src) = places(chunk, self.direction, (self.dst, self.src));
        let Some(stage) = stage else {
            let from = src.wrapping_add_signed(chunk.device.src_offset());
            let to = slot.wrapping_add_signed(chunk.device.dst_offset());
            // SAFETY: the caller promises the source, which is in one piece.
            return unsafe { self.line(to, from, chunk.device.bytes()) };
        };
        // SAFETY: the caller promises both.
        unsafe { permute(chunk, stage, src, self.stream) }?;
        // SAFETY: as above.
        unsafe { self.line(slot, stage, chunk.bytes) }
    }

    /// # Safety
    ///
    /// Both spans are memory that the driver reaches, alive until the work is done.
    unsafe fn line(&self, dst: u64, src: u64, bytes: i64) -> Result<(), CudaError> {
        let _guard = self.stream.enter()?;
        // SAFETY: the caller promises both; the stream is alive and its context current.
        unsafe { driver()?.cuMemcpyAsync(dst, src, bytes as usize, self.stream.raw()) }
    }
}
