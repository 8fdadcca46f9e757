//! The context of cudarc, current for the time of a call.

use ::cudarc::driver::result::ctx;
use ::cudarc::driver::sys::CUcontext;
use ::cudarc::driver::{CudaContext, DriverError};
use std::ptr::null_mut;

use crate::Result;
use crate::cuda::CudaError;

/// The context that was current on this thread, which becomes so again when this is dropped.
pub(super) struct Before(CUcontext);

impl Before {
    /// Makes a context of cudarc current.
    pub(super) fn enter(context: &CudaContext) -> Result<Self> {
        let before = ctx::get_current().map_err(failed("cuCtxGetCurrent"))?;
        let before = Self(before.unwrap_or(null_mut()));
        context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        Ok(before)
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        // SAFETY: it was current when this began, so its owner keeps it alive; null is none. There is
        // nobody to tell when it fails.
        let _ = unsafe { ctx::set_current(self.0) };
    }
}

/// What a failure of cudarc is here, with the call that failed.
pub(super) fn failed(call: &'static str) -> impl Fn(DriverError) -> crate::Error {
    move |error| CudaError::Driver { call, status: error.0 as i32 }.into()
}
