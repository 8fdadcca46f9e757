//! CPython's slice rules, in `i128`.

/// One item of an index expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainSlice {
    /// One index; negative counts from the end. Drops the axis.
    Index(i64),
    /// `start:stop:step`.
    Range(Option<i64>, Option<i64>, i64),
    /// `...`.
    Ellipsis,
    /// `None`: a new axis of extent 1.
    NewAxis,
}

/// Returns first index, step and count of `start:stop:step` over `extent`, as CPython's
/// `range(*slice(start, stop, step).indices(extent))`; None when the step is 0.
///
/// ```
/// use strideview_testkit::slice::slice_indices;
/// assert_eq!(slice_indices(None, None, -2, 5), Some((4, -2, 3)));
/// assert_eq!(slice_indices(Some(4), Some(-6), -1, 5), Some((4, -1, 5)));
/// assert_eq!(slice_indices(Some(3), Some(1), 1, 5), Some((3, 1, 0)));
/// ```
pub fn slice_indices(
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
    extent: i64,
) -> Option<(i128, i128, i128)> {
    let (step, extent) = (i128::from(step), i128::from(extent));
    if step == 0 {
        return None;
    }
    let (lowest, highest) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let clamp = |bound: i64| {
        let bound = i128::from(bound);
        let counted = if bound < 0 { bound + extent } else { bound };
        counted.clamp(lowest, highest)
    };
    let (default_start, default_stop) =
        if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let first = start.map_or(default_start, clamp);
    let end = stop.map_or(default_stop, clamp);
    Some((first, step, range_length(first, end, step)))
}

/// Returns the length of `range(first, end, step)`.
fn range_length(first: i128, end: i128, step: i128) -> i128 {
    let distance = if step > 0 { end - first } else { first - end };
    if distance <= 0 { 0 } else { (distance - 1) / step.abs() + 1 }
}
