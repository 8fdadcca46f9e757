//! The naive copy: every index, one element at a time, on plain slices and in `i128`.

/// A copy to test: shape, strides in bytes, item size in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) shape: Vec<i64>,
    pub(crate) dst_strides: Vec<i64>,
    pub(crate) src_strides: Vec<i64>,
    pub(crate) itemsize: i64,
}

/// Every index of a shape, in C order.
pub(crate) fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for extent in shape {
        all = all
            .iter()
            .flat_map(|index| {
                (0..*extent).map(|last| index.iter().copied().chain([last]).collect())
            })
            .collect();
    }
    all
}

/// The offset of an index, in bytes.
pub(crate) fn offset(index: &[i64], strides: &[i64]) -> i128 {
    index.iter().zip(strides).map(|(i, stride)| i128::from(*i) * i128::from(*stride)).sum()
}

/// The offsets of the lowest byte of a side, and of the one after its highest; (0, 0) when empty.
pub(crate) fn span(shape: &[i64], strides: &[i64], itemsize: i64) -> (i128, i128) {
    if shape.contains(&0) {
        return (0, 0);
    }
    let ends = || shape.iter().zip(strides).map(|(n, s)| i128::from(n - 1) * i128::from(*s));
    let low = ends().filter(|end| *end < 0).sum();
    let high: i128 = ends().filter(|end| *end > 0).sum();
    (low, high + i128::from(itemsize))
}

impl Case {
    /// The offsets (destination, source) of every element, from element `[0, …, 0]`, in C order.
    pub(crate) fn elements(&self) -> Vec<(i128, i128)> {
        let offsets =
            |index: &Vec<i64>| (offset(index, &self.dst_strides), offset(index, &self.src_strides));
        indices(&self.shape).iter().map(offsets).collect()
    }

    /// The pairs (destination byte, source byte), in the same way.
    pub(crate) fn pairs(&self) -> Vec<(i128, i128)> {
        let item = 0..i128::from(self.itemsize);
        let bytes = |(dst, src)| item.clone().map(move |byte| (dst + byte, src + byte));
        self.elements().into_iter().flat_map(bytes).collect()
    }

    pub(crate) fn dst_span(&self) -> (i128, i128) {
        span(&self.shape, &self.dst_strides, self.itemsize)
    }

    pub(crate) fn src_span(&self) -> (i128, i128) {
        span(&self.shape, &self.src_strides, self.itemsize)
    }
}

/// The destination after the copy of some elements of `itemsize` bytes. Each side is a slice, and
/// the position in it of element `[0, …, 0]`.
pub(crate) fn copied(
    elements: &[(i128, i128)],
    itemsize: i64,
    dst: (&[u8], usize),
    src: (&[u8], usize),
) -> Vec<u8> {
    let bytes = usize::try_from(itemsize).expect("small");
    let mut result = dst.0.to_vec();
    for (to, from) in elements {
        let (to, from) = (position(dst.1, *to), position(src.1, *from));
        result[to..to + bytes].copy_from_slice(&src.0[from..from + bytes]);
    }
    result
}

/// `at` moved by an offset that stays inside the slice.
fn position(at: usize, by: i128) -> usize {
    usize::try_from(at as i128 + by).expect("inside the slice")
}
