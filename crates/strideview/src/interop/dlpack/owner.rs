//! The owner of imported memory: the tensor it came with, given back exactly once.

use super::import::Managed;

/// A tensor that was taken, and will be given back when this is dropped.
///
/// # Invariants
///
/// 1. The tensor is ours: one call of its deleter is owed, from any thread, and `drop` makes it.
pub(super) struct ManagedOwner(Managed);

// SAFETY: DLPack allows the deleter to be called from any thread, and nothing else is done with the
// tensor.
unsafe impl Send for ManagedOwner {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for ManagedOwner {}

impl ManagedOwner {
    /// Takes the tensor over.
    ///
    /// # Safety
    ///
    /// 1. The tensor is the caller's, who gives it up; its deleter may be called from any thread.
    pub(super) unsafe fn new(tensor: Managed) -> Self {
        // Invariant 1 is what the caller promises.
        Self(tensor)
    }
}

impl Drop for ManagedOwner {
    fn drop(&mut self) {
        // SAFETY: (1, 2) invariant 1: the tensor is there, and this is the one call.
        unsafe { self.0.give_back() };
    }
}
