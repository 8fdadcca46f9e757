//! Index expressions.

use super::{Fault, View, normal_axis};
use crate::slice::slice_indices;
use crate::{PlainLayout, PlainSlice, index};

/// How one axis of the source is read.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// Held at one index.
    Held(i64),
    /// Axis `at` of the result walks it from `first` by `step`.
    Walked { at: usize, first: i128, step: i128 },
}

/// The readings of all source axes and the shape of the result.
struct Plan {
    readings: Vec<Reading>,
    shape: Vec<i64>,
}

/// Indices drop their axis, ranges follow CPython, the ellipsis (or the end) stands for whole axes.
///
/// # Errors
/// [`Fault::Index`], also for too many indices; [`Fault::Value`] for a second ellipsis, step 0 or too
/// many axes.
pub fn sliced(shape: &[i64], items: &[PlainSlice]) -> Result<View, Fault> {
    let plan = plan(shape, items)?;
    View::new(plan.shape, move |at| {
        plan.readings.iter().map(|reading| reading.source(at)).collect()
    })
}

/// Returns the offset that an empty result keeps: what the axes that are not empty contribute.
///
/// # Errors
/// As [`sliced`].
pub fn kept_offset(layout: &PlainLayout, items: &[PlainSlice]) -> Result<i128, Fault> {
    let plan = plan(&layout.shape, items)?;
    let mut sum = i128::from(layout.offset);
    for (axis, reading) in plan.readings.iter().enumerate() {
        let first = match *reading {
            Reading::Held(at) => i128::from(at),
            Reading::Walked { at, .. } if plan.shape[at] == 0 => 0,
            Reading::Walked { first, .. } => first,
        };
        sum += first * i128::from(layout.strides[axis]);
    }
    Ok(sum)
}

impl Reading {
    fn source(&self, index: &[i64]) -> i64 {
        match *self {
            Self::Held(at) => at,
            Self::Walked { at, first, step } => index::narrow(first + step * i128::from(index[at])),
        }
    }
}

fn plan(shape: &[i64], items: &[PlainSlice]) -> Result<Plan, Fault> {
    let items = completed(shape.len(), items)?;
    let mut plan = Plan { readings: Vec::new(), shape: Vec::new() };
    for item in items {
        plan.add(shape, item)?;
    }
    Ok(plan)
}

impl Plan {
    fn add(&mut self, shape: &[i64], item: PlainSlice) -> Result<(), Fault> {
        let axis = self.readings.len();
        match item {
            PlainSlice::NewAxis | PlainSlice::Ellipsis => self.shape.push(1),
            PlainSlice::Index(at) => self.readings.push(held(at, shape[axis])?),
            PlainSlice::Range(start, stop, step) => {
                let (first, step, length) =
                    slice_indices(start, stop, step, shape[axis]).ok_or(Fault::Value)?;
                self.readings.push(Reading::Walked { at: self.shape.len(), first, step });
                self.shape.push(index::narrow(length));
            }
        }
        Ok(())
    }
}

fn held(at: i64, extent: i64) -> Result<Reading, Fault> {
    let rank = usize::try_from(extent).map_err(|_| Fault::Index)?;
    let at = normal_axis(at, rank).map_err(|_| Fault::Index)?;
    Ok(Reading::Held(i64::try_from(at).map_err(|_| Fault::Index)?))
}

/// Returns the items with the ellipsis, or the missing end, written out as whole axes.
fn completed(rank: usize, items: &[PlainSlice]) -> Result<Vec<PlainSlice>, Fault> {
    let is_dots = |item: &&PlainSlice| **item == PlainSlice::Ellipsis;
    let takes_axis =
        |item: &&PlainSlice| !matches!(item, PlainSlice::Ellipsis | PlainSlice::NewAxis);
    let missing = rank.checked_sub(items.iter().filter(takes_axis).count()).ok_or(Fault::Index)?;
    let whole = vec![PlainSlice::Range(None, None, 1); missing];
    match items.iter().filter(is_dots).count() {
        0 => Ok([items, &whole].concat()),
        1 => {
            let split = items.iter().position(|item| is_dots(&item)).unwrap_or(0);
            Ok([&items[..split], &whole, &items[split + 1..]].concat())
        }
        _ => Err(Fault::Value),
    }
}
