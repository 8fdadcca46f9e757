//! Letting one stream wait for another, without the host.
#![forbid(unsafe_code)]

use crate::{CudaError, Stream};

/// Makes work given to `later` from now on wait for the work given to `earlier` until now.
///
/// The host does not wait: an event without timing is recorded on `earlier`, `later` waits for it,
/// and the event is destroyed. For the same stream nothing is done. The two may belong to
/// different devices.
///
/// While `earlier` is being captured into a graph, `later` joins that capture, as the driver's rule
/// is; it must be joined back before the capture ends. While only `later` is being captured, or
/// while `earlier` is the legacy default stream and another stream is captured in the global mode,
/// the driver refuses, and the capture is invalid. Name no ordering during a capture.
///
/// # Errors
///
/// A failed call; `later` waits for nothing new then.
pub fn order_after(later: &Stream, earlier: &Stream) -> Result<(), CudaError> {
    if later.is_same(earlier) {
        return Ok(());
    }
    let event = earlier.record()?;
    later.wait(&event)
}
