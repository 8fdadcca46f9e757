//! The tables of codes are complete: every code has its row, and every row is of a code.

use std::collections::BTreeSet;

use strideview::LayoutError;

use crate::page;

/// The codes in the first cells of the tables of a page.
fn rows(name: &str) -> Vec<String> {
    let page = page(name);
    let firsts = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let words = firsts.map(|(first, _)| first.to_owned());
    words.filter(|word| word.contains('.') && !word.contains(['(', ' '])).collect()
}

fn assert_lists(found: &[String], wanted: impl IntoIterator<Item = String>) {
    let rows: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!(rows.len(), found.len(), "a code has two rows");
    let wanted: BTreeSet<String> = wanted.into_iter().collect();
    assert_eq!(rows.symmetric_difference(&wanted).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn owned(codes: &[&str]) -> impl Iterator<Item = String> {
    codes.iter().map(|code| (*code).to_owned())
}

/// The codes of array interfaces, which the binding raises where they arise.
fn interface_codes() -> impl Iterator<Item = String> {
    let source = include_str!("../../../strideview-python/src/array_interface.rs");
    let quoted = source.split('"').skip(1).step_by(2);
    quoted.filter(|text| text.starts_with("interface.")).map(str::to_owned)
}

#[test]
fn codes_of_layouts() {
    assert_lists(&rows("layouts.md"), owned(LayoutError::CODES));
}

#[test]
fn all_other_codes() {
    let wanted = owned(strideview::CODES)
        .chain(owned(strideview_memory::ALL_CODES))
        .chain(owned(strideview_copy::ALL_CODES))
        .chain(owned(strideview_cuda::ALL_CODES))
        .chain(interface_codes());
    assert_lists(&rows("errors.md"), wanted);
}
