//! One lane in plain Rust, for processors without the instructions of the others.

use super::super::block::Block;
use super::{Kernel, LANE, Vector};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(in crate::host) struct Portable([u8; LANE]);

impl Vector for Portable {
    type One = Self;
    const LANES: usize = 1;
    const STREAMS: bool = false;

    #[inline(always)]
    unsafe fn run<K: Kernel>(block: &Block) {
        /// # Safety
        ///
        /// As [`Kernel::run`].
        #[inline(never)]
        unsafe fn outlined<K: Kernel>(block: &Block) {
            // SAFETY: the caller promises it.
            unsafe { K::run::<Portable>(block) }
        }
        // SAFETY: the caller promises it.
        unsafe { outlined::<K>(block) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8, _step: isize) -> Self {
        // SAFETY: the caller promises 16 bytes (2); an array of bytes needs no alignment.
        Self(unsafe { src.cast::<[u8; LANE]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        // SAFETY: the caller promises 16 bytes (2); an array of bytes needs no alignment.
        unsafe { dst.cast::<[u8; LANE]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn store_apart(self, dst: *mut u8, _step: isize) {
        // SAFETY: the caller promises 16 bytes (2).
        unsafe { self.store(dst) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut u8) {
        // SAFETY: the caller promises 16 bytes (2).
        unsafe { self.store(dst) }
    }

    #[inline(always)]
    unsafe fn zip<const W: usize>(self, other: Self) -> (Self, Self) {
        let half = |first: usize| {
            std::array::from_fn(|byte| {
                let (item, within) = (byte / W, byte % W);
                let from = if item % 2 == 0 { &self.0 } else { &other.0 };
                from[first + item / 2 * W + within]
            })
        };
        (Self(half(0)), Self(half(LANE / 2)))
    }

    #[inline(always)]
    unsafe fn shuffle(self, places: Self) -> Self {
        Self(places.0.map(|place| if place < 128 { self.0[usize::from(place) % LANE] } else { 0 }))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|byte| self.0[byte] | other.0[byte]))
    }
}
