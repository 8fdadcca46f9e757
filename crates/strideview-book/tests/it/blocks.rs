//! No Rust block is left out.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use strideview_book::PAGES;

use crate::page;

/// The pages that have a block which rustdoc takes for Rust.
fn with_rust() -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").read_dir()? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && page(&name).contains("\n```rust") {
            found.insert(name);
        }
    }
    Ok(found)
}

#[test]
fn every_page_with_rust_is_tested() -> io::Result<()> {
    let listed: BTreeSet<String> = PAGES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(listed, with_rust()?);
    Ok(())
}

/// What rustdoc does not run is text.
#[test]
fn no_rust_is_ignored() {
    for name in PAGES {
        assert!(!page(name).contains("```rust,ignore"), "{name}");
    }
}
