//! Bytes to programs: any bytes are one, and small changes of them make small changes of it.

use strideview_copy::host::{Isa, Machine};

use super::Program;
use crate::oracle::Case;

const ITEMSIZES: [i64; 16] = [1, 2, 4, 8, 16, 1, 2, 4, 3, 5, 6, 12, 24, 31, 32, 40];
/// The most axes, and the most bytes to move.
const MOST_AXES: u8 = 6;
const MOST_BYTES: i64 = 1 << 16;

/// Reads bytes from the front; 0 after the last.
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
}

/// One axis, as the bytes have it.
struct Axis {
    extent: i64,
    /// Places in the order of either side, from the outermost to the innermost.
    dst_place: u8,
    src_place: u8,
    signs: u8,
    stride: i64,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    /// A number below `end`.
    fn below(&mut self, end: u8) -> usize {
        usize::from(self.byte() % end)
    }

    pub(super) fn program(&mut self) -> Program {
        let machine = self.machine();
        let misaligned = (self.below(64), self.below(64));
        let is_one_memory = self.byte() >= 200;
        let by = i64::from(self.byte()) - 128;
        let itemsize = ITEMSIZES[self.below(16)];
        let case = self.case(itemsize);
        let scale = if self.byte().is_multiple_of(2) { 1 } else { itemsize };
        Program { case, machine, misaligned, apart: is_one_memory.then_some(by * scale) }
    }

    fn machine(&mut self) -> Machine {
        let kinds = Isa::available();
        let isa = kinds[self.below(kinds.len() as u8)];
        let cache_bytes = if self.byte().is_multiple_of(2) { 0 } else { i64::MAX };
        let threads = [1, 1, 2, 3][self.below(4)];
        Machine { isa, cache_bytes, threads, thread_bytes: 0 }
    }

    fn case(&mut self, itemsize: i64) -> Case {
        let gaps = [0, 0, 0, 0, itemsize, 1, 64, 7 * itemsize];
        let mut gap = || gaps[self.below(8)];
        let (dst_gap, src_gap, dst_apart, src_apart) = (gap(), gap(), gap(), gap());
        let mut bytes = itemsize;
        let axes: Vec<Axis> = (0..self.below(MOST_AXES)).map(|_| self.axis(&mut bytes)).collect();
        let mut dst_strides = dense(&axes, itemsize + dst_apart, dst_gap, |axis| axis.dst_place);
        let mut src_strides = dense(&axes, itemsize + src_apart, src_gap, |axis| axis.src_place);
        for ((axis, dst), src) in axes.iter().zip(&mut dst_strides).zip(&mut src_strides) {
            *dst = if axis.signs & 1 == 1 { -*dst } else { *dst };
            *src = match axis.signs >> 1 & 7 {
                0..=3 => *src,
                4 | 5 => -*src,
                6 => 0,
                _ => axis.stride,
            };
        }
        let shape = axes.iter().map(|axis| axis.extent).collect();
        Case { shape, dst_strides, src_strides, itemsize }
    }

    /// An axis that leaves no more than the most `bytes` to move.
    fn axis(&mut self, bytes: &mut i64) -> Axis {
        let extent = match self.byte() {
            0 => 0,
            small @ 1..=127 => i64::from(small % 8) + 1,
            middle @ 128..=191 => i64::from(middle % 64) + 1,
            large => i64::from(large - 191) * 40 + i64::from(self.byte() % 32),
        };
        let extent = extent.min(MOST_BYTES / (*bytes).max(1));
        *bytes *= extent.max(1);
        Axis {
            extent,
            dst_place: self.byte(),
            src_place: self.byte(),
            signs: self.byte(),
            stride: i64::from(self.byte()) - 128,
        }
    }
}

/// Strides of items `pitch` bytes apart, and lines as many and `gap` bytes more.
fn dense(axes: &[Axis], pitch: i64, gap: i64, place: impl Fn(&Axis) -> u8) -> Vec<i64> {
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|axis| place(&axes[*axis]));
    let mut strides = vec![0; axes.len()];
    let mut step = pitch;
    for axis in order.into_iter().rev() {
        strides[axis] = step;
        step = step * axes[axis].extent.max(1) + gap;
    }
    strides
}
