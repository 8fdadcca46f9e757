//! Pseudo-random small layouts.

use crate::oracle::dense_strides;
use crate::{PlainLayout, Random, index};

/// The item sizes of generated layouts.
pub const ITEMSIZES: [i64; 8] = [1, 2, 3, 4, 6, 8, 12, 16];

const MOST_ELEMENTS: i128 = 400;

/// Returns `count` layouts of rank 0 to 5 with extents 0 to 5; the same ones for the same seed.
///
/// One in three is dense in some order, or nearly: equal strides and mergeable axes are otherwise rare.
pub fn generated(seed: u64, count: usize) -> Vec<PlainLayout> {
    let mut random = Random::new(seed);
    (0..count).map(|_| layout(&mut random)).collect()
}

/// Returns one small layout.
pub fn layout(random: &mut Random) -> PlainLayout {
    let shape = shape(random);
    let mut strides: Vec<i64> = if random.once_in(3) {
        nearly_dense(random, &shape)
    } else {
        shape.iter().map(|_| random.between(-12, 12)).collect()
    };
    for (stride, &extent) in strides.iter_mut().zip(&shape) {
        if extent == 1 && random.once_in(3) {
            *stride = random.edge();
        }
    }
    let offset = if random.once_in(2) { 0 } else { random.between(-40, 40) };
    PlainLayout { shape, strides, itemsize: random.pick(&ITEMSIZES), offset }
}

/// Returns a shape of rank 0 to 5 with few elements.
pub fn shape(random: &mut Random) -> Vec<i64> {
    let rank = random.below(6);
    let mut shape: Vec<i64> = (0..rank).map(|_| extent(random)).collect();
    while index::volume(&shape) > MOST_ELEMENTS {
        let axis = random.below(rank);
        shape[axis] = random.between(1, 2);
    }
    shape
}

fn extent(random: &mut Random) -> i64 {
    if random.once_in(16) { 0 } else { random.between(1, 5) }
}

/// Returns dense strides in some order, times a factor, perhaps with one sign or one stride changed.
fn nearly_dense(random: &mut Random, shape: &[i64]) -> Vec<i64> {
    let order = random.shuffled((0..shape.len()).collect());
    let in_order: Vec<usize> = (0..shape.len()).collect();
    let order = if random.once_in(2) { in_order } else { order };
    let factor = random.pick(&[1, 1, 1, 2, -1]);
    let dense = dense_strides(shape, &order).into_iter();
    let mut strides: Vec<i64> = dense.map(|stride| index::narrow(stride) * factor).collect();
    if !strides.is_empty() && random.once_in(3) {
        let axis = random.below(strides.len());
        strides[axis] = random.pick(&[-strides[axis], 0, strides[axis] + 1, strides[axis] * 2]);
    }
    strides
}
