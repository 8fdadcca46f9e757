//! Axes in another order, fewer or more of them.

use super::{Fault, MAX_RANK, View, normal_axes, normal_axis};

/// `result(i) = source(j)` with `j[axes[k]] = i[k]`.
///
/// # Errors
/// [`Fault`]s of the arguments, as for all functions here.
pub fn permuted(shape: &[i64], axes: &[i64]) -> Result<View, Fault> {
    if axes.len() != shape.len() {
        return Err(Fault::Value);
    }
    sub(shape, axes)
}

/// The two axes exchanged.
///
/// # Errors
/// [`Fault::Axis`].
pub fn transposed(shape: &[i64], one: i64, other: i64) -> Result<View, Fault> {
    let (one, other) = (normal_axis(one, shape.len())?, normal_axis(other, shape.len())?);
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.swap(one, other);
    picked(shape, order)
}

/// The axis moved to another position, the others in their order.
///
/// # Errors
/// [`Fault::Axis`].
pub fn moved_axis(shape: &[i64], from: i64, to: i64) -> Result<View, Fault> {
    let (from, to) = (normal_axis(from, shape.len())?, normal_axis(to, shape.len())?);
    let mut order: Vec<usize> = (0..shape.len()).filter(|&axis| axis != from).collect();
    order.insert(to, from);
    picked(shape, order)
}

/// All axes in reverse order.
///
/// # Errors
/// None for a layout of at most 64 axes.
pub fn reversed_axes(shape: &[i64]) -> Result<View, Fault> {
    picked(shape, (0..shape.len()).rev().collect())
}

/// Only the listed axes, in that order, the others held at index 0.
///
/// # Errors
/// [`Fault::Axis`], or [`Fault::Value`] for an axis given twice.
pub fn sub(shape: &[i64], axes: &[i64]) -> Result<View, Fault> {
    picked(shape, normal_axes(axes, shape.len())?)
}

/// The unit axes dropped: all, or the given ones. Without axes an empty layout becomes (0,).
///
/// # Errors
/// [`Fault::Axis`], or [`Fault::Value`] for a repeated axis or one that is no unit axis.
pub fn squeezed(shape: &[i64], axes: Option<&[i64]>) -> Result<View, Fault> {
    let Some(axes) = axes else {
        if shape.contains(&0) {
            return View::new(vec![0], <[i64]>::to_vec);
        }
        return picked(shape, (0..shape.len()).filter(|&axis| shape[axis] != 1).collect());
    };
    let dropped = normal_axes(axes, shape.len())?;
    if dropped.iter().any(|&axis| shape[axis] != 1) {
        return Err(Fault::Value);
    }
    picked(shape, (0..shape.len()).filter(|axis| !dropped.contains(axis)).collect())
}

/// Unit axes at these positions of the result.
///
/// # Errors
/// [`Fault::Axis`], or [`Fault::Value`] for a repeated position or too many axes.
pub fn unsqueezed(shape: &[i64], positions: &[i64]) -> Result<View, Fault> {
    let rank = shape.len() + positions.len();
    if rank > MAX_RANK {
        return Err(Fault::Value);
    }
    let added = normal_axes(positions, rank)?;
    let kept: Vec<usize> = (0..rank).filter(|axis| !added.contains(axis)).collect();
    let mut result = vec![1; rank];
    for (&at, &extent) in kept.iter().zip(shape) {
        result[at] = extent;
    }
    View::new(result, move |index| kept.iter().map(|&at| index[at]).collect())
}

/// The axes of the source in `order`; those not in it are held at index 0.
fn picked(shape: &[i64], order: Vec<usize>) -> Result<View, Fault> {
    let rank = shape.len();
    let result = order.iter().map(|&axis| shape[axis]).collect();
    View::new(result, move |index| {
        let mut source = vec![0; rank];
        for (&axis, &at) in order.iter().zip(index) {
            source[axis] = at;
        }
        source
    })
}
