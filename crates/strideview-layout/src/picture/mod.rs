//! Pictures of a layout: which memory cell each index falls on.
//!
//! `memory` finds out what lies in which cell, `grid` which indices are drawn; `text` and `svg`
//! write it down. A cell is the size of an element. Large layouts are cut, and the work for each
//! cell is bounded, so a picture of any layout is small and quick.

mod color;
mod grid;
mod label;
mod memory;
mod search;
mod svg;
mod text;

use alloc::string::String;

use crate::StridedLayout;

impl StridedLayout {
    /// The layout as a text: its axes, and its memory cell by cell, each with the index that lies
    /// there.
    ///
    /// `·` is a gap, `*` stands for every index of a broadcast axis, and `+2` says that two more
    /// indices lie in the cell. A large layout is cut. Allocates; the work is bounded.
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// let padded = StridedLayout::with_offset(&[2, 3], Some(&[-4, 1]), 8, 4)?;
    /// assert_eq!(
    ///     padded.diagram(),
    ///     "(2, 3):(-4, 1) x8 @4\n\
    ///      6 elements in cells 0 to 6 of 8 bytes; 1 gap\n\
    ///      axis 0: extent 2, stride -4, reversed\n\
    ///      axis 1: extent 3, stride 1\n\
    ///      slowest to fastest: 0, 1\n\
    ///      \n\
    ///      0 | 10 11 12  ·\n\
    ///      4 | 00 01 02\n"
    /// );
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn diagram(&self) -> String {
        text::text(self)
    }

    /// The layout as a picture: an SVG document with `title`, if it is not empty, above.
    ///
    /// One panel shows the offset of each index, the other memory cell by cell with the index that
    /// lies there. An index has the same colour in both, and a colour runs from the first index in
    /// C order to the last; the digits have the colour of their axis. Gaps are grey, cells that
    /// hold several elements are framed, arrows point the way in which memory grows. Up to four
    /// axes are drawn, and a large layout is cut. Allocates; the work is bounded.
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// let svg = StridedLayout::new(&[2, 3], None, 8)?.to_svg("rows & columns");
    /// assert!(svg.starts_with("<svg ") && svg.contains("rows &amp; columns"));
    /// assert_eq!(svg.matches("class=\"held\"").count(), 6);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn to_svg(&self, title: &str) -> String {
        svg::svg(self, title)
    }
}
