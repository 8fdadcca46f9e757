//! Axis numbers: negative ones count from the end.

use crate::{Axes, LayoutError, Result};

/// `axis` counted from 0, for a list of `rank` axes.
#[inline]
pub(crate) fn normalize(axis: i64, rank: usize) -> Result<usize> {
    let counted = from_start(axis, rank);
    if counted < rank { Ok(counted) } else { Err(LayoutError::AxisOutOfRange { axis, rank }) }
}

/// `axis` counted from 0; at least `rank` when it is out of range.
#[inline]
pub(crate) fn from_start(axis: i64, rank: usize) -> usize {
    // rank is at most 2 * MAX_RANK; an axis that is still negative becomes a huge number.
    (if axis < 0 { axis + rank as i64 } else { axis }) as usize
}

/// The position, 0 to `rank`, before which axes are inserted; -1 is the end.
pub(crate) fn normalize_position(position: i64, rank: usize) -> Result<usize> {
    let counted = if position == -1 { Ok(rank) } else { usize::try_from(position) };
    match counted {
        Ok(counted) if counted <= rank => Ok(counted),
        _ => Err(LayoutError::PositionOutOfRange { position, rank }),
    }
}

/// A set of axes, to find those named twice.
#[derive(Clone, Copy, Default)]
pub(crate) struct AxisSet(u128);

impl AxisSet {
    /// Adds `axis`, which must not be there yet.
    #[inline]
    pub(crate) fn insert(&mut self, axis: usize) -> Result<()> {
        let bit = 1_u128 << axis;
        if self.0 & bit != 0 {
            return Err(LayoutError::DuplicateAxis { axis });
        }
        self.0 |= bit;
        Ok(())
    }

    #[inline]
    pub(crate) fn contains(self, axis: usize) -> bool {
        self.0 & (1_u128 << axis) != 0
    }
}

/// Each of `axes` counted from 0, none named twice.
#[inline]
pub(crate) fn normalize_distinct(axes: &[i64], rank: usize) -> Result<Axes> {
    let mut seen = AxisSet::default();
    let mut result = Axes::new();
    for &axis in axes {
        let axis = normalize(axis, rank)?;
        seen.insert(axis)?;
        result.push(axis);
    }
    Ok(result)
}

/// Succeeds iff `axes` names each of `rank` axes once.
#[inline]
pub(crate) fn check_permutation(axes: &[i64], rank: usize) -> Result<()> {
    if axes.len() != rank {
        return Err(LayoutError::AxisCount { axes: axes.len(), rank });
    }
    let mut seen = AxisSet::default();
    axes.iter().try_for_each(|&axis| seen.insert(normalize(axis, rank)?))
}
