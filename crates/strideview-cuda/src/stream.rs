//! A queue of work of a device.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_int;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use strideview_memory::StreamToken;

use crate::context::{ContextGuard, current_device};
use crate::driver::driver;
use crate::driver::sys::{
    self, CUcontext, CUevent, CUresult, CUstream, STREAM_LEGACY, STREAM_NON_BLOCKING,
    STREAM_PER_THREAD,
};
use crate::{CudaError, Device, Event, StreamArg, order_after};

/// A queue of work of a device. Clones are handles of the same stream; one that was created here is
/// destroyed with the last of them, and with the last allocation that was made on it. So is the keeper of
/// one that somebody else made.
///
/// Destroying does not wait: the driver finishes the work first.
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

/// # Invariants
///
/// 1. `handle` is a stream of `context`, or one of the two default streams, which is used with
///    `context` current. When `owned`, it is destroyed by `drop` and by nothing else; when not,
///    `keeper` or whoever gave it keeps it alive.
/// 2. `context` is a context of `device`, and alive.
struct Inner {
    handle: CUstream,
    context: CUcontext,
    device: Device,
    owned: bool,
    keeper: Option<Arc<dyn Any + Send + Sync>>,
}

/// Whether a stream is being captured into a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureStatus {
    /// It is not.
    None,
    /// It is: work is recorded, not done.
    Active,
    /// It was, until something that cannot be captured; the capture is to be ended.
    Invalidated,
}

/// By handle, what keeps streams alive: those created here, and the keepers of others. So an allocation
/// can keep the stream that orders its release.
static KEPT: LazyLock<Mutex<HashMap<usize, Vec<Weak<Inner>>>>> = LazyLock::new(Mutex::default);

fn kept() -> MutexGuard<'static, HashMap<usize, Vec<Weak<Inner>>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    /// A new stream of the primary context, which does not wait for the legacy default stream.
    /// A few calls of the driver.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn new(device: Device) -> Result<Self, CudaError> {
        Self::create(device, |handle| {
            // SAFETY: the output is valid for its type, and `create` made a context current.
            unsafe { driver()?.cuStreamCreate(handle, STREAM_NON_BLOCKING) }
        })
    }

    /// As [`Stream::new`], with a priority: lower numbers go first, 0 is the default, and the
    /// driver moves others into the range of the device.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn with_priority(device: Device, priority: i32) -> Result<Self, CudaError> {
        Self::create(device, |handle| {
            // SAFETY: as above.
            unsafe { driver()?.cuStreamCreateWithPriority(handle, STREAM_NON_BLOCKING, priority) }
        })
    }

    fn create(
        device: Device,
        make: impl FnOnce(&mut CUstream) -> Result<(), CudaError>,
    ) -> Result<Self, CudaError> {
        let context = device.primary_context()?;
        let _guard = device.enter()?;
        let mut handle = CUstream::NULL;
        make(&mut handle)?;
        let inner = Inner { handle, context, device, owned: true, keeper: None };
        Ok(Self(inner.registered()))
    }

    /// The default stream of the device that waits for its other streams, and they for it, save
    /// those that were created not to. Retains the primary context.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn legacy_default(device: Device) -> Result<Self, CudaError> {
        Self::default_of(device, STREAM_LEGACY)
    }

    /// The default stream of the device that each thread has for itself: this value means another
    /// stream on another thread. Retains the primary context.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn per_thread_default(device: Device) -> Result<Self, CudaError> {
        Self::default_of(device, STREAM_PER_THREAD)
    }

    fn default_of(device: Device, handle: CUstream) -> Result<Self, CudaError> {
        let context = device.primary_context()?;
        Ok(Self(Arc::new(Inner { handle, context, device, owned: false, keeper: None })))
    }

    /// A stream that somebody else made: a raw handle of the driver or the runtime, where 0 is the
    /// legacy default stream. `keeper` is dropped with the last clone, and with the last allocation that was
    /// made on the stream.
    ///
    /// Without a device, the driver is asked whose stream it is; the default streams are then those
    /// of the current context, or of device 0.
    ///
    /// # Safety
    ///
    /// `handle` is a stream, of `device` if there is one, and it and its context stay alive as long
    /// as any clone of this value (`keeper` may see to it).
    ///
    /// # Errors
    ///
    /// A failed call.
    pub unsafe fn from_handle(
        handle: usize,
        device: Option<Device>,
        keeper: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Result<Self, CudaError> {
        let StreamArg::Handle(raw) = StreamArg::from_handle(handle) else {
            let device = match device {
                Some(device) => device,
                None => Device::current()?.map_or_else(|| Device::new(0), Ok)?,
            };
            let handle = if handle == 2 { STREAM_PER_THREAD } else { STREAM_LEGACY };
            let context = device.primary_context()?;
            let inner = Inner { handle, context, device, owned: false, keeper };
            return Ok(Self(Arc::new(inner)));
        };
        let handle = CUstream(raw);
        // SAFETY: the caller promises that it is a stream, not one of the defaults.
        let (context, device) = unsafe { context_of(handle) }?;
        let inner = Inner { handle, context, device, owned: false, keeper };
        Ok(Self(if inner.keeps() { inner.registered() } else { Arc::new(inner) }))
    }

    /// The driver's handle: 1 and 2 for the default streams. O(1).
    pub fn handle(&self) -> usize {
        self.0.handle.0
    }

    /// The device whose work is queued. O(1).
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// This stream as a buffer takes it. O(1).
    pub fn token(&self) -> StreamToken {
        StreamToken::new(self.handle())
    }

    /// This stream as the interchange protocols take it. O(1).
    pub fn arg(&self) -> StreamArg {
        StreamArg::from_handle(self.handle())
    }

    /// Whether both are the same stream. O(1).
    ///
    /// The per-thread default stream is compared as this thread sees it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.handle == other.0.handle
            && (self.0.context == other.0.context || matches!(self.arg(), StreamArg::Handle(_)))
    }

    /// Waits until all work of the stream is done. Blocks the thread.
    ///
    /// # Errors
    ///
    /// A failed call, or an error of the work that was waited for.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let _guard = self.0.enter()?;
        // SAFETY: the stream is alive, and its context is current (Inner 1).
        unsafe { driver()?.cuStreamSynchronize(self.0.handle) }
    }

    /// Whether all work of the stream is done. Does not wait.
    ///
    /// # Errors
    ///
    /// A failed call, or an error of the work.
    pub fn is_done(&self) -> Result<bool, CudaError> {
        let _guard = self.0.enter()?;
        // SAFETY: the stream is alive, and its context is current (Inner 1).
        match unsafe { driver()?.cuStreamQuery(self.0.handle) } {
            Err(error) if error.has_status(CUresult::NOT_READY) => Ok(false),
            outcome => outcome.map(|()| true),
        }
    }

    /// A new event, without timing, that is done when all work queued until now is.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn record(&self) -> Result<Event, CudaError> {
        let _guard = self.0.enter()?;
        // SAFETY: the stream's context is alive (Inner 2). The event may outlive a foreign context:
        // then destroying it fails, and the driver has destroyed it with the context.
        let event = unsafe { Event::for_stream(self.0.context, self.0.device) }?;
        self.record_raw(event.raw())?;
        Ok(event)
    }

    /// Records an event of the same context: it is done when all work queued until now is.
    ///
    /// # Errors
    ///
    /// A failed call: the event is of another device, say.
    pub fn record_into(&self, event: &Event) -> Result<(), CudaError> {
        let _guard = self.0.enter()?;
        self.record_raw(event.raw())
    }

    /// Records an event that is alive, with the context current.
    fn record_raw(&self, event: CUevent) -> Result<(), CudaError> {
        // SAFETY: both callers hold the event, and the stream is alive, its context current
        // (Inner 1).
        unsafe { driver()?.cuEventRecord(event, self.0.handle) }
    }

    /// Makes work queued from now on wait for an event, of any device. The host does not wait.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        let _guard = self.0.enter()?;
        // SAFETY: both are alive, and the stream's context is current (Inner 1); 0 is the default
        // flag.
        unsafe { driver()?.cuStreamWaitEvent(self.0.handle, event.raw(), 0) }
    }

    /// Makes work queued from now on wait for what another stream has queued: see
    /// [`order_after`].
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn wait_for(&self, earlier: &Self) -> Result<(), CudaError> {
        order_after(self, earlier)
    }

    /// Whether the stream is being captured into a graph. One call, which disturbs no capture
    /// unless this is the legacy default stream.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn capture_status(&self) -> Result<CaptureStatus, CudaError> {
        let _guard = self.0.enter()?;
        let mut status: c_int = 0;
        // SAFETY: the output is valid for its type; the stream is alive, and its context is
        // current (Inner 1).
        unsafe { driver()?.cuStreamIsCapturing(self.0.handle, &mut status) }?;
        Ok(match status {
            sys::CAPTURE_NONE => CaptureStatus::None,
            sys::CAPTURE_ACTIVE => CaptureStatus::Active,
            _ => CaptureStatus::Invalidated,
        })
    }

    /// Whether the stream is being captured into a graph, or was until the capture became invalid.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn is_capturing(&self) -> Result<bool, CudaError> {
        Ok(self.capture_status()? != CaptureStatus::None)
    }

    /// Makes the context of the stream current until the guard is dropped.
    pub(crate) fn enter(&self) -> Result<ContextGuard, CudaError> {
        self.0.enter()
    }

    /// The handle as the driver's type, alive as long as `self`.
    pub(crate) fn raw(&self) -> CUstream {
        self.0.handle
    }

    /// The stream that a token names, with what keeps it: holding it keeps the token good. The one created
    /// here if it is alive, else that with the latest keeper. None for the default streams, and for those of
    /// others that came without a keeper.
    pub(crate) fn of_token(token: StreamToken) -> Option<Self> {
        let StreamArg::Handle(raw) = StreamArg::from_handle(token.raw()) else { return None };
        let found: Vec<Arc<Inner>> = kept().get(&raw)?.iter().filter_map(Weak::upgrade).collect();
        let owned = found.iter().find(|inner| inner.owned);
        owned.or(found.last()).cloned().map(Self)
    }
}

/// Whose stream it is.
///
/// # Safety
///
/// `handle` is a stream that is alive.
unsafe fn context_of(handle: CUstream) -> Result<(CUcontext, Device), CudaError> {
    let driver = driver()?;
    let mut context = CUcontext::NULL;
    // SAFETY: the output is valid for its type, and the caller promises the stream.
    unsafe { driver.cuStreamGetCtx(handle, &mut context) }?;
    // SAFETY: the context of a stream that is alive.
    let _guard = unsafe { ContextGuard::enter(context) }?;
    let device = current_device(driver)?.unwrap_or(0);
    Ok((context, Device::from_handle(device)?))
}

impl Inner {
    fn enter(&self) -> Result<ContextGuard, CudaError> {
        // SAFETY: the context is alive (Inner 2).
        unsafe { ContextGuard::enter(self.context) }
    }

    /// Whether it keeps the stream alive.
    fn keeps(&self) -> bool {
        self.owned || self.keeper.is_some()
    }

    /// Shared, and found by [`Stream::of_token`].
    fn registered(self) -> Arc<Self> {
        let inner = Arc::new(self);
        kept().entry(inner.handle.0).or_default().push(Arc::downgrade(&inner));
        inner
    }

    /// No longer found.
    fn forget(&self) {
        let mut kept = kept();
        let Some(found) = kept.get_mut(&self.handle.0) else { return };
        found.retain(|inner| !std::ptr::eq(inner.as_ptr(), self));
        if found.is_empty() {
            kept.remove(&self.handle.0);
        }
    }
}

impl Drop for Inner {
    /// Nobody is there to hear of an error: the stream is lost with its context, or at process exit.
    fn drop(&mut self) {
        if self.keeps() {
            // Before the driver can give the same handle to a new stream.
            self.forget();
        }
        if !self.owned {
            return;
        }
        let Ok(driver) = driver() else { return };
        let _guard = self.enter();
        // SAFETY: the stream is alive, and destroyed here only (Inner 1).
        let _ = unsafe { driver.cuStreamDestroy(self.handle) };
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("handle", &format_args!("{:#x}", self.handle()))
            .field("device", &self.0.device.ordinal())
            .field("owned", &self.0.owned)
            .finish()
    }
}
