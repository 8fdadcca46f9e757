//! Doing a host plan, with the instructions of one [`Vector`].

use std::mem::MaybeUninit;

use super::ahead::Ahead;
use super::block::Block;
use super::blocks::{Blocks, plane};
use super::divide::{IN_BYTES, OUT_BYTES};
use super::host_plan::HostPlan;
use super::interleave::{Deinterleave, Interleave};
use super::item::with_item_size;
use super::kernel::HostKernel;
use super::line::{Fill, Reverse};
use super::odometer::Odometer;
use super::run::Runs;
use super::table::Table;
use super::tile::Transpose;
use super::vector::{Vector, fence};
use super::{run, stream, strided, table};

/// Does the plan from `src` to `dst`, with the instructions of `V`.
///
/// # Safety
///
/// 1. The processor has the instructions of `V`.
/// 2. Every byte that the plan writes relative to `dst` may be written, and every byte that it
///    reads relative to `src` may be read; no byte of the one is a byte of the other, and nothing
///    else accesses them.
#[inline(always)]
pub(super) unsafe fn directly<V: Vector>(host: &HostPlan, dst: *mut u8, src: *const u8) {
    let table = table_of(host);
    if host.others().is_empty() {
        // SAFETY: the caller promises 1 and 2.
        return unsafe { fill::<V>(host, &plane(host, dst, src), &table) };
    }
    let mut walk = Odometer::new(host.others(), dst, src);
    loop {
        let plane = plane(host, walk.dst, walk.src);
        // SAFETY: the caller promises 1 and 2; the plane is a part of the plan.
        unsafe { fill::<V>(host, &plane, &table) };
        if !walk.step() {
            return;
        }
    }
}

/// As [`directly`], block by block, where blocks are gathered or streamed.
///
/// # Safety
///
/// As [`directly`].
#[inline(always)]
pub(super) unsafe fn by_blocks<V: Vector>(host: &HostPlan, dst: *mut u8, src: *const u8) {
    let table = table_of(host);
    let mut room = Room::new();
    let mut blocks = Blocks::new(host, dst, src);
    let mut next = blocks.next();
    while let Some(block) = next {
        next = blocks.next();
        // SAFETY: the caller promises 1 and 2; the block is a part of the plan.
        unsafe { one_block::<V>(host, block, next.as_ref(), &table, &mut room) };
    }
    if host.is_streamed {
        fence();
    }
}

#[inline(always)]
fn table_of(host: &HostPlan) -> Option<Table> {
    (host.kernel == HostKernel::Table).then(|| Table::new(host.table()))
}

/// Where blocks are put together.
#[repr(align(64))]
struct Room {
    lines_in: MaybeUninit<[u8; IN_BYTES]>,
    lines_out: MaybeUninit<[u8; OUT_BYTES]>,
}

impl Room {
    #[inline(always)]
    fn new() -> Self {
        Self { lines_in: MaybeUninit::uninit(), lines_out: MaybeUninit::uninit() }
    }
}

/// # Safety
///
/// As [`directly`], for the items of the block.
#[inline(always)]
unsafe fn one_block<V: Vector>(
    host: &HostPlan,
    mut block: Block,
    next: Option<&Block>,
    table: &Option<Table>,
    room: &mut Room,
) {
    if host.is_gathered && block.p * block.q * block.item_bytes <= IN_BYTES {
        // SAFETY: the caller promises 1 and 2; the room has as many bytes as the block.
        unsafe { gather_lines::<V>(&mut block, room.lines_in.as_mut_ptr().cast()) };
    }
    if !host.is_streamed {
        // SAFETY: the caller promises 1 and 2.
        return unsafe { fill::<V>(host, &block, table) };
    }
    let is_apart = block.dst_step != block.item_bytes as isize;
    if host.kernel == HostKernel::Runs && (is_apart || block.item_bytes >= 512) {
        // SAFETY: the caller promises 1 and 2.
        return unsafe { stream_runs::<V>(&block) };
    }
    let line = block.q * block.item_bytes;
    let out = room.lines_out.as_mut_ptr().cast::<u8>();
    let (dst, pitch) = (block.dst, block.dst_pitch);
    block.dst = out;
    block.dst_pitch = line as isize;
    block.dst_step = block.item_bytes as isize;
    // SAFETY: the caller promises 1 and what is read (2); the room has as many bytes as the block.
    unsafe { fill::<V>(host, &block, table) };
    if pitch == line as isize {
        Ahead::of(next, 1).fetch();
        // SAFETY: the caller promises 1 and what is written (2), which lies together.
        return unsafe { stream::copy::<V>(dst, out, line * block.p) };
    }
    let mut ahead = Ahead::of(next, block.p);
    for p in 0..block.p {
        ahead.fetch();
        let dst = dst.wrapping_offset(pitch.wrapping_mul(p as isize));
        // SAFETY: the caller promises 1 and what is written (2): a line of the block.
        unsafe { stream::copy::<V>(dst, out.wrapping_add(p * line), line) };
    }
}

/// Copies the source lines of a block of tiles together, and makes them its source.
///
/// # Safety
///
/// As [`directly`], for what the block reads; as many bytes may be written at `lines`.
#[inline(always)]
unsafe fn gather_lines<V: Vector>(block: &mut Block, lines: *mut u8) {
    let bytes = block.p * block.item_bytes;
    for q in 0..block.q {
        let src = block.src.wrapping_offset(block.src_pitch.wrapping_mul(q as isize));
        // SAFETY: the caller promises a line of the source, and room for it.
        unsafe { run::copy::<V>(lines.wrapping_add(q * bytes), src, bytes) };
    }
    block.src = lines;
    block.src_pitch = bytes as isize;
}

/// # Safety
///
/// As [`directly`], for the runs of the block.
#[inline(always)]
unsafe fn stream_runs<V: Vector>(block: &Block) {
    for p in 0..block.p {
        let (mut dst, mut src) = block.line(p);
        for _ in 0..block.q {
            // SAFETY: the caller promises 1 and the run (2).
            unsafe { stream::copy::<V>(dst, src, block.item_bytes) };
            dst = dst.wrapping_offset(block.dst_step);
            src = src.wrapping_offset(block.src_pitch);
        }
    }
}

/// Runs a kernel that has the item size as its const parameter; inside functions whose callers
/// promise what the kernel asks for.
macro_rules! run_for_size {
    (@ $block:expr, $V:ident, $kernel:ty) => {{
        // SAFETY: the caller promises 1 and 2; `choose` has made sure of the strides, and `divide`
        // and `blocks` that no block is too small.
        unsafe { $V::run::<$kernel>($block) }
    }};
    ($block:expr, $V:ident, $kernel:ident $(, $C:literal)?) => {
        match $block.item_bytes {
            1 => run_for_size!(@ $block, $V, $kernel<1 $(, $C)?>),
            2 => run_for_size!(@ $block, $V, $kernel<2 $(, $C)?>),
            4 => run_for_size!(@ $block, $V, $kernel<4 $(, $C)?>),
            _ => run_for_size!(@ $block, $V, $kernel<8 $(, $C)?>),
        }
    };
    (or 16, $block:expr, $V:ident, $kernel:ident) => {
        match $block.item_bytes {
            16 => run_for_size!(@ $block, $V, $kernel<16>),
            _ => run_for_size!($block, $V, $kernel),
        }
    };
}

/// Moves a block with the kernel of the plan.
///
/// # Safety
///
/// As [`directly`], for the items of the block, whose strides are those that the kernel needs.
#[inline(always)]
unsafe fn fill<V: Vector>(host: &HostPlan, block: &Block, table: &Option<Table>) {
    match host.kernel {
        HostKernel::Tiles => run_for_size!(or 16, block, V, Transpose),
        HostKernel::Fill => run_for_size!(or 16, block, V, Fill),
        HostKernel::Reverse => run_for_size!(or 16, block, V, Reverse),
        HostKernel::Interleave => match host.q.extent {
            2 => run_for_size!(block, V, Interleave, 2),
            3 => run_for_size!(block, V, Interleave, 3),
            _ => run_for_size!(block, V, Interleave, 4),
        },
        HostKernel::Deinterleave => {
            let planes = if block.src_step == block.item_bytes as isize { block.p } else { 1 };
            let mut p = 0;
            while p < block.p {
                // SAFETY: the caller promises 1 and 2; `choose` has made sure of the strides.
                unsafe { deinterleave::<V>(host, &block.part(p, 0, planes, block.q)) };
                p += planes;
            }
        }
        HostKernel::Table => {
            if let Some(table) = table {
                // SAFETY: the caller promises 2; the table is that of the plan.
                with_item_size!(host.run_bytes, size => unsafe { table::gather(size, block, table) });
            }
        }
        // SAFETY: the caller promises 1 and 2.
        HostKernel::Runs => unsafe { V::run::<Runs>(block) },
        HostKernel::Items if block.p > 1 && block.src_step.abs() < block.src_pitch.abs() => {
            // SAFETY: the caller promises 2.
            with_item_size!(host.run_bytes, size => unsafe { strided::copy_squares(size, block) });
        }
        HostKernel::Items | HostKernel::Contiguous | HostKernel::Nothing => {
            // SAFETY: the caller promises 2.
            with_item_size!(host.run_bytes, size => unsafe { strided::copy_block(size, block) });
        }
    }
}

/// # Safety
///
/// As [`fill`], for planes of [`HostKernel::Deinterleave`].
#[inline(always)]
unsafe fn deinterleave<V: Vector>(host: &HostPlan, block: &Block) {
    match host.q.src_stride / host.run_bytes {
        2 => run_for_size!(block, V, Deinterleave, 2),
        3 => run_for_size!(block, V, Deinterleave, 3),
        _ => run_for_size!(block, V, Deinterleave, 4),
    }
}
