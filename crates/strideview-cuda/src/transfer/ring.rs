//! Pinned memory that pageable memory is staged in, kept for each device.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use strideview_memory::{Access, Buffer, MemoryResource};

use crate::copy::Allocator;
use crate::driver::driver;
use crate::driver::sys::MEMHOSTALLOC_PORTABLE;
use crate::{CudaError, Device, Event, Stream};

/// The bytes of a slot.
pub(super) const SLOT_BYTES: usize = 8 << 20;
/// How many slots a ring has, so that the host and the link work on different ones.
pub(super) const SLOTS: usize = 4;
/// How many rings a device has at most: one for each transfer at a time.
const MOST_RINGS: usize = 4;

/// A slot of pinned memory, and the events that order its use.
///
/// # Invariants
///
/// 1. `address` is pinned memory that is the slot's own, freed by `drop` only: `SLOT_BYTES`, by the driver,
///    or that of `buffer`, with it.
/// 2. Work that uses the memory is queued before `done` was last recorded, or has been waited for.
pub(super) struct Slot {
    address: *mut c_void,
    buffer: Option<Buffer>,
    device: Device,
    /// When the last work with the slot is done.
    pub(super) done: Event,
    /// When it is full, on its way.
    pub(super) full: Event,
}

// SAFETY: the address is that of memory that belongs to the slot (1).
unsafe impl Send for Slot {}

impl Slot {
    /// So many bytes of a resource that is pinned.
    fn of_resource(
        resource: &Arc<dyn MemoryResource>,
        size_in_bytes: usize,
        stream: &Stream,
    ) -> Result<Self, CudaError> {
        let device = stream.device();
        let (done, full) = (Event::new(device)?, Event::new(device)?);
        let buffer = Buffer::allocate(resource, size_in_bytes, stream.token())
            .map_err(CudaError::Allocator)?;
        // The host may use it at once, and what orders it is the stream.
        stream.synchronize()?;
        let address = buffer.as_ptr().cast();
        Ok(Self { address, buffer: Some(buffer), device, done, full })
    }

    fn new(device: Device) -> Result<Self, CudaError> {
        let (done, full) = (Event::new(device)?, Event::new(device)?);
        let _guard = device.enter()?;
        let mut address = null_mut();
        // SAFETY: the output is valid for its type, and a context is current.
        unsafe { driver()?.cuMemHostAlloc(&mut address, SLOT_BYTES, MEMHOSTALLOC_PORTABLE) }?;
        Ok(Self { address, buffer: None, device, done, full })
    }

    pub(super) fn as_ptr(&self) -> *mut u8 {
        self.address.cast()
    }

    pub(super) fn address(&self) -> u64 {
        self.address.expose_provenance() as u64
    }
}

impl Drop for Slot {
    /// Nobody is there to hear of an error: the memory is lost then, as work may still use it.
    fn drop(&mut self) {
        if self.done.synchronize().and_then(|()| self.full.synchronize()).is_err()
            && self.device.synchronize().is_err()
        {
            std::mem::forget(self.buffer.take());
            return;
        }
        if self.buffer.is_some() {
            return; // it goes with the slot
        }
        let Ok(driver) = driver() else { return };
        let Ok(_guard) = self.device.enter() else { return };
        // SAFETY: allocated in `new`, freed once (1), and nothing uses it any more (2).
        let _ = unsafe { driver.cuMemFreeHost(self.address) };
    }
}

/// The slots of one transfer at a time.
pub(super) struct Ring {
    device: Device,
    slots: Vec<Slot>,
    side: Option<Stream>,
}

impl Ring {
    /// Makes what is missing: so many slots.
    pub(super) fn prepare(&mut self, slots: usize) -> Result<(), CudaError> {
        while self.slots.len() < slots.min(SLOTS) {
            self.slots.push(Slot::new(self.device)?);
        }
        Ok(())
    }

    /// The slot of a chunk; there is one at least.
    pub(super) fn slot(&self, chunk: i64) -> &Slot {
        &self.slots[chunk.unsigned_abs() as usize % self.slots.len()]
    }

    pub(super) fn slots(&self) -> i64 {
        self.slots.len() as i64
    }

    /// The stream that the host's part of a queued transfer is ordered on.
    pub(super) fn side(&mut self) -> Result<Stream, CudaError> {
        if let Some(side) = &self.side {
            return Ok(side.clone());
        }
        let side = Stream::new(self.device)?;
        Ok(self.side.insert(side).clone())
    }
}

/// The rings of a device: those that are free, and how many there are.
#[derive(Default)]
struct Rings {
    free: Vec<Ring>,
    count: usize,
}

static RINGS: Mutex<Option<HashMap<Device, Rings>>> = Mutex::new(None);
static RETURNED: Condvar = Condvar::new();

fn rings() -> MutexGuard<'static, Option<HashMap<Device, Rings>>> {
    RINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A ring, given back when this is dropped.
///
/// One whose slots are those of a resource is not given back but dropped: it keeps its memory until
/// the work is done.
pub(super) struct Lent {
    ring: Option<Ring>,
    is_kept: bool,
}

impl Lent {
    /// A ring of the device with so many slots, each of `most_bytes` at least: of a resource that is
    /// pinned, or one of those that are kept. Waits while all of these are lent.
    pub(super) fn take(
        stream: &Stream,
        slots: usize,
        most_bytes: usize,
        allocator: Allocator<'_>,
    ) -> Result<Self, CudaError> {
        let device = stream.device();
        if let Some(resource) = allocator.filter(|resource| is_pinned(resource.access(), device)) {
            let slot = |_| Slot::of_resource(resource, most_bytes, stream);
            let slots = (0..slots.min(SLOTS)).map(slot).collect::<Result<_, _>>()?;
            let ring = Some(Ring { device, slots, side: None });
            return Ok(Self { ring, is_kept: false });
        }
        let mut all = rings();
        let ring = loop {
            let of_device = all.get_or_insert_default().entry(device).or_default();
            if let Some(ring) = of_device.free.pop() {
                break ring;
            }
            if of_device.count < MOST_RINGS {
                of_device.count += 1;
                break Ring { device, slots: Vec::new(), side: None };
            }
            all = RETURNED.wait(all).unwrap_or_else(PoisonError::into_inner);
        };
        drop(all);
        let mut lent = Self { ring: Some(ring), is_kept: true };
        lent.ring().prepare(slots)?;
        Ok(lent)
    }

    /// Itself, to be kept until the work is done, where its slots are those of a resource.
    pub(super) fn own(self) -> Option<Self> {
        (!self.is_kept).then_some(self)
    }

    #[allow(clippy::expect_used, reason = "a broken invariant of our own")]
    pub(super) fn ring(&mut self) -> &mut Ring {
        self.ring.as_mut().expect("a ring until it is dropped")
    }
}

/// Whether the host and the device reach the memory as pinned memory is reached.
fn is_pinned(access: Access, device: Device) -> bool {
    access.host && access.device && !access.managed && access.device_id == device.ordinal()
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(ring) = self.ring.take().filter(|_| self.is_kept) else { return };
        rings().get_or_insert_default().entry(ring.device).or_default().free.push(ring);
        RETURNED.notify_one();
    }
}

/// Frees the pinned memory that is kept for copies of pageable memory, and is not in use; waits for
/// the work that was queued with it. It is allocated again when it is needed.
pub fn release_staging() {
    let mut free = Vec::new();
    for rings in rings().get_or_insert_default().values_mut() {
        rings.count -= rings.free.len();
        free.append(&mut rings.free);
    }
}

/// The bytes of pinned memory that are kept for copies of pageable memory, and not in use. O(1).
///
/// ```
/// assert_eq!(strideview_cuda::staging_bytes(), 0);
/// ```
pub fn staging_bytes() -> usize {
    let all = rings();
    let free = all.iter().flat_map(HashMap::values).flat_map(|rings| &rings.free);
    free.map(|ring| ring.slots.len() * SLOT_BYTES).sum()
}
