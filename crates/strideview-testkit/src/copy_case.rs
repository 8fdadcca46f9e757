//! Copies to test: generated cases, and the naive copy, one item after the other.

use crate::Random;

/// A copy: shape, strides in bytes, bytes of an item.
#[derive(Clone, Debug)]
pub struct CopyCase {
    /// Extents.
    pub shape: Vec<i64>,
    /// Strides of the destination, in bytes.
    pub dst_strides: Vec<i64>,
    /// Strides of the source, in bytes.
    pub src_strides: Vec<i64>,
    /// Bytes of an item.
    pub itemsize: i64,
}

/// Returns where the bytes of a side begin and end, relative to the first item; (0, 0) when empty.
///
/// ```
/// use strideview_testkit::copy_case::span;
/// assert_eq!(span(&[3, 2], &[-4, 1], 1), (-8, 2));
/// ```
pub fn span(shape: &[i64], strides: &[i64], itemsize: i64) -> (i64, i64) {
    if shape.contains(&0) {
        return (0, 0);
    }
    let ends = || shape.iter().zip(strides).map(|(extent, stride)| (extent - 1) * stride);
    (ends().filter(|end| *end < 0).sum(), ends().filter(|end| *end > 0).sum::<i64>() + itemsize)
}

impl CopyCase {
    /// Copies within plain slices; the first items lie at `dst_at` and `src_at`.
    ///
    /// # Panics
    /// When an item lies outside its slice.
    pub fn copy(&self, dst: &mut [u8], dst_at: i64, src: &[u8], src_at: i64) {
        self.walk(0, dst, dst_at, src, src_at);
    }

    fn walk(&self, axis: usize, dst: &mut [u8], dst_at: i64, src: &[u8], src_at: i64) {
        let Some(extent) = self.shape.get(axis) else {
            let item = usize::try_from(self.itemsize).expect("small");
            let place = |at: i64| usize::try_from(at).expect("inside");
            let (to, from) = (place(dst_at), place(src_at));
            dst[to..to + item].copy_from_slice(&src[from..from + item]);
            return;
        };
        for index in 0..*extent {
            let to = dst_at + index * self.dst_strides[axis];
            self.walk(axis + 1, dst, to, src, src_at + index * self.src_strides[axis]);
        }
    }
}

/// Returns bytes that look random.
pub fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes: Vec<u8> =
        (0..len.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes()).collect();
    bytes.truncate(len);
    bytes
}

/// An extent: small, or about the size of a tile.
fn extent(random: &mut Random, most: i64) -> i64 {
    let around = random.pick(&[16, 24, 32, 48, 64, 96, 128, 130, 256, 300, 512, 1000, 4000]);
    let extent = match random.below(4) {
        0 => random.between(1, 5),
        1 => random.between(1, 40),
        2 => around,
        _ => random.between((around - 9).max(1), around + 9),
    };
    extent.clamp(1, most)
}

/// Returns dense strides for an order of the axes, slowest first, with gaps between lines.
pub fn dense(shape: &[i64], order: &[usize], item: i64, gaps: &[i64]) -> Vec<i64> {
    let mut strides = vec![0; shape.len()];
    let mut step = item;
    for (axis, gap) in order.iter().rev().zip(gaps) {
        strides[*axis] = step;
        step = step * shape[*axis] + gap;
    }
    strides
}

/// Returns copies of matrices of so many rows and columns, dense in the destination, and transposed and backwards in the
/// source where `sign` is -1.
pub fn strips(batch: i64, rows: i64, columns: i64) -> impl Fn(i64, i64) -> CopyCase {
    let shape = vec![batch, rows, columns];
    move |itemsize, sign| {
        let mut src_strides = dense(&shape, &[0, 2, 1], itemsize, &[0; 3]);
        src_strides[2] *= sign;
        CopyCase {
            dst_strides: dense(&shape, &[0, 1, 2], itemsize, &[0; 3]),
            src_strides,
            shape: shape.clone(),
            itemsize,
        }
    }
}

/// Returns a copy of up to `most` bytes: permuted, padded, reversed, repeated, spread.
pub fn random_case(random: &mut Random, most: i64) -> CopyCase {
    let itemsize =
        random.pick(&[1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 16, 16, 3, 5, 6, 12, 24, 32, 40, 100, 256]);
    let rank = random.pick(&[1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 10]);
    let mut shape = vec![];
    let mut left = most / itemsize;
    for axis in 0..rank {
        // The small ones somewhere, too.
        let part = if axis + 1 == rank { left } else { left.min(600) };
        let extent = if rank > 6 { random.between(1, 4) } else { extent(random, part) };
        shape.push(extent);
        left = (left / extent).max(1);
    }
    let shape = random.shuffled(shape);
    let gaps = |random: &mut Random| -> Vec<i64> {
        let is_gapped = random.once_in(3);
        let unit = random.pick(&[itemsize, itemsize, itemsize * 16, 16, 1]);
        shape.iter().map(|_| if is_gapped { random.between(0, 3) * unit } else { 0 }).collect()
    };
    let order: Vec<usize> = (0..shape.len()).collect();
    let dst_order = if random.once_in(2) { order.clone() } else { random.shuffled(order.clone()) };
    let apart = if random.once_in(8) { 2 } else { 1 };
    let dst_gaps = gaps(random);
    let dst_strides = dense(&shape, &dst_order, itemsize * apart, &dst_gaps);
    let mut src_strides = match random.below(6) {
        0 => {
            let reversed: Vec<usize> = dst_order.iter().rev().copied().collect();
            dense(&shape, &reversed, itemsize, &gaps(random))
        }
        1 => dense(&shape, &dst_order, itemsize, &gaps(random)),
        2 => dense(&shape, &dst_order, itemsize * random.between(2, 3), &gaps(random)),
        _ => {
            let order = random.shuffled(order.clone());
            dense(&shape, &order, itemsize, &gaps(random))
        }
    };
    for stride in &mut src_strides {
        if random.once_in(9) {
            *stride = -*stride;
        }
        if random.once_in(14) {
            *stride = 0;
        }
    }
    let mut case = CopyCase { shape, dst_strides, src_strides, itemsize };
    for axis in 0..case.shape.len() {
        if random.once_in(20) {
            case.dst_strides[axis] = -case.dst_strides[axis];
        }
    }
    case
}

/// Returns how far both sides are moved from an aligned address.
pub fn moves(random: &mut Random, itemsize: i64) -> (i64, i64) {
    let by = |random: &mut Random| match random.below(4) {
        0 | 1 => 0,
        2 => random.between(0, 15) * itemsize % 64,
        _ if random.once_in(4) => random.between(0, 17),
        _ => random.between(0, 3) * 16 + itemsize,
    };
    (by(random), by(random))
}
