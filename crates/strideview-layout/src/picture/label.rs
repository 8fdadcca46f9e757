//! How an index is written in a cell.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::StridedLayout;

/// Writes indices of one layout.
pub(super) struct Labels {
    /// For each axis, whether all its indices are the same cell.
    broadcast: Vec<bool>,
    /// Between the entries; nothing where each is one digit.
    pub(super) separator: &'static str,
    /// Characters of the longest label.
    pub(super) width: usize,
}

impl Labels {
    pub(super) fn new(layout: &StridedLayout) -> Self {
        let axes = || layout.shape().iter().zip(layout.strides());
        let broadcast: Vec<bool> = axes().map(|(&n, &stride)| n > 1 && stride == 0).collect();
        let separator = if layout.shape().iter().all(|extent| *extent <= 10) { "" } else { "," };
        let digits = |extent: i64| (extent - 1).max(0).to_string().len();
        let entries = layout.shape().iter().zip(&broadcast);
        let entries = entries.map(|(&n, &broadcast)| if broadcast { 1 } else { digits(n) });
        let commas = separator.len() * layout.rank().saturating_sub(1);
        let width = if layout.rank() == 0 { 2 } else { entries.sum::<usize>() + commas };
        Self { broadcast, separator, width }
    }

    /// The entry of an axis: a number, or `*` where every number would do.
    pub(super) fn entry(&self, axis: usize, value: i64) -> String {
        if self.broadcast[axis] { "*".to_string() } else { value.to_string() }
    }

    /// The whole label: `012`, `3,14`, `0*`, or `()` for rank 0.
    pub(super) fn index(&self, index: &[i64]) -> String {
        if index.is_empty() {
            return "()".to_string();
        }
        let entries: Vec<String> =
            index.iter().enumerate().map(|(axis, value)| self.entry(axis, *value)).collect();
        entries.join(self.separator)
    }
}

/// What is remarkable about an axis: a word, or nothing.
pub(super) fn remark(extent: i64, stride: i64) -> &'static str {
    match (extent, stride) {
        (..=1, _) => "",
        (_, 0) => "broadcast",
        (_, ..0) => "reversed",
        _ => "",
    }
}

/// Elements, cells, gaps and sharing, in a sentence.
pub(super) fn facts(layout: &StridedLayout) -> String {
    use crate::Uniqueness::{Overlapping, Undecided, Unique};
    let plural = |count: i128, noun: &str| {
        let s = if count == 1 { "" } else { "s" };
        alloc::format!("{count} {noun}{s}")
    };
    let elements = plural(layout.volume().into(), "element");
    if layout.is_empty() {
        return elements;
    }
    let (first, last) = layout.offset_bounds();
    let span = i128::from(last) - i128::from(first) + 1;
    let cells = plural(layout.itemsize().into(), "byte");
    let sharing = match layout.uniqueness() {
        Unique if span == i128::from(layout.volume()) => "no gap".to_string(),
        Unique => plural(span - i128::from(layout.volume()), "gap"),
        Overlapping => "some cells hold several elements".to_string(),
        Undecided => "undecided whether cells hold several elements".to_string(),
    };
    alloc::format!("{elements} in cells {first} to {last} of {cells}; {sharing}")
}
