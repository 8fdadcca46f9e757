//! Memory as rows of cells: what lies in each, where rows are left out.

use alloc::vec::Vec;

use super::search::{Holders, Search};
use crate::{Dims, StridedLayout};

/// Rows that are drawn before the rest is left out; the last one is drawn as well.
const MOST_ROWS: usize = 16;

/// Columns of a layout that suggests none.
const USUAL_COLUMNS: i64 = 16;

/// Rows up to which each line of the layout has a row of its own.
const FEW_ROWS: i64 = 12;

/// One cell of memory, the size of an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Before the first element or after the last.
    Outside,
    /// Between elements, and none is there.
    Gap,
    /// The first index in C order that lies there, broadcast axes held at 0, and the number of
    /// further ones.
    Held { index: Dims, others: usize },
    /// It could not be found out in bounded work.
    Undecided,
}

/// A line of the picture.
pub(super) enum Line {
    /// Cells from this offset on.
    Cells { offset: i128, cells: Vec<Cell> },
    /// So many rows of gaps alone.
    Gaps { rows: i128 },
    /// So many rows that are not drawn.
    Cut { rows: i128 },
}

/// The cells of a layout with elements, from its first offset to its last, in rows of at most so
/// many columns.
pub(super) fn lines(layout: &StridedLayout, most_columns: i64) -> (i64, Vec<Line>) {
    let columns = columns(layout, most_columns.max(1));
    // Rows start at multiples of their length, so that a first line stands where the others do.
    let start = i128::from(layout.min_offset().min(0));
    let rows = Rows { search: Search::new(layout), columns: i128::from(columns), start, layout };
    (columns, rows.lines())
}

/// As many columns as a line of the layout has cells, so that gaps and lines stand one below the
/// other.
fn columns(layout: &StridedLayout, most: i64) -> i64 {
    let (first, last) = layout.offset_bounds();
    let span = i128::from(last) - i128::from(first) + 1;
    let span = i64::try_from(span).unwrap_or(i64::MAX);
    let steps = layout.wide_axes().map(|(_, stride)| stride.unsigned_abs());
    let fitting = steps.filter_map(|step| i64::try_from(step).ok());
    let line = fitting.filter(|step| (2..=most).contains(step)).max();
    match line {
        Some(line) if span / line <= FEW_ROWS => line,
        Some(line) if line < USUAL_COLUMNS.min(most) => line * (USUAL_COLUMNS.min(most) / line),
        Some(line) => line,
        None if first >= 0 && last < most => last + 1,
        None => USUAL_COLUMNS.min(most).min(span),
    }
}

struct Rows<'a> {
    search: Search,
    columns: i128,
    /// The first cell of row 0.
    start: i128,
    layout: &'a StridedLayout,
}

impl Rows<'_> {
    fn lines(&self) -> Vec<Line> {
        let (first, last) = self.layout.offset_bounds();
        let last_row = self.row_of(last.into());
        let mut lines = Vec::new();
        let mut row = self.row_of(first.into());
        let mut drawn = 0;
        loop {
            lines.push(self.cells(row));
            drawn += 1;
            let Some(next) = self.search.next_used(self.start_of(row + 1)) else { return lines };
            let next = self.row_of(next);
            if next > row + 1 {
                lines.push(Line::Gaps { rows: next - row - 1 });
            }
            row = next;
            if drawn >= MOST_ROWS && row < last_row {
                lines.push(Line::Cut { rows: last_row - row });
                row = last_row;
            }
        }
    }

    fn row_of(&self, offset: i128) -> i128 {
        (offset - self.start).div_euclid(self.columns)
    }

    fn start_of(&self, row: i128) -> i128 {
        self.start + row * self.columns
    }

    fn cells(&self, row: i128) -> Line {
        let offset = self.start_of(row);
        let cells = (offset..offset + self.columns).map(|offset| self.cell(offset)).collect();
        Line::Cells { offset, cells }
    }

    fn cell(&self, offset: i128) -> Cell {
        let (first, last) = self.layout.offset_bounds();
        if offset < i128::from(first) || offset > i128::from(last) {
            return Cell::Outside;
        }
        match self.search.holders(offset) {
            Holders::None => Cell::Gap,
            Holders::Some { first, others } => Cell::Held { index: first, others },
            Holders::Undecided => Cell::Undecided,
        }
    }
}
