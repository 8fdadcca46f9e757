//! No Rust block is left out.

use std::collections::BTreeSet;
use std::path::Path;

use strideview_book::PAGES;

use crate::page;

/// The pages that have a block which rustdoc takes for Rust.
fn with_rust() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".md") && page(name).contains("\n```rust")).collect()
}

#[test]
fn every_page_with_rust_is_tested() {
    let listed: BTreeSet<String> = PAGES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(listed, with_rust());
}

/// What rustdoc does not run is text.
#[test]
fn no_rust_is_ignored() {
    for name in PAGES {
        assert!(!page(name).contains("```rust,ignore"), "{name}");
    }
}
