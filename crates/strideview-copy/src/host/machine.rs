//! What a host plan has to know of the processor.

use std::fmt;
use std::sync::OnceLock;

/// The instructions that kernels use.
///
/// ```
/// use strideview_copy::host::Isa;
///
/// assert!(Isa::available().contains(&Isa::Portable));
/// assert!(Isa::available().contains(&Isa::best()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// What every processor of the architecture has.
    Portable,
    /// 16 bytes at a time, with SSSE3.
    Ssse3,
    /// 32 bytes at a time, with AVX2.
    Avx2,
    /// 16 bytes at a time, with NEON.
    Neon,
}

impl Isa {
    /// Those that this processor has, the best last. O(1).
    ///
    /// ```
    /// let available = strideview_copy::host::Isa::available();
    /// assert!(!available.is_empty());
    /// ```
    pub fn available() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            const ALL: [Isa; 3] = [Isa::Portable, Isa::Ssse3, Isa::Avx2];
            if std::arch::is_x86_feature_detected!("avx2") {
                return &ALL;
            }
            if std::arch::is_x86_feature_detected!("ssse3") {
                return &ALL[..2];
            }
        }
        if cfg!(target_arch = "aarch64") { &[Isa::Portable, Isa::Neon] } else { &[Isa::Portable] }
    }

    /// The best that this processor has. O(1).
    ///
    /// ```
    /// use strideview_copy::host::Isa;
    /// assert_eq!(Isa::available().last(), Some(&Isa::best()));
    /// ```
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Ssse3 => "ssse3",
            Self::Avx2 => "avx2",
            Self::Neon => "neon",
        })
    }
}

/// What a [`HostPlan`](super::HostPlan) is made for.
///
/// ```
/// use strideview_copy::host::Machine;
///
/// let machine = Machine::this();
/// assert!(machine.threads >= 1 && machine.cache_bytes >= 1 << 18);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// The instructions to use; others than [`Isa::available`] are replaced by [`Isa::best`].
    pub isa: Isa,
    /// The size in bytes of the largest cache: what copies more than fits there is streamed.
    pub cache_bytes: i64,
    /// The most threads that a copy may use; 0 is taken as 1, and more than 256 as 256.
    pub threads: usize,
    /// The fewest bytes that are worth telling another thread about.
    pub thread_bytes: i64,
}

impl Machine {
    /// This machine, with the threads of [`set_threads`](super::set_threads). O(1).
    ///
    /// ```
    /// use strideview_copy::host::{Isa, Machine};
    /// assert_eq!(Machine::this().isa, Isa::best());
    /// ```
    #[inline]
    pub fn this() -> Self {
        static FIXED: OnceLock<(Isa, i64)> = OnceLock::new();
        let (isa, cache_bytes) = *FIXED.get_or_init(|| (Isa::best(), largest_cache()));
        Self { isa, cache_bytes, threads: super::threads(), thread_bytes: THREAD_BYTES }
    }
}

/// Telling a thread takes as long as copying some hundred kilobytes in the caches.
const THREAD_BYTES: i64 = 1 << 20;

/// Where the processor does not say.
const USUAL_CACHE: i64 = 16 << 20;

/// The size of the largest cache that a thread of this machine can use, in bytes.
fn largest_cache() -> i64 {
    #[cfg(target_arch = "x86_64")]
    {
        let largest = [4, 0x8000_001D].into_iter().map(largest_cache_of_leaf).max();
        if let Some(bytes) = largest.filter(|bytes| *bytes > 0) {
            return bytes;
        }
    }
    USUAL_CACHE
}

/// The largest cache that a leaf of `cpuid` describes; 0 when it describes none.
#[cfg(target_arch = "x86_64")]
fn largest_cache_of_leaf(leaf: u32) -> i64 {
    let first = if leaf >= 0x8000_0000 { 0x8000_0000 } else { 0 };
    if cpuid(first, 0).eax < leaf {
        return 0;
    }
    let caches = (0..8).map(|index| cpuid(leaf, index));
    let described = caches.take_while(|cache| cache.eax & 31 != 0);
    let bytes = described.map(|cache| {
        let field = |shift: u32, bits: u32| i64::from(cache.ebx >> shift & ((1 << bits) - 1)) + 1;
        field(22, 10) * field(12, 10) * field(0, 12) * (i64::from(cache.ecx) + 1)
    });
    bytes.max().unwrap_or(0)
}

#[cfg(target_arch = "x86_64")]
// The compiler calls it safe from 1.94 on.
#[allow(unused_unsafe)]
fn cpuid(leaf: u32, index: u32) -> std::arch::x86_64::CpuidResult {
    // SAFETY: every processor of this architecture has `cpuid`, which touches no memory.
    unsafe { std::arch::x86_64::__cpuid_count(leaf, index) }
}
