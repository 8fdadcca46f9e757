//! Short axes that lie one after the other in the destination, as one line with a table.
//!
//! Permutations of many short axes have lines too short to be worth a loop. Together they are a
//! long one, whose source offsets are written down once and used for every index of the other axes.

use super::block::Block;
use super::item::{ItemSize, move_item};
use super::offset;
use crate::plan::PlanAxis;

/// The most items of a line.
pub(super) const LENGTH: usize = 256;

/// Where the source items of a line lie, in bytes from the first.
pub(super) struct Table {
    offsets: [isize; LENGTH],
    items: usize,
}

impl Table {
    /// The table of some axes, from the outermost to the innermost, of at most [`LENGTH`] items
    /// together; further ones are left out.
    pub(super) fn new(axes: &[PlanAxis]) -> Self {
        let mut table = Self { offsets: [0; LENGTH], items: 1 };
        for axis in axes.iter().rev() {
            let before = table.items;
            for index in 1..axis.extent {
                let base = offset(index.wrapping_mul(axis.src_stride));
                for item in 0..before {
                    if table.items < LENGTH {
                        table.offsets[table.items] = base.wrapping_add(table.offsets[item]);
                        table.items += 1;
                    }
                }
            }
        }
        table
    }
}

/// Moves the items of a block whose source offsets along `q` are those of the table.
///
/// # Safety
///
/// 1. Every item of the block may be written, and read at the offsets of the table, which has
///    `block.q` items.
/// 2. The sides do not share a byte, and nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn gather(size: impl ItemSize, block: &Block, table: &Table) {
    for p in 0..block.p {
        let (mut dst, src) = block.line(p);
        for offset in table.offsets.iter().take(block.q) {
            // SAFETY: both are addresses of an item of the block (1, 2).
            unsafe { move_item(size, dst, src.wrapping_offset(*offset)) };
            dst = dst.wrapping_add(size.bytes());
        }
    }
}
