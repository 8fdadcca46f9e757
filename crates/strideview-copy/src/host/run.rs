//! Runs of many bytes, each moved as a whole.

use super::block::Block;
use super::tile::step;
use super::vector::{Kernel, LANE, Vector};

/// From here on a call to `memcpy` is no longer than what it does.
const CALL_MIN_BYTES: usize = 512;

/// For blocks of runs of 32 bytes and more.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`.
/// 2. Every run of the block may be written and read; the sides do not share a byte, and nothing
///    else accesses them.
pub(super) struct Runs;

impl Kernel for Runs {
    #[inline(always)]
    unsafe fn run<V: Vector>(block: &Block) {
        for p in 0..block.p {
            let (mut dst, mut src) = block.line(p);
            for _ in 0..block.q {
                // SAFETY: both pointers are at a run of the block (1, 2).
                unsafe { copy::<V>(dst, src, block.item_bytes) };
                dst = dst.wrapping_offset(block.dst_step);
                src = src.wrapping_offset(block.src_pitch);
            }
        }
    }
}

/// Moves bytes, the last of them perhaps twice.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`. 2. `bytes` bytes may be written at `dst` and read
///    at `src`, which lie apart, and nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn copy<V: Vector>(dst: *mut u8, src: *const u8, bytes: usize) {
    if !(V::BYTES..CALL_MIN_BYTES).contains(&bytes) {
        // SAFETY: the caller promises 2.
        return unsafe { std::ptr::copy_nonoverlapping(src, dst, bytes) };
    }
    let mut at = 0;
    loop {
        // SAFETY: the caller promises 1 and 2; a register ends before `bytes`.
        let vector = unsafe { V::load(src.wrapping_add(at), LANE as isize) };
        // SAFETY: as above.
        unsafe { vector.store(dst.wrapping_add(at)) };
        if !step(&mut at, V::BYTES, bytes) {
            return;
        }
    }
}
