//! Properties of layouts, found by looking at every offset.

mod bytes;
mod contiguity;
mod dense;
mod merge;
mod offsets;
mod repack;

pub use bytes::{byte_set, bytes_in_order, overlap, runs};
pub use contiguity::{is_c_contiguous, is_exhaustive, is_f_contiguous, is_packed_in_some_order};
pub use dense::{dense_strides, stride_order};
pub use merge::{axis_mask, groups, merges};
pub use offsets::{bounds, index_of, is_unique};
pub use repack::{max_compatible_itemsize, may_repack};
