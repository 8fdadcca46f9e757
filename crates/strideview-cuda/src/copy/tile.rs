//! Planning a transpose of tiles: see `kernels/tile.cu`.
#![forbid(unsafe_code)]

use strideview_copy::PlanAxis;

use super::divisor::Divisor;
use super::geometry::{Cut, Order, alignment, outer};
use super::job::{MOST_INNER, THREADS, TileAxis, TileJob};
use super::kernel::Kernel;
use super::problem::Problem;

/// The most bytes of one of the two buffers of a block.
const MOST_BUFFER_BYTES: i64 = 24 << 10;

/// Rows of fewer bytes are written item by item where their vectors are not aligned.
const LEAST_SHIFTED_ROW: i64 = 128;

/// How a side is accessed: items of a vector, at any alignment or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Vector,
    Shifted,
    Two,
    One,
}

impl Access {
    fn items(self, item: i64) -> i64 {
        match self {
            Self::Vector | Self::Shifted => 16 / item,
            Self::Two => 2,
            Self::One => 1,
        }
    }
}

/// One side of a tile: the axes that follow each other there, and how much of each it takes.
#[derive(Clone, Copy, Debug)]
struct Group {
    members: [(usize, i64); MOST_INNER],
    count: usize,
    items: i64,
}

impl Group {
    fn has(&self, axis: usize) -> bool {
        self.members().any(|(member, _)| member == axis)
    }

    fn members(&self) -> impl Iterator<Item = (usize, i64)> {
        self.members.iter().take(self.count).copied()
    }

    fn tile_of(&self, axis: usize) -> Option<i64> {
        self.members().find(|(member, _)| *member == axis).map(|(_, tile)| tile)
    }

    fn last(&self) -> (usize, i64) {
        self.members[self.count - 1]
    }
}

/// About `most` of an axis: in pieces of equal size, multiples of `grain` where it is long.
fn part(extent: i64, most: i64, grain: i64) -> i64 {
    if extent <= most {
        return extent;
    }
    let pieces = extent / most + i64::from(extent % most != 0);
    let even = extent / pieces + i64::from(extent % pieces != 0);
    ((even + grain - 1) / grain * grain).min(most)
}

/// The largest divisor of `extent` up to `most`, where it is not much less; else `most`.
fn divisor_near(extent: i64, most: i64) -> i64 {
    if extent <= most {
        return extent;
    }
    (most / 2 + 1..=most).rev().find(|part| extent % part == 0).unwrap_or(most)
}

/// Takes about `target` items, starting with the axis `first`, and going on along those that follow it
/// on the side of `stride`.
fn group(
    axes: &[PlanAxis],
    first: usize,
    target: i64,
    grain: i64,
    stride: impl Fn(&PlanAxis) -> i64,
    taken: impl Fn(usize) -> bool,
) -> Group {
    let tile = part(axes[first].extent, target, grain);
    let mut group = Group { members: [(first, tile); MOST_INNER], count: 1, items: tile };
    let step = stride(&axes[first]);
    while group.count < MOST_INNER {
        let (last, tile) = group.last();
        let room = target / group.items;
        if tile != axes[last].extent || room < 2 {
            break;
        }
        let follows = |axis: &PlanAxis| step.checked_mul(group.items) == Some(stride(axis));
        let next = axes
            .iter()
            .enumerate()
            .position(|(position, axis)| follows(axis) && !group.has(position) && !taken(position));
        let Some(next) = next else { break };
        let tile = divisor_near(axes[next].extent, room);
        group.members[group.count] = (next, tile);
        group.count += 1;
        group.items *= tile;
    }
    group
}

/// How many reads and writes each thread does: as the kernels are compiled.
fn capacity(item: i64, input: Access, output: Access) -> (i64, i64) {
    match (item, input, output) {
        (1, Access::One, Access::Vector) => (4, 1),
        (1, Access::One, _) => (4, 2),
        (2, Access::One, Access::Vector) => (8, 2),
        (2, Access::One, _) => (8, 3),
        (1, _, Access::Vector) => (1, 4),
        (1, _, _) => (1, 4),
        (2, _, Access::Vector) => (2, 4),
        (2, _, _) => (2, 4),
        (4, Access::Two, Access::Vector) => (9, 5),
        (4, Access::Vector, Access::Vector) => (5, 5),
        (4, Access::Vector | Access::Shifted, Access::Shifted) => (4, 4),
        (4, input, output) => (16 / input.items(4), 16 / output.items(4)),
        (8, input, output) => (8 / input.items(8), 8 / output.items(8)),
        _ => (4, 4),
    }
}

fn kernel(item: i64, input: Access, output: Access) -> Option<Kernel> {
    use Access::{One, Shifted, Two, Vector};
    Some(match (item, input, output) {
        (1, Vector, Vector) => Kernel::Tile1VV,
        (1, Vector, Shifted) => Kernel::Tile1VS,
        (1, Shifted, Vector) => Kernel::Tile1SV,
        (1, Shifted, Shifted) => Kernel::Tile1SS,
        (1, One, Vector) => Kernel::Tile1OneV,
        (1, One, Shifted) => Kernel::Tile1OneS,
        (2, Vector, Vector) => Kernel::Tile2VV,
        (2, Vector, Shifted) => Kernel::Tile2VS,
        (2, Shifted, Vector) => Kernel::Tile2SV,
        (2, Shifted, Shifted) => Kernel::Tile2SS,
        (2, One, Vector) => Kernel::Tile2OneV,
        (2, One, Shifted) => Kernel::Tile2OneS,
        (4, Vector, Vector) => Kernel::Tile4VV,
        (4, Vector, One) => Kernel::Tile4VOne,
        (4, One, Vector) => Kernel::Tile4OneV,
        (4, One, One) => Kernel::Tile4OneOne,
        (4, Two, Vector) => Kernel::Tile4TwoV,
        (4, Two, One) => Kernel::Tile4TwoOne,
        (4, Vector, Shifted) => Kernel::Tile4VS,
        (4, Shifted, Vector) => Kernel::Tile4SV,
        (4, Shifted, Shifted) => Kernel::Tile4SS,
        (8, Vector, Vector) => Kernel::Tile8VV,
        (8, Vector, One) => Kernel::Tile8VOne,
        (8, One, Vector) => Kernel::Tile8OneV,
        (8, One, One) => Kernel::Tile8OneOne,
        (16, _, _) => Kernel::Tile16,
        _ => return None,
    })
}

/// A tile that fits: its two groups, and how they are accessed.
struct Shape {
    p: Group,
    q: Group,
    input: Access,
    output: Access,
    /// Columns that are read before those of the tile.
    halo: i64,
}

impl Shape {
    /// Items of a tile along P, with the room that vectors need.
    fn p_items(&self, item: i64) -> i64 {
        round_up(self.p.items, self.input.items(item))
    }

    fn q_items(&self, item: i64) -> i64 {
        if self.output == Access::Shifted {
            return self.q.items + self.halo;
        }
        round_up(self.q.items, self.output.items(item))
    }

    fn row_bytes(&self, item: i64) -> i64 {
        let bytes = (self.q_items(item) * item).max(16);
        if bytes >= 128 { round_up(bytes, 128) } else { (bytes as u64).next_power_of_two() as i64 }
    }

    /// Cells along Q.
    fn cells(&self, item: i64) -> i64 {
        self.q_items(item).div_euclid(rows(item)) + i64::from(self.q_items(item) % rows(item) != 0)
    }

    fn vectors(&self, item: i64) -> i64 {
        self.p_items(item) / self.input.items(item)
    }

    /// Chunks of a row that are written each at once.
    fn chunks(&self, item: i64) -> i64 {
        match self.output {
            Access::Shifted if self.halo > 0 => self.q.items * item / 16,
            Access::Shifted => (self.q.items * item + 31 + 15) / 16,
            output => self.q_items(item) / output.items(item),
        }
    }

    fn is_by_eight(&self, item: i64) -> bool {
        self.input.items(item) * item == 16 && self.vectors(item) % 8 == 0
    }

    fn fits(&self, item: i64) -> bool {
        let (most_reads, most_writes) = capacity(item, self.input, self.output);
        let (reads, writes) = self.accesses(item);
        let threads = i64::from(THREADS);
        reads <= most_reads * threads
            && writes <= most_writes * threads
            && self.p_items(item) * self.row_bytes(item) <= MOST_BUFFER_BYTES
    }

    /// Reads and writes of a tile, of all threads.
    fn accesses(&self, item: i64) -> (i64, i64) {
        let cells =
            if self.is_by_eight(item) { round_up(self.cells(item), 4) } else { self.cells(item) };
        (self.vectors(item) * cells, self.p_items(item) * self.chunks(item))
    }

    /// Whether each thread reads or writes more than four times.
    fn is_large(&self, item: i64) -> bool {
        let (reads, writes) = self.accesses(item);
        reads.max(writes) > 4 * i64::from(THREADS)
    }
}

/// Items of a cell along Q.
fn rows(item: i64) -> i64 {
    (4 / item).max(1)
}

fn round_up(value: i64, to: i64) -> i64 {
    (value + to - 1) / to * to
}

/// Items of a tile along P and Q, where both are long.
fn targets(item: i64) -> (i64, i64) {
    match item {
        1 => (128, 128),
        2 => (64, 128),
        4 => (64, 64),
        8 => (32, 64),
        _ => (32, 32),
    }
}

/// A plan for the axes `p` and `q` of a problem; None where this kernel is not for it.
pub(super) fn plan(problem: &Problem<'_>, p: usize, q: usize) -> Option<(TileJob, Kernel)> {
    let shape = shape(problem, p, q)?;
    let item = problem.item;
    let axes = problem.axes;
    let small = |value: i64| u32::try_from(value).ok();
    let mut cuts: Vec<Cut> = Vec::with_capacity(axes.len());
    for (position, axis) in axes.iter().enumerate() {
        let (tile, edge) = match (shape.p.tile_of(position), shape.q.tile_of(position)) {
            (Some(tile), _) => (tile, 1),
            (_, Some(tile)) => (tile, 2),
            _ => (1, 0),
        };
        // A single axis takes the room that vectors need.
        let tile = match edge {
            1 if shape.p.count == 1 => shape.p_items(item),
            2 if shape.q.count == 1 => shape.q_items(item) - shape.halo,
            _ => tile,
        };
        let beyond = if edge == 2 { shape.halo } else { 0 };
        cuts.push(Cut { axis: *axis, tile, edge, is_marked: false, beyond });
    }
    let limit = |group: &Group| {
        let (last, tile) = group.last();
        let cut = cuts[last];
        if group.count == 1 { cut.last() } else { group.items / tile * cut.last() }
    };
    let (p_last, q_last) = (limit(&shape.p), limit(&shape.q));
    let (p_axes, p_step) =
        side(axes, &shape.p, item, |axis| axis.dst_stride, |axis| axis.src_stride)?;
    let (q_axes, q_step) =
        side(axes, &shape.q, item, |axis| axis.src_stride, |axis| axis.dst_stride)?;
    let (first_byte, last_byte) = bytes_read(axes, &shape, item)?;
    let row_bytes = shape.row_bytes(item);
    let is_by_eight = shape.is_by_eight(item);
    let quads = item < 4 || shape.input.items(item) * item == 16;
    let places = row_bytes.min(128) / if quads { 16 } else { item };
    // The side whose rows are shorter gains more from its neighbours.
    let is_folded = shape.p.count + shape.q.count > 2;
    let is_by_source = is_folded && shape.p.items < shape.q.items;
    let order = if is_by_source { Order::Source } else { Order::Destination };
    let (outer, outer_count, tiles) = outer(&mut cuts, order)?;
    let job = TileJob {
        tiles,
        outer_count,
        p_items: small(shape.p_items(item))?,
        q_items: small(shape.q_items(item))?,
        p_last: small(p_last)?,
        q_last: if shape.halo > 0 { small(shape.q_items(item))? } else { small(q_last)? },
        p_axes: shape.p.count as u32,
        q_axes: shape.q.count as u32,
        p_step,
        q_step,
        row_bytes: small(row_bytes)?,
        buffer_bytes: small(shape.p_items(item) * row_bytes)?,
        vectors: Divisor::new(small(shape.vectors(item) / if is_by_eight { 8 } else { 1 })?),
        chunks: Divisor::new(small(shape.chunks(item))?),
        by_eight: is_by_eight.into(),
        exchange_mask: small(places - 1)?,
        first_byte,
        last_byte,
        q_halo: small(shape.halo)?,
        q_extent: if shape.halo > 0 { small(axes[q].extent)? } else { 0 },
        p: p_axes,
        q: q_axes,
        outer,
        ..TileJob::default()
    };
    let kernel = match kernel(item, shape.input, shape.output)? {
        Kernel::Tile4VV if shape.is_large(item) => Kernel::Tile4VVLarge,
        kernel => kernel,
    };
    Some((job, kernel))
}

/// The axes of a group with their strides on the other side, and the step of the first on its own.
/// None where an offset in a tile does not fit.
fn side(
    axes: &[PlanAxis],
    group: &Group,
    item: i64,
    other: impl Fn(&PlanAxis) -> i64,
    own: impl Fn(&PlanAxis) -> i64,
) -> Option<([TileAxis; MOST_INNER], i32)> {
    let mut result = [TileAxis::default(); MOST_INNER];
    let mut reach = 0_i64;
    for (slot, (position, tile)) in result.iter_mut().zip(group.members()) {
        let stride = other(&axes[position]) / item;
        reach = reach.checked_add(stride.checked_abs()?.checked_mul(tile)?)?;
        *slot = TileAxis {
            extent: Divisor::new(u32::try_from(tile).ok()?),
            stride: i32::try_from(stride).ok()?,
        };
    }
    let step = own(&axes[group.members[0].0]) / item;
    reach = reach.checked_add(step.checked_abs()?.checked_mul(group.items + 16)?)?;
    // Half of what there is, since both sides add up.
    (reach < 1 << 30).then_some(())?;
    Some((result, i32::try_from(step).ok()?))
}

/// From where to where a whole tile reads, from the address of its first item.
fn bytes_read(axes: &[PlanAxis], shape: &Shape, item: i64) -> Option<(i64, i64)> {
    let (mut first, mut last) = (0_i64, 2 * item * shape.input.items(item));
    for (position, tile) in shape.p.members().chain(shape.q.members()) {
        // Whole vectors and cells may go a little beyond.
        let reach = axes[position].src_stride.checked_mul(tile + 16)?;
        first = first.checked_add(reach.min(0))?;
        last = last.checked_add(reach.max(0))?;
    }
    Some((first, last))
}

/// The largest tile that fits: where the whole target does not, a part of it.
fn shape(problem: &Problem<'_>, p: usize, q: usize) -> Option<Shape> {
    let targets = targets(problem.item);
    // Some kernels take a little more than the target, where short axes are folded.
    let more = if problem.item == 4 { [20, 18].as_slice() } else { &[] };
    let shapes = (more.iter().copied())
        .chain([16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1])
        .filter_map(|sixteenths| shape_of(problem, p, q, targets, sixteenths));
    { shapes }.find(|shape| shape.fits(problem.item))
}

fn shape_of(
    problem: &Problem<'_>,
    p: usize,
    q: usize,
    (p_target, q_target): (i64, i64),
    sixteenths: i64,
) -> Option<Shape> {
    let full = p_target * q_target * sixteenths / 16;
    let q_target = q_target.min(full);
    let p_target = p_target.min(full / q_target).max(1);
    let (axes, item) = (problem.axes, problem.item);
    let grain = (32 / item).max(1);
    let in_source = |axis: &PlanAxis| axis.src_stride;
    let in_destination = |axis: &PlanAxis| axis.dst_stride;
    let halo = halo(problem, p, q);
    if halo > 0 {
        return skewed(problem, p, q, full, halo);
    }
    let mut along_p = group(axes, p, p_target, grain, in_source, |axis| axis == q);
    let mut along_q = group(axes, q, q_target, grain, in_destination, |axis| along_p.has(axis));
    if along_p.items * along_q.items * 2 <= full {
        along_p = group(axes, p, full / along_q.items, grain, in_source, |axis| along_q.has(axis));
        along_q =
            group(axes, q, full / along_p.items, grain, in_destination, |axis| along_p.has(axis));
    }
    let (input, output) = match (item, input(problem, &along_p)?, output(problem, &along_q)?) {
        (4, Access::Shifted, Access::One) => (Access::One, Access::One),
        (4, input @ (Access::One | Access::Two), Access::Shifted) => (input, Access::One),
        (_, input, output) => (input, output),
    };
    // Where whole rows are less than two chunks, items are better moved one by one.
    if item < 4 && output == Access::Shifted && along_q.items * item < 32 {
        return None;
    }
    Some(Shape { p: along_p, q: along_q, input, output, halo: 0 })
}

/// How many columns a tile reads before its own, so that rows of the destination that are not aligned
/// are written in whole vectors: 32 bytes of them, or none. Smaller items go by strips instead.
fn halo(problem: &Problem<'_>, p: usize, q: usize) -> i64 {
    let (axes, item) = (problem.axes, problem.item);
    let is_dense = axes[q].dst_stride == item && axes[p].src_stride == item;
    let others = axes.iter().enumerate().filter(|(position, _)| *position != q);
    let aligned = alignment(others.map(|(_, axis)| axis.dst_stride).chain([problem.dst_alignment]));
    let is_long = axes[q].extent * item >= 512 && axes[p].extent * item >= 64;
    if item == 4 && is_dense && is_long && aligned < 16 { 32 / item } else { 0 }
}

/// A tile with a halo.
fn skewed(problem: &Problem<'_>, p: usize, q: usize, full: i64, halo: i64) -> Option<Shape> {
    let (axes, item) = (problem.axes, problem.item);
    let in_source = |axis: &PlanAxis| axis.src_stride;
    let along_p = group(axes, p, 64.max(128 / item), 16 / item, in_source, |_| true);
    let columns = (full / along_p.items * item / 32 * 32) / item - halo;
    if columns < 32 / item {
        return None;
    }
    let along_q = Group { members: [(q, columns); MOST_INNER], count: 1, items: columns };
    let (input, output) = (input(problem, &along_p)?, Access::Shifted);
    let halo = if item == 4 && input == Access::One { return None } else { halo };
    Some(Shape { p: along_p, q: along_q, input, output, halo })
}

/// The widest access to the source that alignment and extents allow. The items of a group follow each
/// other, so a vector may hold the end of one axis and the beginning of the next.
fn input(problem: &Problem<'_>, p: &Group) -> Option<Access> {
    let (axes, item) = (problem.axes, problem.item);
    let (first, _) = p.members[0];
    let is_dense = axes[first].src_stride == item;
    let others = axes.iter().enumerate().filter(|(position, _)| !p.has(*position));
    let (last, tile) = p.last();
    let whole = if p.count == 1 { 16 } else { axes[last].src_stride.checked_mul(tile)? };
    let aligned =
        alignment(others.map(|(_, axis)| axis.src_stride).chain([problem.src_alignment, whole]));
    let holds = |access: Access| {
        let items = access.items(item);
        p.items >= items && (p.count == 1 || p.items % items == 0)
    };
    Some(match item {
        16 => Access::Vector,
        _ if is_dense && aligned == 16 && holds(Access::Vector) => Access::Vector,
        1 | 2 | 4 if is_dense && holds(Access::Shifted) => Access::Shifted,
        4 if is_dense && aligned >= 8 && holds(Access::Two) => Access::Two,
        _ => Access::One,
    })
}

/// The widest access to the destination that alignment and extents allow.
fn output(problem: &Problem<'_>, q: &Group) -> Option<Access> {
    let (axes, item) = (problem.axes, problem.item);
    let (first, _) = q.members[0];
    let is_dense = axes[first].dst_stride == item;
    let others = axes.iter().enumerate().filter(|(position, _)| !q.has(*position));
    let (last, tile) = q.last();
    let whole = if q.count == 1 { 16 } else { axes[last].dst_stride.checked_mul(tile)? };
    let aligned =
        alignment(others.map(|(_, axis)| axis.dst_stride).chain([problem.dst_alignment, whole]));
    let vector = 16 / item;
    let is_even = if q.count == 1 { q.items >= vector } else { q.items % vector == 0 };
    match item {
        16 => Some(Access::Vector),
        _ if is_dense && aligned == 16 && is_even => Some(Access::Vector),
        1 | 2 if is_dense => Some(Access::Shifted),
        1 | 2 => None,
        4 if is_dense && q.items * item >= LEAST_SHIFTED_ROW => Some(Access::Shifted),
        _ => Some(Access::One),
    }
}
