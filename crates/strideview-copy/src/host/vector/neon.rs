//! One lane on AArch64 with NEON, which every processor of this architecture has.

use std::arch::aarch64::{
    uint8x16_t, vld1q_u8, vorrq_u8, vqtbl1q_u8, vreinterpretq_u8_u16, vreinterpretq_u8_u32,
    vreinterpretq_u8_u64, vreinterpretq_u16_u8, vreinterpretq_u32_u8, vreinterpretq_u64_u8,
    vst1q_u8, vzip1q_u8, vzip1q_u16, vzip1q_u32, vzip1q_u64, vzip2q_u8, vzip2q_u16, vzip2q_u32,
    vzip2q_u64,
};

use super::super::block::Block;
use super::{Kernel, Vector};

/// A `v` register.
#[derive(Clone, Copy)]
pub(in crate::host) struct Neon(uint8x16_t);

/// Calls an intrinsic that touches no memory.
macro_rules! on_registers {
    ($call:expr) => {{
        // SAFETY: the caller promises that the processor has the instruction (1).
        Self(unsafe { $call })
    }};
}

/// The zips of two registers of items of another size.
macro_rules! zipped {
    ($a:expr, $b:expr, $from:ident, $to:ident, $low:ident, $high:ident) => {{
        // SAFETY: the caller promises that the processor has the instruction (1).
        let (a, b) = unsafe { ($from($a), $from($b)) };
        (on_registers!($to($low(a, b))), on_registers!($to($high(a, b))))
    }};
}

impl Vector for Neon {
    type One = Self;
    const LANES: usize = 1;
    const STREAMS: bool = false;

    #[inline(always)]
    unsafe fn run<K: Kernel>(block: &Block) {
        /// # Safety
        ///
        /// As [`Kernel::run`].
        #[target_feature(enable = "neon")]
        #[inline(never)]
        unsafe fn outlined<K: Kernel>(block: &Block) {
            // SAFETY: the caller promises it.
            unsafe { K::run::<Neon>(block) }
        }
        // SAFETY: the caller promises it.
        unsafe { outlined::<K>(block) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8, _step: isize) -> Self {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        Self(unsafe { vld1q_u8(src) })
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        unsafe { vst1q_u8(dst, self.0) }
    }

    #[inline(always)]
    unsafe fn store_apart(self, dst: *mut u8, _step: isize) {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        unsafe { self.store(dst) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut u8) {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        unsafe { self.store(dst) }
    }

    #[inline(always)]
    unsafe fn zip<const W: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        match W {
            1 => (on_registers!(vzip1q_u8(a, b)), on_registers!(vzip2q_u8(a, b))),
            2 => zipped!(a, b, vreinterpretq_u16_u8, vreinterpretq_u8_u16, vzip1q_u16, vzip2q_u16),
            4 => zipped!(a, b, vreinterpretq_u32_u8, vreinterpretq_u8_u32, vzip1q_u32, vzip2q_u32),
            _ => zipped!(a, b, vreinterpretq_u64_u8, vreinterpretq_u8_u64, vzip1q_u64, vzip2q_u64),
        }
    }

    #[inline(always)]
    unsafe fn shuffle(self, places: Self) -> Self {
        on_registers!(vqtbl1q_u8(self.0, places.0))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        on_registers!(vorrq_u8(self.0, other.0))
    }
}
