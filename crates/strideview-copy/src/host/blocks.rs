//! The blocks of a plan, one after the other.
#![forbid(unsafe_code)]

use super::block::Block;
use super::host_plan::HostPlan;
use super::kernel::HostKernel;
use super::odometer::Odometer;
use super::stream::LINE;
use super::{length, offset, tile};

/// Walks the blocks of each plane: along `p` first, as that is where the source goes on.
///
/// Law: every item of the plan is in a block. Where what is left of an axis is too small for the
/// kernel, the last block reaches back, and its first items are in two.
pub(super) struct Blocks<'a> {
    host: &'a HostPlan,
    walk: Odometer<'a>,
    plane: Block,
    p: usize,
    q: usize,
    columns: usize,
    is_done: bool,
}

impl<'a> Blocks<'a> {
    #[inline(always)]
    pub(super) fn new(host: &'a HostPlan, dst: *mut u8, src: *const u8) -> Self {
        let plane = plane(host, dst, src);
        let columns = first_columns(host, &plane);
        let walk = Odometer::new(host.others(), dst, src);
        Self { host, walk, plane, p: 0, q: 0, columns, is_done: false }
    }

    /// None after the last.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Block> {
        if self.is_done {
            return None;
        }
        let (plane, smallest) = (&self.plane, smallest(self.host));
        let (p, q) = (self.p.min(plane.p - smallest), self.q.min(plane.q - smallest));
        let block = plane.part(p, q, length(self.host.p_block), self.columns);
        self.p = p + block.p;
        if self.p >= plane.p {
            self.p = 0;
            self.q += self.columns;
            self.columns = length(self.host.q_block);
            if self.q >= plane.q {
                self.next_plane();
            }
        }
        Some(block)
    }

    #[inline(always)]
    fn next_plane(&mut self) {
        self.is_done = !self.walk.step();
        self.q = 0;
        self.plane = plane(self.host, self.walk.dst, self.walk.src);
        self.columns = first_columns(self.host, &self.plane);
    }
}

/// The fewest items along an axis that the kernel takes.
#[inline(always)]
fn smallest(host: &HostPlan) -> usize {
    if host.kernel == HostKernel::Tiles { tile::smallest(length(host.run_bytes)) } else { 1 }
}

/// All items of `p` and `q`.
#[inline(always)]
pub(super) fn plane(host: &HostPlan, dst: *mut u8, src: *const u8) -> Block {
    Block {
        dst,
        src,
        p: length(host.p.extent),
        q: length(host.q.extent),
        dst_pitch: offset(host.p.dst_stride),
        dst_step: offset(host.q.dst_stride),
        src_step: offset(host.p.src_stride),
        src_pitch: offset(host.q.src_stride),
        item_bytes: length(host.run_bytes),
    }
}

/// The items along `q` of the first block of a plane: fewer than of the others, where the others
/// then begin at a cache line of the destination.
#[inline(always)]
fn first_columns(host: &HostPlan, plane: &Block) -> usize {
    let columns = length(host.q_block);
    let beyond = plane.dst.addr() % LINE;
    let is_short = columns * plane.item_bytes < 4 * LINE;
    let is_aligned = beyond.is_multiple_of(plane.item_bytes);
    if !host.is_streamed || columns >= plane.q || !is_aligned || is_short {
        return columns;
    }
    columns - beyond / plane.item_bytes
}
