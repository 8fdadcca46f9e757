//! Repeating elements, and the reverse.

use super::{Fault, View};
use crate::PlainLayout;

/// The source right-aligned in `target`; new axes and axes of extent 1 are read at index 0.
///
/// # Errors
/// [`Fault::Value`] when an extent neither agrees nor is 1, or the target has fewer axes or a negative one.
pub fn broadcast_to(shape: &[i64], target: &[i64]) -> Result<View, Fault> {
    let Some(added) = target.len().checked_sub(shape.len()) else {
        return Err(Fault::Value);
    };
    let agree = shape.iter().zip(&target[added..]).all(|(&from, &to)| from == to || from == 1);
    if !agree || target.iter().any(|&extent| extent < 0) {
        return Err(Fault::Value);
    }
    let source = shape.to_vec();
    View::new(target.to_vec(), move |index| {
        let aligned = index[added..].iter().zip(&source);
        aligned.map(|(&at, &extent)| if extent == 1 { 0 } else { at }).collect()
    })
}

/// Axes of stride 0 cut to extent 1. In an empty layout strides say nothing, and it stays as it is.
///
/// # Errors
/// None for a layout of at most 64 axes.
pub fn unbroadcast(layout: &PlainLayout) -> Result<View, Fault> {
    let axes = layout.shape.iter().zip(&layout.strides);
    let cut = |stride: i64| stride == 0 && !layout.is_empty();
    let shape = axes.map(|(&extent, &stride)| if cut(stride) { 1 } else { extent });
    View::new(shape.collect(), <[i64]>::to_vec)
}
