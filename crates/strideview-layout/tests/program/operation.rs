//! Every transform as a value, so that its two forms can be compared.

use strideview_layout::{LayoutError, Slice, StrideOrder, StridedLayout};

/// A stride order that owns its axes.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    C,
    F,
    K,
    Axes(Vec<i64>),
}

impl Order {
    pub(crate) fn borrowed(&self) -> StrideOrder<'_> {
        match self {
            Self::C => StrideOrder::C,
            Self::F => StrideOrder::F,
            Self::K => StrideOrder::K,
            Self::Axes(axes) => StrideOrder::Axes(axes),
        }
    }
}

/// One transform with its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Reshape(Vec<i64>),
    Permute(Vec<i64>),
    Transpose(i64, i64),
    MoveAxis(i64, i64),
    ReverseAxes,
    Flatten(i64, i64, Option<u64>),
    Coalesce,
    Squeeze(Option<Vec<i64>>),
    Unsqueeze(Vec<i64>),
    BroadcastTo(Vec<i64>),
    Unbroadcast,
    Repack { itemsize: i64, data_ptr: u64, axis: i64, keep_dim: bool },
    Slice(Vec<Slice>),
    Windows(i64, i64, i64),
    SplitAxis(i64, i64),
    Diagonal(i64, i64, i64),
    Extend(StridedLayout, i64),
    Sub(Vec<i64>),
    MakeDense(Order),
}

impl Operation {
    /// The form that returns a new layout.
    pub(crate) fn by_value(&self, layout: &StridedLayout) -> Result<StridedLayout, LayoutError> {
        match self {
            Self::Reshape(shape) => layout.reshaped(shape),
            Self::Permute(axes) => layout.permuted(axes),
            Self::Transpose(a, b) => layout.transposed(*a, *b),
            Self::MoveAxis(from, to) => layout.moved_axis(*from, *to),
            Self::ReverseAxes => Ok(layout.reversed_axes()),
            Self::Flatten(start, end, mask) => layout.flattened(*start, *end, *mask),
            Self::Coalesce => Ok(layout.coalesced()),
            Self::Squeeze(axes) => layout.squeezed(axes.as_deref()),
            Self::Unsqueeze(axes) => layout.unsqueezed(axes),
            Self::BroadcastTo(shape) => layout.broadcast_to(shape),
            Self::Unbroadcast => Ok(layout.unbroadcast()),
            Self::Repack { itemsize, data_ptr, axis, keep_dim } => {
                layout.repacked(*itemsize, *data_ptr, *axis, *keep_dim)
            }
            Self::Slice(items) => layout.sliced(items),
            Self::Windows(axis, size, step) => layout.windows(*axis, *size, *step),
            Self::SplitAxis(axis, inner) => layout.split_axis(*axis, *inner),
            Self::Diagonal(a, b, offset) => layout.diagonal(*a, *b, *offset),
            Self::Extend(other, axis) => layout.extended(other, *axis),
            Self::Sub(axes) => layout.sub(axes),
            Self::MakeDense(order) => layout.to_dense(order.borrowed()),
        }
    }

    /// The form that changes the layout.
    pub(crate) fn in_place(&self, layout: &mut StridedLayout) -> Result<(), LayoutError> {
        match self {
            Self::Reshape(shape) => layout.reshape(shape),
            Self::Permute(axes) => layout.permute(axes),
            Self::Transpose(a, b) => layout.transpose(*a, *b),
            Self::MoveAxis(from, to) => layout.move_axis(*from, *to),
            Self::ReverseAxes => {
                layout.reverse_axes();
                Ok(())
            }
            Self::Flatten(start, end, mask) => layout.flatten(*start, *end, *mask),
            Self::Coalesce => {
                layout.coalesce();
                Ok(())
            }
            Self::Squeeze(axes) => layout.squeeze(axes.as_deref()),
            Self::Unsqueeze(axes) => layout.unsqueeze(axes),
            Self::BroadcastTo(shape) => layout.broadcast_to_in_place(shape),
            Self::Unbroadcast => {
                layout.unbroadcast_in_place();
                Ok(())
            }
            Self::Repack { itemsize, data_ptr, axis, keep_dim } => {
                layout.repack(*itemsize, *data_ptr, *axis, *keep_dim)
            }
            Self::Slice(items) => layout.slice(items),
            Self::Windows(axis, size, step) => layout.windows_in_place(*axis, *size, *step),
            Self::SplitAxis(axis, inner) => layout.split_axis_in_place(*axis, *inner),
            Self::Diagonal(a, b, offset) => layout.diagonal_in_place(*a, *b, *offset),
            Self::Extend(other, axis) => layout.extend(other, *axis),
            Self::Sub(axes) => layout.sub_in_place(axes),
            Self::MakeDense(order) => layout.make_dense(order.borrowed()),
        }
    }

    /// The name of the form by value.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Reshape(_) => "reshaped",
            Self::Permute(_) => "permuted",
            Self::Transpose(..) => "transposed",
            Self::MoveAxis(..) => "moved_axis",
            Self::ReverseAxes => "reversed_axes",
            Self::Flatten(..) => "flattened",
            Self::Coalesce => "coalesced",
            Self::Squeeze(_) => "squeezed",
            Self::Unsqueeze(_) => "unsqueezed",
            Self::BroadcastTo(_) => "broadcast_to",
            Self::Unbroadcast => "unbroadcast",
            Self::Repack { .. } => "repacked",
            Self::Slice(_) => "sliced",
            Self::Windows(..) => "windows",
            Self::SplitAxis(..) => "split_axis",
            Self::Diagonal(..) => "diagonal",
            Self::Extend(..) => "extended",
            Self::Sub(_) => "sub",
            Self::MakeDense(_) => "to_dense",
        }
    }
}
