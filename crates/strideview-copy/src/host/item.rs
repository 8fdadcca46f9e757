//! The size of a short run, known to the compiler where it is a usual one.

/// How many bytes move at once.
pub(super) trait ItemSize: Copy {
    /// The size in bytes.
    fn bytes(self) -> usize;
}

/// A size that the compiler knows: moving such an item is a load and a store.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const BYTES: usize>;

impl<const BYTES: usize> ItemSize for Fixed<BYTES> {
    #[inline(always)]
    fn bytes(self) -> usize {
        BYTES
    }
}

/// Any other size.
#[derive(Clone, Copy)]
pub(super) struct Any(pub(super) usize);

impl ItemSize for Any {
    #[inline(always)]
    fn bytes(self) -> usize {
        self.0
    }
}

/// Moves one item.
///
/// # Safety
///
/// 1. `size` bytes may be written at `dst` and read at `src`.
/// 2. The two do not share a byte, and nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn move_item(size: impl ItemSize, dst: *mut u8, src: *const u8) {
    // SAFETY: the caller promises both; bytes need no alignment.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, size.bytes()) }
}

/// Calls a kernel with the size of a run as an [`ItemSize`]: one copy of the code for each usual
/// size, and one for all others.
macro_rules! with_item_size {
    ($run_bytes:expr, $size:ident => $call:expr) => {
        match $run_bytes {
            1 => with_item_size!(@ $size = $crate::host::item::Fixed::<1>, $call),
            2 => with_item_size!(@ $size = $crate::host::item::Fixed::<2>, $call),
            3 => with_item_size!(@ $size = $crate::host::item::Fixed::<3>, $call),
            4 => with_item_size!(@ $size = $crate::host::item::Fixed::<4>, $call),
            6 => with_item_size!(@ $size = $crate::host::item::Fixed::<6>, $call),
            8 => with_item_size!(@ $size = $crate::host::item::Fixed::<8>, $call),
            12 => with_item_size!(@ $size = $crate::host::item::Fixed::<12>, $call),
            16 => with_item_size!(@ $size = $crate::host::item::Fixed::<16>, $call),
            24 => with_item_size!(@ $size = $crate::host::item::Fixed::<24>, $call),
            other => with_item_size!(@ $size = $crate::host::item::Any($crate::host::length(other)), $call),
        }
    };
    (@ $size:ident = $value:expr, $call:expr) => {{
        let $size = $value;
        $call
    }};
}
pub(super) use with_item_size;
