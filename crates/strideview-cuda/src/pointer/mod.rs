//! Who can reach the memory at an address, as the driver says.
//!
//! The memory type that the driver reports does not answer this: it says *device* for memory that
//! no device was granted access to, and *host* for host memory that no host can read. What answers
//! it is whether the driver, asked for the address that a device would use, gives the same address.

mod decide;
mod facts;
mod query;

pub use facts::{Declared, PointerFacts};

use crate::context::{ContextGuard, current_device};
use crate::driver::{Driver, driver, driver_in_use};
use crate::{CudaError, Device, DeviceTraits};
use decide::{Attributes, decide};

/// Who can reach `size_in_bytes` bytes at `address`.
///
/// `declared` is what the producer of the memory said. `device` is the device that asks; None
/// stands for the device that the memory belongs to. The answer holds while the memory is neither
/// freed nor unregistered, so it is asked for once and kept with the memory.
///
/// Costs one batch query of the driver, 0.1 to 0.25 µs, and two to four smaller calls for the
/// context; a second batch where the span leaves the range that the driver reports, or where the
/// memory belongs to another device than the current one. The current context is the same
/// afterwards. Memory declared as host memory never loads nor starts the driver, and never makes a
/// context: without these it cannot be anything else.
///
/// For an empty span, and without a driver, nothing is asked, and the answer is as declared.
///
/// # Errors
///
/// [`CudaError::UnknownPointer`] for a null pointer, and for memory declared as of a device that
/// the driver does not know, unless the device can reach any memory of the host.
/// [`CudaError::Unreachable`] when neither side can reach the memory. Or a failed call.
///
/// ```
/// use strideview_cuda::{CudaError, Declared, classify};
/// use strideview_memory::Access;
///
/// let bytes = [0_u8; 64];
/// let facts = classify(bytes.as_ptr().addr(), 64, Declared::Host, None)?;
/// assert!(facts.access.host);
/// assert_eq!(facts.dl_device, (1, 0));
/// # Ok::<(), CudaError>(())
/// ```
pub fn classify(
    address: usize,
    size_in_bytes: usize,
    declared: Declared,
    device: Option<i32>,
) -> Result<PointerFacts, CudaError> {
    if size_in_bytes == 0 {
        return Ok(PointerFacts::as_declared(declared, device, true));
    }
    if address == 0 {
        return Err(CudaError::UnknownPointer { address });
    }
    let driver = match declared {
        Declared::Host => started_driver(),
        _ => match driver() {
            Err(error) if error.is_unavailable() => Ok(None),
            outcome => outcome.map(Some),
        },
    };
    let Some(driver) = driver? else {
        return Ok(PointerFacts::as_declared(declared, device, declared == Declared::Host));
    };
    let asked = device.map(Device::new).transpose()?;
    let span = Span { address, last: address.saturating_add(size_in_bytes - 1) };
    span.classify(driver, declared, asked)
}

/// Whether `size_in_bytes` bytes at `address` are one piece of pinned or registered memory of the host,
/// which the device copies to and from by itself, reads and writes, at this address.
///
/// One batch query, 0.1 to 0.25 µs, and what entering the context takes. False where the driver cannot
/// be asked.
pub fn is_pinned(address: usize, size_in_bytes: usize, device: Device) -> bool {
    let (Ok(driver), Ok(_guard)) = (driver(), device.enter()) else { return false };
    let Ok(first) = query::attributes(driver, address, Some(device)) else { return false };
    first.is_pinned() && first.covers(address.saturating_add(size_in_bytes.saturating_sub(1)))
}

/// The driver, if somebody in this process has started it.
fn started_driver() -> Result<Option<&'static Driver>, CudaError> {
    let Some(in_use) = driver_in_use() else { return Ok(None) };
    if query::is_started(in_use) { driver().map(Some) } else { Ok(None) }
}

/// Makes a context of the device current; for memory of the host only if there is one already, since
/// making one takes a second and hundreds of megabytes of the device.
fn enter(device: Device, declared: Declared) -> Result<Option<ContextGuard>, CudaError> {
    if declared == Declared::Host && !device.is_primary_context_active()? {
        return Ok(None);
    }
    device.enter().map(Some)
}

/// The first and the last byte of what is asked about.
struct Span {
    address: usize,
    last: usize,
}

impl Span {
    fn classify(
        &self,
        driver: &Driver,
        declared: Declared,
        asked: Option<Device>,
    ) -> Result<PointerFacts, CudaError> {
        let here = current_device(driver)?.map(Device::from_handle).transpose()?;
        let device = match asked {
            Some(device) => Some(device),
            None => {
                let first = query::attributes(driver, self.address, here)?;
                let home = self.home(&first).or(here);
                if first.is_unknown() || home == here {
                    return self.conclude(driver, declared, first, here);
                }
                home
            }
        };
        // With the context of another device; without one when it cannot be had.
        let _guard;
        let inside = match device.filter(|_| device != here) {
            None => here,
            Some(other) => match enter(other, declared) {
                Ok(Some(guard)) => {
                    _guard = guard;
                    device
                }
                _ => None,
            },
        };
        let mut first = query::attributes(driver, self.address, inside)?;
        first.has_context = inside.is_some();
        self.conclude(driver, declared, first, device)
    }

    /// The device that known memory belongs to.
    fn home(&self, first: &Attributes) -> Option<Device> {
        // Memory of the host that is of no device (VMM) is asked about from the first one.
        let ordinal = if first.ordinal < 0 { 0 } else { first.ordinal };
        if first.is_unknown() { None } else { Device::new(ordinal).ok() }
    }

    /// What the answers for the first byte, and where needed those for the last, come to.
    fn conclude(
        &self,
        driver: &Driver,
        declared: Declared,
        first: Attributes,
        device: Option<Device>,
    ) -> Result<PointerFacts, CudaError> {
        let device = device.map_or_else(|| Device::new(0), Ok);
        let (ordinal, traits) = match device {
            Ok(device) => (device.ordinal(), device.traits()?),
            // No device at all: nothing but the host can reach anything.
            Err(CudaError::NoSuchDevice { .. }) => (0, DeviceTraits::default()),
            Err(error) => return Err(error),
        };
        let facts = decide(&first, declared, ordinal, traits)?;
        if self.last == self.address || first.covers(self.last) {
            return facts.reachable(self.address);
        }
        let mut last =
            query::attributes(driver, self.last, device.ok().filter(|_| first.has_context))?;
        last.has_context = first.has_context;
        let both = facts.both(&decide(&last, declared, ordinal, traits)?);
        both.reachable(self.address)
    }
}
