//! Shapes and strides of every kind, on both sides.

use crate::oracle::Case;

pub(crate) const ITEMSIZES: [i64; 13] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 31, 32, 40];

/// Shapes from nothing to beyond the edge of a block, and of many axes.
pub(crate) fn shapes() -> Vec<Vec<i64>> {
    let mut many_unit = vec![1; 64];
    (many_unit[7], many_unit[30], many_unit[63]) = (3, 2, 4);
    vec![
        vec![],
        vec![1],
        vec![0],
        vec![4, 0, 3],
        vec![7],
        vec![70],
        vec![2, 3],
        vec![33, 18],
        vec![16, 32],
        vec![3, 65],
        vec![1, 5, 1, 3],
        vec![3, 4, 5],
        vec![5, 1, 35],
        vec![2, 3, 2, 4, 3],
        vec![2; 9],
        many_unit,
    ]
}

/// Dense strides in bytes, with the axes in this order from the slowest to the fastest, items
/// `pitch` bytes apart and `gap` bytes between lines.
pub(crate) fn dense(shape: &[i64], order: &[usize], pitch: i64, gap: i64) -> Vec<i64> {
    let mut strides = vec![0; shape.len()];
    let mut step = pitch;
    for axis in order.iter().rev() {
        strides[*axis] = step;
        step = step * shape[*axis].max(1) + gap;
    }
    strides
}

/// The strides with the sign of every axis turned that `which` selects.
fn turned(mut strides: Vec<i64>, which: impl Fn(usize) -> bool) -> Vec<i64> {
    for (axis, stride) in strides.iter_mut().enumerate() {
        if which(axis) {
            *stride = -*stride;
        }
    }
    strides
}

fn orders(rank: usize) -> [Vec<usize>; 3] {
    let rotated = (0..rank).map(|axis| (axis + rank.div_ceil(2)) % rank.max(1)).collect();
    [(0..rank).collect(), (0..rank).rev().collect(), rotated]
}

/// Strides without two indices at one place: fit for a destination.
pub(crate) fn unique_strides(shape: &[i64], itemsize: i64) -> Vec<Vec<i64>> {
    let [c, f, rotated] = orders(shape.len());
    vec![
        dense(shape, &c, itemsize, 0),
        dense(shape, &f, itemsize, 0),
        dense(shape, &rotated, itemsize, 3 * itemsize),
        // Items apart, and at addresses that are no multiple of their size.
        dense(shape, &c, itemsize + 1, 2),
        turned(dense(shape, &c, itemsize, 0), |_| true),
        turned(dense(shape, &rotated, 2 * itemsize, 0), |axis| axis % 2 == 0),
    ]
}

/// Strides that only a source can have: an element is read more than once.
fn shared_strides(shape: &[i64], itemsize: i64) -> Vec<Vec<i64>> {
    let [c, f, _] = orders(shape.len());
    let every_other = |strides: Vec<i64>, first: usize| -> Vec<i64> {
        let zero = |(axis, stride)| if axis % 2 == first { 0 } else { stride };
        strides.into_iter().enumerate().map(zero).collect()
    };
    vec![
        vec![0; shape.len()],
        every_other(dense(shape, &c, itemsize, 0), 0),
        every_other(dense(shape, &f, itemsize, itemsize), 1),
        // Windows: every axis steps by one item.
        vec![itemsize; shape.len()],
        turned(vec![itemsize; shape.len()], |axis| axis == 0),
    ]
}

/// Every shape with every destination and source, for one item size.
pub(crate) fn cases(itemsize: i64) -> Vec<Case> {
    let mut all = vec![];
    for shape in shapes() {
        let unique = unique_strides(&shape, itemsize);
        let sources: Vec<Vec<i64>> =
            unique.iter().cloned().chain(shared_strides(&shape, itemsize)).collect();
        for dst_strides in &unique {
            for src_strides in &sources {
                all.push(Case {
                    shape: shape.clone(),
                    dst_strides: dst_strides.clone(),
                    src_strides: src_strides.clone(),
                    itemsize,
                });
            }
        }
    }
    all
}

/// Some thousand items: planes, batches of planes, colours, short axes, and power-of-two strides.
pub(crate) fn large_cases(itemsize: i64) -> Vec<Case> {
    let case = |shape: &[i64], dst: &[usize], src: &[usize], gap: i64| Case {
        shape: shape.to_vec(),
        dst_strides: dense(shape, dst, itemsize, gap),
        src_strides: dense(shape, src, itemsize, gap),
        itemsize,
    };
    let mut all = vec![
        case(&[150, 140], &[0, 1], &[1, 0], 0),
        case(&[150, 140], &[0, 1], &[1, 0], itemsize),
        case(&[1100, 20], &[1, 0], &[0, 1], 0),
        case(&[20, 1100], &[1, 0], &[0, 1], 3 * itemsize),
        case(&[128, 128], &[0, 1], &[1, 0], 0),
        case(&[3, 40, 50], &[0, 1, 2], &[2, 1, 0], 0),
        case(&[18, 20, 22], &[0, 1, 2], &[2, 1, 0], 0),
        case(&[16, 12, 16, 9], &[0, 1, 2, 3], &[3, 2, 1, 0], 0),
        case(&[2, 3, 600], &[0, 1, 2], &[0, 2, 1], 0),
        case(&[2, 600, 4], &[0, 1, 2], &[0, 2, 1], 0),
        case(&[700, 2], &[0, 1], &[1, 0], 0),
        case(&[5, 4, 5, 4, 5, 4], &[0, 1, 2, 3, 4, 5], &[4, 0, 2, 5, 3, 1], 0),
        case(&[37, 100], &[0, 1], &[0, 1], 7 * itemsize),
        // A line of some axes together that is longer than other kernels stream at once.
        case(&[6, 16, 15], &[0, 1, 2], &[2, 1, 0], 0),
    ];
    let strided = |shape: &[i64], dst: &[i64], src: &[i64]| Case {
        shape: shape.to_vec(),
        dst_strides: dst.iter().map(|stride| stride * itemsize).collect(),
        src_strides: src.iter().map(|stride| stride * itemsize).collect(),
        itemsize,
    };
    // Source lines 4096 bytes apart or more, backwards lines, repeated items, every other one.
    all.push(strided(&[70, 90], &[90, 1], &[1, 4096 / itemsize]));
    all.push(strided(&[70, 90], &[90, 1], &[-1, 4096 / itemsize]));
    all.push(strided(&[7, 900], &[900, 1], &[900, -1]));
    all.push(strided(&[7, 900], &[900, 1], &[1, 0]));
    all.push(strided(&[7, 900], &[900, 1], &[0, 1]));
    all.push(strided(&[7, 900], &[1000, 1], &[1800, 2]));
    all.push(strided(&[7, 900], &[1800, 2], &[900, 1]));
    all.push(strided(&[2, 900, 3], &[2700, 1, 900], &[3600, 4, 1]));
    all
}
