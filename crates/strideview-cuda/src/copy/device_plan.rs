//! Which kernel does a copy, and how.
#![forbid(unsafe_code)]

use std::fmt;

use strideview_copy::{CopyPlan, PlanAxis};

use super::geometry::alignment;
use super::job::{AnyJob, DirectJob, InterleaveJob, StripJob, TileJob};
use super::kernel::Kernel;
use super::problem::{Problem, item};
use super::{any, direct, interleave, strip, tile};

/// Runs of fewer bytes count as items.
const LEAST_RUN: i64 = 32;

/// How a copy between two places of a device's memory is done: the kernel, its tiles, its vectors.
///
/// A value without a pointer, made by safe code from a [`CopyPlan`] and from how the two sides are
/// aligned; it can be kept, and used for all memory that is aligned as well. Prints as a description.
///
/// ```
/// use strideview_copy::CopyPlan;
/// use strideview_cuda::DevicePlan;
///
/// // A transposed 8192 x 8192 matrix of f32.
/// let plan = CopyPlan::new(&[8192, 8192], &[32768, 4], &[4, 32768], 4)?;
/// let plan = DevicePlan::new(&plan, 0, 0);
/// assert_eq!(plan.kernel_name(), "tile_4_v_v");
/// assert_eq!(plan.bytes(), 268_435_456);
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DevicePlan {
    pub(super) work: Work,
    pub(super) alignment: Alignment,
    pub(super) dst_offset: i64,
    pub(super) src_offset: i64,
    /// The bytes read lie from here to there, relative to the first one.
    pub(super) src_span: (i64, i64),
    pub(super) waves: u32,
    bytes: i64,
}

/// Of the first byte written and of the first byte read: powers of two, 16 at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Alignment {
    pub(super) dst: i64,
    pub(super) src: i64,
}

/// What is given to the driver.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::large_enum_variant, reason = "made for each copy: the heap would cost more")]
pub(super) enum Work {
    Nothing,
    /// A copy of so many bytes by the driver.
    Memcpy(i64),
    Tile(TileJob, Kernel),
    Strip(StripJob, Kernel),
    Direct(DirectJob, Kernel),
    Interleave(InterleaveJob, Kernel),
    Any(Box<AnyJob>, Kernel),
}

impl DevicePlan {
    /// The way to do `plan` between `dst` and `src`, the addresses of element `[0, …, 0]` on either
    /// side. Only their remainders by 16 matter. O(rank²), about a microsecond.
    pub fn new(plan: &CopyPlan, dst: u64, src: u64) -> Self {
        let first = |address: u64, offset: i64| {
            alignment([address.wrapping_add_signed(offset).cast_signed()])
        };
        let alignment =
            Alignment { dst: first(dst, plan.dst_offset()), src: first(src, plan.src_offset()) };
        let work = work(plan, alignment, src.wrapping_add_signed(plan.src_offset()));
        let waves = work.waves();
        Self {
            work,
            alignment,
            dst_offset: plan.dst_offset(),
            src_offset: plan.src_offset(),
            src_span: src_span(plan),
            waves,
            bytes: plan.bytes(),
        }
    }

    /// The bytes to move. O(1).
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// The name of the kernel, `memcpy` for a copy by the driver itself, or `nothing`. O(1).
    pub fn kernel_name(&self) -> &'static str {
        match &self.work {
            Work::Nothing => "nothing",
            Work::Memcpy(_) => "memcpy",
            work => work.kernel().map_or("nothing", Kernel::name),
        }
    }
}

impl Work {
    /// Blocks for each one that runs at a time: as many as there are tiles, or fewer that find out
    /// once what a tile is like and then walk several, reading one while they write another.
    fn waves(&self) -> u32 {
        match self {
            Self::Tile(..) => 24,
            Self::Direct(_, kernel) if !kernel.is_plain() => 24,
            _ => u32::MAX,
        }
    }

    pub(super) fn kernel(&self) -> Option<Kernel> {
        match self {
            Self::Nothing | Self::Memcpy(_) => None,
            Self::Tile(_, kernel)
            | Self::Strip(_, kernel)
            | Self::Direct(_, kernel)
            | Self::Interleave(_, kernel)
            | Self::Any(_, kernel) => Some(*kernel),
        }
    }
}

/// Where the bytes that are read begin and end, relative to the first byte of the first run.
fn src_span(plan: &CopyPlan) -> (i64, i64) {
    let (mut low, mut high) = (0_i64, plan.run_bytes());
    for axis in plan.axes() {
        // Fits, by invariant 3 of the plan.
        let reach = (axis.extent - 1).wrapping_mul(axis.src_stride);
        if reach < 0 {
            low = low.wrapping_add(reach);
        } else {
            high = high.wrapping_add(reach);
        }
    }
    (low, high)
}

fn work(plan: &CopyPlan, alignment: Alignment, src: u64) -> Work {
    if plan.bytes() == 0 {
        return Work::Nothing;
    }
    if plan.axes().is_empty() {
        return Work::Memcpy(plan.run_bytes());
    }
    let item = item(plan, alignment.dst, alignment.src);
    kernel_work(plan, alignment, src, item).unwrap_or_else(|| {
        let (job, kernel) = any::plan(plan, item);
        Work::Any(job, kernel)
    })
}

/// None where no kernel but the one for anything takes it.
fn kernel_work(plan: &CopyPlan, alignment: Alignment, src: u64, item: i64) -> Option<Work> {
    let problem = |axes| Problem {
        axes,
        item,
        dst_alignment: alignment.dst,
        src_alignment: alignment.src,
        reversed_start: src.wrapping_add_signed(item).cast_signed(),
    };
    if plan.run_bytes() >= LEAST_RUN {
        let (job, kernel) = direct::runs(&problem(plan.axes()), plan.run_bytes())?;
        return Some(Work::Direct(job, kernel));
    }
    // What is left of a run is an axis like others.
    let mut axes = Vec::with_capacity(plan.axes().len() + 1);
    axes.extend_from_slice(plan.axes());
    if plan.run_bytes() > item {
        let extent = plan.run_bytes() / item;
        axes.push(PlanAxis { extent, dst_stride: item, src_stride: item });
    }
    let problem = problem(&axes);
    let (p, q) = densest(&axes)?;
    if p != q && axes[q].dst_stride == item && axes[q].src_stride != 0 {
        if let Some((job, kernel)) = interleave::plan(&problem, p, q) {
            return Some(Work::Interleave(job, kernel));
        }
        if let Some((job, kernel)) = strip::plan(&problem, p, q) {
            return Some(Work::Strip(job, kernel));
        }
        if axes[p].src_stride.unsigned_abs() < axes[q].src_stride.unsigned_abs()
            && let Some((job, kernel)) = tile::plan(&problem, p, q)
        {
            return Some(Work::Tile(job, kernel));
        }
    }
    let (job, kernel) = direct::items(&problem, q)?;
    Some(Work::Direct(job, kernel))
}

/// The axes that are densest in the source and in the destination, by position.
fn densest(axes: &[PlanAxis]) -> Option<(usize, usize)> {
    let numbered = || axes.iter().enumerate();
    let in_source = numbered()
        .filter(|(_, axis)| axis.src_stride != 0)
        .min_by_key(|(_, axis)| axis.src_stride.unsigned_abs());
    let (q, _) = numbered().min_by_key(|(_, axis)| axis.dst_stride)?;
    Some((in_source.map_or(q, |(p, _)| p), q))
}

/// Kernel, shape of its tiles, bytes to move: a line each.
///
/// ```
/// use strideview_copy::CopyPlan;
/// use strideview_cuda::DevicePlan;
///
/// let plan = CopyPlan::new(&[512, 512], &[2048, 4], &[4, 2048], 4)?;
/// assert_eq!(
///     DevicePlan::new(&plan, 0, 0).to_string(),
///     "kernel: tile_4_v_v\n\
///      tile: 64 x 64 items of 4 bytes, 64 tiles\n\
///      bytes to move: 1048576"
/// );
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
impl fmt::Display for DevicePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel: {}", self.kernel_name())?;
        match &self.work {
            Work::Tile(job, _) => {
                let (p, q, tiles) = (job.p_items, job.q_items, job.tiles);
                let item = self.item_bytes();
                writeln!(f, "tile: {p} x {q} items of {item} bytes, {tiles} tiles")?;
            }
            Work::Strip(job, _) => {
                let (p, q, tiles) =
                    (job.p_items, strip::columns(job, self.item_bytes()), job.tiles);
                let item = self.item_bytes();
                writeln!(f, "segment: {p} x {q} items of {item} bytes, {tiles} segments")?;
            }
            Work::Direct(job, _) => {
                f.write_str("tile: ")?;
                for (position, axis) in job.inner.iter().take(job.axes as usize).enumerate() {
                    let by = if position == 0 { "" } else { " x " };
                    write!(f, "{by}{}", axis.extent.value)?;
                }
                writeln!(f, " vectors, {} tiles", job.tiles)?;
            }
            Work::Interleave(job, _) => {
                writeln!(f, "pixels: {}, {} tiles", job.pixels, job.tiles)?;
            }
            Work::Any(job, _) => writeln!(f, "items: {}, {} axes", job.items, job.axes)?,
            Work::Nothing | Work::Memcpy(_) => {}
        }
        write!(f, "bytes to move: {}", self.bytes)
    }
}

impl DevicePlan {
    fn item_bytes(&self) -> u32 {
        use super::kernel::Family;
        use Kernel::{Strip2S, Strip2V};
        match self.work.kernel().map(|kernel| (kernel, kernel.family())) {
            Some((Strip2V | Strip2S, _) | (_, Family::Tile2)) => 2,
            Some((_, Family::Tile4)) => 4,
            Some((_, Family::Tile8)) => 8,
            Some((_, Family::Tile16)) => 16,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permuted(shape: &[i64], order: &[usize], item: i64) -> DevicePlan {
        let strides = |shape: &[i64]| {
            let mut strides = vec![item; shape.len()];
            for axis in (0..shape.len() - 1).rev() {
                strides[axis] = strides[axis + 1] * shape[axis + 1];
            }
            strides
        };
        let from = strides(shape);
        let shape: Vec<i64> = order.iter().map(|axis| shape[*axis]).collect();
        let src: Vec<i64> = order.iter().map(|axis| from[*axis]).collect();
        let plan = CopyPlan::new(&shape, &strides(&shape), &src, item).unwrap();
        DevicePlan::new(&plan, 0, 0)
    }

    /// Kernel, items of a tile along P and Q.
    fn tile(plan: &DevicePlan) -> (&'static str, u32, u32) {
        let Work::Tile(job, kernel) = &plan.work else { panic!("wanted tiles, got {plan}") };
        (kernel.name(), job.p_items, job.q_items)
    }

    #[test]
    fn two_axes_are_tiles_of_whole_lines() {
        let of = |size, item| tile(&permuted(&[size, size], &[1, 0], item));
        assert_eq!(of(4096, 1), ("tile_1_v_v", 128, 128));
        assert_eq!(of(4096, 2), ("tile_2_v_v", 64, 128));
        assert_eq!(of(4096, 4), ("tile_4_v_v", 64, 64));
        assert_eq!(of(4096, 8), ("tile_8_v_v", 32, 64));
        assert_eq!(of(4096, 16), ("tile_16_v_v", 32, 32));
        assert_eq!(of(4095, 8), ("tile_8_1_1", 32, 64));
    }

    #[test]
    fn long_rows_that_are_not_aligned_are_strips() {
        let of = |rows, columns, item| permuted(&[rows, columns], &[1, 0], item).kernel_name();
        assert_eq!(of(4095, 4095, 1), "strip_1_s");
        assert_eq!(of(4095, 4096, 1), "strip_1_v");
        assert_eq!(of(4095, 4095, 2), "strip_2_s");
        assert_eq!(of(4095, 4095, 4), "tile_4_s_s");
        // The rows of the destination are aligned, or short; or there are few of them.
        assert_eq!(of(4096, 4095, 1), "tile_1_s_v");
        assert_eq!(of(511, 4095, 1), "tile_1_s_s");
        assert_eq!(of(4095, 31, 1), "tile_1_s_s");
        let plan = permuted(&[4095, 4095], &[1, 0], 1).to_string();
        let text = "kernel: strip_1_s\n\
             segment: 128 x 128 items of 1 bytes, 1024 segments\n\
             bytes to move: 16769025";
        assert_eq!(plan, text);
        let plan = permuted(&[23169, 23169], &[1, 0], 1).to_string();
        assert!(plan.contains("segment: 128 x 384 items of 1 bytes, 11102 segments"), "{plan}");
    }

    #[test]
    fn short_axes_are_folded_into_a_tile() {
        let plan = permuted(&[24, 24, 24, 24, 24, 16], &[3, 0, 5, 1, 4, 2], 4);
        assert_eq!(tile(&plan), ("tile_4_v_v_5", 192, 24));
        let plan = permuted(&[8, 6, 8, 6, 8, 6, 8, 6, 8, 6], &[9, 0, 8, 1, 7, 2, 6, 3, 5, 4], 4);
        assert_eq!(tile(&plan), ("tile_4_v_v_5", 96, 48));
        let plan = permuted(&[32, 40, 48, 56, 40], &[4, 3, 2, 1, 0], 4);
        assert_eq!(tile(&plan), ("tile_4_v_v_5", 80, 64));
    }

    #[test]
    fn other_kernels_are_chosen_by_what_lies_together() {
        let name = |plan: DevicePlan| plan.kernel_name();
        assert_eq!(name(permuted(&[10, 4992, 3], &[0, 2, 1], 1)), "split_1_3");
        assert_eq!(name(permuted(&[10, 3, 4096], &[0, 2, 1], 1)), "join_1_3");
        assert_eq!(name(permuted(&[1 << 20, 2], &[1, 0], 4)), "split_4_2");
        assert_eq!(name(permuted(&[16, 64, 32, 128], &[0, 2, 1, 3], 2)), "direct_16");
        let of = |shape: &[i64], dst: &[i64], src: &[i64], item| {
            DevicePlan::new(&CopyPlan::new(shape, dst, src, item).unwrap(), 0, 0).kernel_name()
        };
        assert_eq!(of(&[0], &[4], &[4], 4), "nothing");
        assert_eq!(of(&[100, 100], &[400, 4], &[400, 4], 4), "memcpy");
        assert_eq!(of(&[100, 101], &[404, 4], &[1024, 4], 4), "shifted_4");
        assert_eq!(of(&[100, 101], &[101, 1], &[1024, 1], 1), "shifted_1");
        assert_eq!(of(&[64, 64], &[256, 4], &[1024, 8], 4), "spread_4");
        assert_eq!(of(&[64, 64], &[256, 4], &[0, 4], 4), "direct_16");
        assert_eq!(of(&[64, 64], &[256, 4], &[4, 0], 4), "splat_4");
        // Element [0, 0] is the last of its row in memory.
        let plan = CopyPlan::new(&[64, 64], &[256, 4], &[256, -4], 4).unwrap();
        assert_eq!(DevicePlan::new(&plan, 0, 252).kernel_name(), "reversed_4");
    }

    /// More tile axes than kernels have room for.
    #[test]
    fn any_rank_has_a_kernel() {
        let strides: Vec<i64> = (0..20).map(|axis| 1 << (axis * 2)).collect();
        let plan = CopyPlan::new(&[2; 20], &strides, &strides, 1).unwrap();
        assert_eq!(DevicePlan::new(&plan, 0, 0).kernel_name(), "any_2");
    }
}
