//! The one printed form of a layout.

use core::fmt;

use crate::StridedLayout;

/// `(2, 3):(3, 1) x4`: shape, strides, item size; ` @5` follows when the slice offset is 5.
///
/// ```
/// use strideview_layout::StridedLayout;
/// assert_eq!(StridedLayout::with_offset(&[4], Some(&[-1]), 8, 3)?.to_string(), "(4,):(-1,) x8 @3");
/// # Ok::<(), strideview_layout::LayoutError>(())
/// ```
impl fmt::Display for StridedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tuple(f, self.shape())?;
        f.write_str(":")?;
        tuple(f, self.strides())?;
        write!(f, " x{}", self.itemsize())?;
        match self.slice_offset() {
            0 => Ok(()),
            offset => write!(f, " @{offset}"),
        }
    }
}

impl fmt::Debug for StridedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StridedLayout[{self}]")
    }
}

/// The numbers as a Python tuple: `()`, `(5,)`, `(2, 3)`.
pub(crate) fn tuple(f: &mut fmt::Formatter<'_>, values: &[i64]) -> fmt::Result {
    f.write_str("(")?;
    for (position, value) in values.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        write!(f, "{separator}{value}")?;
    }
    f.write_str(if values.len() == 1 { ",)" } else { ")" })
}
