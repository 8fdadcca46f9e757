//! The shared list of odd layouts.

use crate::PlainLayout;
use crate::index::narrow;
use crate::oracle::dense_strides;

/// Returns valid layouts of every kind that has gone wrong somewhere.
pub fn odd_layouts() -> Vec<PlainLayout> {
    [
        scalar(),
        empty(),
        unit_axes(),
        negative(),
        overlapping(),
        gapped(),
        dense(),
        edges(),
        high_rank(),
    ]
    .concat()
}

/// Returns layouts that must be refused because a quantity does not fit in int64.
pub fn overflowing_layouts() -> Vec<PlainLayout> {
    vec![
        made(&[1 << 32, 1 << 32], &[0, 0], 1, 0),
        made(&[1 << 31, 1 << 32], &[0, 0], 8, 0),
        made(&[i64::MAX, 2], &[0, 0], 1, 0),
        made(&[1 << 62], &[0], 4, 0),
        made(&[4], &[1 << 62], 1, 0),
        made(&[3], &[-(1 << 62)], 4, 0),
        made(&[3], &[i64::MIN], 1, 0),
        made(&[2], &[i64::MIN], 2, 0),
        made(&[2], &[i64::MAX], 1, 0),
        made(&[2], &[1], 1, i64::MAX - 1),
        made(&[2], &[-1], 1, i64::MIN),
        made(&[], &[], 1, i64::MAX),
        made(&[], &[], 2, i64::MIN),
        made(&[], &[], i64::MAX, 1),
        made(&[1, 1], &[5, 5], i64::MAX, -2),
        made(&[2, 2], &[i64::MAX / 2 + 1, i64::MAX / 2 + 1], 1, 0),
        made(&[2, 2], &[i64::MIN, -1], 1, 0),
        made(&[i64::MAX], &[i64::MAX], 1, 0),
        made(&[i64::MAX], &[i64::MIN], 1, 0),
        made(&[i64::MAX, i64::MAX, i64::MAX, i64::MAX], &[0, 0, 0, 0], 1, 0),
        made(&[2; 64], &[0; 64], 1, 0),
        made(&[1 << 40, 1], &[1, i64::MAX], 1 << 40, 0),
    ]
}

fn made(shape: &[i64], strides: &[i64], itemsize: i64, offset: i64) -> PlainLayout {
    PlainLayout::new(shape, strides, itemsize, offset)
}

/// Returns the dense layout with its axes from slowest to fastest as listed.
fn packed(shape: &[i64], slowest_first: &[usize], itemsize: i64) -> PlainLayout {
    let strides: Vec<i64> = dense_strides(shape, slowest_first).into_iter().map(narrow).collect();
    made(shape, &strides, itemsize, 0)
}

fn scalar() -> Vec<PlainLayout> {
    vec![
        made(&[], &[], 1, 0),
        made(&[], &[], 8, 3),
        made(&[], &[], 3, -5),
        made(&[], &[], 1, i64::MIN),
    ]
}

fn empty() -> Vec<PlainLayout> {
    vec![
        made(&[0], &[0], 4, 0),
        made(&[0], &[i64::MAX], 4, 0),
        made(&[0, 3], &[5, 7], 8, 0),
        made(&[3, 0], &[i64::MIN, i64::MIN], 8, 2),
        made(&[2, 3, 0, 4], &[0, 0, 0, 0], 4, 0),
        made(&[0, 4, 0], &[1, -(1 << 62), 1], 8, 0),
        made(&[8, 0], &[1 << 62, 1], 1, 0),
        made(&[i64::MAX, i64::MAX, 0], &[i64::MAX, i64::MAX, 1], 8, 0),
        made(&[0, 1 << 62, 4], &[1, 1, 1], 8, 0),
        made(&[0, 0, 3], &[5760, 3, -1], 1, 0),
        made(&[1, 0, 1], &[i64::MIN, 4, i64::MAX], 16, -7),
        made(&[2, 1, 0], &[1, 1, 1], i64::MAX, 0),
    ]
}

fn unit_axes() -> Vec<PlainLayout> {
    vec![
        made(&[1], &[0], 4, 0),
        made(&[1], &[i64::MIN], 2, 1),
        made(&[1, 1], &[i64::MAX, i64::MIN], 8, 0),
        made(&[2, 1, 3], &[3, 100, 1], 4, 0),
        made(&[2, 1, 3], &[3, i64::MIN, 1], 1, 0),
        made(&[1, 2, 3], &[50, 3, 1], 4, 0),
        made(&[2, 3, 1], &[3, 1, i64::MAX], 8, 0),
        made(&[1, 4], &[5, 1], 4, 0),
        made(&[1, 1, 5, 7], &[0, 0, 7, 1], 4, 0),
        made(&[3, 1, 3], &[3, i64::MAX, 1], 8, 0),
        made(&[1, 6, 1, 2, 1], &[-9, 4, i64::MIN + 1, 2, 7], 3, 5),
    ]
}

fn negative() -> Vec<PlainLayout> {
    vec![
        made(&[4], &[-1], 8, 3),
        made(&[4], &[-1], 8, 0),
        made(&[1], &[-1], 2, 0),
        made(&[5, 2], &[-1, 5], 4, 4),
        made(&[3, 2], &[-2, 1], 4, 4),
        made(&[2, 3, 4], &[-12, -4, -1], 2, 23),
        made(&[4, 2], &[1, -1], 1, 1),
    ]
}

fn overlapping() -> Vec<PlainLayout> {
    vec![
        made(&[2, 3], &[3, 2], 1, 0),
        made(&[3, 2], &[2, 3], 6, 0),
        made(&[3, 4], &[3, 2], 1, 0),
        made(&[3, 3], &[1, 1], 4, 0),
        made(&[5, 3], &[1, 1], 4, 2),
        made(&[3], &[0], 4, 7),
        made(&[2, 3], &[0, 0], 4, 0),
        made(&[2, 3], &[0, 1], 12, 0),
        made(&[4, 1, 3], &[1, 0, 0], 16, 0),
        made(&[3, 4, 5], &[0, 0, 0], 1, 0),
        made(&[2, 2, 2], &[1, 2, 3], 2, 0),
        made(&[1 << 16, 1 << 16], &[0, 1], 1, 0),
    ]
}

fn gapped() -> Vec<PlainLayout> {
    vec![
        made(&[4, 3], &[5, 4], 8, 0),
        made(&[100, 3, 3], &[16, 1, 4], 1, 0),
        made(&[2, 5], &[10, 1], 4, 0),
        made(&[2, 2], &[12, 3], 8, 0),
        made(&[6], &[2], 8, 1),
        made(&[2, 4, 3], &[12, 1, 4], 8, 0),
        made(&[2, 2, 2], &[6, 4, 1], 1, 0),
        made(&[2, 2], &[6, 5], 2, 0),
        made(&[3, 8], &[16, 1], 2, 8),
    ]
}

fn dense() -> Vec<PlainLayout> {
    vec![
        packed(&[2, 3], &[0, 1], 4),
        packed(&[2, 3], &[1, 0], 8),
        packed(&[2, 3, 4], &[1, 0, 2], 1),
        packed(&[2, 3, 4, 5], &[2, 0, 3, 1], 2),
        packed(&[6], &[0], 12),
        packed(&[4, 1, 4], &[1, 2, 0], 5),
        packed(&[2; 8], &[7, 0, 6, 1, 5, 2, 4, 3], 4),
    ]
}

fn edges() -> Vec<PlainLayout> {
    vec![
        made(&[2], &[i64::MIN], 1, 0),
        made(&[2, 2], &[i64::MIN, 1], 1, 0),
        made(&[2], &[i64::MAX], 1, i64::MIN),
        made(&[3], &[i64::MAX], 1, i64::MIN),
        made(&[4], &[6_148_914_691_236_517_204], 1, i64::MIN),
        made(&[4], &[-6_148_914_691_236_517_204], 1, i64::MAX - 1),
        made(&[i64::MAX], &[1], 1, 0),
        made(&[i64::MAX], &[0], 1, -3),
        made(&[i64::MAX], &[-1], 1, i64::MAX - 1),
        made(&[i64::MAX, 1], &[1, i64::MIN], 1, i64::MIN),
        made(&[2, 4], &[-6_446_744_073_709_551_616, 3_000_000_000_000_000_000], 1, 0),
        made(&[1 << 31, 1 << 31], &[1 << 31, 1], 1, 0),
        made(&[1 << 31, 1 << 28], &[1, 1 << 31], 8, 0),
        made(&[1 << 20, 3, 1 << 20], &[1, 0, 1 << 20], 4, 9),
        made(&[3, 2], &[1 << 61, 1], 1, 0),
        made(&[1], &[1], i64::MAX, 0),
        made(&[2], &[1], i64::MAX / 2, -1),
        made(&[], &[], 1, i64::MAX - 1),
    ]
}

fn high_rank() -> Vec<PlainLayout> {
    let mostly_units: Vec<i64> = (0..64).map(|axis| if axis % 13 == 5 { 2 } else { 1 }).collect();
    let garbage: Vec<i64> =
        (0..64).map(|axis| if axis % 13 == 5 { axis } else { i64::MIN }).collect();
    let order: Vec<usize> = (0..62).collect();
    let reversed: Vec<usize> = (0..62).rev().collect();
    vec![
        made(&[1; 64], &[i64::MAX; 64], 4, 11),
        made(&[0; 64], &[7; 64], 4, 0),
        made(&mostly_units, &garbage, 2, 0),
        packed(&[2; 62], &order, 1),
        packed(&[2; 62], &reversed, 1),
        made(&[2; 40], &[0; 40], 1, 0),
        packed(&[3, 1, 2, 1, 2, 1, 1, 2, 1, 3], &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 2),
    ]
}
