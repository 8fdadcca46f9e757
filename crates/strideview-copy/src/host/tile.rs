//! Transposing in registers: items that lie together along one axis of the source, and along
//! another of the destination.
//!
//! A tile has 16 bytes of source along `p`, and a whole register of destination along `q`. With
//! `n = 16 / W` items in a lane, register `i` holds, in lane `l`, the 16 bytes of source line
//! `l · n + i`. Zipping the first half of the registers with the second, log2(n) times, transposes
//! each lane; register `i` then is line `i` of the destination.

use super::block::Block;
use super::vector::{Kernel, LANE, Vector};

/// The fewest items along either axis that a tile takes.
pub(super) const fn smallest(item_bytes: usize) -> usize {
    LANE / item_bytes
}

/// For blocks whose source items lie together along `p`, and whose destination items along `q`.
///
/// Where an extent is no multiple of the tile, the last tile is moved back, and moves some items
/// again.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`, and `W` is 1, 2, 4, 8 or 16.
/// 2. Every item of the block may be written and read; the sides do not share a byte, and nothing
///    else accesses them.
/// 3. Along each axis there are at least `smallest(W)` items.
pub(super) struct Transpose<const W: usize>;

impl<const W: usize> Kernel for Transpose<W> {
    #[inline(always)]
    unsafe fn run<V: Vector>(block: &Block) {
        let lines = smallest(W) * V::LANES;
        if block.q < lines {
            // SAFETY: the caller promises 1 to 3.
            return unsafe { each_tile::<V::One, W>(block, smallest(W)) };
        }
        let chunk = (CHUNK / (block.p * W)).next_multiple_of(lines).max(lines);
        let mut q = 0;
        while q < block.q {
            let part = block.part(0, q.min(block.q - lines), block.p, chunk);
            // SAFETY: the caller promises 1 to 3; there are `lines` items or more along `q`.
            unsafe { each_tile::<V, W>(&part, lines) };
            q += chunk;
        }
    }
}

/// The bytes of source that are read again for each column of tiles: they stay in the smallest
/// cache.
const CHUNK: usize = 64 << 10;

/// # Safety
///
/// As [`Transpose`]; and `lines` is `smallest(W) · V::LANES`, and there are as many items along `q`.
#[inline(always)]
unsafe fn each_tile<V: Vector, const W: usize>(block: &Block, lines: usize) {
    let mut p = 0;
    loop {
        let (mut dst, mut src) = block.addresses::<W>(p, 0);
        for _ in 0..block.q / lines {
            // SAFETY: the tile at (p, q) lies inside the block, whose items are valid (2).
            unsafe { tile::<V, W>(dst, block.dst_pitch, src, block.src_pitch) };
            dst = dst.wrapping_add(lines * W);
            src = src.wrapping_offset(block.src_pitch.wrapping_mul(lines as isize));
        }
        if !block.q.is_multiple_of(lines) {
            let (dst, src) = block.addresses::<W>(p, block.q - lines);
            // SAFETY: as above, for the last tile along `q`.
            unsafe { tile::<V, W>(dst, block.dst_pitch, src, block.src_pitch) };
        }
        if !step(&mut p, smallest(W), block.p) {
            break;
        }
    }
}

/// The next multiple of `by`, or the last place where as many items are left; false at the end.
#[inline(always)]
pub(super) fn step(at: &mut usize, by: usize, extent: usize) -> bool {
    let next = *at + by;
    if next >= extent {
        return false;
    }
    *at = next.min(extent - by);
    true
}

/// # Safety
///
/// 1. As [`Transpose`]. 2. `16 / W` registers may be written, `dst_pitch` apart, and 16 bytes be
///    read of `16 / W · V::LANES` lines, `src_pitch` apart.
#[inline(always)]
unsafe fn tile<V: Vector, const W: usize>(
    dst: *mut u8,
    dst_pitch: isize,
    src: *const u8,
    src_pitch: isize,
) {
    macro_rules! of_registers {
        ($n:literal) => {
            // SAFETY: the caller promises 1 and 2; the number is 16 / W.
            unsafe { tile_of::<V, W, $n>(dst, dst_pitch, src, src_pitch) }
        };
    }
    match W {
        1 => of_registers!(16),
        2 => of_registers!(8),
        4 => of_registers!(4),
        8 => of_registers!(2),
        _ => of_registers!(1),
    }
}

/// # Safety
///
/// As [`tile`], with `N` = 16 / `W`.
#[inline(always)]
unsafe fn tile_of<V: Vector, const W: usize, const N: usize>(
    dst: *mut u8,
    dst_pitch: isize,
    src: *const u8,
    src_pitch: isize,
) {
    let lane_step = src_pitch.wrapping_mul(N as isize);
    let line = |i: usize| src.wrapping_offset(src_pitch.wrapping_mul(i as isize));
    // SAFETY: the caller promises 1, and 16 bytes of each of the lines l · N (2).
    let mut rows = [unsafe { V::load(src, lane_step) }; N];
    for (i, row) in rows.iter_mut().enumerate().skip(1) {
        // SAFETY: as above, of each of the lines i + l · N.
        *row = unsafe { V::load(line(i), lane_step) };
    }
    // log2(N) times, without a loop: the registers stay registers.
    if N > 1 {
        // SAFETY: the caller promises the instructions (1).
        rows = unsafe { zipped::<V, W, N>(rows) };
    }
    if N > 2 {
        // SAFETY: as above.
        rows = unsafe { zipped::<V, W, N>(rows) };
    }
    if N > 4 {
        // SAFETY: as above.
        rows = unsafe { zipped::<V, W, N>(rows) };
    }
    if N > 8 {
        // SAFETY: as above.
        rows = unsafe { zipped::<V, W, N>(rows) };
    }
    for (i, row) in rows.iter().enumerate() {
        let dst = dst.wrapping_offset(dst_pitch.wrapping_mul(i as isize));
        // SAFETY: the caller promises 1 and 2.
        unsafe { row.store(dst) };
    }
}

/// The first half zipped with the second.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`.
#[inline(always)]
unsafe fn zipped<V: Vector, const W: usize, const N: usize>(rows: [V; N]) -> [V; N] {
    let mut zipped = rows;
    for i in 0..N / 2 {
        // SAFETY: the caller promises the instructions (1).
        let (low, high) = unsafe { rows[i].zip::<W>(rows[i + N / 2]) };
        (zipped[2 * i], zipped[2 * i + 1]) = (low, high);
    }
    zipped
}
