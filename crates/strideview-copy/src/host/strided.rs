//! Items of any size and stride, moved one by one.

use super::block::Block;
use super::item::{ItemSize, move_item};

/// Items along an edge of a square: two cache lines of small items, one or more of large ones.
const fn edge(item_bytes: usize) -> usize {
    if item_bytes <= 4 { 32 } else { 16 }
}

/// Moves the items of a block, square by square.
///
/// Walked whole, either order may touch a new cache line of one side at every step, and have lost
/// it when it comes back for the next item. In a square of a few cache lines each way, every line
/// that is touched is used up while it is there.
///
/// # Safety
///
/// 1. Every item of the block may be written and read.
/// 2. The sides do not share a byte, and nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn copy_squares(size: impl ItemSize, block: &Block) {
    let edge = edge(size.bytes());
    let mut p = 0;
    while p < block.p {
        let mut q = 0;
        while q < block.q {
            // SAFETY: the caller promises 1 and 2 for the block, which this is a part of.
            unsafe { copy_block(size, &block.part(p, q, edge, edge)) };
            q += edge;
        }
        p += edge;
    }
}

/// Moves the items of a block, line by line.
///
/// # Safety
///
/// 1. Every item of the block may be written and read.
/// 2. The sides do not share a byte, and nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn copy_block(size: impl ItemSize, block: &Block) {
    for p in 0..block.p {
        let (mut dst, mut src) = block.line(p);
        for _ in 0..block.q {
            // SAFETY: both pointers are at an item of the block (1, 2).
            unsafe { move_item(size, dst, src) };
            dst = dst.wrapping_offset(block.dst_step);
            src = src.wrapping_offset(block.src_pitch);
        }
    }
}
