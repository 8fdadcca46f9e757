//! The Rust blocks of the book, run as documentation tests; `tests/it` holds its pages to the code.
#![forbid(unsafe_code)]

/// Makes a module of each page, for rustdoc to find its blocks, and a list of them all.
macro_rules! pages {
    ($($module:ident $file:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../docs/", $file))]
            pub mod $module {}
        )*

        /// The pages that have Rust blocks.
        pub const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    start "start.md"
    concepts "concepts.md"
    buffers "buffers.md"
    protocols "protocols.md"
    copies "copies.md"
    errors "errors.md"
    tensor_maps "tensor_maps.md"
    unsafe_code "unsafe.md"
}
