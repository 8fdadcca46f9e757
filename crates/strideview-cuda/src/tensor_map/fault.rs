//! Why a tensor has no descriptor.
#![forbid(unsafe_code)]

use std::fmt;

use super::TensorMapType;

/// What the copy engine wanted of a tensor or of a box, and what it got.
///
/// Axes count from the innermost one of the descriptor; [`TensorMapFault::with_axes`] renames them.
///
/// ```
/// use strideview_cuda::TensorMapFault;
///
/// let fault = TensorMapFault::Stride { axis: 1, stride_in_bytes: 260, multiple: 16 };
/// assert_eq!(
///     fault.to_string(),
///     "axis 1 wanted a stride from 0 to below 2^40 bytes that is a multiple of 16, got 260"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TensorMapFault {
    /// Too few axes, or too many.
    Rank {
        /// The fewest that are allowed: 3 with an interleave, or else 1.
        least: usize,
        /// The axes given.
        rank: usize,
    },
    /// Not one number for each axis.
    Entries {
        /// Of what.
        what: &'static str,
        /// The number of axes.
        wanted: usize,
        /// The numbers given.
        got: usize,
    },
    /// No elements to describe: an extent of 0, or one above 2^31.
    Extent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: i64,
    },
    /// No axis along which elements lie side by side.
    Innermost {
        /// The bytes of an element.
        itemsize: i64,
    },
    /// A stride that is negative, too large or not a multiple.
    Stride {
        /// The axis.
        axis: usize,
        /// Its stride.
        stride_in_bytes: i64,
        /// What must divide it: 32 with an interleave of 32 bytes, or else 16.
        multiple: i64,
    },
    /// An address that is null, not a multiple, or beyond what the engine addresses.
    Address {
        /// The address of element `[0, …, 0]`.
        address: u64,
        /// What must divide it: 32 with an interleave of 32 bytes, or else 16.
        multiple: i64,
    },
    /// A box of no elements along an axis, or of more than 256.
    Box {
        /// The axis.
        axis: usize,
        /// The extent of the box.
        extent: i64,
    },
    /// A box whose rows do not take whole 16 bytes.
    BoxRow {
        /// The innermost axis.
        axis: usize,
        /// The bytes of a row.
        size_in_bytes: i64,
    },
    /// A box whose rows are too long for the swizzle.
    BoxSwizzle {
        /// The innermost axis.
        axis: usize,
        /// The bytes of a row.
        size_in_bytes: i64,
        /// The most for this swizzle.
        most: i64,
    },
    /// A box that does not fit in shared memory.
    BoxSize {
        /// The bytes of a box.
        size_in_bytes: i64,
        /// The most there is.
        most: i64,
    },
    /// A step between the elements of a box that is 0, or more than 8.
    ElementStride {
        /// The axis.
        axis: usize,
        /// The step.
        stride: i64,
    },
    /// NaNs for a type that has none.
    Fill {
        /// The type.
        data_type: TensorMapType,
    },
    /// A type for elements of another size.
    Itemsize {
        /// The bytes of the type.
        wanted: i64,
        /// The bytes of an element.
        itemsize: i64,
    },
}

impl TensorMapFault {
    /// The same fault with the axes as `axes` names them, by the position in the descriptor. O(1).
    ///
    /// ```
    /// use strideview_cuda::TensorMapFault;
    ///
    /// let fault = TensorMapFault::Box { axis: 0, extent: 300 };
    /// assert_eq!(fault.with_axes(&[2, 1, 0]), TensorMapFault::Box { axis: 2, extent: 300 });
    /// ```
    #[must_use]
    pub fn with_axes(mut self, axes: &[usize]) -> Self {
        match &mut self {
            Self::Extent { axis, .. }
            | Self::Stride { axis, .. }
            | Self::Box { axis, .. }
            | Self::BoxRow { axis, .. }
            | Self::BoxSwizzle { axis, .. }
            | Self::ElementStride { axis, .. } => *axis = axes.get(*axis).copied().unwrap_or(*axis),
            _ => {}
        }
        self
    }
}

impl fmt::Display for TensorMapFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Rank { least, rank } => write!(f, "wanted {least} to 5 axes, got {rank}"),
            Self::Entries { what, wanted, got } => {
                write!(f, "wanted {wanted} {what}, one for each axis, got {got}")
            }
            Self::Extent { axis, extent } => {
                write!(f, "axis {axis} wanted an extent from 1 to 2^31, got {extent}")
            }
            Self::Innermost { itemsize } => write!(
                f,
                "wanted an axis whose elements of {itemsize} bytes lie side by side, got none"
            ),
            Self::Stride { axis, stride_in_bytes, multiple } => write!(
                f,
                "axis {axis} wanted a stride from 0 to below 2^40 bytes that is a multiple of \
                 {multiple}, got {stride_in_bytes}"
            ),
            Self::Address { address, multiple } => write!(
                f,
                "wanted an address from {multiple} to below 2^57 that is a multiple of {multiple}, \
                 got {address:#x}"
            ),
            Self::Box { axis, extent } => {
                write!(f, "axis {axis} wanted a box of 1 to 256 elements, got {extent}")
            }
            Self::BoxRow { axis, size_in_bytes } => write!(
                f,
                "axis {axis} wanted a box whose rows are a multiple of 16 bytes, got {size_in_bytes}"
            ),
            Self::BoxSwizzle { axis, size_in_bytes, most } => write!(
                f,
                "axis {axis} wanted a box whose rows take at most the {most} bytes of the swizzle, \
                 got {size_in_bytes}"
            ),
            Self::BoxSize { size_in_bytes, most } => {
                write!(f, "wanted a box of at most {most} bytes, got {size_in_bytes}")
            }
            Self::ElementStride { axis, stride } => {
                write!(f, "axis {axis} wanted an element stride from 1 to 8, got {stride}")
            }
            Self::Fill { data_type } => {
                write!(f, "wanted a floating-point type to fill with NaN, got {data_type}")
            }
            Self::Itemsize { wanted, itemsize } => {
                write!(f, "type wanted elements of {wanted} bytes, got elements of {itemsize}")
            }
        }
    }
}

impl std::error::Error for TensorMapFault {}
