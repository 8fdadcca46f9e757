//! The algebra of strided layouts: shape, strides, item size and offset, exact and without pointers.
//!
//! A [`StridedLayout`] maps an index `i` to the element offset
//! `slice_offset + Σ i[k]·strides[k]`. Everything in this crate is a statement about that map: each
//! transform documents its law, and the tests check the law by enumeration.
//!
//! * Extents, strides and offsets count **elements** unless a name ends in `_in_bytes`.
//! * A layout is checked once, when it is built: volume, byte size, offset bounds and byte strides
//!   fit in `i64`. So no property of a layout can overflow, and nothing wraps.
//! * A stride on an axis of extent 1, or in an empty layout, carries no meaning.
//! * Each transform exists twice: by value (`permuted`) and in place (`permute`). The in-place form
//!   leaves the layout as it was when it fails. Neither allocates for rank 8 or less.
//!
//! ```
//! use strideview_layout::{Slice, StridedLayout};
//!
//! let image = StridedLayout::new(&[480, 640, 3], None, 1)?;
//! let planes = image.permuted(&[2, 0, 1])?;
//! assert_eq!(planes.to_string(), "(3, 480, 640):(1, 1920, 3) x1");
//! let every_other_row = planes.sliced(&[Slice::ALL, Slice::range(0, 480, 2)])?;
//! assert_eq!(every_other_row.strides(), [1, 3840, 3]);
//! assert_eq!(every_other_row.required_size_in_bytes()?, 919_680);
//! # Ok::<(), strideview_layout::LayoutError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod axis;
mod checked;
mod contiguity;
mod dense;
mod display;
mod error;
mod index;
mod layout;
mod order;
mod overlap;
mod picture;
mod query;
mod runs;
mod short_vec;
mod solver;
mod transform;
mod unique;

pub use dense::StrideOrder;
pub use error::{ErrorKind, LayoutError, Part, Quantity};
pub use index::Offsets;
pub use layout::StridedLayout;
pub use runs::{Run, Runs};
pub use short_vec::ShortVec;
pub use transform::Slice;
pub use unique::Uniqueness;

/// The largest rank of a layout.
pub const MAX_RANK: usize = 64;

/// A short list of extents, strides or indices: on the stack up to 8, on the heap beyond.
pub type Dims = ShortVec<i64>;

/// A short list of axis numbers: on the stack up to 8, on the heap beyond.
pub type Axes = ShortVec<usize>;

/// The result of an operation on layouts.
pub type Result<T> = core::result::Result<T, LayoutError>;
