//! What kernels are given: the structures of `kernels/*.cu`, field by field.
#![forbid(unsafe_code)]

use super::divisor::Divisor;

/// Threads of a block, of every kernel.
pub(super) const THREADS: u32 = 256;
/// The most axes that tiles are counted along.
pub(super) const MOST_OUTER: usize = 12;
/// The most axes of each side of a tile, and of a box.
pub(super) const MOST_INNER: usize = 4;

/// An axis that tiles are counted along; steps are in bytes. `edge` is not 0 where the last tile is
/// cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct Outer {
    pub(super) tiles: Divisor,
    pub(super) edge: u32,
    pub(super) dst: i64,
    pub(super) src: i64,
}

/// An axis of one side of a tile, and the step along it on the other side, in items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct TileAxis {
    pub(super) extent: Divisor,
    pub(super) stride: i32,
}

/// For `tile.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct TileJob {
    pub(super) dst: u64,
    pub(super) src: u64,
    pub(super) src_low: u64,
    pub(super) src_high: u64,
    pub(super) tiles: u32,
    pub(super) outer_count: u32,
    pub(super) p_items: u32,
    pub(super) q_items: u32,
    pub(super) p_last: u32,
    pub(super) q_last: u32,
    pub(super) p_axes: u32,
    pub(super) q_axes: u32,
    pub(super) p_step: i32,
    pub(super) q_step: i32,
    pub(super) row_bytes: u32,
    pub(super) buffer_bytes: u32,
    pub(super) vectors: Divisor,
    pub(super) chunks: Divisor,
    pub(super) by_eight: u32,
    pub(super) exchange_mask: u32,
    pub(super) first_byte: i64,
    pub(super) last_byte: i64,
    pub(super) q_halo: u32,
    pub(super) q_extent: u32,
    pub(super) p: [TileAxis; MOST_INNER],
    pub(super) q: [TileAxis; MOST_INNER],
    pub(super) outer: [Outer; MOST_OUTER],
}

/// For `strip.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct StripJob {
    pub(super) dst: u64,
    pub(super) src: u64,
    pub(super) src_low: u64,
    pub(super) src_high: u64,
    pub(super) tiles: u32,
    pub(super) outer_count: u32,
    pub(super) p_items: u32,
    pub(super) p_last: u32,
    pub(super) q_extent: u32,
    pub(super) steps: u32,
    pub(super) dst_pitch: i64,
    pub(super) src_pitch: i64,
    pub(super) outer: [Outer; MOST_OUTER],
}

/// An axis of a box, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct BoxAxis {
    pub(super) extent: Divisor,
    pub(super) last: u32,
    pub(super) dst: i64,
    pub(super) src: i64,
}

/// For `direct.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct DirectJob {
    pub(super) dst: u64,
    pub(super) src: u64,
    pub(super) src_low: u64,
    pub(super) src_high: u64,
    pub(super) item_stride: i64,
    pub(super) run_bytes: i64,
    pub(super) first_byte: i64,
    pub(super) last_byte: i64,
    pub(super) tiles: u32,
    pub(super) outer_count: u32,
    pub(super) vectors: u32,
    pub(super) axes: u32,
    pub(super) along_run: u32,
    pub(super) inner: [BoxAxis; MOST_INNER],
    pub(super) outer: [Outer; MOST_OUTER],
}

/// For `interleave.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct InterleaveJob {
    pub(super) dst: u64,
    pub(super) src: u64,
    pub(super) plane: i64,
    pub(super) pixels: u64,
    pub(super) tiles: u32,
    pub(super) outer_count: u32,
    pub(super) along: u32,
    pub(super) outer: [Outer; MOST_OUTER],
}

/// An axis of a copy item by item, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct AnyAxis {
    pub(super) extent: u64,
    pub(super) dst: i64,
    pub(super) src: i64,
}

/// For `any.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct AnyJob {
    pub(super) dst: u64,
    pub(super) src: u64,
    pub(super) items: u64,
    pub(super) axes: u64,
    pub(super) axis: [AnyAxis; 65],
}

// The sizes that the compiler of the kernels gives them.
const _: () = {
    assert!(size_of::<Outer>() == 32);
    assert!(size_of::<TileJob>() == 648);
    assert!(size_of::<StripJob>() == 456);
    assert!(size_of::<BoxAxis>() == 32);
    assert!(size_of::<DirectJob>() == 88 + 4 * 32 + 12 * 32);
    assert!(size_of::<InterleaveJob>() == 48 + 12 * 32);
    assert!(size_of::<AnyJob>() == 32 + 65 * 24);
};
