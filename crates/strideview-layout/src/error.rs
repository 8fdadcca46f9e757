//! What can be wrong with a layout or with an operation on it.

use core::fmt;

/// What was wanted and what was got, when a layout cannot be built or transformed.
///
/// Every variant has a stable [`code`](LayoutError::code); messages may change. No variant holds a
/// whole shape, so an error never allocates.
///
/// ```
/// use strideview_layout::StridedLayout;
/// let error = StridedLayout::new(&[2, 3], None, 4)?.permuted(&[0, 5]).unwrap_err();
/// assert_eq!(error.to_string(), "axis 5 is out of range for rank 2");
/// assert_eq!(error.code(), "layout.axis_out_of_range");
/// # Ok::<(), strideview_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// More axes than a layout may have.
    RankTooLarge {
        /// Rank asked for.
        rank: usize,
        /// Largest rank.
        limit: usize,
    },
    /// An extent below zero.
    NegativeExtent {
        /// Axis of the shape.
        axis: usize,
        /// Extent given.
        extent: i64,
    },
    /// An item size below one byte.
    InvalidItemsize {
        /// Item size given, in bytes.
        itemsize: i64,
    },
    /// As many strides as axes are needed.
    StrideCount {
        /// Strides given.
        strides: usize,
        /// Axes of the shape.
        rank: usize,
    },
    /// A byte stride that is no multiple of the item size, on an axis where it matters.
    StrideNotDivisible {
        /// Axis of the shape.
        axis: usize,
        /// Stride given, in bytes.
        stride_in_bytes: i64,
        /// Item size, in bytes.
        itemsize: i64,
    },
    /// A quantity of the layout does not fit in a signed 64-bit integer.
    Overflow {
        /// Which quantity.
        quantity: Quantity,
        /// Its exact value, or the nearest `i128` when it does not fit there either.
        value: i128,
    },
    /// An axis outside `-rank .. rank`.
    AxisOutOfRange {
        /// Axis given.
        axis: i64,
        /// Number of axes to choose from.
        rank: usize,
    },
    /// A position that is neither 0 to the rank nor -1, where axes are to be inserted.
    PositionOutOfRange {
        /// Position given.
        position: i64,
        /// Number of axes there are.
        rank: usize,
    },
    /// An axis listed twice.
    DuplicateAxis {
        /// The axis, counted from 0.
        axis: usize,
    },
    /// A list of axes that must name every axis once has another length.
    AxisCount {
        /// Axes listed.
        axes: usize,
        /// Axes of the layout.
        rank: usize,
    },
    /// The order "keep" asked of a constructor that has no layout to take it from.
    NoOrderToKeep,
    /// A new shape with another volume.
    VolumeMismatch {
        /// Volume of the new shape, or the nearest `i128`.
        volume: i128,
        /// Volume of the layout.
        expected: i64,
    },
    /// A second extent to be inferred.
    SecondInferredExtent {
        /// Axis of the second -1.
        axis: usize,
    },
    /// No extent, or no single one, makes the volumes agree.
    CannotInferExtent {
        /// Product of the other extents, or the nearest `i128`.
        known: i128,
        /// Volume of the layout.
        volume: i64,
    },
    /// No strided layout of the new shape visits the same offsets in the same order.
    ReshapeNeedsCopy {
        /// Axis of the new shape that would need two strides.
        axis: usize,
    },
    /// A range of axes that ends before it starts.
    AxisRange {
        /// First axis, as given.
        start: i64,
        /// Last axis, as given.
        end: i64,
        /// Axes of the layout.
        rank: usize,
    },
    /// An axis to be squeezed whose extent is not 1.
    NotUnitExtent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: i64,
    },
    /// An extent that cannot be broadcast to the one asked for.
    BroadcastExtent {
        /// Axis of the target shape.
        axis: usize,
        /// Extent there is.
        extent: i64,
        /// Extent asked for.
        target: i64,
    },
    /// A broadcast to fewer axes.
    BroadcastRank {
        /// Axes there are.
        rank: usize,
        /// Axes asked for.
        target: usize,
    },
    /// Two item sizes of which neither divides the other.
    ItemsizeRatio {
        /// Item size there is, in bytes.
        itemsize: i64,
        /// Item size asked for, in bytes.
        target: i64,
    },
    /// An empty layout has no bytes to view with another item size.
    RepackEmpty {
        /// Item size there is, in bytes.
        itemsize: i64,
        /// Item size asked for, in bytes.
        target: i64,
    },
    /// The axis to repack has gaps or runs backwards.
    RepackStride {
        /// The axis.
        axis: usize,
        /// Its stride; 1 is needed.
        stride: i64,
    },
    /// A part of the layout is no multiple of what packing needs.
    NotDivisible {
        /// Which part.
        part: Part,
        /// Its value.
        value: i128,
        /// What must divide it.
        divisor: i64,
    },
    /// A limit below the item size.
    MaxItemsizeTooSmall {
        /// Limit given, in bytes.
        max_itemsize: i64,
        /// Item size, in bytes.
        itemsize: i64,
    },
    /// A slice with step 0.
    ZeroStep {
        /// Axis that is sliced.
        axis: usize,
    },
    /// An index outside `-extent .. extent`.
    IndexOutOfRange {
        /// Axis that is indexed.
        axis: usize,
        /// Index given.
        index: i64,
        /// Extent of the axis.
        extent: i64,
    },
    /// Indices for more axes than there are.
    TooManyIndices {
        /// Axes indexed.
        indices: usize,
        /// Axes there are.
        rank: usize,
    },
    /// One index for each axis is needed.
    IndexCount {
        /// Indices given.
        indices: usize,
        /// Axes there are.
        rank: usize,
    },
    /// A second `...` in one index.
    SecondEllipsis,
    /// A window that is negative or larger than its axis.
    WindowSize {
        /// Size given.
        size: i64,
        /// Extent of the axis.
        extent: i64,
    },
    /// A window step below 1.
    WindowStep {
        /// Step given.
        step: i64,
    },
    /// An extent that cannot be split evenly.
    SplitExtent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: i64,
        /// Inner extent asked for.
        inner: i64,
    },
    /// Two layouts that must have the same item size do not.
    ItemsizeMismatch {
        /// Item size of the other layout, in bytes.
        itemsize: i64,
        /// Item size of this layout, in bytes.
        expected: i64,
    },
    /// The layout reaches elements before the start of its buffer.
    NegativeMinOffset {
        /// Smallest element offset.
        min_offset: i64,
    },
    /// An exact search was given up.
    WorkBound {
        /// Steps after which it was given up.
        limit: u64,
    },
}

/// What overflowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// Number of elements.
    Volume,
    /// Volume times item size.
    SizeInBytes,
    /// Smallest element offset.
    MinOffset,
    /// Largest element offset.
    MaxOffset,
    /// Smallest byte offset.
    MinOffsetInBytes,
    /// Byte offset of the end of the last element.
    EndInBytes,
    /// Stride of an axis, in elements.
    Stride,
    /// Stride of an axis, in bytes.
    StrideInBytes,
    /// Extent of an axis.
    Extent,
    /// Offset of the first element.
    SliceOffset,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Volume => "volume",
            Quantity::SizeInBytes => "size in bytes",
            Quantity::MinOffset => "minimum offset",
            Quantity::MaxOffset => "maximum offset",
            Quantity::MinOffsetInBytes => "minimum offset in bytes",
            Quantity::EndInBytes => "end of the last element in bytes",
            Quantity::Stride => "stride",
            Quantity::StrideInBytes => "stride in bytes",
            Quantity::Extent => "extent",
            Quantity::SliceOffset => "slice offset",
        })
    }
}

/// The part of a layout that packing looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Extent of the packed axis.
    Extent,
    /// Offset of the first element.
    SliceOffset,
    /// Stride of the axis with this number.
    Stride(usize),
    /// Address of element offset 0.
    DataPointer,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Extent => f.write_str("extent of the packed axis"),
            Part::SliceOffset => f.write_str("slice offset"),
            Part::Stride(axis) => write!(f, "stride of axis {axis}"),
            Part::DataPointer => f.write_str("data pointer"),
        }
    }
}

/// The family of an error, by which a caller or a binding chooses what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The values do not go together.
    Value,
    /// An axis, or a position for one, is out of range.
    Axis,
    /// An index is out of range.
    Index,
    /// A quantity does not fit in a signed 64-bit integer.
    Overflow,
}

impl LayoutError {
    /// Every code there is, in the order of the variants. Codes are stable, messages are not.
    pub const CODES: &'static [&'static str] = &[
        "layout.rank_too_large",
        "layout.negative_extent",
        "layout.invalid_itemsize",
        "layout.stride_count",
        "layout.stride_not_divisible",
        "layout.overflow",
        "layout.axis_out_of_range",
        "layout.position_out_of_range",
        "layout.duplicate_axis",
        "layout.axis_count",
        "layout.no_order_to_keep",
        "layout.volume_mismatch",
        "layout.second_inferred_extent",
        "layout.cannot_infer_extent",
        "layout.reshape_needs_copy",
        "layout.axis_range",
        "layout.not_unit_extent",
        "layout.broadcast_extent",
        "layout.broadcast_rank",
        "layout.itemsize_ratio",
        "layout.repack_empty",
        "layout.repack_stride",
        "layout.not_divisible",
        "layout.max_itemsize_too_small",
        "layout.zero_step",
        "layout.index_out_of_range",
        "layout.too_many_indices",
        "layout.index_count",
        "layout.second_ellipsis",
        "layout.window_size",
        "layout.window_step",
        "layout.split_extent",
        "layout.itemsize_mismatch",
        "layout.negative_min_offset",
        "layout.work_bound",
    ];

    /// The stable name of this kind of fault, such as `layout.axis_out_of_range`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        use LayoutError as E;
        match self {
            E::RankTooLarge { .. } => "layout.rank_too_large",
            E::NegativeExtent { .. } => "layout.negative_extent",
            E::InvalidItemsize { .. } => "layout.invalid_itemsize",
            E::StrideCount { .. } => "layout.stride_count",
            E::StrideNotDivisible { .. } => "layout.stride_not_divisible",
            E::Overflow { .. } => "layout.overflow",
            E::AxisOutOfRange { .. } => "layout.axis_out_of_range",
            E::PositionOutOfRange { .. } => "layout.position_out_of_range",
            E::DuplicateAxis { .. } => "layout.duplicate_axis",
            E::AxisCount { .. } => "layout.axis_count",
            E::NoOrderToKeep => "layout.no_order_to_keep",
            E::VolumeMismatch { .. } => "layout.volume_mismatch",
            E::SecondInferredExtent { .. } => "layout.second_inferred_extent",
            E::CannotInferExtent { .. } => "layout.cannot_infer_extent",
            E::ReshapeNeedsCopy { .. } => "layout.reshape_needs_copy",
            E::AxisRange { .. } => "layout.axis_range",
            E::NotUnitExtent { .. } => "layout.not_unit_extent",
            E::BroadcastExtent { .. } => "layout.broadcast_extent",
            E::BroadcastRank { .. } => "layout.broadcast_rank",
            E::ItemsizeRatio { .. } => "layout.itemsize_ratio",
            E::RepackEmpty { .. } => "layout.repack_empty",
            E::RepackStride { .. } => "layout.repack_stride",
            E::NotDivisible { .. } => "layout.not_divisible",
            E::MaxItemsizeTooSmall { .. } => "layout.max_itemsize_too_small",
            E::ZeroStep { .. } => "layout.zero_step",
            E::IndexOutOfRange { .. } => "layout.index_out_of_range",
            E::TooManyIndices { .. } => "layout.too_many_indices",
            E::IndexCount { .. } => "layout.index_count",
            E::SecondEllipsis => "layout.second_ellipsis",
            E::WindowSize { .. } => "layout.window_size",
            E::WindowStep { .. } => "layout.window_step",
            E::SplitExtent { .. } => "layout.split_extent",
            E::ItemsizeMismatch { .. } => "layout.itemsize_mismatch",
            E::NegativeMinOffset { .. } => "layout.negative_min_offset",
            E::WorkBound { .. } => "layout.work_bound",
        }
    }

    /// The family of this error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            LayoutError::Overflow { .. } => ErrorKind::Overflow,
            LayoutError::AxisOutOfRange { .. } | LayoutError::PositionOutOfRange { .. } => {
                ErrorKind::Axis
            }
            LayoutError::IndexOutOfRange { .. } | LayoutError::TooManyIndices { .. } => {
                ErrorKind::Index
            }
            _ => ErrorKind::Value,
        }
    }
}

impl core::error::Error for LayoutError {}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LayoutError as E;
        match *self {
            E::RankTooLarge { rank, limit } => {
                write!(f, "rank {rank} is too large: at most {limit} axes")
            }
            E::NegativeExtent { axis, extent } => {
                write!(f, "extent of axis {axis} must be at least 0, got {extent}")
            }
            E::InvalidItemsize { itemsize } => {
                write!(f, "itemsize must be at least 1 byte, got {itemsize}")
            }
            E::StrideCount { strides, rank } => {
                write!(f, "expected one stride for each of {rank} axes, got {strides}")
            }
            E::StrideNotDivisible { axis, stride_in_bytes, itemsize } => write!(
                f,
                "byte stride of axis {axis} must be a multiple of itemsize {itemsize}, got {stride_in_bytes}"
            ),
            E::Overflow { quantity, value } => write!(
                f,
                "{quantity} must fit in int64 ({} to {}), got {value}",
                i64::MIN,
                i64::MAX
            ),
            E::AxisOutOfRange { axis, rank } => {
                write!(f, "axis {axis} is out of range for rank {rank}")
            }
            E::PositionOutOfRange { position, rank } => write!(
                f,
                "position {position} is out of range: 0 to {rank} for rank {rank}, or -1 for the end"
            ),
            E::DuplicateAxis { axis } => write!(f, "each axis may be named once, got axis {axis} twice"),
            E::AxisCount { axes, rank } => {
                write!(f, "expected each of {rank} axes once, got {axes} axes")
            }
            E::NoOrderToKeep => f.write_str(
                "stride order must be C, F or a list of axes, got K, which needs a layout to keep the order of",
            ),
            E::VolumeMismatch { volume, expected } => {
                write!(f, "new shape must have volume {expected}, got {volume}")
            }
            E::SecondInferredExtent { axis } => {
                write!(f, "only one extent may be inferred, got a second -1 at axis {axis}")
            }
            E::CannotInferExtent { known, volume } => write!(
                f,
                "cannot infer an extent: the other extents have product {known}, the volume is {volume}"
            ),
            E::ReshapeNeedsCopy { axis } => write!(
                f,
                "the strides do not allow this shape without a copy: axis {axis} would need two strides, got one"
            ),
            E::AxisRange { start, end, rank } => write!(
                f,
                "axis range must not end before it starts, got {start} to {end} for rank {rank}"
            ),
            E::NotUnitExtent { axis, extent } => {
                write!(f, "only extent 1 can be squeezed, got extent {extent} at axis {axis}")
            }
            E::BroadcastExtent { axis, extent, target } => write!(
                f,
                "axis {axis} of the new shape must have extent {extent}, got {target}: only extent 1 is broadcast"
            ),
            E::BroadcastRank { rank, target } => {
                write!(f, "new shape must have at least {rank} axes, got {target}")
            }
            E::ItemsizeRatio { itemsize, target } => write!(
                f,
                "one itemsize must divide the other, got {target} for itemsize {itemsize}"
            ),
            E::RepackEmpty { itemsize, target } => write!(
                f,
                "an empty layout keeps its itemsize {itemsize}, got {target}"
            ),
            E::RepackStride { axis, stride } => {
                write!(f, "axis {axis} must have stride 1 to be repacked, got {stride}")
            }
            E::NotDivisible { part, value, divisor } => {
                write!(f, "{part} must be a multiple of {divisor}, got {value}")
            }
            E::MaxItemsizeTooSmall { max_itemsize, itemsize } => {
                write!(f, "max_itemsize must be at least itemsize {itemsize}, got {max_itemsize}")
            }
            E::ZeroStep { axis } => write!(f, "slice step must not be zero, got 0 at axis {axis}"),
            E::IndexOutOfRange { axis, index, extent } => {
                write!(f, "index {index} is out of range for axis {axis} with extent {extent}")
            }
            E::TooManyIndices { indices, rank } => {
                write!(f, "at most {rank} axes can be indexed, got {indices} indices")
            }
            E::IndexCount { indices, rank } => {
                write!(f, "expected one index for each of {rank} axes, got {indices}")
            }
            E::SecondEllipsis => f.write_str("at most one ellipsis may be given, got a second"),
            E::WindowSize { size, extent } => {
                write!(f, "window size must be 0 to {extent}, the extent of the axis, got {size}")
            }
            E::WindowStep { step } => write!(f, "window step must be at least 1, got {step}"),
            E::SplitExtent { axis, extent, inner } => write!(
                f,
                "inner extent must be at least 1 and divide extent {extent} of axis {axis}, got {inner}"
            ),
            E::ItemsizeMismatch { itemsize, expected } => {
                write!(f, "layouts must have the same itemsize {expected}, got {itemsize}")
            }
            E::NegativeMinOffset { min_offset } => write!(
                f,
                "minimum offset must be at least 0 to lie in a buffer, got {min_offset}"
            ),
            E::WorkBound { limit } => {
                write!(f, "exact answer wanted, got none within {limit} steps")
            }
        }
    }
}
