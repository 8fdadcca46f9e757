//! Step 6: an innermost axis that is contiguous on both sides becomes part of the item.
#![forbid(unsafe_code)]

use super::axis::Axes;

/// Takes contiguous innermost axes off, and returns the bytes of a run: of the item and all axes
/// taken.
///
/// Law: the same pairs of bytes in the same order, in fewer and longer runs.
#[inline]
pub(super) fn widen(axes: &mut Axes, itemsize: i64) -> i64 {
    let mut run_bytes = itemsize;
    while let Some(axis) = axes.last().copied() {
        if axis.dst_stride != run_bytes || axis.src_stride != run_bytes {
            break;
        }
        // Fits, by law 1 of `check`.
        let Some(wider) = run_bytes.checked_mul(axis.extent) else { break };
        run_bytes = wider;
        axes.remove(axes.len().saturating_sub(1));
    }
    run_bytes
}
