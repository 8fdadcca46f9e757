//! Where a layout lies in a buffer: the arithmetic that invariant 2 of a view needs.
#![forbid(unsafe_code)]

use crate::{Error, Result, StridedLayout};

/// Succeeds iff every byte of every element lies in `0 .. size_in_bytes`, with element offset 0 of
/// the layout at `origin_in_bytes`.
#[inline]
pub(super) fn check_inside(
    size_in_bytes: usize,
    origin_in_bytes: isize,
    layout: &StridedLayout,
) -> Result<()> {
    let Some((lowest, end)) = span_in_bytes(layout) else { return Ok(()) };
    let origin = origin_in_bytes as i64; // an `isize` has at most 64 bits
    let inside = match (origin.checked_add(lowest), origin.checked_add(end)) {
        (Some(lowest), Some(end)) => {
            lowest >= 0 && usize::try_from(end).is_ok_and(|end| end <= size_in_bytes)
        }
        _ => false,
    };
    if inside {
        return Ok(());
    }
    let at = |offset: i64| i128::from(origin) + i128::from(offset);
    Err(Error::OutOfBounds { lowest: at(lowest), end: at(end), size_in_bytes })
}

/// Where the first element lies, for a layout that lies inside the buffer.
///
/// The first element of an empty layout is nowhere; where it would lie outside of the buffer, this
/// is 0.
#[inline]
pub(super) fn first_element(
    size_in_bytes: usize,
    origin_in_bytes: isize,
    layout: &StridedLayout,
) -> isize {
    let first = (origin_in_bytes as i64).checked_add(layout.slice_offset_in_bytes());
    let first = first.and_then(|first| isize::try_from(first).ok()).unwrap_or(-1);
    let is_outside = first < 0 || first.unsigned_abs() > size_in_bytes;
    if is_outside && layout.is_empty() { 0 } else { first }
}

/// The bytes from the lowest up to and without the end of the highest, from element offset 0; None
/// when the layout is empty.
#[inline]
pub(super) fn span_in_bytes(layout: &StridedLayout) -> Option<(i64, i64)> {
    let (min, max) = layout.offset_bounds();
    if max < min {
        return None; // only where there is no element
    }
    // Both products fit, by the invariants of layouts.
    Some((min * layout.itemsize(), (max + 1) * layout.itemsize()))
}
