//! Two lanes on x86-64 with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_or_si256, _mm256_shuffle_epi8,
    _mm256_storeu_si256, _mm256_stream_si256, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16,
    _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::super::block::Block;
use super::{Kernel, Ssse3, Vector};

/// A `ymm` register.
#[derive(Clone, Copy)]
pub(in crate::host) struct Avx2(__m256i);

/// Calls an intrinsic that touches no memory.
macro_rules! on_registers {
    ($call:expr) => {{
        // SAFETY: the caller promises that the processor has the instruction (1).
        Self(unsafe { $call })
    }};
}

impl Vector for Avx2 {
    type One = Ssse3;
    const LANES: usize = 2;
    const STREAMS: bool = true;

    #[inline(always)]
    unsafe fn run<K: Kernel>(block: &Block) {
        /// # Safety
        ///
        /// As [`Kernel::run`].
        #[target_feature(enable = "avx2")]
        #[inline(never)]
        unsafe fn outlined<K: Kernel>(block: &Block) {
            // SAFETY: the caller promises it.
            unsafe { K::run::<Avx2>(block) }
        }
        // SAFETY: the caller promises it.
        unsafe { outlined::<K>(block) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8, step: isize) -> Self {
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        let low = unsafe { _mm_loadu_si128(src.cast()) };
        // SAFETY: as above, for the second lane.
        let high = unsafe { _mm_loadu_si128(src.wrapping_offset(step).cast()) };
        // SAFETY: the caller promises the instruction (1).
        let low = unsafe { _mm256_castsi128_si256(low) };
        on_registers!(_mm256_inserti128_si256::<1>(low, high))
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        // SAFETY: the caller promises the instruction (1) and 32 bytes (2).
        unsafe { _mm256_storeu_si256(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_apart(self, dst: *mut u8, step: isize) {
        // SAFETY: the caller promises the instruction (1).
        let low = unsafe { _mm256_castsi256_si128(self.0) };
        // SAFETY: as above.
        let high = unsafe { _mm256_extracti128_si256::<1>(self.0) };
        // SAFETY: the caller promises the instruction (1) and 16 bytes (2).
        unsafe { _mm_storeu_si128(dst.cast(), low) }
        // SAFETY: as above, for the second lane.
        unsafe { _mm_storeu_si128(dst.wrapping_offset(step).cast(), high) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut u8) {
        // SAFETY: the caller promises the instruction (1), 32 bytes (2) and alignment (3).
        unsafe { _mm256_stream_si256(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn zip<const W: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        match W {
            1 => (
                on_registers!(_mm256_unpacklo_epi8(a, b)),
                on_registers!(_mm256_unpackhi_epi8(a, b)),
            ),
            2 => (
                on_registers!(_mm256_unpacklo_epi16(a, b)),
                on_registers!(_mm256_unpackhi_epi16(a, b)),
            ),
            4 => (
                on_registers!(_mm256_unpacklo_epi32(a, b)),
                on_registers!(_mm256_unpackhi_epi32(a, b)),
            ),
            _ => (
                on_registers!(_mm256_unpacklo_epi64(a, b)),
                on_registers!(_mm256_unpackhi_epi64(a, b)),
            ),
        }
    }

    #[inline(always)]
    unsafe fn shuffle(self, places: Self) -> Self {
        on_registers!(_mm256_shuffle_epi8(self.0, places.0))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        on_registers!(_mm256_or_si256(self.0, other.0))
    }
}
