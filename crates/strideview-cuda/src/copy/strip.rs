//! Planning a transpose whose rows are not aligned in the destination: see `kernels/strip.cu`.
#![forbid(unsafe_code)]

use super::geometry::{Cut, Order, alignment, outer};
use super::job::StripJob;
use super::kernel::Kernel;
use super::problem::Problem;

/// Items of a strip along P.
const ROWS: i64 = 128;
/// Bytes of a row of the ring: two steps.
const RING_BYTES: i64 = 256;
/// Bytes of a row of the destination that a step has.
const STEP_BYTES: i64 = 128;
/// Of the shared memory that a block has.
pub(super) const SHARED_BYTES: u32 = (ROWS * RING_BYTES) as u32;

/// Steps of a segment where there are many: of all that were measured the best.
const STEPS: i64 = 3;
/// From so many segments on there are enough for a large device.
const MANY_SEGMENTS: i64 = 1024;
/// Shorter rows are better put together in tiles.
const LEAST_ROW_BYTES: i64 = 512;
/// Fewer rows leave most of a block idle.
const LEAST_ROWS: i64 = 32;

/// A plan for the axes `p`, dense in the source, and `q`, dense in the destination; None where rows are
/// aligned, short or few.
pub(super) fn plan(problem: &Problem<'_>, p: usize, q: usize) -> Option<(StripJob, Kernel)> {
    let (axes, item) = (problem.axes, problem.item);
    let (along_p, along_q) = (axes.get(p)?, axes.get(q)?);
    let is_dense = along_q.dst_stride == item && along_p.src_stride == item;
    let is_large = along_q.extent >= LEAST_ROW_BYTES / item && along_p.extent >= LEAST_ROWS;
    let all_but = |position: usize| {
        axes.iter().enumerate().filter(move |(other, _)| *other != position).map(|(_, axis)| axis)
    };
    let dst_alignment =
        alignment(all_but(q).map(|axis| axis.dst_stride).chain([problem.dst_alignment]));
    if !is_dense || !is_large || dst_alignment == 16 {
        return None;
    }
    let src_alignment =
        alignment(all_but(p).map(|axis| axis.src_stride).chain([problem.src_alignment]));
    let kernel = kernel(item, src_alignment == 16)?;
    let p_items = rows(along_p.extent, 16 / item);
    let step = STEP_BYTES / item;
    let job = |steps: i64| {
        let mut cuts: Vec<Cut> = (axes.iter().enumerate())
            .map(|(position, axis)| match position {
                at if at == p => {
                    Cut { axis: *axis, tile: p_items, edge: 1, is_marked: false, beyond: 0 }
                }
                // Every segment must know which one it is.
                at if at == q => {
                    Cut { axis: *axis, tile: steps * step, edge: 2, is_marked: true, beyond: 0 }
                }
                _ => Cut { axis: *axis, tile: 1, edge: 0, is_marked: false, beyond: 0 },
            })
            .collect();
        // Neighbours read neighbouring lines of the source.
        let p_last = cuts[p].last();
        let (outer, outer_count, tiles) = outer(&mut cuts, Order::Source)?;
        Some(StripJob {
            tiles,
            outer_count,
            p_items: u32::try_from(p_items).ok()?,
            p_last: u32::try_from(p_last).ok()?,
            q_extent: u32::try_from(along_q.extent).ok()?,
            steps: u32::try_from(steps).ok()?,
            dst_pitch: along_p.dst_stride,
            src_pitch: along_q.src_stride,
            outer,
            ..StripJob::default()
        })
    };
    let long = job(STEPS)?;
    let job = if i64::from(long.tiles) < MANY_SEGMENTS { job(1)? } else { long };
    Some((job, kernel))
}

/// Items of a segment along Q.
pub(super) fn columns(job: &StripJob, item: u32) -> u32 {
    job.steps * STEP_BYTES as u32 / item
}

/// Strips of about the same width, each of whole vectors.
fn rows(extent: i64, vector: i64) -> i64 {
    let strips = extent / ROWS + i64::from(extent % ROWS != 0);
    let even = extent / strips + i64::from(extent % strips != 0);
    (even + vector - 1) / vector * vector
}

fn kernel(item: i64, is_aligned: bool) -> Option<Kernel> {
    Some(match (item, is_aligned) {
        (1, true) => Kernel::Strip1V,
        (1, false) => Kernel::Strip1S,
        (2, true) => Kernel::Strip2V,
        (2, false) => Kernel::Strip2S,
        // Items of four bytes are faster in tiles that read a little more than they write.
        _ => return None,
    })
}
