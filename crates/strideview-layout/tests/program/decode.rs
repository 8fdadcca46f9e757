//! Bytes to layouts and transforms. Every byte string is a program; when it ends, zeros follow.

use strideview_layout::{LayoutError, Slice, StridedLayout};
use strideview_testkit::random::EDGES;

use super::{Operation, Order};

/// Reads numbers off a byte string.
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first
    }

    /// A number below `count`, which is at most 256.
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// Any 64 bits.
    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    /// A number, mostly small, sometimes at an edge of int64, sometimes any.
    fn value(&mut self) -> i64 {
        match self.byte() {
            byte @ 0..=199 => i64::from(byte) % 25 - 8,
            byte @ 200..=239 => EDGES[usize::from(byte) % EDGES.len()],
            _ => self.word().cast_signed(),
        }
    }

    /// An extent, mostly small.
    fn extent(&mut self) -> i64 {
        match self.byte() {
            byte @ 0..=239 => [1, 2, 3, 4, 0, 5, 1, 2][usize::from(byte) % 8],
            _ => self.value(),
        }
    }

    fn values(&mut self, count: usize) -> Vec<i64> {
        (0..count).map(|_| self.value()).collect()
    }

    /// A rank, mostly small.
    fn rank(&mut self) -> usize {
        match self.byte() {
            byte @ 0..=247 => usize::from(byte) % 6,
            _ => [8, 9, 16, 40, 62, 63, 64, 65][self.below(8)],
        }
    }

    /// An axis, mostly in range.
    fn axis(&mut self, rank: usize) -> i64 {
        match self.byte() {
            byte @ 0..=239 => i64::from(byte) % signed(2 * rank).max(1) - signed(rank),
            _ => self.value(),
        }
    }

    /// Axes without repetition, unless the last byte says otherwise.
    fn axes(&mut self, rank: usize, count: usize) -> Vec<i64> {
        let mut left: Vec<i64> = (0..signed(rank)).collect();
        let mut axes = Vec::new();
        while axes.len() < count && !left.is_empty() {
            let at = self.below(left.len());
            axes.push(left.remove(at));
        }
        if self.byte() >= 240 {
            axes.push(self.axis(rank));
        }
        axes
    }

    /// A layout of any constructor.
    pub(crate) fn layout(&mut self) -> Result<StridedLayout, LayoutError> {
        let kind = self.below(6);
        let rank = self.rank();
        let shape: Vec<i64> = (0..rank).map(|_| self.extent()).collect();
        let itemsize = self.itemsize();
        match kind {
            0 => StridedLayout::new(&shape, None, itemsize),
            1 => {
                StridedLayout::from_byte_strides(&shape, &self.values(rank), itemsize, self.value())
            }
            2 | 3 => {
                let order = self.order(rank);
                StridedLayout::dense(&shape, itemsize, order.borrowed())
            }
            4 => StridedLayout::new(&shape, Some(&self.values(rank)), itemsize),
            _ => {
                let strides = self.values(rank);
                StridedLayout::with_offset(&shape, Some(&strides), itemsize, self.value())
            }
        }
    }

    fn itemsize(&mut self) -> i64 {
        match self.byte() {
            byte @ 0..=239 => [1, 2, 3, 4, 6, 8, 12, 16][usize::from(byte) % 8],
            _ => self.value(),
        }
    }

    fn order(&mut self, rank: usize) -> Order {
        match self.below(8) {
            0 => Order::K,
            1..=3 => Order::C,
            4 => Order::F,
            _ => Order::Axes(self.axes(rank, rank)),
        }
    }

    /// A transform with arguments that go with the layout, mostly.
    pub(crate) fn operation(&mut self, layout: &StridedLayout) -> Operation {
        let rank = layout.rank();
        match self.below(19) {
            0 => Operation::Reshape(self.reshape_target(layout)),
            1 => Operation::Permute(self.axes(rank, rank)),
            2 => Operation::Transpose(self.axis(rank), self.axis(rank)),
            3 => Operation::MoveAxis(self.axis(rank), self.axis(rank)),
            4 => Operation::ReverseAxes,
            5 => self.flatten(rank),
            6 => Operation::Coalesce,
            7 => self.squeeze(layout),
            8 => {
                let count = self.below(4);
                Operation::Unsqueeze(self.axes(rank + count, count))
            }
            9 => Operation::BroadcastTo(self.broadcast_target(layout)),
            10 => Operation::Unbroadcast,
            11 => self.repack(layout),
            12 => Operation::Slice(self.slices(layout)),
            13 => Operation::Windows(self.axis(rank), self.extent(), self.extent()),
            14 => Operation::SplitAxis(self.axis(rank), self.extent()),
            15 => Operation::Diagonal(self.axis(rank), self.axis(rank), self.value()),
            16 => self.extend(layout),
            17 => {
                let count = self.below(rank + 1);
                Operation::Sub(self.axes(rank, count))
            }
            _ => Operation::MakeDense(self.order(rank)),
        }
    }

    fn flatten(&mut self, rank: usize) -> Operation {
        let mask = (self.byte() >= 128).then(|| self.word());
        if self.below(2) == 0 {
            return Operation::Flatten(0, -1, mask);
        }
        Operation::Flatten(self.axis(rank), self.axis(rank), mask)
    }

    fn squeeze(&mut self, layout: &StridedLayout) -> Operation {
        match self.below(3) {
            0 => Operation::Squeeze(None),
            1 => Operation::Squeeze(Some(vec![self.axis(layout.rank())])),
            _ => {
                let axes = (0..layout.rank()).filter(|&axis| layout.shape()[axis] == 1);
                Operation::Squeeze(Some(axes.map(signed).collect()))
            }
        }
    }

    fn repack(&mut self, layout: &StridedLayout) -> Operation {
        let factor = self.extent();
        let itemsize = match self.below(4) {
            0 => self.itemsize(),
            1 if factor != 0 => layout.itemsize().wrapping_div(factor),
            _ => layout.itemsize().wrapping_mul(factor),
        };
        let data_ptr = if self.byte() < 192 { 0 } else { self.word() };
        let keep_dim = self.below(2) == 0;
        Operation::Repack { itemsize, data_ptr, axis: self.axis(layout.rank()), keep_dim }
    }

    /// A few axes split or merged, a unit put in, or wild extents.
    fn reshape_target(&mut self, layout: &StridedLayout) -> Vec<i64> {
        let mut target = layout.shape().to_vec();
        for _ in 0..self.below(4) {
            let at = self.below(target.len() + 1);
            match self.below(4) {
                0 => target.insert(at, 1),
                1 if at + 1 < target.len() => {
                    target[at] = target[at].wrapping_mul(target[at + 1]);
                    target.remove(at + 1);
                }
                _ if at < target.len() => self.split(&mut target, at),
                _ => {}
            }
        }
        if self.byte() >= 224 {
            let at = self.below(target.len() + 1);
            target.insert(at, self.value());
        }
        target
    }

    fn split(&mut self, target: &mut Vec<i64>, at: usize) {
        let inner = self.extent().max(1);
        if target[at] % inner == 0 {
            target[at] /= inner;
            target.insert(at + 1, inner);
        } else {
            target[at] = -1;
        }
    }

    fn broadcast_target(&mut self, layout: &StridedLayout) -> Vec<i64> {
        let mut target = layout.shape().to_vec();
        for extent in &mut target {
            if *extent == 1 {
                *extent = self.extent();
            }
        }
        for _ in 0..self.below(3) {
            target.insert(0, self.extent());
        }
        if self.byte() >= 240 {
            let at = self.below(target.len() + 1);
            target.insert(at, self.value());
        }
        target
    }

    fn slices(&mut self, layout: &StridedLayout) -> Vec<Slice> {
        let count = self.below(layout.rank() + 2);
        (0..count).map(|_| self.slice()).collect()
    }

    fn slice(&mut self) -> Slice {
        match self.below(8) {
            0 => Slice::NewAxis,
            1 => Slice::Ellipsis,
            2 => Slice::Index(self.value()),
            _ => Slice::Range { start: self.bound(), stop: self.bound(), step: self.step() },
        }
    }

    fn bound(&mut self) -> Option<i64> {
        (self.byte() >= 100).then(|| self.value())
    }

    fn step(&mut self) -> i64 {
        match self.byte() {
            byte @ 0..=199 => [1, -1, 2, -2, 3][usize::from(byte) % 5],
            _ => self.value(),
        }
    }

    fn extend(&mut self, layout: &StridedLayout) -> Operation {
        let other = if self.below(2) == 0 { self.layout().ok() } else { None };
        let other = other.unwrap_or_else(|| layout.unbroadcast());
        Operation::Extend(other, self.axis(layout.rank() + 1))
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).expect("a rank fits")
}
