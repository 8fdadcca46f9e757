//! Two, three or four planes into one line of alternating items, and back.
//!
//! A group is 16 bytes of each plane, and as many times 16 bytes of the line. Byte by byte it is
//! known which byte of which of the inputs an output is made of: a shuffle of each input, which
//! gives 0 for bytes of other inputs, and an *or* of them all.

use super::block::Block;
use super::item::Fixed;
use super::tile::step;
use super::vector::{Kernel, LANE, Vector};

/// For shuffling: places of bytes in the 16 of an input, or this.
const NONE: u8 = 0x80;

type Places<const C: usize> = [[[u8; LANE]; C]; C];

/// `[plane][chunk]`: which bytes of a plane go to a chunk of 16 bytes of the line.
const fn places_in_line<const W: usize, const C: usize>() -> Places<C> {
    let mut places = [[[NONE; LANE]; C]; C];
    let mut byte = 0;
    while byte < LANE * C {
        let (item, within) = (byte / W, byte % W);
        let place = item / C * W + within;
        places[item % C][byte / LANE][byte % LANE] = place as u8;
        byte += 1;
    }
    places
}

/// `[chunk][plane]`: which bytes of a chunk of 16 bytes of the line go to a plane.
const fn places_in_planes<const W: usize, const C: usize>() -> Places<C> {
    let mut places = [[[NONE; LANE]; C]; C];
    let mut byte = 0;
    while byte < LANE * C {
        let (item, within) = (byte / W, byte % W);
        let place = item / C * W + within;
        places[byte / LANE][item % C][place] = (byte % LANE) as u8;
        byte += 1;
    }
    places
}

/// The places as registers, each the same in every lane.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`.
#[inline(always)]
unsafe fn registers<V: Vector, const C: usize>(places: &Places<C>) -> [[V; C]; C] {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            // SAFETY: the caller promises 1; an array of 16 bytes is read, in every lane.
            unsafe { V::load(places[i][j].as_ptr(), 0) }
        })
    })
}

/// The output `j` of a group.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`.
#[inline(always)]
unsafe fn output<V: Vector, const C: usize>(inputs: &[V; C], places: &[[V; C]; C], j: usize) -> V {
    // SAFETY: the caller promises 1.
    let mut result = unsafe { inputs[0].shuffle(places[0][j]) };
    for i in 1..C {
        // SAFETY: as above.
        let more = unsafe { inputs[i].shuffle(places[i][j]) };
        // SAFETY: as above.
        result = unsafe { result.or(more) };
    }
    result
}

/// For blocks of `C` items along `q`, whose destination is one line.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`; `W` is 1, 2, 4 or 8.
/// 2. Every item of the block may be written and read; the sides do not share a byte, and nothing
///    else accesses them.
/// 3. There are `C` items along `q`; the source has its items together along `p`, the destination
///    along `q`, and then along `p`.
pub(super) struct Interleave<const W: usize, const C: usize>;

impl<const W: usize, const C: usize> Kernel for Interleave<W, C> {
    #[inline(always)]
    unsafe fn run<V: Vector>(block: &Block) {
        let items = LANE / W;
        if block.p >= items * V::LANES {
            // SAFETY: the caller promises 1 to 3; there is a group.
            unsafe { interleave_groups::<V, W, C>(block) }
        } else if block.p >= items {
            // SAFETY: as above.
            unsafe { interleave_groups::<V::One, W, C>(block) }
        } else {
            // SAFETY: the caller promises the items (2), which are `W` bytes.
            unsafe { super::strided::copy_block(Fixed::<W>, block) }
        }
    }
}

/// # Safety
///
/// As [`Interleave`]; and there is a group along `p`.
#[inline(always)]
unsafe fn interleave_groups<V: Vector, const W: usize, const C: usize>(block: &Block) {
    let items = LANE / W * V::LANES;
    // SAFETY: the caller promises 1.
    let places = unsafe { registers::<V, C>(&const { places_in_line::<W, C>() }) };
    let mut p = 0;
    loop {
        let inputs = std::array::from_fn(|plane| {
            let (_, src) = block.addresses::<W>(p, plane);
            // SAFETY: the caller promises 1, and the items from p on, of each plane (2, 3).
            unsafe { V::load(src, LANE as isize) }
        });
        let line = block.dst.wrapping_add(p * W * C);
        for chunk in 0..C {
            // SAFETY: the caller promises 1.
            let bytes = unsafe { output::<V, C>(&inputs, &places, chunk) };
            let dst = line.wrapping_add(chunk * LANE);
            // SAFETY: the caller promises 1, and the line of all items from p on (2, 3).
            unsafe { bytes.store_apart(dst, (LANE * C) as isize) };
        }
        if !step(&mut p, items, block.p) {
            return;
        }
    }
}

/// For blocks of items of which the source has `C` together, the first `block.p` of which are
/// wanted.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`; `W` is 1, 2, 4 or 8.
/// 2. Every item of the block may be written and read; the sides do not share a byte, and nothing
///    else accesses them.
/// 3. There are at most `C` items along `p`; the source has its items together along `p`, and
///    steps by `C` items along `q`; the destination has them together along `q`.
pub(super) struct Deinterleave<const W: usize, const C: usize>;

impl<const W: usize, const C: usize> Kernel for Deinterleave<W, C> {
    #[inline(always)]
    unsafe fn run<V: Vector>(block: &Block) {
        // The last group is read to its end, of which the wanted items may be short.
        let readable = if block.p < C { block.q - 1 } else { block.q };
        let items = LANE / W;
        let mut done = 0;
        if readable >= items * V::LANES {
            // SAFETY: the caller promises 1 to 3; there are groups in what may be read.
            done = unsafe { deinterleave_groups::<V, W, C>(block, readable) };
        } else if readable >= items {
            // SAFETY: as above.
            done = unsafe { deinterleave_groups::<V::One, W, C>(block, readable) };
        }
        if done < block.q {
            let rest = block.part(0, done, block.p, block.q);
            // SAFETY: the caller promises the items (2), which are `W` bytes.
            unsafe { super::strided::copy_block(Fixed::<W>, &rest) };
        }
    }
}

/// The number of items along `q` that have been moved.
///
/// # Safety
///
/// As [`Deinterleave`]; and of the first `readable` items along `q`, which are a group or more,
/// all `C` may be read.
#[inline(always)]
unsafe fn deinterleave_groups<V: Vector, const W: usize, const C: usize>(
    block: &Block,
    readable: usize,
) -> usize {
    let items = LANE / W * V::LANES;
    // SAFETY: the caller promises 1.
    let places = unsafe { registers::<V, C>(&const { places_in_planes::<W, C>() }) };
    let mut q = 0;
    loop {
        let line = block.src.wrapping_add(q * W * C);
        let inputs: [V; C] = std::array::from_fn(|chunk| {
            let src = line.wrapping_add(chunk * LANE);
            // SAFETY: the caller promises 1, and all items of the groups from q on.
            unsafe { V::load(src, (LANE * C) as isize) }
        });
        for plane in 0..block.p.min(C) {
            // SAFETY: the caller promises 1.
            let bytes = unsafe { output::<V, C>(&inputs, &places, plane) };
            let (dst, _) = block.addresses::<W>(plane, q);
            // SAFETY: the caller promises 1, and the items of each plane from q on (2, 3).
            unsafe { bytes.store(dst) };
        }
        if !step(&mut q, items, readable) {
            return readable;
        }
    }
}
