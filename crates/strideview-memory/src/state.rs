//! Open with a number of leases, or closed: one word, no lock.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::MemoryError;

/// The state of a buffer.
///
/// # Invariants
///
/// 1. The word is either the number of leases alive, or [`CLOSED`].
/// 2. `CLOSED` is final: no lease begins after it, and none was alive when it was set.
/// 3. The number of leases is less than `CLOSED`, because every lease holds a counted handle of
///    the same allocation *before* it enters, and `Arc` ends the process beyond `isize::MAX` of
///    these.
pub(crate) struct State(AtomicUsize);

const CLOSED: usize = 1 << (usize::BITS - 1);

impl State {
    pub(crate) const fn open() -> Self {
        Self(AtomicUsize::new(0))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CLOSED
    }

    pub(crate) fn leases(&self) -> usize {
        match self.0.load(Ordering::Acquire) {
            CLOSED => 0,
            leases => leases,
        }
    }

    /// Counts one lease more; [`MemoryError::Closed`] when it is too late.
    pub(crate) fn enter(&self) -> Result<(), MemoryError> {
        self.0
            .fetch_update(Ordering::Acquire, Ordering::Acquire, |state| match state {
                CLOSED => None,
                leases => leases.checked_add(1),
            })
            .map(drop)
            .map_err(|_| MemoryError::Closed)
    }

    /// Counts one lease less. Called once for each `enter` that succeeded. What the lease did with
    /// the memory happens before a close that sees this (`Release`, read by `Acquire` in `close`).
    pub(crate) fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Closes: true for the one call that did it, false when it was closed already.
    pub(crate) fn close(&self) -> Result<bool, MemoryError> {
        match self.0.compare_exchange(0, CLOSED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(true),
            Err(CLOSED) => Ok(false),
            Err(leases) => Err(MemoryError::InUse { leases }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_is_final_and_needs_no_lease() {
        let state = State::open();
        assert_eq!(state.enter(), Ok(()));
        assert_eq!(state.leases(), 1);
        assert_eq!(state.close(), Err(MemoryError::InUse { leases: 1 }));
        state.leave();
        assert_eq!(state.close(), Ok(true));
        assert_eq!(state.close(), Ok(false));
        assert_eq!(state.enter(), Err(MemoryError::Closed));
        assert!(state.is_closed());
        assert_eq!(state.leases(), 0);
    }
}
