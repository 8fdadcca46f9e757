//! The streams that live allocations were made on.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strideview_memory::StreamToken;

use crate::Stream;

/// Keeps a stream that this crate created as long as memory is allocated on it: the release is
/// ordered on it, long after its last user may have let go of it.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<HashMap<usize, Stream>>);

impl Held {
    /// Notes an allocation. Nothing to do for the default streams and those made elsewhere.
    pub(super) fn keep(&self, address: usize, stream: StreamToken) {
        if let Some(stream) = Stream::of_token(stream) {
            self.lock().insert(address, stream);
        }
    }

    /// The stream to let go of once the memory at this address is released.
    pub(super) fn take(&self, address: usize) -> Option<Stream> {
        self.lock().remove(&address)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
