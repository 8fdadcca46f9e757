//! Counting tiles along the axes of a copy.
#![forbid(unsafe_code)]

use strideview_copy::PlanAxis;

use super::divisor::Divisor;
use super::job::{MOST_OUTER, Outer};

/// The largest power of two, 16 at most, that divides all of these.
pub(super) fn alignment(values: impl IntoIterator<Item = i64>) -> i64 {
    let bits = values.into_iter().fold(16, |bits, value| bits | value);
    bits & bits.wrapping_neg()
}

/// An axis, and how much of it a tile takes; `edge` as in [`Outer`], where the last tile may be cut
/// off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) axis: PlanAxis,
    pub(super) tile: i64,
    pub(super) edge: u32,
    /// The last tile counts as cut off even where it is whole.
    pub(super) is_marked: bool,
    /// Tiles are counted as if the axis were so much longer; then the last is cut off anyhow.
    pub(super) beyond: i64,
}

impl Cut {
    pub(super) fn tiles(&self) -> i64 {
        let extent = self.axis.extent.saturating_add(self.beyond);
        extent / self.tile + i64::from(extent % self.tile != 0)
    }

    /// How much of the axis the last tile has.
    pub(super) fn last(&self) -> i64 {
        self.axis.extent - (self.tiles() - 1) * self.tile
    }

    fn is_cut_off(&self) -> bool {
        self.edge != 0 && (self.is_marked || self.beyond != 0 || self.last() != self.tile)
    }
}

/// In which order tiles are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Neighbours in the destination follow each other.
    Destination,
    /// Neighbours in the source do.
    Source,
    /// As listed.
    Listed,
}

/// The axes that tiles are counted along, and the number of tiles. None where there are too many of
/// either.
pub(super) fn outer(cuts: &mut [Cut], order: Order) -> Option<([Outer; MOST_OUTER], u32, u32)> {
    match order {
        Order::Destination => cuts.sort_by_key(|cut| step(cut.axis.dst_stride, cut.tile)),
        Order::Source => cuts.sort_by_key(|cut| step(cut.axis.src_stride, cut.tile)),
        Order::Listed => {}
    }
    let mut outer = [Outer::default(); MOST_OUTER];
    let (mut count, mut tiles) = (0_usize, 1_u32);
    for cut in cuts.iter().filter(|cut| cut.tiles() > 1 || cut.is_cut_off()) {
        let along = u32::try_from(cut.tiles()).ok()?;
        tiles = tiles.checked_mul(along).filter(|tiles| *tiles < 1 << 31)?;
        *outer.get_mut(count)? = Outer {
            tiles: Divisor::new(along),
            edge: if cut.is_cut_off() { cut.edge } else { 0 },
            // Used for less tiles than there are, so what is used fits.
            dst: cut.axis.dst_stride.wrapping_mul(cut.tile),
            src: cut.axis.src_stride.wrapping_mul(cut.tile),
        };
        count += 1;
    }
    Some((outer, count as u32, tiles))
}

fn step(stride: i64, tile: i64) -> u64 {
    stride.wrapping_mul(tile).unsigned_abs()
}
