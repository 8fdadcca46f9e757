//! Copies whose two sides may share bytes: as if through a temporary.

use std::mem::MaybeUninit;

use super::{copy, length, offset, shifted};
use crate::error::{CopyError, Quantity, Side};
use crate::plan::{CopyPlan, Kernel, Temporary};

/// As [`copy()`](super::copy), for sides that may share bytes: the result is that of reading
/// everything before anything is written.
///
/// A single run, and a layout that is moved by some bytes, are moved in place. Anything else goes
/// through a temporary of the bytes that are read, each counted once.
///
/// # Errors
///
/// [`CopyError::OutOfMemory`] when there is no memory for the temporary. Nothing has been written
/// then.
///
/// # Safety
///
/// 1. Every byte that the plan writes relative to `dst` may be written, and every byte that it
///    reads relative to `src` may be read, through the pointer of that side.
/// 2. During the call nothing else accesses the bytes written, or writes the bytes read; and the plan
///    writes none twice.
///
/// ```
/// use strideview_copy::{CopyPlan, host};
///
/// // Transpose a 3 x 3 matrix in place.
/// let mut matrix = *b"abcdefghi";
/// let plan = CopyPlan::new(&[3, 3], &[3, 1], &[1, 3], 1)?;
/// let address = matrix.as_mut_ptr();
/// // SAFETY: (1) the nine bytes of the array, on both sides; (2) it is a local variable.
/// unsafe { host::copy_overlapping(&plan, address, address) }?;
/// assert_eq!(&matrix, b"adgbehcfi");
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
pub unsafe fn copy_overlapping(
    plan: &CopyPlan,
    dst: *mut u8,
    src: *const u8,
) -> Result<(), CopyError> {
    match plan.kernel() {
        Kernel::Nothing => {}
        Kernel::Contiguous => {
            let dst = dst.wrapping_offset(offset(plan.dst_offset()));
            let src = src.wrapping_offset(offset(plan.src_offset()));
            // SAFETY: (1, 2) the caller promises them for the one run of the plan; bytes need no
            // alignment.
            unsafe { std::ptr::copy(src, dst, length(plan.run_bytes())) };
        }
        _ if shifted::is_shifted(plan) => {
            let dst = dst.wrapping_offset(offset(plan.dst_offset()));
            let src = src.wrapping_offset(offset(plan.src_offset()));
            // SAFETY: the caller promises the runs of the plan; which is shifted, as asked above.
            unsafe { shifted::copy(plan, dst, src) };
        }
        // SAFETY: (1, 2) the caller promises them.
        _ => unsafe { copy_through_temporary(plan, dst, src) }?,
    }
    Ok(())
}

/// Whether [`copy_overlapping`] goes through a temporary of its own. O(rank).
///
/// ```
/// use strideview_copy::{CopyPlan, host};
///
/// // A 3 x 3 matrix transposed, and moved as it is.
/// assert!(host::needs_temporary(&CopyPlan::new(&[3, 3], &[3, 1], &[1, 3], 1)?));
/// assert!(!host::needs_temporary(&CopyPlan::new(&[3, 3], &[3, 1], &[3, 1], 1)?));
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
pub fn needs_temporary(plan: &CopyPlan) -> bool {
    let is_one_run = matches!(plan.kernel(), Kernel::Nothing | Kernel::Contiguous);
    !is_one_run && !shifted::is_shifted(plan)
}

/// # Safety
///
/// As [`copy_overlapping`].
unsafe fn copy_through_temporary(
    plan: &CopyPlan,
    dst: *mut u8,
    src: *const u8,
) -> Result<(), CopyError> {
    let overflow = CopyError::Overflow { quantity: Quantity::Reach(Side::Source) };
    let halves = Temporary::of(plan).ok_or(overflow)?;
    let mut temporary = allocate(halves.bytes)?;
    let address = temporary.as_mut_ptr().cast::<u8>();
    // SAFETY: (1) the caller promises what is read; `gather` writes the `bytes` of the temporary,
    // which is that large; (2, 3) the temporary is ours alone, and fresh.
    unsafe { copy(&halves.gather, address, src) };
    // SAFETY: (1) as above, the other way round; (2, 3) as above.
    unsafe { copy(&halves.scatter, dst, address) };
    Ok(())
}

/// Memory for so many bytes, with room but without content.
fn allocate(bytes: i64) -> Result<Vec<MaybeUninit<u8>>, CopyError> {
    let out_of_memory = CopyError::OutOfMemory { bytes };
    let mut temporary = Vec::new();
    let capacity = usize::try_from(bytes).map_err(|_| out_of_memory)?;
    temporary.try_reserve_exact(capacity).map_err(|_| out_of_memory)?;
    Ok(temporary)
}
