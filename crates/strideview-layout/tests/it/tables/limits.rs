//! Ranks, extents, int64 and sizes. Cases nd, ov and rq of the bug reports.

use strideview_layout::{ErrorKind, Slice, StridedLayout};

use super::{implicit, kind, range};
use crate::support::strided;

/// nd-01: more than 64 axes are refused, 64 are not.
#[test]
fn many_axes() {
    for rank in [65, 1000] {
        assert_eq!(kind(StridedLayout::new(&vec![1; rank], None, 8)), ErrorKind::Value);
    }
    let layout = implicit(&[1; 64], 8);
    assert_eq!((layout.rank(), layout.volume()), (64, 1));
    assert_eq!(kind(layout.unsqueezed(&[0])), ErrorKind::Value);
    assert_eq!(kind(layout.windows(0, 1, 1)), ErrorKind::Value);
    assert_eq!(kind(layout.split_axis(0, 1)), ErrorKind::Value);
    assert_eq!(kind(layout.broadcast_to(&[1; 65])), ErrorKind::Value);
    assert_eq!(kind(layout.extended(&implicit(&[1], 8), 0)), ErrorKind::Value);
    assert_eq!(kind(layout.sliced(&[Slice::NewAxis])), ErrorKind::Value);
}

/// nd-04: each extent is checked, not their product.
#[test]
fn negative_extents() {
    assert_eq!(kind(StridedLayout::new(&[-3], Some(&[1]), 4)), ErrorKind::Value);
    assert_eq!(kind(StridedLayout::new(&[2, -1], Some(&[1, 1]), 4)), ErrorKind::Value);
    assert_eq!(kind(StridedLayout::new(&[-2, -2], None, 4)), ErrorKind::Value);
}

/// ov-01: the product of these extents is 5 modulo 2^64.
#[test]
fn a_product_that_wraps_to_the_volume() {
    let outcome = implicit(&[5], 4).reshaped(&[3, 7, 29, 36_760_123, 823_996_703]);
    assert!(matches!(kind(outcome), ErrorKind::Value | ErrorKind::Overflow));
}

/// ov-03, ov-04: a step or an index times 2^62 does not fit; such a layout does not even exist.
#[test]
fn strides_of_two_to_the_62() {
    let stride = 1 << 62;
    assert_eq!(kind(StridedLayout::new(&[4], Some(&[stride]), 1)), ErrorKind::Overflow);
    assert_eq!(kind(StridedLayout::new(&[3, 2], Some(&[stride, 1]), 1)), ErrorKind::Overflow);
    let two = strided(&[2, 2], &[stride, 1], 1);
    assert_eq!(two.sliced(&[Slice::Index(1)]).unwrap().slice_offset(), stride);
    assert_eq!(two.sliced(&[range(None, None, 2)]).unwrap().shape(), [1, 2]);
    let wide = StridedLayout::with_offset(&[3], Some(&[i64::MAX]), 1, i64::MIN).unwrap();
    assert_eq!(kind(wide.sliced(&[range(None, None, 2)])), ErrorKind::Overflow);
}

/// ov-06: the most negative stride has no absolute value in int64.
#[test]
fn the_most_negative_stride() {
    let layout = strided(&[2], &[i64::MIN], 1);
    assert_eq!(layout.offset_bounds(), (i64::MIN, 0));
    assert!(layout.is_unique());
    assert_eq!(kind(StridedLayout::new(&[2], Some(&[i64::MIN]), 2)), ErrorKind::Overflow);
}

/// ov-07: 2^64 elements wrap to 0, which would fit in any buffer.
#[test]
fn a_volume_that_wraps_to_zero() {
    let shape = [1 << 32, 1 << 32];
    assert_eq!(kind(StridedLayout::new(&shape, None, 1)), ErrorKind::Overflow);
    assert_eq!(kind(StridedLayout::new(&shape, Some(&[0, 0]), 1)), ErrorKind::Overflow);
    let row = strided(&[1, 1 << 32], &[1, 1], 1);
    assert_eq!(kind(row.broadcast_to(&shape)), ErrorKind::Overflow);
}

/// rq-01, rq-03, rq-04: the last element decides the size, not the largest stride nor the volume.
#[test]
fn required_sizes() {
    assert_eq!(strided(&[4, 3], &[5, 4], 8).required_size_in_bytes(), Ok(192));
    let padded = strided(&[100, 3, 3], &[16, 1, 4], 1);
    assert_eq!((padded.required_size_in_bytes(), padded.volume()), (Ok(1595), 900));
    let part = implicit(&[4, 6], 8).sliced(&[range(None, None, 2), range(None, None, 3)]).unwrap();
    assert_eq!((part.strides(), part.offset_bounds()), (&[12, 3][..], (0, 15)));
}

/// rq-06: offset and span together.
#[test]
fn an_offset_counts() {
    for (offset, bytes) in [(0, 36), (1, 40), (2, 44)] {
        let layout = StridedLayout::with_offset(&[3, 3], Some(&[3, 1]), 4, offset).unwrap();
        assert_eq!(layout.required_size_in_bytes(), Ok(bytes));
    }
}

/// cy-10, cy-12, cy-13: a dense copy has no gaps; a broadcast source needs one row only.
#[test]
fn sizes_of_copies() {
    use strideview_layout::StrideOrder::K;
    let dense = strided(&[2, 5], &[10, 1], 4).to_dense(K).unwrap();
    assert_eq!((dense.strides(), dense.required_size_in_bytes()), (&[5, 1][..], Ok(40)));
    let expanded = strided(&[65536, 65536], &[0, 1], 1);
    assert_eq!(expanded.required_size_in_bytes(), Ok(65536));
    assert_eq!(expanded.nbytes(), 1 << 32);
    assert_eq!(expanded.unbroadcast().nbytes(), 65536);
    let every_other = implicit(&[100], 8).sliced(&[range(None, None, 2)]).unwrap();
    assert_eq!(every_other.required_size_in_bytes(), Ok(99 * 8));
    assert_eq!(every_other.to_dense(K).unwrap().required_size_in_bytes(), Ok(50 * 8));
}

/// cy-15: a permuted layout of 27 axes merges to a few when the axes are put in order.
#[test]
fn high_rank_merges() {
    let strides: Vec<i64> = (0..27).map(|axis| 16 << ((axis * 7) % 27)).collect();
    let layout = strided(&[2; 27], &strides, 8);
    let order: Vec<i64> =
        layout.stride_order().iter().map(|&axis| i64::try_from(axis).unwrap()).collect();
    let merged = layout.permuted(&order).unwrap().coalesced();
    assert_eq!((merged.shape(), merged.strides()), (&[1 << 27][..], &[16][..]));
}
