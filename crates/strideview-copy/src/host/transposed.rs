//! Short runs in two axes that are transposed to each other, moved block by block.
//!
//! The inner axis is the denser in the destination, the outer one in the source. Walked whole,
//! either order touches a new cache line of one side at every step, and has lost it when it comes
//! back for the next item. In a block of a few cache lines each way, every line that is touched is
//! used up while it is there.
//!
//! ```text
//! for each block row of the outer axis
//!     for each block of the inner axis
//!         for each item of the outer axis in the block
//!             for each item of the inner axis in the block: move it
//! ```

use super::item::{ItemSize, with_item_size};
use super::walk::walk;
use super::{offset, strided};
use crate::plan::{CopyPlan, PlanAxis};

/// Moves the runs of `plan`, the first of them from `src` to `dst`.
///
/// # Safety
///
/// 1. Every run of the plan may be written relative to `dst`, and read relative to `src`.
/// 2. No byte of the one is a byte of the other, and nothing else accesses them.
pub(super) unsafe fn copy(plan: &CopyPlan, dst: *mut u8, src: *const u8) {
    let [others @ .., outer, inner] = plan.axes() else {
        // SAFETY: the caller promises the same; without two axes there is nothing to block. A
        // plan like this is `Strided`.
        return unsafe { strided::copy(plan, dst, src) };
    };
    with_item_size!(plan.run_bytes(), size => {
        walk(others, dst, src, |dst, src| {
            // SAFETY: `walk` gives the addresses of the first run of a plane of the plan, whose
            // runs the caller promises to be valid (1) and apart (2).
            unsafe { copy_blocks(size, outer, inner, dst, src) }
        });
    });
}

/// Items along an edge of a block: two cache lines of small items, one or more of large ones.
const fn edge(item_bytes: usize) -> i64 {
    if item_bytes <= 4 { 32 } else { 16 }
}

/// Moves the items of two axes, block by block; a block is a plane of its own.
///
/// # Safety
///
/// As [`copy`], for the items of the two axes.
#[inline(always)]
unsafe fn copy_blocks(
    size: impl ItemSize,
    outer: &PlanAxis,
    inner: &PlanAxis,
    dst: *mut u8,
    src: *const u8,
) {
    let edge = edge(size.bytes());
    let (mut dst_row, mut src_row) = (dst, src);
    let mut rows_left = outer.extent;
    while rows_left > 0 {
        let rows = rows_left.min(edge);
        let (mut dst, mut src) = (dst_row, src_row);
        let mut columns_left = inner.extent;
        while columns_left > 0 {
            let columns = columns_left.min(edge);
            let block_rows = PlanAxis { extent: rows, ..*outer };
            let block_columns = PlanAxis { extent: columns, ..*inner };
            // SAFETY: both pointers are at the first item of a block inside the two axes.
            unsafe { strided::copy_plane(size, &block_rows, &block_columns, dst, src) };
            (dst, src) = stepped(&block_columns, dst, src);
            columns_left -= columns;
        }
        (dst_row, src_row) = stepped(&PlanAxis { extent: rows, ..*outer }, dst_row, src_row);
        rows_left -= rows;
    }
}

/// Both addresses moved by the whole of an axis.
#[inline(always)]
fn stepped(axis: &PlanAxis, dst: *mut u8, src: *const u8) -> (*mut u8, *const u8) {
    (
        dst.wrapping_offset(offset(axis.extent.wrapping_mul(axis.dst_stride))),
        src.wrapping_offset(offset(axis.extent.wrapping_mul(axis.src_stride))),
    )
}
