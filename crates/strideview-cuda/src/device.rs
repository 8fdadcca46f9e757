//! A GPU: its properties and its primary context.

use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::context::{ContextGuard, current_device};
use crate::driver::sys::{self, CUcontext, CUdevice, CUresult};
use crate::driver::{Driver, driver};
use crate::{CudaError, Stream};

/// Whether there is a driver and it starts. The first call may load it.
///
/// ```
/// assert_eq!(strideview_cuda::is_available(), strideview_cuda::driver_version().is_ok());
/// ```
pub fn is_available() -> bool {
    driver().is_ok()
}

/// The newest CUDA version that the driver supports: 12040 for 12.4.
///
/// # Errors
///
/// [`CudaError::Unavailable`], or a failed call.
pub fn driver_version() -> Result<i32, CudaError> {
    let mut version: c_int = 0;
    // SAFETY: the output is valid for its type.
    unsafe { driver()?.cuDriverGetVersion(&mut version) }?;
    Ok(version)
}

/// One device of the machine, by its ordinal.
///
/// A small `Copy` value; two of the same ordinal are the same device. The primary context of a
/// device is retained when it is first needed, and kept to the end of the process.
///
/// ```
/// use strideview_cuda::{CudaError, Device};
///
/// let error = Device::new(-1).unwrap_err();
/// assert!(error.is_unavailable() || matches!(error, CudaError::NoSuchDevice { .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Device {
    /// # Invariants
    ///
    /// 1. An entry of [`STATES`], at this position.
    ordinal: i32,
}

/// What a device says of its memory and its size, read once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DeviceTraits {
    /// It can reach memory of the host that was never pinned nor registered.
    pub pageable_memory_access: bool,
    /// It can reach registered memory at the address that the host uses.
    pub can_use_host_pointer: bool,
    /// It supports managed memory.
    pub managed_memory: bool,
    /// The host may touch managed memory while the device works.
    pub concurrent_managed_access: bool,
    /// It supports stream-ordered allocation from pools.
    pub memory_pools: bool,
    /// How many multiprocessors it has.
    pub multiprocessors: i32,
}

/// What is kept of a device.
#[derive(Default)]
struct State {
    handle: CUdevice,
    /// A context in here is retained, and is never released.
    context: Mutex<Option<CUcontext>>,
    traits: OnceLock<DeviceTraits>,
}

static STATES: OnceLock<Box<[State]>> = OnceLock::new();

/// The states of all devices, made by the first call that succeeds.
fn states() -> Result<&'static [State], CudaError> {
    let driver = driver()?;
    if let Some(states) = STATES.get() {
        return Ok(states);
    }
    let mut count: c_int = 0;
    // SAFETY: the output is valid for its type.
    unsafe { driver.cuDeviceGetCount(&mut count) }?;
    let mut states = Vec::new();
    for ordinal in 0..count {
        let mut handle: CUdevice = 0;
        // SAFETY: the output is valid for its type.
        unsafe { driver.cuDeviceGet(&mut handle, ordinal) }?;
        states.push(State { handle, ..State::default() });
    }
    Ok(STATES.get_or_init(|| states.into_boxed_slice()))
}

impl Device {
    /// The device with this ordinal.
    ///
    /// O(1), once the driver is loaded and the devices are counted.
    ///
    /// # Errors
    ///
    /// [`CudaError::Unavailable`] without a driver, [`CudaError::NoSuchDevice`], or a failed call.
    pub fn new(ordinal: i32) -> Result<Self, CudaError> {
        let count = Self::count()?;
        if (0..count).contains(&ordinal) {
            Ok(Self { ordinal })
        } else {
            Err(CudaError::NoSuchDevice { ordinal, count })
        }
    }

    /// How many devices there are. O(1) after the first call.
    ///
    /// # Errors
    ///
    /// [`CudaError::Unavailable`] without a driver, or a failed call.
    pub fn count() -> Result<i32, CudaError> {
        Ok(i32::try_from(states()?.len()).unwrap_or(i32::MAX))
    }

    /// The device of the current context of this thread; None when no context is current.
    ///
    /// # Errors
    ///
    /// [`CudaError::Unavailable`] without a driver, or a failed call.
    pub fn current() -> Result<Option<Self>, CudaError> {
        current_device(driver()?)?.map(Self::from_handle).transpose()
    }

    /// The device that the driver's handle names.
    pub(crate) fn from_handle(handle: CUdevice) -> Result<Self, CudaError> {
        let position = states()?.iter().position(|state| state.handle == handle);
        Self::new(position.and_then(|position| i32::try_from(position).ok()).unwrap_or(handle))
    }

    /// The number of the device, from 0. O(1).
    pub const fn ordinal(self) -> i32 {
        self.ordinal
    }

    /// The name of the product. One call of the driver; allocates.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn name(self) -> Result<String, CudaError> {
        let (driver, state) = self.state()?;
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the output is valid for the capacity given, which keeps room for the zero.
        unsafe { driver.cuDeviceGetName(name.as_mut_ptr(), 255, state.handle) }?;
        let bytes: Vec<u8> = name.iter().map(|character| character.cast_unsigned()).collect();
        let text = CStr::from_bytes_until_nul(&bytes).unwrap_or(c"");
        Ok(text.to_string_lossy().into_owned())
    }

    /// An attribute by its number in `CUdevice_attribute`. One call of the driver, about 100 ns.
    ///
    /// # Errors
    ///
    /// A failed call: the driver does not know the number, say.
    pub fn attribute(self, attribute: i32) -> Result<i32, CudaError> {
        let (driver, state) = self.state()?;
        let mut value: c_int = 0;
        // SAFETY: the output is valid for its type.
        unsafe { driver.cuDeviceGetAttribute(&mut value, attribute, state.handle) }?;
        Ok(value)
    }

    /// Major and minor number of the compute capability: (9, 0) for Hopper. Two calls.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn compute_capability(self) -> Result<(i32, i32), CudaError> {
        let major = self.attribute(sys::DEVICE_COMPUTE_CAPABILITY_MAJOR)?;
        Ok((major, self.attribute(sys::DEVICE_COMPUTE_CAPABILITY_MINOR)?))
    }

    /// How many multiprocessors the device has. One call.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn multiprocessors(self) -> Result<i32, CudaError> {
        self.attribute(sys::DEVICE_MULTIPROCESSOR_COUNT)
    }

    /// What the device says of its memory. O(1) after the first call.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn traits(self) -> Result<DeviceTraits, CudaError> {
        let (_, state) = self.state()?;
        if let Some(traits) = state.traits.get() {
            return Ok(*traits);
        }
        let has = |attribute| self.attribute(attribute).map(|value| value != 0);
        let traits = DeviceTraits {
            pageable_memory_access: has(sys::DEVICE_PAGEABLE_MEMORY_ACCESS)?,
            can_use_host_pointer: has(sys::DEVICE_CAN_USE_HOST_POINTER)?,
            managed_memory: has(sys::DEVICE_MANAGED_MEMORY)?,
            concurrent_managed_access: has(sys::DEVICE_CONCURRENT_MANAGED_ACCESS)?,
            memory_pools: has(sys::DEVICE_MEMORY_POOLS_SUPPORTED)?,
            multiprocessors: self.multiprocessors()?,
        };
        Ok(*state.traits.get_or_init(|| traits))
    }

    /// Makes the primary context of this device the current one of this thread, in place of the
    /// one before it.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn set_current(self) -> Result<(), CudaError> {
        let context = self.primary_context()?;
        // SAFETY: the context is retained for the life of the process (State).
        unsafe { driver()?.cuCtxSetCurrent(context) }
    }

    /// What `work` returns, run with the primary context of this device current; the current
    /// context of the caller is put back, also when `work` panics.
    ///
    /// # Errors
    ///
    /// A failed call; `work` does not run then.
    pub fn with_context<R>(self, work: impl FnOnce() -> R) -> Result<R, CudaError> {
        let _guard = self.enter()?;
        Ok(work())
    }

    /// Waits until the device has done all work of its primary context. Blocks the thread.
    ///
    /// # Errors
    ///
    /// A failed call, or an error of the work that was waited for.
    pub fn synchronize(self) -> Result<(), CudaError> {
        let _guard = self.enter()?;
        // SAFETY: no argument, and a context is current.
        unsafe { driver()?.cuCtxSynchronize() }
    }

    /// Whether this device could reach memory of another one. One call.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn can_access_peer(self, peer: Self) -> Result<bool, CudaError> {
        let (driver, state) = self.state()?;
        let (_, peer) = peer.state()?;
        let mut can: c_int = 0;
        // SAFETY: the output is valid for its type.
        unsafe { driver.cuDeviceCanAccessPeer(&mut can, state.handle, peer.handle) }?;
        Ok(can != 0)
    }

    /// Lets this device reach memory of another one, in the primary contexts of both. Doing it
    /// again does nothing.
    ///
    /// # Errors
    ///
    /// A failed call: the two cannot reach each other, say.
    pub fn enable_peer_access(self, peer: Self) -> Result<(), CudaError> {
        let peer = peer.primary_context()?;
        let _guard = self.enter()?;
        // SAFETY: the context is retained for the life of the process (State); 0 is the only flag.
        match unsafe { driver()?.cuCtxEnablePeerAccess(peer, 0) } {
            Err(error) if error.has_status(CUresult::PEER_ACCESS_ALREADY_ENABLED) => Ok(()),
            outcome => outcome,
        }
    }

    /// A new stream of this device, which does not wait for the legacy default stream.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn create_stream(self) -> Result<Stream, CudaError> {
        Stream::new(self)
    }

    /// The legacy default stream of this device. Retains the primary context.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub fn default_stream(self) -> Result<Stream, CudaError> {
        Stream::legacy_default(self)
    }

    /// The primary context, retained by the first call and never released: it is shared with the
    /// CUDA runtime, and others may still use what was made in it.
    pub(crate) fn primary_context(self) -> Result<CUcontext, CudaError> {
        let (driver, state) = self.state()?;
        let mut slot = state.context.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = *slot {
            return Ok(context);
        }
        let mut context = CUcontext::NULL;
        // SAFETY: the output is valid for its type, and the handle is the driver's (Device 1).
        unsafe { driver.cuDevicePrimaryCtxRetain(&mut context, state.handle) }?;
        *slot = Some(context);
        Ok(context)
    }

    /// Whether somebody has retained the primary context, us or another library. One call.
    pub(crate) fn is_primary_context_active(self) -> Result<bool, CudaError> {
        let (driver, state) = self.state()?;
        let (mut flags, mut active) = (0, 0);
        // SAFETY: both outputs are valid for their types.
        unsafe { driver.cuDevicePrimaryCtxGetState(state.handle, &mut flags, &mut active) }?;
        Ok(active != 0)
    }

    /// Makes the primary context current until the guard is dropped.
    pub(crate) fn enter(self) -> Result<ContextGuard, CudaError> {
        let context = self.primary_context()?;
        // SAFETY: the context is retained for the life of the process (State).
        unsafe { ContextGuard::enter(context) }
    }

    /// The driver's handle of this device.
    pub(crate) fn handle(self) -> Result<CUdevice, CudaError> {
        Ok(self.state()?.1.handle)
    }

    fn state(self) -> Result<(&'static Driver, &'static State), CudaError> {
        let states = states()?;
        let position = usize::try_from(self.ordinal).unwrap_or(usize::MAX);
        let count = i32::try_from(states.len()).unwrap_or(i32::MAX);
        let missing = CudaError::NoSuchDevice { ordinal: self.ordinal, count };
        Ok((driver()?, states.get(position).ok_or(missing)?))
    }
}
