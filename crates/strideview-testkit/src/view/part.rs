//! Windows, splits and diagonals of axes.

use super::{Fault, View, normal_axis};

/// `result(.., w, .., k) = source(.., w·step + k, ..)`: the axis counts windows, a new last axis walks one.
///
/// # Errors
/// [`Fault::Axis`]; [`Fault::Value`] when the size is below 0 or above the extent, or the step below 1.
pub fn windows(shape: &[i64], axis: i64, size: i64, step: i64) -> Result<View, Fault> {
    let axis = normal_axis(axis, shape.len())?;
    if step < 1 || size < 0 || size > shape[axis] {
        return Err(Fault::Value);
    }
    let mut result = shape.to_vec();
    result[axis] = (shape[axis] - size) / step + 1;
    result.push(size);
    View::new(result, move |index| {
        let (within, windows) = index.split_last().expect("the result has an axis more");
        let mut source = windows.to_vec();
        source[axis] = windows[axis] * step + within;
        source
    })
}

/// `result(.., a, b, ..) = source(.., a·inner + b, ..)`.
///
/// # Errors
/// [`Fault::Axis`]; [`Fault::Value`] when `inner` is below 1 or does not divide the extent.
pub fn split_axis(shape: &[i64], axis: i64, inner: i64) -> Result<View, Fault> {
    let axis = normal_axis(axis, shape.len())?;
    if inner < 1 || shape[axis] % inner != 0 {
        return Err(Fault::Value);
    }
    let mut result = shape.to_vec();
    result[axis] = shape[axis] / inner;
    result.insert(axis + 1, inner);
    View::new(result, move |index| {
        let mut source = index.to_vec();
        let within = source.remove(axis + 1);
        source[axis] = source[axis] * inner + within;
        source
    })
}

/// `result(.., d)`: both axes removed, `d` walks the diagonal `source(.., d + max(-offset, 0), d + max(offset, 0))`.
///
/// # Errors
/// [`Fault::Axis`]; [`Fault::Value`] when both are the same axis.
pub fn diagonal(shape: &[i64], axis1: i64, axis2: i64, offset: i64) -> Result<View, Fault> {
    let axis1 = normal_axis(axis1, shape.len())?;
    let axis2 = normal_axis(axis2, shape.len())?;
    if axis1 == axis2 {
        return Err(Fault::Value);
    }
    let below = i128::from(offset).min(0).abs();
    let right = i128::from(offset).max(0);
    let rows = i128::from(shape[axis1]) - below;
    let columns = i128::from(shape[axis2]) - right;
    let length = crate::index::narrow(rows.min(columns).max(0));
    let others: Vec<usize> =
        (0..shape.len()).filter(|&axis| axis != axis1 && axis != axis2).collect();
    let mut result: Vec<i64> = others.iter().map(|&axis| shape[axis]).collect();
    result.push(length);
    let rank = shape.len();
    View::new(result, move |index| {
        let (along, rest) = index.split_last().expect("the diagonal is an axis");
        let mut source = vec![0; rank];
        for (&axis, &at) in others.iter().zip(rest) {
            source[axis] = at;
        }
        source[axis1] = crate::index::narrow(i128::from(*along) + below);
        source[axis2] = crate::index::narrow(i128::from(*along) + right);
        source
    })
}
