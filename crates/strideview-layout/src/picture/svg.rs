//! The picture as an SVG document.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::color;
use super::grid::{Entry, Grid, most_inside, place};
use super::label::{Labels, facts, remark};
use super::memory::{Cell, Line, lines};
use crate::StridedLayout;

/// Width of a character of the fixed font, in tenths of a pixel.
const CHARACTER: i64 = 72;
/// Height of a cell, and of a line of text.
const HEIGHT: i64 = 24;
const LINE: i64 = 18;
const MARGIN: i64 = 14;
/// What the panels should not be wider than.
const WIDTH: i64 = 900;
/// Between two planes.
const BETWEEN: i64 = 28;

/// No style sheet: in a page its rules would be those of the whole page.
const FONT: &str = "font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
    font-size=\"12\" fill=\"#222\"";
const MIDDLE: &str = "text-anchor=\"middle\"";
const END: &str = "text-anchor=\"end\"";
const FAINT: &str = "fill=\"#777\"";
const BOLD: &str = "font-weight=\"bold\"";

pub(super) fn svg(layout: &StridedLayout, title: &str) -> String {
    let mut drawing = Drawing::new(layout);
    drawing.heading(title);
    drawing.legend();
    if !layout.is_empty() {
        drawing.indices();
        drawing.memory();
    }
    drawing.finish()
}

/// The text with what XML gives a meaning written otherwise, and without what it does not allow.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// Pixels of so many characters.
fn pixels(characters: usize) -> i64 {
    i64::try_from(characters).unwrap_or(i64::MAX / 100) * CHARACTER / 10
}

struct Drawing<'a> {
    layout: &'a StridedLayout,
    labels: Labels,
    /// For each axis, its place in the stride order.
    places: Vec<usize>,
    body: String,
    width: i64,
    /// Where the next thing is drawn.
    y: i64,
}

impl<'a> Drawing<'a> {
    fn new(layout: &'a StridedLayout) -> Self {
        let mut places = Vec::from_iter(core::iter::repeat_n(0, layout.rank()));
        for (place, axis) in layout.stride_order().iter().enumerate() {
            places[*axis] = place;
        }
        let labels = Labels::new(layout);
        Self { layout, labels, places, body: String::new(), width: 0, y: MARGIN }
    }

    fn color(&self, axis: usize) -> &'static str {
        color::axis(self.places[axis])
    }

    fn widen(&mut self, right: i64) {
        self.width = self.width.max(right);
    }

    /// A line of text at the left; `characters` is how wide it is.
    fn line(&mut self, look: &str, text: &str, characters: usize) {
        self.text(&[look], MARGIN, self.y + 12, text);
        self.widen(MARGIN + pixels(characters));
        self.y += LINE;
    }

    fn plain_line(&mut self, look: &str, text: &str) {
        self.line(look, &escaped(text), text.chars().count());
    }

    fn heading(&mut self, title: &str) {
        if !title.is_empty() {
            self.plain_line(BOLD, title);
        }
        self.plain_line(BOLD, &self.layout.to_string());
        self.plain_line(FAINT, &facts(self.layout));
    }

    /// A line for each axis, from the slowest to the fastest.
    fn legend(&mut self) {
        let order = self.layout.stride_order();
        if order.len() > 1 {
            self.plain_line(FAINT, "axes from the slowest to the fastest");
        }
        for &axis in &order[..] {
            let (extent, stride) = (self.layout.shape()[axis], self.layout.strides()[axis]);
            let mut text = format!("axis {axis}: extent {extent}, stride {stride}");
            if !remark(extent, stride).is_empty() {
                text = format!("{text}, {}", remark(extent, stride));
            }
            let width = text.chars().count() + 2;
            let color = self.color(axis);
            self.line("", &format!("<tspan fill=\"{color}\">■ {text}</tspan>"), width);
        }
        self.y += 6;
    }

    /// Text, which is XML already.
    fn text(&mut self, looks: &[&str], x: i64, y: i64, text: &str) {
        let looks = looks.join(" ");
        self.body += &format!("<text x=\"{x}\" y=\"{y}\" {looks}>{text}</text>\n");
    }

    /// A caption above a panel.
    fn caption(&mut self, text: &str) {
        self.y += 4;
        self.plain_line(FAINT, text);
        self.y += 2;
    }

    /// A cell: a box with a text in it, and a longer one for the pointer.
    fn cell(&mut self, at: (i64, i64), width: i64, look: &Look, text: &Text, hint: &str) {
        let (x, y) = at;
        let Look { class, fill, frame } = look;
        self.body += &format!(
            "<g class=\"{class}\"><title>{}</title>\
             <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{HEIGHT}\" fill=\"{fill}\" {frame}/>\
             <text x=\"{}\" y=\"{}\">{}</text></g>\n",
            escaped(hint),
            // Not centred by an anchor, which some programs apply to each part of the text.
            x + (width - pixels(text.characters)) / 2,
            y + 16,
            text.content,
        );
    }

    /// The label of an index, each entry in the colour of its axis.
    fn colored(&self, index: &[i64]) -> Text {
        let plain = self.labels.index(index);
        if index.is_empty() {
            return Text::plain(plain);
        }
        let entry = |(axis, value): (usize, &i64)| {
            let text = self.labels.entry(axis, *value);
            format!("<tspan fill=\"{}\">{text}</tspan>", self.color(axis))
        };
        let entries: Vec<String> = index.iter().enumerate().map(entry).collect();
        Text { content: entries.join(self.labels.separator), characters: plain.len() }
    }

    fn fill(&self, index: &[i64]) -> String {
        let (place, count) = place(self.layout, index);
        color::index(place, count)
    }
}

/// What is written in a cell: as XML, and how long it is.
struct Text {
    content: String,
    characters: usize,
}

impl Text {
    fn plain(content: String) -> Self {
        Self { characters: content.chars().count(), content }
    }

    fn push(&mut self, more: &str) {
        self.content += more;
        self.characters += more.chars().count();
    }
}

/// How a cell looks.
struct Look {
    class: &'static str,
    fill: String,
    frame: &'static str,
}

impl Look {
    const PLAIN: &'static str = "stroke=\"#8a8a8a\"";
    const SHARED: &'static str = "stroke=\"#d01c1c\" stroke-width=\"2\"";
    const BROADCAST: &'static str = "stroke=\"#333\" stroke-dasharray=\"3 2\"";
    const FAINT: &'static str = "stroke=\"#d5d5d5\"";
}

/// The panel of indices.
impl Drawing<'_> {
    fn indices(&mut self) {
        let (first, last) = self.layout.offset_bounds();
        let longest = first.to_string().len().max(last.to_string().len());
        let cell = pixels(longest) + 12;
        let columns = self.axis_extent(1).min(most_inside(self.layout));
        let plane = columns * cell + pixels(self.side_width()) + BETWEEN;
        let grid = Grid::new(self.layout, (WIDTH / plane).max(3));
        self.caption(&self.indices_caption());
        let top = self.y;
        let mut y = top;
        for outer in &grid.drawn[0] {
            let mut x = MARGIN;
            let mut height = 0;
            for middle in &grid.drawn[1] {
                let (width, tall) = self.plane(&grid, (*outer, *middle), (x, y), cell);
                x += width + BETWEEN;
                height = height.max(tall);
            }
            self.widen(x - BETWEEN);
            y += height + 10;
        }
        self.y = y;
    }

    /// The extent of an axis counted from the last, which is 1; 1 where the layout lacks it.
    fn axis_extent(&self, back: usize) -> i64 {
        self.layout.rank().checked_sub(back).map_or(1, |axis| self.layout.shape()[axis])
    }

    /// Characters of the row numbers beside a plane.
    fn side_width(&self) -> usize {
        if self.layout.rank() < 2 { 0 } else { (self.axis_extent(2) - 1).to_string().len() + 2 }
    }

    fn indices_caption(&self) -> String {
        let rank = self.layout.rank();
        let mut text = "index to cell".to_string();
        if rank > 4 {
            text += &format!(", the first {} axes at 0", rank - 4);
        }
        text
    }

    /// The plane at an index of the two outer axes; returns its width and height.
    fn plane(
        &mut self,
        grid: &Grid,
        (outer, middle): (Entry, Entry),
        (x, y): (i64, i64),
        cell: i64,
    ) -> (i64, i64) {
        let (Some(outer), Some(middle)) = (outer, middle) else {
            self.text(&[MIDDLE, FAINT], x + 10, y + LINE + HEIGHT, "…");
            return (20, LINE + HEIGHT);
        };
        let side = pixels(self.side_width());
        let mut top = y;
        if grid.axes[1].is_some() {
            self.plane_title(grid, outer, middle, (x, top));
            top += LINE;
        }
        self.column_numbers(grid, (x + side, top), cell);
        top += if grid.axes[3].is_some() { LINE } else { 0 };
        for (down, row) in (0..).zip(&grid.drawn[2]) {
            let y = top + down * HEIGHT;
            self.row_number(grid, *row, (x, y), side);
            for (across, column) in (0..).zip(&grid.drawn[3]) {
                let at = (x + side + across * cell, y);
                match (row, column) {
                    (Some(row), Some(column)) => {
                        let index = grid.index([outer, middle, *row, *column]);
                        self.index_cell(&index, at, cell);
                    }
                    (None, _) if down > 0 && column.is_some() => {
                        self.text(&[MIDDLE, FAINT], at.0 + cell / 2, at.1 + 16, "…");
                    }
                    _ => self.text(&[MIDDLE, FAINT], at.0 + cell / 2, at.1 + 16, "…"),
                }
            }
        }
        let across = i64::try_from(grid.drawn[3].len()).unwrap_or(0);
        let down = i64::try_from(grid.drawn[2].len()).unwrap_or(0);
        let title = 12 + 3 * 8 * i64::from(grid.axes[1].is_some());
        ((side + across * cell).max(title), top - y + down * HEIGHT)
    }

    fn index_cell(&mut self, index: &[i64], at: (i64, i64), cell: i64) {
        let Ok(offset) = self.layout.offset_of(index) else { return };
        let hint = format!("index {}: cell {offset}", Numbers(index));
        let look = Look { class: "index", fill: self.fill(index), frame: Look::PLAIN };
        self.cell(at, cell, &look, &Text::plain(offset.to_string()), &hint);
    }

    /// `[1, 2, :, :]`, the numbers in the colours of their axes.
    fn plane_title(&mut self, grid: &Grid, outer: i64, middle: i64, (x, y): (i64, i64)) {
        let mut text = "[".to_string();
        for (axis, value) in grid.axes.iter().zip([outer, middle]) {
            if let Some(axis) = axis {
                text += &format!("<tspan fill=\"{}\">{value}</tspan>, ", self.color(*axis));
            }
        }
        self.text(&[], x, y + 12, &(text + ":, :]"));
    }

    /// The numbers above a plane, with the way in which memory grows.
    fn column_numbers(&mut self, grid: &Grid, (x, y): (i64, i64), cell: i64) {
        let Some(axis) = grid.axes[3] else { return };
        let arrow = arrow(self.layout, axis, ["→", "←"]);
        let color = self.color(axis);
        for (across, column) in (0..).zip(&grid.drawn[3]) {
            let Some(column) = column else { continue };
            let arrow = if across == 0 { arrow } else { "" };
            let text = format!("<tspan fill=\"{color}\">{column}{arrow}</tspan>");
            self.text(&[MIDDLE], x + across * cell + cell / 2, y + 13, &text);
        }
    }

    fn row_number(&mut self, grid: &Grid, row: Entry, (x, y): (i64, i64), side: i64) {
        let (Some(axis), Some(row)) = (grid.axes[2], row) else { return };
        let arrow = if row == 0 { arrow(self.layout, axis, ["↓", "↑"]) } else { "" };
        let text = format!("<tspan fill=\"{}\">{arrow}{row}</tspan>", self.color(axis));
        self.text(&[END], x + side - 4, y + 16, &text);
    }
}

/// The way in which memory grows along an axis.
fn arrow(layout: &StridedLayout, axis: usize, ways: [&'static str; 2]) -> &'static str {
    match (layout.shape()[axis], layout.strides()[axis]) {
        (..=1, _) | (_, 0) => "",
        (_, 1..) => ways[0],
        _ => ways[1],
    }
}

/// Prints as a Python tuple.
struct Numbers<'a>(&'a [i64]);

impl core::fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        crate::display::tuple(f, self.0)
    }
}

/// The panel of memory.
impl Drawing<'_> {
    fn memory(&mut self) {
        let (first, last) = self.layout.offset_bounds();
        let side = pixels(first.to_string().len().max(last.to_string().len()) + 1);
        let cell = pixels(self.labels.width) + 12;
        let (_, mut lines) = lines(self.layout, ((WIDTH - side) / cell).clamp(1, 32));
        let cell = cell.max(pixels(longest(&lines, &self.labels)) + 12);
        self.caption("cell to index, memory from first to last");
        for line in &mut lines {
            match line {
                Line::Cells { offset, cells } => self.row(*offset, cells, side, cell),
                Line::Gaps { rows } => self.left_out(side, &format!("… {rows} × nothing but gaps")),
                Line::Cut { rows } => self.left_out(side, &format!("… {rows} more")),
            }
        }
    }

    fn left_out(&mut self, side: i64, text: &str) {
        self.text(&[FAINT], MARGIN + side + 6, self.y + 16, text);
        self.widen(MARGIN + side + 6 + pixels(text.chars().count()));
        self.y += HEIGHT;
    }

    fn row(&mut self, offset: i128, cells: &[Cell], side: i64, cell: i64) {
        self.text(&[END, FAINT], MARGIN + side - 5, self.y + 16, &offset.to_string());
        let mut x = MARGIN + side;
        for (place, content) in (0..).zip(cells) {
            self.memory_cell(offset + place, content, (x, self.y), cell);
            x += cell;
        }
        self.widen(x);
        self.y += HEIGHT;
    }

    fn memory_cell(&mut self, offset: i128, content: &Cell, at: (i64, i64), width: i64) {
        let byte = offset * i128::from(self.layout.itemsize());
        let place = format!("cell {offset}, byte {byte}");
        match content {
            Cell::Outside => {}
            Cell::Gap => self.gray(at, width, ("gap", "·"), &place),
            Cell::Undecided => self.gray(at, width, ("undecided", "?"), &place),
            Cell::Held { index, others } => {
                let look = self.held(index, *others);
                let mut text = self.colored(index);
                let mut hint = format!("{place}: index {}", Numbers(index));
                if *others > 0 {
                    text.push(&format!("+{others}"));
                    hint += &format!(" and {others} more");
                }
                self.cell(at, width, &look, &text, &hint);
            }
        }
    }

    /// A cell without an index: what it is, and the sign for it.
    fn gray(&mut self, at: (i64, i64), width: i64, what: (&'static str, &str), place: &str) {
        let (class, sign) = what;
        let look = Look { class, fill: "#eeeeee".to_string(), frame: Look::FAINT };
        self.cell(at, width, &look, &Text::plain(sign.to_string()), &format!("{place}: {class}"));
    }

    fn held(&self, index: &[i64], others: usize) -> Look {
        let broadcast = self.layout.wide_axes().any(|(_, stride)| stride == 0);
        let frame = match (others, broadcast) {
            (1.., _) => Look::SHARED,
            (0, true) => Look::BROADCAST,
            (0, false) => Look::PLAIN,
        };
        Look { class: "held", fill: self.fill(index), frame }
    }

    fn finish(self) -> String {
        let (width, height) = (self.width + MARGIN, self.y + MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" {FONT}>\n\
             <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// Characters of the longest text in a cell.
fn longest(lines: &[Line], labels: &Labels) -> usize {
    let cells = lines.iter().filter_map(|line| match line {
        Line::Cells { cells, .. } => Some(cells),
        _ => None,
    });
    let width = |cell: &Cell| match cell {
        Cell::Held { index, others: 0 } => labels.index(index).len(),
        Cell::Held { index, others } => labels.index(index).len() + 1 + others.to_string().len(),
        _ => 1,
    };
    cells.flatten().map(width).max().unwrap_or(0)
}
