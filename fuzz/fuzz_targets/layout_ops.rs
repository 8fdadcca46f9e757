//! Random constructors and transforms of layouts: `cargo fuzz run layout_ops`.
//!
//! The body is the one that the tests of strideview-layout replay over `fuzz/corpus/layout_ops`, so
//! what has been found once stays found on a stable compiler.
#![no_main]

#[path = "../../crates/strideview-layout/tests/program/mod.rs"]
mod program;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(program::run_program(bytes)));
