//! Asking for source lines before they are read.
//!
//! Processors guess which lines are wanted next from those that were read in a row. Blocks of a
//! transposed copy read a few lines here and a few there; so while one block is written, the lines
//! of the next are asked for.
#![forbid(unsafe_code)]

use super::block::Block;
use super::stream::LINE;
use super::vector::prefetch;

/// The source lines of a block, to be asked for in some parts.
pub(super) struct Ahead {
    src: *const u8,
    pitch: isize,
    /// Lines still to be asked for, and how many at a time.
    lines: usize,
    part: usize,
    line_bytes: usize,
}

impl Ahead {
    /// Nothing, where there is no next block or it reads its source in a row.
    #[inline(always)]
    pub(super) fn of(next: Option<&Block>, parts: usize) -> Self {
        let none = Self { src: std::ptr::null(), pitch: 0, lines: 0, part: 1, line_bytes: 0 };
        let is_spread =
            |block: &&Block| block.src_step == block.item_bytes as isize && block.src_pitch != 0;
        let Some(block) = next.filter(is_spread) else {
            return none;
        };
        Self {
            src: block.src,
            pitch: block.src_pitch,
            lines: block.q,
            part: block.q.div_ceil(parts),
            line_bytes: block.p * block.item_bytes,
        }
    }

    /// Asks for the next part.
    #[inline(always)]
    pub(super) fn fetch(&mut self) {
        for _ in 0..self.part.min(self.lines) {
            let mut at = 0;
            while at < self.line_bytes {
                prefetch(self.src.wrapping_add(at));
                at += LINE;
            }
            self.src = self.src.wrapping_offset(self.pitch);
            self.lines -= 1;
        }
    }
}
