//! A layout as plain numbers.

use crate::index;

/// Shape, strides, item size and offset, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainLayout {
    /// The extents.
    pub shape: Vec<i64>,
    /// The strides in elements, one an axis.
    pub strides: Vec<i64>,
    /// The bytes of one element.
    pub itemsize: i64,
    /// The offset of index 0, in elements.
    pub offset: i64,
}

impl PlainLayout {
    /// Makes the layout, whatever the numbers; copies both slices.
    pub fn new(shape: &[i64], strides: &[i64], itemsize: i64, offset: i64) -> Self {
        Self { shape: shape.to_vec(), strides: strides.to_vec(), itemsize, offset }
    }

    /// Returns the number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements, at most `i128::MAX`.
    pub fn volume(&self) -> i128 {
        index::volume(&self.shape)
    }

    /// Returns whether an extent is zero.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Returns the strides as `i128`.
    pub fn wide_strides(&self) -> Vec<i128> {
        self.strides.iter().map(|&stride| i128::from(stride)).collect()
    }

    /// Returns the offset of one index.
    pub fn offset_at(&self, index: &[i64]) -> i128 {
        index::offset_at(&self.strides, self.offset, index)
    }

    /// Returns all offsets in C order of the index; enumerates.
    pub fn offsets(&self) -> Vec<i128> {
        index::offsets(&self.shape, &self.strides, self.offset)
    }

    /// Returns the axes listed, the others held at index 0.
    pub fn axes(&self, axes: &[usize]) -> Self {
        Self {
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
            ..*self
        }
    }
}
