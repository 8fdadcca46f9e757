//! The current context of a thread: entered for a call, and always put back.

use std::marker::PhantomData;

use crate::CudaError;
use crate::driver::sys::{CUcontext, CUdevice};
use crate::driver::{Driver, driver};

/// A context that is current on this thread until the guard is dropped.
///
/// Entering the context that is current already costs one query; another one is pushed and popped.
/// The guard stays on its thread, and guards end in the opposite order of their beginning, because
/// they are never handed out of this crate.
pub(crate) struct ContextGuard {
    pushed_over: Option<(&'static Driver, CUcontext)>,
    _on_this_thread: PhantomData<*const ()>,
}

impl ContextGuard {
    /// Makes `context` current.
    ///
    /// # Safety
    ///
    /// `context` is alive, and stays so while the guard lives.
    pub(crate) unsafe fn enter(context: CUcontext) -> Result<Self, CudaError> {
        let driver = driver()?;
        let before = current(driver)?;
        if before == context {
            return Ok(Self { pushed_over: None, _on_this_thread: PhantomData });
        }
        // SAFETY: the caller promises that the context is alive.
        unsafe { driver.cuCtxPushCurrent(context) }?;
        Ok(Self { pushed_over: Some((driver, before)), _on_this_thread: PhantomData })
    }
}

impl Drop for ContextGuard {
    fn drop(&mut self) {
        let Some((driver, before)) = self.pushed_over else { return };
        let mut popped = CUcontext::NULL;
        // SAFETY: the output is valid for its type.
        let outcome = unsafe { driver.cuCtxPopCurrent(&mut popped) };
        if outcome.is_err() {
            // The next best thing; there is nobody to tell when it fails too (at process exit).
            // SAFETY: the context was current when this guard began, so its owner keeps it alive.
            let _ = unsafe { driver.cuCtxSetCurrent(before) };
        }
    }
}

/// The current context of this thread; null when there is none.
pub(crate) fn current(driver: &Driver) -> Result<CUcontext, CudaError> {
    let mut context = CUcontext::NULL;
    // SAFETY: the output is valid for its type.
    unsafe { driver.cuCtxGetCurrent(&mut context) }?;
    Ok(context)
}

/// The device of the current context; None when there is no current context.
pub(crate) fn current_device(driver: &Driver) -> Result<Option<CUdevice>, CudaError> {
    if current(driver)? == CUcontext::NULL {
        return Ok(None);
    }
    let mut device: CUdevice = 0;
    // SAFETY: the output is valid for its type.
    unsafe { driver.cuCtxGetDevice(&mut device) }?;
    Ok(Some(device))
}
