//! What a kernel asks of a vector register, in lanes of 16 bytes.
//!
//! Every kernel is written once, over [`Vector`]. An implementation names the instructions; the
//! functions of [`super::isa`] compile each kernel for the processors that have them.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod ssse3;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
pub(super) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use ssse3::Ssse3;

use super::block::Block;

/// The bytes of a lane.
pub(super) const LANE: usize = 16;

/// A register of one or more lanes.
///
/// Law: what is said of a lane holds for each lane by itself; none of the operations on values
/// moves a byte from one lane to another.
///
/// # Safety
///
/// Every function may be called only on a processor that has the instructions of the
/// implementation. Those that take an address say what may be read or written there.
pub(super) trait Vector: Copy {
    /// A register of one lane, of the same processor.
    type One: Vector;
    /// The number of lanes.
    const LANES: usize;
    /// The bytes of the register.
    const BYTES: usize = Self::LANES * LANE;
    /// Whether [`stream`](Self::stream) keeps the bytes out of the caches.
    const STREAMS: bool;

    /// Runs a kernel in a function of its own, compiled for the instructions.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions. 2. What the kernel asks for.
    unsafe fn run<K: Kernel>(block: &Block);

    /// Lane `l` from `src + l · step`; no alignment is needed.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions. 2. 16 bytes may be read at each of the addresses.
    unsafe fn load(src: *const u8, step: isize) -> Self;

    /// Writes all lanes, one after the other; no alignment is needed.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions. 2. `BYTES` bytes may be written at `dst`.
    unsafe fn store(self, dst: *mut u8);

    /// Writes lane `l` to `dst + l · step`; no alignment is needed.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions. 2. 16 bytes may be written at each of the addresses.
    unsafe fn store_apart(self, dst: *mut u8, step: isize);

    /// As [`store`](Self::store), past the caches where `STREAMS`; a [`fence`] must follow before
    /// another thread is told.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions. 2. `BYTES` bytes may be written at `dst`. 3. `dst`
    ///    is a multiple of `BYTES`.
    unsafe fn stream(self, dst: *mut u8);

    /// In each lane, the items of `W` bytes of the lower halves of the two, alternating; and those
    /// of the upper halves. `W` is 1, 2, 4 or 8.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions.
    unsafe fn zip<const W: usize>(self, other: Self) -> (Self, Self);

    /// In each lane, byte `b` of the result is that which byte `b` of `places` numbers, or 0 where
    /// that number is 128 or more.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions.
    unsafe fn shuffle(self, places: Self) -> Self;

    /// The bits of either.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions.
    unsafe fn or(self, other: Self) -> Self;
}

/// Moves the items of a block.
pub(super) trait Kernel {
    /// Moves them with the instructions of `V`.
    ///
    /// # Safety
    ///
    /// 1. The processor has the instructions of `V`. 2. What the implementation asks for.
    unsafe fn run<V: Vector>(block: &Block);
}

/// Streamed bytes are there for whoever learns of them after this.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `sfence` is part of SSE, which every processor of this architecture has.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Asks for the cache line of an address; which need not be one that may be read.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub(super) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching is part of SSE, which every processor of this architecture has; it
    // changes no state and faults nowhere.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
}
