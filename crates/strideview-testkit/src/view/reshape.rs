//! Other shapes for the same walk in C order.

use super::{Fault, View, normal_axis};
use crate::{PlainLayout, index, oracle};

/// The same position in C order. Whether a strided layout does it is for [`View::derive`] to say.
///
/// # Errors
/// [`Fault::Value`] when the volumes differ, an extent is below -1, or the -1 cannot be inferred.
pub fn reshaped(shape: &[i64], target: &[i64]) -> Result<View, Fault> {
    let target = inferred(index::volume(shape), target)?;
    if index::volume(&target) != index::volume(shape) {
        return Err(Fault::Value);
    }
    walked(shape, target)
}

/// Returns the target with its -1 replaced.
fn inferred(volume: i128, target: &[i64]) -> Result<Vec<i64>, Fault> {
    let unknown = target.iter().filter(|&&extent| extent == -1).count();
    if unknown > 1 || target.iter().any(|&extent| extent < -1) {
        return Err(Fault::Value);
    }
    if unknown == 0 {
        return Ok(target.to_vec());
    }
    let known: Vec<i64> = target.iter().copied().filter(|&extent| extent != -1).collect();
    let known = index::volume(&known);
    if known == 0 || volume % known != 0 {
        return Err(Fault::Value);
    }
    let missing = index::narrow(volume / known);
    Ok(target.iter().map(|&extent| if extent == -1 { missing } else { extent }).collect())
}

/// Neighbours in `start ..= end` merged where the mask allows it and the map is kept.
/// None stands for a result whose extents (of an empty layout) do not fit in int64.
///
/// # Errors
/// [`Fault::Axis`] or [`Fault::Value`] for a bad range.
pub fn flattened(
    layout: &PlainLayout,
    start: i64,
    end: i64,
    mask: Option<u64>,
) -> Result<Option<View>, Fault> {
    if layout.rank() == 0 {
        let whole = start == 0 && end == -1;
        return if whole { walked(&[], vec![1]).map(Some) } else { Err(Fault::Axis) };
    }
    let start = normal_axis(start, layout.rank())?;
    let end = normal_axis(end, layout.rank())?;
    if start > end {
        return Err(Fault::Value);
    }
    let in_mask = |axis: usize| mask.is_none_or(|mask| mask >> axis & 1 == 1);
    let allowed = |axis: usize| start < axis && axis <= end && in_mask(axis);
    regrouped(layout, &oracle::groups(layout, allowed)).transpose()
}

/// One axis for each group of axes, of as many elements; None when an extent does not fit in int64.
pub fn regrouped(layout: &PlainLayout, groups: &[Vec<usize>]) -> Option<Result<View, Fault>> {
    let extents = groups.iter().map(|group| {
        let members: Vec<i64> = group.iter().map(|&axis| layout.shape[axis]).collect();
        i64::try_from(index::volume(&members)).ok()
    });
    let shape: Vec<i64> = extents.collect::<Option<_>>()?;
    Some(walked(&layout.shape, shape))
}

/// The canonical form: unit axes dropped, axes merged; () for one element, (0,) for none.
///
/// # Errors
/// None for a layout of at most 64 axes.
pub fn coalesced(layout: &PlainLayout) -> Result<View, Fault> {
    if layout.is_empty() {
        return walked(&layout.shape, vec![0]);
    }
    let groups = oracle::groups(layout, |_| true);
    let extent =
        |group: &Vec<usize>| -> i64 { group.iter().map(|&axis| layout.shape[axis]).product() };
    let shape = groups.iter().map(extent).filter(|&extent| extent != 1).collect();
    walked(&layout.shape, shape)
}

/// The view that keeps the position in C order.
fn walked(shape: &[i64], target: Vec<i64>) -> Result<View, Fault> {
    let (from, to) = (shape.to_vec(), target.clone());
    View::new(target, move |at| index::unravel(&from, index::position(&to, at)))
}
