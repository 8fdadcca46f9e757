//! Index tuples in C order, their positions and their offsets.

use crate::Random;

/// Shapes of at most this many elements are enumerated by [`samples`].
pub const ENUMERATED: i128 = 2048;

/// Returns the product of the extents, saturating; 0 when an extent is 0.
///
/// ```
/// use strideview_testkit::index::volume;
/// assert_eq!(volume(&[2, 3]), 6);
/// assert_eq!(volume(&[]), 1);
/// assert_eq!(volume(&[i64::MAX, i64::MAX, i64::MAX, 0]), 0);
/// ```
pub fn volume(shape: &[i64]) -> i128 {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().fold(1, |product: i128, &extent| product.saturating_mul(i128::from(extent)))
}

/// All index tuples of a shape, in C order.
#[derive(Clone, Debug)]
pub struct Indices {
    shape: Vec<i64>,
    next: Option<Vec<i64>>,
}

/// Returns all index tuples of `shape` in C order (the last axis fastest).
///
/// ```
/// use strideview_testkit::index::indices;
/// let all: Vec<_> = indices(&[2, 2]).collect();
/// assert_eq!(all, [[0, 0], [0, 1], [1, 0], [1, 1]]);
/// assert_eq!(indices(&[]).count(), 1);
/// assert_eq!(indices(&[3, 0]).count(), 0);
/// ```
pub fn indices(shape: &[i64]) -> Indices {
    let next = (!shape.contains(&0)).then(|| vec![0; shape.len()]);
    Indices { shape: shape.to_vec(), next }
}

impl Iterator for Indices {
    type Item = Vec<i64>;

    fn next(&mut self) -> Option<Vec<i64>> {
        let current = self.next.take()?;
        let mut following = current.clone();
        for axis in (0..self.shape.len()).rev() {
            following[axis] += 1;
            if following[axis] < self.shape[axis] {
                self.next = Some(following);
                break;
            }
            following[axis] = 0;
        }
        Some(current)
    }
}

/// Returns the offset of one index: `offset + Σ index[k]·strides[k]`.
pub fn offset_at(strides: &[i64], offset: i64, index: &[i64]) -> i128 {
    let mut sum = i128::from(offset);
    for (&stride, &at) in strides.iter().zip(index) {
        sum += i128::from(stride) * i128::from(at);
    }
    sum
}

/// Returns the offsets of all indices in C order.
///
/// ```
/// use strideview_testkit::index::offsets;
/// assert_eq!(offsets(&[2, 3], &[1, -2], 5), [5, 3, 1, 6, 4, 2]);
/// ```
pub fn offsets(shape: &[i64], strides: &[i64], offset: i64) -> Vec<i128> {
    if shape.contains(&0) {
        return Vec::new();
    }
    let mut all = vec![i128::from(offset)];
    for (&extent, &stride) in shape.iter().zip(strides) {
        let mut longer = Vec::new();
        for base in all {
            longer.extend((0..extent).map(|at| base + i128::from(at) * i128::from(stride)));
        }
        all = longer;
    }
    all
}

/// Returns how many indices come before `index` in C order.
pub fn position(shape: &[i64], index: &[i64]) -> i128 {
    let steps = shape.iter().zip(index);
    steps.fold(0, |before, (&extent, &at)| before * i128::from(extent) + i128::from(at))
}

/// Returns the index at a position in C order; the inverse of [`position`].
///
/// ```
/// use strideview_testkit::index::unravel;
/// assert_eq!(unravel(&[2, 3], 5), [1, 2]);
/// ```
pub fn unravel(shape: &[i64], position: i128) -> Vec<i64> {
    let mut rest = position;
    let mut index = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        let extent = i128::from(shape[axis]);
        index[axis] = narrow(rest % extent);
        rest /= extent;
    }
    index
}

/// Returns every index of a small shape; the corners and some others of a large one.
pub fn samples(shape: &[i64]) -> Vec<Vec<i64>> {
    if volume(shape) <= ENUMERATED {
        return indices(shape).collect();
    }
    let mut some = vec![vec![0; shape.len()], shape.iter().map(|extent| extent - 1).collect()];
    for axis in 0..shape.len() {
        for at in [1, shape[axis] / 2, shape[axis] - 1] {
            let mut index = vec![0; shape.len()];
            index[axis] = at.min(shape[axis] - 1);
            some.push(index);
        }
    }
    let mut random = Random::new(7);
    for _ in 0..64 {
        some.push(shape.iter().map(|&extent| random.between(0, extent - 1)).collect());
    }
    some
}

/// Narrows a number that is known to fit.
///
/// # Panics
/// When it does not fit.
pub fn narrow(value: i128) -> i64 {
    i64::try_from(value).expect("the value fits in 64 bits")
}
