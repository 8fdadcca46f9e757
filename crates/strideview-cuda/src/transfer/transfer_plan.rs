//! How a copy between the host and a device is done.
#![forbid(unsafe_code)]

use std::fmt;

use strideview_copy::CopyPlan;
use strideview_copy::host::{HostPlan, Machine};

use super::driver_copy::DriverCopy;
use super::wire::{Chunk, Wire};
use crate::DevicePlan;

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to a device.
    ToDevice,
    /// From a device to the host.
    ToHost,
}

/// What the memory on the host's side of a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostMemory {
    /// Memory that the device cannot reach: the host moves it to and from pinned memory.
    Pageable,
    /// Memory that the device reaches at the same address: pinned, registered or managed.
    Pinned,
}

/// From this size on pinned memory that a kernel has to permute is sent first and permuted then;
/// below it a kernel reads or writes the host's memory itself.
const LEAST_SENT: i64 = 1 << 20;
/// A chunk of pinned memory: long enough that the time between two calls does not count.
const PINNED_CHUNK: i64 = 16 << 20;
/// How many chunks pageable memory is cut into at least, so that the first one on the host and the last
/// one on the link do not count.
const LEAST_CHUNKS: i64 = 8;
/// A shorter chunk is not worth telling threads about.
const LEAST_CHUNK: i64 = 1 << 20;

/// How a copy between the host and a device is done: by which calls, in which chunks, and who
/// permutes.
///
/// A value without a pointer, made by safe code; it can be kept, and used for memory that is aligned
/// as well. Prints as a description.
///
/// ```
/// use strideview_copy::CopyPlan;
/// use strideview_cuda::{Direction, HostMemory, TransferPlan};
///
/// // 8192 rows of f32 that become columns on the device.
/// let plan = CopyPlan::new(&[8192, 8192], &[4, 32768], &[32768, 4], 4)?;
/// let plan = TransferPlan::new(&plan, 0, 0, Direction::ToDevice, HostMemory::Pageable);
/// assert_eq!((plan.chunks(), plan.link_bytes()), (32, 268_435_456));
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TransferPlan {
    pub(super) route: Route,
    pub(super) direction: Direction,
    pub(super) dst_offset: i64,
    pub(super) src_offset: i64,
    bytes: i64,
}

/// Who moves what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Route {
    Nothing,
    /// One call of the driver.
    Driver(DriverCopy),
    /// A kernel that reads or writes pinned memory.
    Mapped(Box<DevicePlan>),
    /// Calls of the driver between pinned memory and the wire on the device, and kernels.
    Pinned(Wire),
    /// The host between pageable memory and pinned slots, calls of the driver, and kernels.
    Staged(Wire),
}

impl TransferPlan {
    /// The way to do `plan` between `dst` and `src`, the addresses of element `[0, …, 0]` on either
    /// side. Only their remainders by 16 matter. O(rank²).
    pub fn new(
        plan: &CopyPlan,
        dst: u64,
        src: u64,
        direction: Direction,
        host: HostMemory,
    ) -> Self {
        let chunk_bytes = match host {
            HostMemory::Pageable => {
                (plan.bytes() / LEAST_CHUNKS).clamp(LEAST_CHUNK, super::ring::SLOT_BYTES as i64)
            }
            HostMemory::Pinned => PINNED_CHUNK,
        };
        let route = route(plan, dst, src, direction, host, (LEAST_SENT, chunk_bytes));
        Self::of(plan, direction, route)
    }

    /// As [`TransferPlan::new`], in chunks of at most so many bytes, whatever the size.
    #[doc(hidden)]
    pub fn in_chunks(
        plan: &CopyPlan,
        (dst, src): (u64, u64),
        direction: Direction,
        host: HostMemory,
        chunk_bytes: i64,
    ) -> Self {
        let route = route(
            plan,
            dst,
            src,
            direction,
            host,
            (0, chunk_bytes.min(super::ring::SLOT_BYTES as i64)),
        );
        Self::of(plan, direction, route)
    }

    fn of(plan: &CopyPlan, direction: Direction, route: Route) -> Self {
        let (dst_offset, src_offset) = (plan.dst_offset(), plan.src_offset());
        Self { route, direction, dst_offset, src_offset, bytes: plan.bytes() }
    }

    /// The bytes to move: the number of elements times the item size. O(1).
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// The bytes that cross the link: fewer where the source is read again and again, more where
    /// gaps of pinned memory go along. O(rank²).
    pub fn link_bytes(&self) -> i64 {
        match &self.route {
            Route::Pinned(wire) | Route::Staged(wire) => wire.bytes(),
            _ => self.bytes,
        }
    }

    /// How many chunks it is done in. O(1).
    pub fn chunks(&self) -> i64 {
        match &self.route {
            Route::Nothing => 0,
            Route::Driver(_) | Route::Mapped(_) => 1,
            Route::Pinned(wire) | Route::Staged(wire) => wire.chunks(),
        }
    }

    /// Whether the host moves bytes itself, to and from pinned memory. O(1).
    pub fn is_staged(&self) -> bool {
        matches!(self.route, Route::Staged(_))
    }
}

fn route(
    plan: &CopyPlan,
    dst: u64,
    src: u64,
    direction: Direction,
    host: HostMemory,
    (least_sent, chunk_bytes): (i64, i64),
) -> Route {
    if plan.bytes() == 0 {
        return Route::Nothing;
    }
    if host == HostMemory::Pageable {
        return Route::Staged(Wire::dense(plan, direction, chunk_bytes));
    }
    if let Some(copy) = DriverCopy::of(plan) {
        return Route::Driver(copy);
    }
    if plan.bytes() >= least_sent {
        let dense = Wire::dense(plan, direction, chunk_bytes);
        if DriverCopy::of(&dense.chunk(0).host).is_some() {
            return Route::Pinned(dense);
        }
        let span = (direction == Direction::ToDevice).then(|| Wire::span(plan, chunk_bytes));
        if let Some(span) = span.flatten() {
            return Route::Pinned(span);
        }
    }
    Route::Mapped(Box::new(DevicePlan::new(plan, dst, src)))
}

/// What the host does for a chunk. Slots are written past the caches, which is up to twice as fast: the
/// next to read them is the link. So is a destination that the caches do not hold.
pub(super) fn host_plan(chunk: &Chunk, direction: Direction, all_bytes: i64) -> HostPlan {
    let mut machine = Machine::this();
    match direction {
        Direction::ToDevice if all_bytes >= LEAST_CHUNK => machine.cache_bytes = 0,
        Direction::ToHost if all_bytes > machine.cache_bytes => machine.cache_bytes = 0,
        _ => {}
    }
    HostPlan::new(&chunk.host, &machine)
}

/// Who moves what, chunks and bytes: a line each.
///
/// ```
/// use strideview_copy::CopyPlan;
/// use strideview_cuda::{Direction, HostMemory, TransferPlan};
///
/// let plan = CopyPlan::new(&[1000], &[4], &[4], 4)?;
/// let plan = TransferPlan::new(&plan, 0, 0, Direction::ToHost, HostMemory::Pinned);
/// assert_eq!(plan.to_string(), "to host: cuMemcpyAsync\nbytes over the link: 4000");
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
impl fmt::Display for TransferPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.direction {
            Direction::ToDevice => "to device: ",
            Direction::ToHost => "to host: ",
        })?;
        match &self.route {
            Route::Nothing => f.write_str("nothing")?,
            Route::Driver(copy) => f.write_str(copy.name())?,
            Route::Mapped(plan) => write!(f, "{} on pinned memory", plan.kernel_name())?,
            Route::Pinned(wire) | Route::Staged(wire) => self.fmt_chunks(wire, f)?,
        }
        write!(f, "\nbytes over the link: {}", self.link_bytes())
    }
}

impl TransferPlan {
    fn fmt_chunks(&self, wire: &Wire, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if wire.chunks() == 1 { "" } else { "s" };
        writeln!(f, "{} chunk{s} of up to {} bytes", wire.chunks(), wire.most_bytes())?;
        let chunk = wire.chunk(0);
        match DriverCopy::of(&chunk.host) {
            _ if self.is_staged() => {
                writeln!(f, "{}", host_plan(&chunk, self.direction, self.bytes))?;
                f.write_str("link: cuMemcpyAsync, pinned slots\n")?;
            }
            Some(copy) => writeln!(f, "link: {}", copy.name())?,
            None => f.write_str("link: a kernel\n")?,
        }
        match chunk.device.axes() {
            [] => f.write_str("device: in place"),
            _ => write!(f, "device: {}", DevicePlan::new(&chunk.device, 0, 0).kernel_name()),
        }
    }
}
