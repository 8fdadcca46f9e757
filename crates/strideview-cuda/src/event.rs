//! A point in the work of a stream.

use std::sync::Arc;

use crate::context::ContextGuard;
use crate::driver::driver;
use crate::driver::sys::{CUcontext, CUevent, CUresult, EVENT_DEFAULT, EVENT_DISABLE_TIMING};
use crate::{CudaError, Device};

/// A point in the work of a stream, once recorded. Clones are handles of the same event, which is
/// destroyed with the last of them.
///
/// Record it with [`Stream::record_into`](crate::Stream::record_into), or get a recorded one from
/// [`Stream::record`](crate::Stream::record).
#[derive(Clone, Debug)]
pub struct Event(Arc<Inner>);

/// # Invariants
///
/// 1. `handle` is an event of `context`. When `owned`, it is destroyed by `drop` and by nothing
///    else; when not, whoever gave it keeps it alive.
/// 2. `context` is alive.
#[derive(Debug)]
struct Inner {
    handle: CUevent,
    context: CUcontext,
    device: Device,
    owned: bool,
}

impl Event {
    /// A new event without timing. Two to four calls of the driver.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn new(device: Device) -> Result<Self, CudaError> {
        let context = device.primary_context()?;
        // SAFETY: a retained primary context is never released.
        unsafe { Self::in_context(context, device, EVENT_DISABLE_TIMING) }
    }

    /// A new event that can measure time: see [`Event::milliseconds_since`].
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn with_timing(device: Device) -> Result<Self, CudaError> {
        let context = device.primary_context()?;
        // SAFETY: as above.
        unsafe { Self::in_context(context, device, EVENT_DEFAULT) }
    }

    /// An event that somebody else made and will destroy. O(1).
    ///
    /// # Safety
    ///
    /// `handle` is an event of the primary context of `device`, and stays alive as long as any
    /// clone of this value.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub unsafe fn from_handle(handle: usize, device: Device) -> Result<Self, CudaError> {
        let context = device.primary_context()?;
        Ok(Self(Arc::new(Inner { handle: CUevent(handle), context, device, owned: false })))
    }

    /// A new event of any context: for a stream of one that is not primary.
    ///
    /// # Safety
    ///
    /// `context` is a context of `device`, and outlives the event.
    pub(crate) unsafe fn for_stream(context: CUcontext, device: Device) -> Result<Self, CudaError> {
        // SAFETY: the caller promises it.
        unsafe { Self::in_context(context, device, EVENT_DISABLE_TIMING) }
    }

    /// # Safety
    ///
    /// `context` is a context of `device`, and outlives the event.
    unsafe fn in_context(
        context: CUcontext,
        device: Device,
        flags: u32,
    ) -> Result<Self, CudaError> {
        // SAFETY: the caller promises that the context is alive.
        let _guard = unsafe { ContextGuard::enter(context) }?;
        let mut handle = CUevent::NULL;
        // SAFETY: the output is valid for its type, and a context is current.
        unsafe { driver()?.cuEventCreate(&mut handle, flags) }?;
        Ok(Self(Arc::new(Inner { handle, context, device, owned: true })))
    }

    /// The driver's handle. O(1).
    pub fn handle(&self) -> usize {
        self.0.handle.0
    }

    /// The device whose work is marked. O(1).
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Waits until the work before the last record is done. Blocks the thread; an event that was
    /// never recorded counts as done.
    ///
    /// # Errors
    ///
    /// A failed call, or an error of the work that was waited for.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let _guard = self.0.enter()?;
        // SAFETY: the event is alive (Inner 1).
        unsafe { driver()?.cuEventSynchronize(self.0.handle) }
    }

    /// Whether the work before the last record is done. Does not wait.
    ///
    /// # Errors
    ///
    /// A failed call, or an error of the work.
    pub fn is_done(&self) -> Result<bool, CudaError> {
        let _guard = self.0.enter()?;
        // SAFETY: the event is alive (Inner 1).
        match unsafe { driver()?.cuEventQuery(self.0.handle) } {
            Err(error) if error.has_status(CUresult::NOT_READY) => Ok(false),
            outcome => outcome.map(|()| true),
        }
    }

    /// The time from an earlier event to this one, in milliseconds, to about half a microsecond.
    /// Both have timing and are done.
    ///
    /// # Errors
    ///
    /// A failed call: one of them has no timing, or is not done.
    pub fn milliseconds_since(&self, earlier: &Self) -> Result<f32, CudaError> {
        let _guard = self.0.enter()?;
        let mut milliseconds = 0.0;
        let driver = driver()?;
        // SAFETY: the output is valid for its type, and both events are alive (Inner 1).
        unsafe { driver.cuEventElapsedTime(&mut milliseconds, earlier.0.handle, self.0.handle) }?;
        Ok(milliseconds)
    }

    /// The handle as the driver's type, alive as long as `self`.
    pub(crate) fn raw(&self) -> CUevent {
        self.0.handle
    }
}

impl Inner {
    fn enter(&self) -> Result<ContextGuard, CudaError> {
        // SAFETY: the context is alive (Inner 2).
        unsafe { ContextGuard::enter(self.context) }
    }
}

impl Drop for Inner {
    /// Nobody is there to hear of an error: the event is lost with its context, or at process exit.
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        let Ok(driver) = driver() else { return };
        let _guard = self.enter();
        // SAFETY: the event is alive, and destroyed here only (Inner 1). It need not be done.
        let _ = unsafe { driver.cuEventDestroy(self.handle) };
    }
}
