//! Lines whose source goes backwards, or stands still.

use super::block::Block;
use super::item::Fixed;
use super::strided;
use super::tile::step;
use super::vector::{Kernel, LANE, Vector};

/// For blocks whose source goes back by an item along `q`, and whose destination forwards.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`; `W` is 1, 2, 4, 8 or 16.
/// 2. Every item of the block may be written and read; the sides do not share a byte, and nothing
///    else accesses them.
/// 3. Along `q` the items lie together in the destination, and in the source backwards.
pub(super) struct Reverse<const W: usize>;

impl<const W: usize> Kernel for Reverse<W> {
    #[inline(always)]
    unsafe fn run<V: Vector>(block: &Block) {
        let items = LANE / W;
        if block.q >= items * V::LANES {
            // SAFETY: the caller promises 1 to 3; a register holds no more than a line.
            unsafe { reverse_lines::<V, W>(block) }
        } else if block.q >= items {
            // SAFETY: as above.
            unsafe { reverse_lines::<V::One, W>(block) }
        } else {
            // SAFETY: the caller promises the items (2), which are `W` bytes.
            unsafe { strided::copy_block(Fixed::<W>, block) }
        }
    }
}

/// Where each byte of a lane comes from when its items are turned round.
const fn reversed<const W: usize>() -> [u8; LANE] {
    let mut places = [0; LANE];
    let mut byte = 0;
    while byte < LANE {
        places[byte] = (LANE - W - byte / W * W + byte % W) as u8;
        byte += 1;
    }
    places
}

/// # Safety
///
/// As [`Reverse`]; and there are `LANE / W · V::LANES` items along `q`.
#[inline(always)]
unsafe fn reverse_lines<V: Vector, const W: usize>(block: &Block) {
    let items = LANE / W * V::LANES;
    let places = const { reversed::<W>() };
    // SAFETY: the caller promises 1; an array of 16 bytes is read, in every lane.
    let places = unsafe { V::load(places.as_ptr(), 0) };
    for p in 0..block.p {
        let (dst, src) = block.line(p);
        let mut q = 0;
        loop {
            // The last item of the first lane has the lowest address in it.
            let lowest = src.wrapping_sub(q * W + LANE - W);
            // SAFETY: the caller promises 1, and the items from q on (2, 3): a lane for 16 bytes.
            let bytes = unsafe { V::load(lowest, -(LANE as isize)) };
            // SAFETY: the caller promises 1.
            let bytes = unsafe { bytes.shuffle(places) };
            // SAFETY: the caller promises 1, and the items from q on (2, 3).
            unsafe { bytes.store(dst.wrapping_add(q * W)) };
            if !step(&mut q, items, block.q) {
                break;
            }
        }
    }
}

/// For blocks whose source stands still along `q`.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`; `W` is 1, 2, 4, 8 or 16.
/// 2. Every item of the block may be written and read; the sides do not share a byte, and nothing
///    else accesses them.
/// 3. Along `q` the items lie together in the destination, and are one in the source.
pub(super) struct Fill<const W: usize>;

impl<const W: usize> Kernel for Fill<W> {
    #[inline(always)]
    unsafe fn run<V: Vector>(block: &Block) {
        if block.q >= LANE / W * V::LANES {
            // SAFETY: the caller promises 1 to 3; a register holds no more than a line.
            unsafe { fill_lines::<V, W>(block) }
        } else {
            // SAFETY: the caller promises the items (2), which are `W` bytes.
            unsafe { strided::copy_block(Fixed::<W>, block) }
        }
    }
}

/// # Safety
///
/// As [`Fill`]; and there are `LANE / W · V::LANES` items along `q`.
#[inline(always)]
unsafe fn fill_lines<V: Vector, const W: usize>(block: &Block) {
    let items = LANE / W * V::LANES;
    for p in 0..block.p {
        let (dst, src) = block.line(p);
        // SAFETY: the caller promises an item of `W` bytes at the source (2).
        let item = unsafe { src.cast::<[u8; W]>().read() };
        let lane: [u8; LANE] = std::array::from_fn(|byte| item[byte % W]);
        // SAFETY: the caller promises 1; an array of 16 bytes is read, in every lane.
        let bytes = unsafe { V::load(lane.as_ptr(), 0) };
        let mut q = 0;
        loop {
            // SAFETY: the caller promises 1, and the items from q on (2, 3).
            unsafe { bytes.store(dst.wrapping_add(q * W)) };
            if !step(&mut q, items, block.q) {
                break;
            }
        }
    }
}
