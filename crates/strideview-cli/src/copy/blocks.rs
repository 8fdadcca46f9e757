//! Which part of the array is copied at a time.
//!
//! A block is a box of indices. It grows, axis by axis, on the side whose runs are shorter, until
//! both sides have long runs or memory is full. So of a transposition both files are walked in
//! squares, and of a permutation whose blocks are whole in one file, the runs in the other are as
//! long as memory allows: every page of either is met once or twice.
#![forbid(unsafe_code)]

use std::fmt;

use strideview_copy::CopyPlan;

use super::resident::resident;
use crate::error::Error;

/// Runs of so many bytes on both sides are long enough.
const LONG_RUN: u64 = 16 << 20;

/// What a fault brings along on either side of what is read: Linux maps 64 KiB at a time.
const AROUND: u64 = 64 << 10;

/// What else is going to be resident: stacks of threads, the rounding of buffers, a bar.
const ELSE: u64 = 24 << 20;

/// Buffers: one is filled while the other is written.
pub(super) const BUFFERS: u64 = 2;

/// An axis that is walked, with strides in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) extent: i64,
    pub(super) dst: i64,
    pub(super) src: i64,
}

/// What goes where, in bytes from the start of the data.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    /// From the slowest to the fastest in the destination.
    pub(super) axes: Vec<Axis>,
    pub(super) dst_offset: i64,
    pub(super) src_offset: i64,
    pub(super) itemsize: i64,
    bytes: u64,
}

impl Transfer {
    /// The same as a plan says, element by element; None when there is nothing to copy.
    pub(crate) fn new(plan: &CopyPlan, itemsize: i64) -> Option<Self> {
        if plan.bytes() == 0 {
            return None;
        }
        let axis = |axis: &strideview_copy::PlanAxis| Axis {
            extent: axis.extent,
            dst: axis.dst_stride,
            src: axis.src_stride,
        };
        let mut axes: Vec<Axis> = plan.axes().iter().map(axis).collect();
        if plan.run_bytes() > itemsize {
            let extent = plan.run_bytes() / itemsize;
            axes.push(Axis { extent, dst: itemsize, src: itemsize });
        }
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.dst));
        Some(Self {
            axes,
            dst_offset: plan.dst_offset(),
            src_offset: plan.src_offset(),
            itemsize,
            bytes: plan.bytes().unsigned_abs(),
        })
    }
}

/// A transfer cut into blocks.
pub(crate) struct Blocks {
    pub(super) transfer: Transfer,
    /// Extents of a block, for each axis.
    pub(super) extents: Vec<i64>,
}

/// One of the sides of a copy.
#[derive(Clone, Copy)]
enum Side {
    Dst,
    Src,
}

impl Blocks {
    /// Blocks with which no more than `memory` bytes are going to be resident.
    pub(crate) fn new(transfer: Transfer, memory: u64) -> Result<Self, Error> {
        let taken = resident() + ELSE;
        let mut blocks = Self { extents: vec![1; transfer.axes.len()], transfer };
        let least = taken + blocks.resident_bytes();
        if memory < least {
            return Err(Error::Memory { limit: memory, least });
        }
        blocks.grow(memory - taken);
        blocks.even_out();
        Ok(blocks)
    }

    fn grow(&mut self, memory: u64) {
        let orders = [self.order(Side::Dst), self.order(Side::Src)];
        let mut is_done = [false; 2];
        while is_done != [true; 2] {
            let run =
                |side: usize| if is_done[side] { u64::MAX } else { self.run(&orders[side][..]) };
            let side = if run(0) <= run(1) { 0 } else { 1 };
            let next = orders[side].iter().map(|(axis, _)| *axis).find(|axis| self.is_part(*axis));
            is_done[side] = match next {
                Some(axis) if self.run(&orders[side]) < LONG_RUN => !self.widen(axis, memory),
                _ => true,
            };
        }
    }

    /// The axes of a side from the fastest to the slowest, with the absolute strides.
    fn order(&self, side: Side) -> Vec<(usize, u64)> {
        let stride = |axis: &Axis| match side {
            Side::Dst => axis.dst.unsigned_abs(),
            Side::Src => axis.src.unsigned_abs(),
        };
        let mut order: Vec<_> = self.transfer.axes.iter().map(stride).enumerate().collect();
        order.sort_by_key(|(_, stride)| *stride);
        order
    }

    /// Whether a block has less than all of an axis.
    fn is_part(&self, axis: usize) -> bool {
        self.extents[axis] < self.transfer.axes[axis].extent
    }

    /// Bytes from the first to the last of a block that lie together on a side, or nearly.
    fn run(&self, order: &[(usize, u64)]) -> u64 {
        let mut run = self.transfer.itemsize.unsigned_abs();
        for (axis, stride) in order {
            run = run.saturating_add(stride.saturating_mul(self.extents[*axis].unsigned_abs() - 1));
            if self.is_part(*axis) {
                break;
            }
        }
        run
    }

    /// Doubles the extent of an axis, or makes it as large as memory allows; false when memory
    /// is full.
    fn widen(&mut self, axis: usize, memory: u64) -> bool {
        let (had, all) = (self.extents[axis], self.transfer.axes[axis].extent);
        let wanted = had.saturating_mul(2).min(all);
        let mut fits = |extent: i64| {
            self.extents[axis] = extent;
            self.resident_bytes() <= memory
        };
        if fits(wanted) {
            return true;
        }
        let (mut good, mut bad) = (had, wanted);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if fits(middle) { good = middle } else { bad = middle }
        }
        self.extents[axis] = good;
        false
    }

    /// Makes the last block along each axis about as large as the others.
    fn even_out(&mut self) {
        for (extent, axis) in self.extents.iter_mut().zip(&self.transfer.axes) {
            let count = axis.extent.div_euclid(*extent) + i64::from(axis.extent % *extent != 0);
            *extent = axis.extent.div_euclid(count) + i64::from(axis.extent % count != 0);
        }
    }

    /// Bytes of a block.
    pub(super) fn block_bytes(&self) -> u64 {
        let elements = self
            .extents
            .iter()
            .fold(1_u64, |product, extent| product.saturating_mul(extent.unsigned_abs()));
        elements.saturating_mul(self.transfer.itemsize.unsigned_abs())
    }

    /// Bytes that are going to be resident because of a block: its buffers, and the pages of the
    /// source that are met, with those around them.
    fn resident_bytes(&self) -> u64 {
        let buffers = self.block_bytes().saturating_mul(BUFFERS);
        buffers.saturating_add(self.mapped_bytes())
    }

    /// At most so many bytes of the source become resident.
    fn mapped_bytes(&self) -> u64 {
        let mut run = self.transfer.itemsize.unsigned_abs();
        let mut runs = 1_u64;
        for (axis, stride) in self.order(Side::Src) {
            let extent = self.extents[axis].unsigned_abs();
            // Runs that are less apart than what a fault brings along are one.
            if runs == 1 && stride <= run.saturating_add(2 * AROUND) {
                run = run.saturating_add(stride.saturating_mul(extent - 1));
            } else {
                runs = runs.saturating_mul(extent);
            }
        }
        runs.saturating_mul(run.saturating_add(2 * AROUND))
    }

    /// Whether nearly all of the source between the first byte of a block and the last is read.
    pub(super) fn is_dense_in_source(&self) -> bool {
        self.span() <= self.block_bytes().saturating_mul(2)
    }

    fn span(&self) -> u64 {
        let axes = self.transfer.axes.iter().zip(&self.extents);
        axes.fold(self.transfer.itemsize.unsigned_abs(), |span, (axis, extent)| {
            let reach = axis.src.unsigned_abs().saturating_mul(extent.unsigned_abs() - 1);
            span.saturating_add(reach)
        })
    }

    /// The blocks in the order of the destination: the first index and the extents of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = Block> + '_ {
        let axes = || self.transfer.axes.iter().zip(&self.extents);
        let counts: Vec<u64> = axes()
            .map(|(axis, extent)| axis.extent.unsigned_abs().div_ceil(extent.unsigned_abs()))
            .collect();
        let total: u64 = counts.iter().product();
        (0..total).map(move |number| self.block(number, &counts))
    }

    fn block(&self, mut number: u64, counts: &[u64]) -> Block {
        let transfer = &self.transfer;
        let mut axes = transfer.axes.clone();
        let (mut dst_offset, mut src_offset) = (transfer.dst_offset, transfer.src_offset);
        for place in (0..axes.len()).rev() {
            let (axis, extent) = (&mut axes[place], self.extents[place]);
            // Below the extent of the axis.
            let first = i64::try_from(number % counts[place]).unwrap_or(0) * extent;
            number /= counts[place];
            dst_offset += first * axis.dst;
            src_offset += first * axis.src;
            axis.extent = extent.min(axis.extent - first);
        }
        Block { axes, dst_offset, src_offset, itemsize: transfer.itemsize }
    }
}

/// Blocks and their runs, in a line each.
impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.iter().size_hint().0;
        let run = |side| self.run(&self.order(side));
        write!(
            f,
            "blocks: {count} of at most {} bytes\nruns of a block: destination {} bytes, source {} bytes\n\
             resident: at most {} bytes beside the program",
            self.block_bytes(),
            run(Side::Dst).min(self.transfer.bytes),
            run(Side::Src),
            self.resident_bytes() + ELSE,
        )
    }
}

/// A box of indices and where it lies, in bytes from the start of the data.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) axes: Vec<Axis>,
    pub(super) dst_offset: i64,
    pub(super) src_offset: i64,
    pub(super) itemsize: i64,
}

impl Block {
    /// The bytes of the source that it reads: the first, and how many up to the last.
    pub(super) fn source_range(&self) -> (i64, i64) {
        let (mut first, mut last) = (self.src_offset, self.src_offset + self.itemsize);
        for axis in &self.axes {
            let reach = axis.src * (axis.extent - 1);
            if reach < 0 { first += reach } else { last += reach }
        }
        (first, last - first)
    }

    /// The runs of the destination, in the order in which they stand in the buffer: where each
    /// starts, and its length in bytes, which is the same for all.
    pub(super) fn runs(&self) -> (i64, impl Iterator<Item = i64>) {
        let mut length = self.itemsize;
        let mut outer = self.axes.len();
        while outer > 0 && self.axes[outer - 1].dst == length {
            outer -= 1;
            length *= self.axes[outer].extent;
        }
        let count: i64 = self.axes[..outer].iter().map(|axis| axis.extent).product();
        let starts = (0..count).map(move |mut number| {
            let mut start = self.dst_offset;
            for axis in self.axes[..outer].iter().rev() {
                start += number % axis.extent * axis.dst;
                number /= axis.extent;
            }
            start
        });
        (length, starts)
    }
}

#[cfg(test)]
mod tests {
    use strideview::StridedLayout;
    use strideview_copy::plan_for;

    use super::*;

    /// The blocks of a permuted copy of float32.
    fn blocks(shape: &[i64], axes: &[i64], memory: u64) -> Blocks {
        let src = StridedLayout::new(shape, None, 4).unwrap().permuted(axes).unwrap();
        let dst = StridedLayout::new(src.shape(), None, 4).unwrap();
        let transfer = Transfer::new(&plan_for(&dst, &src).unwrap(), 4).unwrap();
        Blocks::new(transfer, memory).unwrap()
    }

    fn runs(blocks: &Blocks) -> [u64; 2] {
        [Side::Dst, Side::Src].map(|side| blocks.run(&blocks.order(side)))
    }

    #[test]
    fn a_permutation_is_walked_in_whole_runs_of_the_source() {
        let blocks = blocks(&[1024, 1024, 1536], &[2, 0, 1], 1 << 30);
        let [dst, src] = runs(&blocks);
        assert!(dst >= 128 << 10 && src >= 128 << 20, "{dst} {src}");
        assert!(blocks.is_dense_in_source());
    }

    #[test]
    fn a_transposition_is_walked_in_squares() {
        let [dst, src] = runs(&blocks(&[100_000, 100_000], &[1, 0], 1 << 30));
        // Three pages and more: few are met twice.
        assert!(dst >= 12 << 10 && src >= 12 << 10, "{dst} {src}");
    }

    /// Law: the runs of all blocks are all bytes of the destination, each once.
    #[test]
    fn runs_cover_the_destination() {
        let mut blocks = blocks(&[5, 6, 7], &[2, 0, 1], 1 << 30);
        for extents in [[1, 1, 1], [2, 3, 4], [7, 1, 6], [3, 5, 6], [7, 5, 6]] {
            blocks.extents = extents[..blocks.extents.len()].to_vec();
            blocks.extents.iter_mut().zip(&blocks.transfer.axes).for_each(|(extent, axis)| {
                *extent = (*extent).min(axis.extent);
            });
            let mut met = [0; 5 * 6 * 7 * 4];
            for block in blocks.iter() {
                let (length, starts) = block.runs();
                for start in starts {
                    let bytes =
                        usize::try_from(start).unwrap()..usize::try_from(start + length).unwrap();
                    met[bytes].iter_mut().for_each(|count| *count += 1);
                }
            }
            assert!(met.iter().all(|count| *count == 1), "{extents:?}");
        }
    }
}
