//! The code of a plan, compiled for each set of instructions.

use super::execute::{by_blocks, directly};
use super::host_plan::HostPlan;
use super::machine::Isa;
use super::stream;
use super::vector::Portable;

/// What a set of instructions does.
struct Code {
    directly: unsafe fn(&HostPlan, *mut u8, *const u8),
    by_blocks: unsafe fn(&HostPlan, *mut u8, *const u8),
    stream: unsafe fn(*mut u8, *const u8, usize),
}

/// The functions of `execute` and `stream` for one set of instructions.
macro_rules! code {
    ($name:ident, $vector:ident $(, $feature:literal)?) => {
        mod $name {
            use super::*;

            /// # Safety
            ///
            /// As [`directly`].
            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn run_directly(host: &HostPlan, dst: *mut u8, src: *const u8) {
                // SAFETY: the caller promises all of it.
                unsafe { directly::<$vector>(host, dst, src) }
            }

            /// # Safety
            ///
            /// As [`by_blocks`].
            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn run_by_blocks(host: &HostPlan, dst: *mut u8, src: *const u8) {
                // SAFETY: the caller promises all of it.
                unsafe { by_blocks::<$vector>(host, dst, src) }
            }

            /// # Safety
            ///
            /// As [`stream::copy`].
            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn run_stream(dst: *mut u8, src: *const u8, bytes: usize) {
                // SAFETY: the caller promises all of it.
                unsafe { stream::copy::<$vector>(dst, src, bytes) }
            }

            pub(super) static CODE: Code =
                Code { directly: run_directly, by_blocks: run_by_blocks, stream: run_stream };
        }
    };
}

code!(portable, Portable);
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Ssse3};
#[cfg(target_arch = "x86_64")]
code!(ssse3, Ssse3, "ssse3");
#[cfg(target_arch = "x86_64")]
code!(avx2, Avx2, "avx2");
#[cfg(target_arch = "aarch64")]
use super::vector::Neon;
#[cfg(target_arch = "aarch64")]
code!(neon, Neon, "neon");

fn code(isa: Isa) -> &'static Code {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::CODE,
        #[cfg(target_arch = "x86_64")]
        Isa::Ssse3 => &ssse3::CODE,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => &neon::CODE,
        _ => &portable::CODE,
    }
}

impl Isa {
    /// Whether stores can go past the caches.
    pub(super) fn streams(self) -> bool {
        matches!(self, Self::Ssse3 | Self::Avx2)
    }
}

/// Does a plan of many items from `src` to `dst`, the addresses of its first.
///
/// # Safety
///
/// 1. Every byte that the plan writes relative to `dst` may be written, and every byte that it
///    reads relative to `src` may be read.
/// 2. No byte of the one is a byte of the other, and nothing else accesses them.
#[inline]
pub(super) unsafe fn run(host: &HostPlan, dst: *mut u8, src: *const u8) {
    let code = code(host.isa);
    let is_one_block = host.p_block == host.p.extent && host.q_block == host.q.extent;
    if is_one_block && !host.is_gathered && !host.is_streamed {
        // SAFETY: invariant 4 of the plan; the caller promises 1 and 2.
        unsafe { (code.directly)(host, dst, src) }
    } else {
        // SAFETY: as above.
        unsafe { (code.by_blocks)(host, dst, src) }
    }
}

/// Moves bytes past the caches.
///
/// # Safety
///
/// 1. `isa` is one that the processor has.
/// 2. `bytes` bytes may be written at `dst` and read at `src`, which lie apart, and nothing else
///    accesses them.
pub(super) unsafe fn stream(isa: Isa, dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: the caller promises 1 and 2.
    unsafe { (code(isa).stream)(dst, src, bytes) }
    super::vector::fence();
}
