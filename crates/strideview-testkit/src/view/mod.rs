//! Transforms as laws: a result shape, and for each index of the result the index of the source it is.
//!
//! A [`View`] knows no strides. [`View::derive`] finds them from the offsets of the source, and finds out
//! when there are none. That makes it an oracle both for "which strides" and for "is there a layout".

mod axes;
mod broadcast;
mod part;
mod reshape;
mod slicing;

pub use axes::{moved_axis, permuted, reversed_axes, squeezed, sub, transposed, unsqueezed};
pub use broadcast::{broadcast_to, unbroadcast};
pub use part::{diagonal, split_axis, windows};
pub use reshape::{coalesced, flattened, regrouped, reshaped};
pub use slicing::{kept_offset, sliced};

use crate::{PlainLayout, index};

/// The most axes a layout has.
pub const MAX_RANK: usize = 64;

/// Why the arguments of a transform are refused, whatever the strides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Anything semantic that is not one of the others.
    Value,
    /// An axis out of range.
    Axis,
    /// An index out of range.
    Index,
}

type IndexMap = Box<dyn Fn(&[i64]) -> Vec<i64>>;

/// The result of a transform: `result(i) = source(source_index(i))` for every index i of `shape`.
pub struct View {
    /// The extents of the result.
    pub shape: Vec<i64>,
    map: IndexMap,
}

impl std::fmt::Debug for View {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "View of shape {:?}", self.shape)
    }
}

/// The strided layout that a view is, in `i128`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The extents.
    pub shape: Vec<i64>,
    /// The strides in elements; 0 where they carry no meaning.
    pub strides: Vec<i128>,
    /// The offset of index 0.
    pub offset: i128,
}

impl View {
    /// Makes a view; refuses more than [`MAX_RANK`] axes.
    ///
    /// # Errors
    /// [`Fault::Value`] for too many axes.
    pub fn new(shape: Vec<i64>, map: impl Fn(&[i64]) -> Vec<i64> + 'static) -> Result<Self, Fault> {
        if shape.len() > MAX_RANK {
            return Err(Fault::Value);
        }
        Ok(Self { shape, map: Box::new(map) })
    }

    /// Returns the index of the source that the index of the result stands for.
    pub fn source_index(&self, index: &[i64]) -> Vec<i64> {
        (self.map)(index)
    }

    /// Returns the layout with this map, or None when no strided layout has it.
    ///
    /// Each stride is the difference of two offsets; every index is then compared
    /// ([`index::samples`] of them when there are many).
    pub fn derive(&self, source: &PlainLayout) -> Option<Derived> {
        if self.shape.contains(&0) {
            let strides = vec![0; self.shape.len()];
            return Some(Derived {
                shape: self.shape.clone(),
                strides,
                offset: i128::from(source.offset),
            });
        }
        let derived = self.differences(source);
        let same =
            |at: Vec<i64>| source.offset_at(&self.source_index(&at)) == derived.offset_at(&at);
        index::samples(&self.shape).into_iter().all(same).then_some(derived)
    }

    /// Returns the only candidate: strides from the offsets of the unit indices.
    fn differences(&self, source: &PlainLayout) -> Derived {
        let mut unit = vec![0; self.shape.len()];
        let offset = source.offset_at(&self.source_index(&unit));
        let mut strides = vec![0; self.shape.len()];
        for axis in 0..self.shape.len() {
            if self.shape[axis] > 1 {
                unit[axis] = 1;
                strides[axis] = source.offset_at(&self.source_index(&unit)) - offset;
                unit[axis] = 0;
            }
        }
        Derived { shape: self.shape.clone(), strides, offset }
    }
}

impl Derived {
    /// Returns the offset of one index.
    pub fn offset_at(&self, index: &[i64]) -> i128 {
        let steps = self.strides.iter().zip(index);
        steps.fold(self.offset, |sum, (&stride, &at)| sum + stride * i128::from(at))
    }
}

/// Returns the axis counted from the front.
///
/// # Errors
/// [`Fault::Axis`] outside `-rank .. rank`.
pub fn normal_axis(axis: i64, rank: usize) -> Result<usize, Fault> {
    let rank = i128::try_from(rank).expect("a rank fits");
    let axis = i128::from(axis);
    let counted = if axis < 0 { axis + rank } else { axis };
    if counted < 0 || counted >= rank {
        return Err(Fault::Axis);
    }
    usize::try_from(counted).map_err(|_| Fault::Axis)
}

/// Returns the axes counted from the front, all different.
///
/// # Errors
/// [`Fault::Axis`] for one out of range, [`Fault::Value`] for one given twice.
pub fn normal_axes(axes: &[i64], rank: usize) -> Result<Vec<usize>, Fault> {
    let normal: Result<Vec<usize>, Fault> =
        axes.iter().map(|&axis| normal_axis(axis, rank)).collect();
    let normal = normal?;
    let twice = (1..normal.len()).any(|at| normal[..at].contains(&normal[at]));
    if twice { Err(Fault::Value) } else { Ok(normal) }
}
