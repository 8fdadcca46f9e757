//! One lane on x86-64 with SSSE3.

use std::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_or_si128, _mm_shuffle_epi8, _mm_storeu_si128, _mm_stream_si128,
    _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64,
    _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

use super::super::block::Block;
use super::{Kernel, Vector};

/// An `xmm` register.
#[derive(Clone, Copy)]
pub(in crate::host) struct Ssse3(__m128i);

/// Calls an intrinsic that touches no memory.
macro_rules! on_registers {
    ($call:expr) => {{
        // SAFETY: the caller promises that the processor has the instruction (1).
        Self(unsafe { $call })
    }};
}

impl Vector for Ssse3 {
    type One = Self;
    const LANES: usize = 1;
    const STREAMS: bool = true;

    #[inline(always)]
    unsafe fn run<K: Kernel>(block: &Block) {
        /// # Safety
        ///
        /// As [`Kernel::run`].
        #[target_feature(enable = "ssse3")]
        #[inline(never)]
        unsafe fn outlined<K: Kernel>(block: &Block) {
            // SAFETY: the caller promises it.
            unsafe { K::run::<Ssse3>(block) }
        }
        // SAFETY: the caller promises it.
        unsafe { outlined::<K>(block) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8, _step: isize) -> Self {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        Self(unsafe { _mm_loadu_si128(src.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        unsafe { _mm_storeu_si128(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_apart(self, dst: *mut u8, _step: isize) {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        unsafe { self.store(dst) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut u8) {
        // SAFETY: the caller promises the instruction (1), 16 bytes (2) and alignment (3).
        unsafe { _mm_stream_si128(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn zip<const W: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        match W {
            1 => (on_registers!(_mm_unpacklo_epi8(a, b)), on_registers!(_mm_unpackhi_epi8(a, b))),
            2 => (on_registers!(_mm_unpacklo_epi16(a, b)), on_registers!(_mm_unpackhi_epi16(a, b))),
            4 => (on_registers!(_mm_unpacklo_epi32(a, b)), on_registers!(_mm_unpackhi_epi32(a, b))),
            _ => (on_registers!(_mm_unpacklo_epi64(a, b)), on_registers!(_mm_unpackhi_epi64(a, b))),
        }
    }

    #[inline(always)]
    unsafe fn shuffle(self, places: Self) -> Self {
        on_registers!(_mm_shuffle_epi8(self.0, places.0))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        on_registers!(_mm_or_si128(self.0, other.0))
    }
}
