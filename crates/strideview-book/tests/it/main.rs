//! The pages of the book say what is true of the code.

mod blocks;
mod codes;

/// The text of a page.
fn page(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/").to_owned() + name;
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
