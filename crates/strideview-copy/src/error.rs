//! What can be wrong with a copy.
#![forbid(unsafe_code)]

use std::fmt;

/// Why a copy cannot be planned or done.
///
/// A small `Copy` value with scalar fields: making, moving and comparing one allocates nothing.
/// [`CopyError::code`] is stable; the message is not.
///
/// ```
/// use strideview_copy::{CopyError, CopyPlan};
///
/// let error = CopyPlan::new(&[2, -3], &[3, 1], &[3, 1], 1).unwrap_err();
/// assert_eq!(error, CopyError::NegativeExtent { axis: 1, extent: -3 });
/// assert_eq!(error.code(), "copy.negative_extent");
/// assert_eq!(error.to_string(), "extent of axis 1 wanted at least 0, got -3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyError {
    /// More axes than a plan can have.
    RankTooLarge {
        /// Axes of the shape.
        rank: usize,
        /// The most axes that a plan takes.
        limit: usize,
    },
    /// As many strides as axes are needed.
    StrideCount {
        /// Whose strides they are.
        side: Side,
        /// Strides given.
        strides: usize,
        /// Axes of the shape.
        rank: usize,
    },
    /// An extent below zero.
    NegativeExtent {
        /// Axis of the shape.
        axis: usize,
        /// Extent given.
        extent: i64,
    },
    /// An item of less than one byte.
    InvalidItemsize {
        /// Item size given, in bytes.
        itemsize: i64,
    },
    /// Source and destination differ in the number of axes.
    RankMismatch {
        /// Axes of the destination.
        dst_rank: usize,
        /// Axes of the source.
        src_rank: usize,
    },
    /// Source and destination differ in an extent.
    ShapeMismatch {
        /// The first axis that differs.
        axis: usize,
        /// Extent of the destination.
        dst_extent: i64,
        /// Extent of the source.
        src_extent: i64,
    },
    /// Source and destination differ in the size of an item.
    ItemsizeMismatch {
        /// Item size of the destination, in bytes.
        dst_itemsize: i64,
        /// Item size of the source, in bytes.
        src_itemsize: i64,
    },
    /// A quantity of the copy does not fit in a signed 64-bit integer.
    Overflow {
        /// Which quantity.
        quantity: Quantity,
    },
    /// There is no memory for the temporary that an overlapping copy goes through.
    OutOfMemory {
        /// Bytes wanted.
        bytes: i64,
    },
}

/// One of the two sides of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// What is written.
    Destination,
    /// What is read.
    Source,
}

/// A number of bytes that must fit in a signed 64-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// The bytes to move: the number of elements times the size of one.
    Bytes,
    /// The distance, forwards or backwards, from the first element of a side to its last byte.
    Reach(Side),
}

/// Every code that [`CopyError::code`] gives, in the order of the variants.
///
/// ```
/// assert_eq!(strideview_copy::ALL_CODES.len(), 9);
/// ```
pub const ALL_CODES: &[&str] = &[
    "copy.rank_too_large",
    "copy.stride_count",
    "copy.negative_extent",
    "copy.invalid_itemsize",
    "copy.rank_mismatch",
    "copy.shape_mismatch",
    "copy.itemsize_mismatch",
    "copy.overflow",
    "copy.out_of_memory",
];

impl CopyError {
    /// The stable name of this kind of failure, `copy.` and a slug. O(1).
    ///
    /// ```
    /// use strideview_copy::CopyError;
    ///
    /// assert_eq!(CopyError::OutOfMemory { bytes: 8 }.code(), "copy.out_of_memory");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::RankTooLarge { .. } => "copy.rank_too_large",
            Self::StrideCount { .. } => "copy.stride_count",
            Self::NegativeExtent { .. } => "copy.negative_extent",
            Self::InvalidItemsize { .. } => "copy.invalid_itemsize",
            Self::RankMismatch { .. } => "copy.rank_mismatch",
            Self::ShapeMismatch { .. } => "copy.shape_mismatch",
            Self::ItemsizeMismatch { .. } => "copy.itemsize_mismatch",
            Self::Overflow { .. } => "copy.overflow",
            Self::OutOfMemory { .. } => "copy.out_of_memory",
        }
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RankTooLarge { rank, limit } => {
                write!(f, "wanted at most {limit} axes, got {rank}")
            }
            Self::StrideCount { side, strides, rank } => {
                write!(f, "{side} wanted {rank} strides, one for each axis, got {strides}")
            }
            Self::NegativeExtent { axis, extent } => {
                write!(f, "extent of axis {axis} wanted at least 0, got {extent}")
            }
            Self::InvalidItemsize { itemsize } => {
                write!(f, "item size wanted at least 1 byte, got {itemsize}")
            }
            Self::RankMismatch { dst_rank, src_rank } => {
                write!(f, "destination wanted a source of {dst_rank} axes, got {src_rank}")
            }
            Self::ShapeMismatch { axis, dst_extent, src_extent } => write!(
                f,
                "destination wanted extent {dst_extent} of the source on axis {axis}, \
                 got {src_extent}; broadcast first"
            ),
            Self::ItemsizeMismatch { dst_itemsize, src_itemsize } => {
                write!(f, "destination wanted items of {dst_itemsize} bytes, got {src_itemsize}")
            }
            Self::Overflow { quantity } => {
                write!(f, "{quantity} wanted at most {} bytes, got more", i64::MAX)
            }
            Self::OutOfMemory { bytes } => {
                write!(f, "overlapping copy wanted a temporary of {bytes} bytes, got no memory")
            }
        }
    }
}

impl std::error::Error for CopyError {}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Destination => "destination",
            Self::Source => "source",
        })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => f.write_str("copy"),
            Self::Reach(side) => write!(f, "reach of the {side}"),
        }
    }
}
