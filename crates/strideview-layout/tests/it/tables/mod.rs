//! Hand-picked cases, each with the source of the expected numbers.

mod contiguity;
mod empty;
mod limits;
mod negative;
mod peer;
mod slicing;
mod unit;

use strideview_layout::{ErrorKind, Slice, StridedLayout};

/// `start:stop:step`.
fn range(start: Option<i64>, stop: Option<i64>, step: i64) -> Slice {
    Slice::Range { start, stop, step }
}

/// The layout of C order, its strides left out.
fn implicit(shape: &[i64], itemsize: i64) -> StridedLayout {
    StridedLayout::new(shape, None, itemsize).unwrap()
}

/// The kind of the error.
fn kind<T: std::fmt::Debug>(outcome: strideview_layout::Result<T>) -> ErrorKind {
    outcome.expect_err("this must be refused").kind()
}

/// The three contiguity flags: C, F, any order.
fn flags(layout: &StridedLayout) -> (bool, bool, bool) {
    (layout.is_contiguous_c(), layout.is_contiguous_f(), layout.is_contiguous_any())
}
