//! The order of axes and dense strides.

use crate::PlainLayout;

/// Returns the strides of a dense layout whose axes are listed from slowest to fastest; all 0 when empty.
///
/// ```
/// use strideview_testkit::oracle::dense_strides;
/// assert_eq!(dense_strides(&[2, 3, 4], &[1, 0, 2]), [4, 8, 1]);
/// ```
pub fn dense_strides(shape: &[i64], slowest_first: &[usize]) -> Vec<i128> {
    let mut strides = vec![0; shape.len()];
    if shape.contains(&0) {
        return strides;
    }
    let mut step = 1_i128;
    for &axis in slowest_first.iter().rev() {
        strides[axis] = step;
        step = step.saturating_mul(i128::from(shape[axis]));
    }
    strides
}

/// Returns the axes by |stride| descending; ties: larger extent first, then lower axis.
pub fn stride_order(layout: &PlainLayout) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..layout.rank()).collect();
    let key = |&axis: &usize| (layout.strides[axis].unsigned_abs(), layout.shape[axis]);
    axes.sort_by(|one, other| key(other).cmp(&key(one)).then(one.cmp(other)));
    axes
}
