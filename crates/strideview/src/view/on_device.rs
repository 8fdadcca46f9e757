//! Copies in which a device takes part.

use std::cell::RefCell;

use strideview_cuda::{
    Allocator, Device, DevicePlan, Direction, HostMemory, Stream, TransferPlan, enqueue,
    enqueue_overlapping, enqueue_peer, enqueue_transfer, is_pinned, transfer,
};

use super::StridedMemoryView;
use super::access::{plan_copy, span_at};
use super::borrow::Writing;
use super::place::span_in_bytes;
use crate::route::Route;
use crate::{CopyOptions, CopyPlan, Lease, Result, StreamToken};

/// Both sides of a copy, kept in place.
///
/// # Invariants
///
/// 1. `dst` and `src` are the addresses of element `[0, …, 0]` of the views that `plan` was made for,
///    whose bytes lie inside the leased buffers (invariant 2 of the views).
/// 2. No Rust reference into the destination is alive, where the host can reach it (`Writing`).
struct Sides {
    plan: CopyPlan,
    dst: u64,
    src: u64,
    leases: (Lease, Lease),
    writing: Option<Writing>,
    overlap: bool,
}

impl Sides {
    fn new(dst: &StridedMemoryView, src: &StridedMemoryView) -> Result<Self> {
        let plan = plan_copy(dst, src)?;
        let leases = (dst.buffer().lease()?, src.buffer().lease()?);
        let first = |lease: &Lease, view: &StridedMemoryView| {
            let start = lease.as_ptr().expose_provenance();
            start.wrapping_add_signed(view.offset_in_bytes())
        };
        let (to, from) = (first(&leases.0, dst), first(&leases.1, src));
        let spans = (span_at(dst, to), span_at(src, from));
        let meet = matches!(spans, (Some(to), Some(from)) if to.meets(from));
        let overlap = meet && dst.layout().overlaps(src.layout(), to as u64, from as u64);
        let written = spans.0.filter(|_| dst.access().host);
        let writing = written.map(Writing::begin).transpose()?;
        Ok(Self { plan, dst: to as u64, src: from as u64, leases, writing, overlap })
    }
}

/// Does a copy by a route that is not the host's. The destination is writable and unique.
pub(crate) fn copy_by(
    route: Route,
    dst: &StridedMemoryView,
    src: &StridedMemoryView,
    options: CopyOptions<'_>,
) -> Result<()> {
    let sides = Sides::new(dst, src)?;
    match route {
        Route::Host => Ok(()), // not done here
        Route::Device { ordinal } => {
            let is_reached = dst.access().host || src.access().host;
            let blocking = options.blocking.unwrap_or(is_reached);
            on_stream(ordinal, options.stream, |stream| {
                sides.on_device(stream, options.allocator)?;
                wait_if(blocking, stream)
            })
        }
        Route::ToDevice { ordinal } => {
            let host = host_memory(src, ordinal);
            on_stream(ordinal, options.stream, |stream| {
                sides.over_the_link((Direction::ToDevice, host), stream, options)
            })
        }
        Route::ToHost { ordinal } => {
            let host = host_memory(dst, ordinal);
            on_stream(ordinal, options.stream, |stream| {
                sides.over_the_link((Direction::ToHost, host), stream, options)
            })
        }
        Route::Peers { dst: to, src: from } => {
            let stream = stream_of(to, options.stream)?;
            let places = ((sides.dst, Device::new(to)?), (sides.src, Device::new(from)?));
            // SAFETY: (1) Sides 1, of memory of the two devices, which who uses it meanwhile keeps
            // open, as the documentation asks; (2) as the documentation asks.
            unsafe { enqueue_peer(&sides.plan, places.0, places.1, &stream, options.allocator) }?;
            wait_if(options.blocking.unwrap_or(false), &stream)
        }
    }
}

/// The last plan of a thread, and what it was made for: small copies come again and again, and planning
/// one takes a tenth of the host's time for it.
#[derive(Default)]
struct LastPlan(Option<(CopyPlan, [u64; 2], DevicePlan)>);

thread_local! {
    static LAST: RefCell<LastPlan> = RefCell::default();
}

impl LastPlan {
    /// The plan for a copy; it depends on the addresses by their remainders alone.
    fn of(&mut self, sides: &Sides) -> &DevicePlan {
        let places = [sides.dst % 16, sides.src % 16];
        let is_known = |of: &CopyPlan, at: &[u64; 2]| *at == places && *of == sides.plan;
        if !self.0.as_ref().is_some_and(|(of, at, _)| is_known(of, at)) {
            self.0 = None;
        }
        let new = || {
            let plan = DevicePlan::new(&sides.plan, sides.dst, sides.src);
            (sides.plan.clone(), places, plan)
        };
        &self.0.get_or_insert_with(new).2
    }
}

impl Sides {
    /// Queues a copy in memory that the device reaches.
    fn on_device(&self, stream: &Stream, allocator: Allocator<'_>) -> Result<()> {
        if self.overlap {
            // SAFETY: (1) Sides 1, of memory that the device reaches by the route, which who uses it
            // meanwhile keeps open, as the documentation asks; (3) as the documentation asks.
            return Ok(unsafe {
                enqueue_overlapping(&self.plan, self.dst, self.src, stream, allocator)
            }?);
        }
        let queue = |plan: &DevicePlan| {
            // SAFETY: (1, 3) as above; (2) the two share no byte, or the host's engine would say so.
            unsafe { enqueue(plan, self.dst, self.src, stream) }
        };
        let queued = LAST.try_with(|last| queue(last.borrow_mut().of(self)));
        // A thread that is ending has no last plan any more.
        Ok(queued.unwrap_or_else(|_| queue(&DevicePlan::new(&self.plan, self.dst, self.src)))?)
    }

    /// Copies between the host and a device; queued, it keeps both sides until it is done.
    fn over_the_link(
        self,
        (direction, host): (Direction, HostMemory),
        stream: &Stream,
        options: CopyOptions<'_>,
    ) -> Result<()> {
        let plan = TransferPlan::new(&self.plan, self.dst, self.src, direction, host);
        let (dst, src) = (self.dst, self.src);
        if options.blocking.unwrap_or(true) {
            // SAFETY: (1) Sides 1, of memory that is what the route says; (2) memory of the host that
            // the device does not reach, or other memory than the device's; (3) Sides 2, and as the
            // documentation asks.
            return Ok(unsafe { transfer(&plan, dst, src, stream, options.allocator) }?);
        }
        let keep = Box::new((self.leases, self.writing));
        // SAFETY: as above; the leases are kept until it is done.
        Ok(unsafe { enqueue_transfer(&plan, dst, src, stream, options.allocator, keep) }?)
    }
}

/// Runs `work` on the stream that a token names; where that is one of another device, on a stream of
/// this device that comes after it, and before what is queued there later.
fn on_stream(
    ordinal: i32,
    token: StreamToken,
    work: impl FnOnce(&Stream) -> Result<()>,
) -> Result<()> {
    let stream = stream_of(ordinal, token)?;
    if stream.device().ordinal() == ordinal {
        return work(&stream);
    }
    let here = Device::new(ordinal)?.create_stream()?;
    here.wait_for(&stream)?;
    work(&here)?;
    Ok(stream.wait_for(&here)?)
}

/// The stream that a token names; the legacy default stream of the device for none.
fn stream_of(ordinal: i32, token: StreamToken) -> Result<Stream> {
    let device = Device::new(ordinal)?;
    // SAFETY: the contract of tokens: the stream is alive.
    Ok(unsafe { Stream::from_handle(token.raw(), Some(device), None) }?)
}

fn wait_if(blocking: bool, stream: &Stream) -> Result<()> {
    if blocking { Ok(stream.synchronize()?) } else { Ok(()) }
}

/// Waits for a stream that is named before the host touches memory that a device reaches too. Without
/// a driver there is no work to wait for.
pub(crate) fn settle(views: [&StridedMemoryView; 2], token: StreamToken) -> Result<()> {
    let reached = views.into_iter().map(StridedMemoryView::access).find(|access| access.device);
    match reached {
        Some(access) if !token.is_none() && strideview_cuda::is_available() => {
            Ok(stream_of(access.device_id, token)?.synchronize()?)
        }
        _ => Ok(()),
    }
}

/// What memory of the host is to a device, as the driver says: an import takes pinned memory of
/// libraries for memory of the host, which is what they call it.
pub(crate) fn host_memory(view: &StridedMemoryView, ordinal: i32) -> HostMemory {
    let Some((lowest, end)) = span_in_bytes(view.layout()) else { return HostMemory::Pageable };
    let first = view.address().wrapping_add_signed(lowest as isize);
    let size_in_bytes = end.wrapping_sub(lowest) as usize;
    match Device::new(ordinal) {
        Ok(device) if is_pinned(first, size_in_bytes, device) => HostMemory::Pinned,
        _ => HostMemory::Pageable,
    }
}

/// Whether there is a device at all.
pub(crate) fn has_driver() -> bool {
    strideview_cuda::is_available()
}
