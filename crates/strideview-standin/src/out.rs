//! Outputs and spans that callers of the driver pass.

/// A place for an output of a call.
///
/// # Invariants
///
/// 1. Made by a caller of the driver only, who promises a place valid for `T`, or null.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Writes the output; `CUDA_ERROR_INVALID_VALUE` for a null place.
    pub(crate) fn put(self, value: T) -> Result<(), i32> {
        if self.0.is_null() {
            return Err(1);
        }
        // SAFETY: not null, so valid (Out 1).
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Whether the place is a multiple of so many bytes.
    pub(crate) fn is_aligned(&self, multiple: usize) -> bool {
        self.0.addr().is_multiple_of(multiple)
    }

    /// The place at `index` of an array of outputs.
    ///
    /// # Safety
    ///
    /// The caller of the driver passed an array of more than `index` places.
    pub(crate) unsafe fn read_at(&self, index: usize) -> T
    where
        T: Copy,
    {
        // SAFETY: the caller promises the array.
        let place = unsafe { self.0.add(index) };
        // SAFETY: as above.
        unsafe { place.read() }
    }
}
