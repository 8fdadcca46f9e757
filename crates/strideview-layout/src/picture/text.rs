//! The picture as text.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::label::{Labels, facts, remark};
use super::memory::{Cell, Line, lines};
use crate::StridedLayout;

/// Characters of a line of cells.
const WIDTH: usize = 96;

pub(super) fn text(layout: &StridedLayout) -> String {
    let mut out = format!("{layout}\n{}\n", facts(layout));
    for (axis, (&extent, &stride)) in layout.shape().iter().zip(layout.strides()).enumerate() {
        out += &format!("axis {axis}: extent {extent}, stride {stride}");
        match remark(extent, stride) {
            "" => out += "\n",
            word => out += &format!(", {word}\n"),
        }
    }
    if layout.rank() > 1 {
        let order: Vec<String> = layout.stride_order().iter().map(ToString::to_string).collect();
        out += &format!("slowest to fastest: {}\n", order.join(", "));
    }
    if !layout.is_empty() {
        cells(layout, &mut out);
    }
    out
}

/// One line of cells for each row of memory.
fn cells(layout: &StridedLayout, out: &mut String) {
    let labels = Labels::new(layout);
    let most = i64::try_from(WIDTH / (labels.width + 1)).unwrap_or(1);
    let (_, lines) = lines(layout, most);
    let named: Vec<Vec<String>> = lines.iter().map(|line| names(line, &labels)).collect();
    let width = named.iter().flatten().map(|name| name.chars().count()).max().unwrap_or(0);
    let start = |line: &Line| match line {
        Line::Cells { offset, .. } => offset.to_string(),
        _ => String::new(),
    };
    let margin = lines.iter().map(|line| start(line).len()).max().unwrap_or(0);
    for (line, names) in lines.iter().zip(&named) {
        let mut row = format!("{:>margin$} |", start(line));
        match line {
            Line::Cells { .. } => {
                for name in names {
                    row += &format!(" {name:>width$}");
                }
            }
            Line::Gaps { rows } => row += &format!(" … {rows} × nothing but gaps"),
            Line::Cut { rows } => row += &format!(" … {rows} more"),
        }
        out.push('\n');
        *out += row.trim_end();
    }
    out.push('\n');
}

/// What is written into each cell of a line.
fn names(line: &Line, labels: &Labels) -> Vec<String> {
    let Line::Cells { cells, .. } = line else { return Vec::new() };
    let name = |cell: &Cell| match cell {
        Cell::Outside => String::new(),
        Cell::Gap => "·".to_string(),
        Cell::Held { index, others: 0 } => labels.index(index),
        Cell::Held { index, others } => format!("{}+{others}", labels.index(index)),
        Cell::Undecided => "?".to_string(),
    };
    cells.iter().map(name).collect()
}
