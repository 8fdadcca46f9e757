//! How large blocks are, where stores go, and how many threads take part.
#![forbid(unsafe_code)]

use super::host_plan::HostPlan;
use super::kernel::HostKernel;
use super::machine::Machine;
use super::stream::LINE;

/// The room for a block on its way to the destination, in bytes.
pub(super) const OUT_BYTES: usize = 64 << 10;
/// The room for the source lines of a block, in bytes.
pub(super) const IN_BYTES: usize = 32 << 10;

/// More threads than this no copy makes use of, and no machine should be asked for.
const MOST_THREADS: usize = 256;

/// The bytes of a line that is put together before it is streamed: enough that the broken lines at
/// its ends do not count.
const STREAMED_LINE: i64 = 1024;
/// The shortest line that is worth streaming.
const SHORTEST_STREAMED: i64 = 128;
/// A source line of a block of tiles, in bytes: whole cache lines, and some of them in a row.
const SOURCE_LINE: i64 = 256;
/// A destination line of a block of tiles that is stored directly.
const DIRECT_LINE: i64 = 128;
/// The sets of the smallest cache, times the bytes of a line: addresses that differ by a multiple
/// compete for a place.
const WAY_BYTES: i64 = 4096;
/// Strides that are a multiple of this leave most of the smallest cache unused; of the next one,
/// which streamed blocks make use of, those that are a multiple of four times this.
const UNEVEN: i64 = 512;
/// Lines that can compete for a place without losing it.
const WAYS: i64 = 8;

pub(super) fn divide(host: &mut HostPlan, machine: &Machine) {
    if host.kernel == HostKernel::Nothing {
        return;
    }
    if host.bytes >= machine.thread_bytes {
        host.threads = machine.threads.clamp(1, MOST_THREADS);
    }
    // A source that is read again and again is in the caches.
    let read = if host.q.src_stride == 0 { 0 } else { host.bytes };
    let exceeds = host.bytes.saturating_add(read) > machine.cache_bytes / 4 * 3;
    host.is_streamed = exceeds && line_bytes(host) >= SHORTEST_STREAMED && host.isa.streams();
    let (p_block, q_block) = match host.kernel {
        HostKernel::Tiles => tile_block(host),
        HostKernel::Interleave => {
            (STREAMED_LINE * 4 / (host.q.extent * host.run_bytes), host.q.extent)
        }
        _ => (i64::MAX, i64::MAX),
    };
    host.p_block = p_block.clamp(1, host.p.extent);
    host.q_block = q_block.clamp(1, host.q.extent);
    if host.is_streamed {
        fit_out(host);
    }
}

/// The bytes that lie together in the destination of a block.
fn line_bytes(host: &HostPlan) -> i64 {
    match host.kernel {
        HostKernel::Contiguous => host.bytes,
        HostKernel::Interleave => host.p.extent.saturating_mul(host.p.dst_stride),
        HostKernel::Items => 0,
        HostKernel::Runs if host.q.dst_stride != host.run_bytes => host.run_bytes,
        _ if host.p.dst_stride == host.q.extent * host.run_bytes => {
            host.p.extent * host.p.dst_stride
        }
        _ => host.q.extent * host.run_bytes,
    }
}

/// (items along `p`, items along `q`) of a block of tiles.
fn tile_block(host: &mut HostPlan) -> (i64, i64) {
    let w = host.run_bytes;
    let (p_block, lines) = if host.is_streamed {
        ((SOURCE_LINE / w).min(64), STREAMED_LINE / w)
    } else {
        (SOURCE_LINE / w, DIRECT_LINE / w)
    };
    let lines = lines.min(host.q.extent);
    let power = common_power(host.q.src_stride);
    let uneven = if host.is_streamed { UNEVEN * 4 } else { UNEVEN };
    host.is_gathered = power >= uneven && lines > WAYS * (WAY_BYTES / power);
    if host.is_gathered && host.is_streamed {
        (p_block, lines.min(STREAMED_LINE / 2 / w))
    } else {
        (p_block, lines)
    }
}

/// The largest power of two that divides a stride, between a line and a way.
fn common_power(stride: i64) -> i64 {
    let power = 1_i64.checked_shl(stride.trailing_zeros()).unwrap_or(WAY_BYTES);
    power.clamp(LINE as i64, WAY_BYTES)
}

/// Makes the blocks fit in the room before they are streamed.
fn fit_out(host: &mut HostPlan) {
    let w = host.run_bytes;
    let is_planes = host.kernel == HostKernel::Deinterleave && host.p.src_stride == w;
    let is_square = match host.kernel {
        HostKernel::Tiles => true,
        HostKernel::Runs => host.p.src_stride == w,
        _ => false,
    };
    // Kernels of lines need no more than a part of the smallest cache.
    let room = if is_square { OUT_BYTES as i64 } else { STREAMED_LINE * 8 };
    let longest = match host.kernel {
        _ if is_planes => room / host.p.extent,
        // The table is that of a whole line, which fits.
        HostKernel::Table => room,
        _ => STREAMED_LINE * 4,
    };
    host.q_block = host.q_block.min((longest / w).max(1));
    // Blocks of whole cache lines, where there is more than one.
    let whole = LINE as i64 / (w & w.wrapping_neg()).min(LINE as i64);
    if host.q_block < host.q.extent && host.q_block > whole {
        host.q_block -= host.q_block % whole;
    }
    let line = w.saturating_mul(host.q_block);
    host.p_block = host.p_block.min((room / line.max(1)).max(1));
}
