//! Random copies on the host: `cargo fuzz run copies`.
//!
//! The body is the one that the tests of strideview-copy replay over `fuzz/corpus/copies`, so what has been
//! found once stays found on a stable compiler.
#![no_main]
#![allow(dead_code)] // the tests use more of these modules

#[path = "../../crates/strideview-copy/tests/it/oracle.rs"]
mod oracle;
#[path = "../../crates/strideview-copy/tests/program/mod.rs"]
mod program;
#[path = "../../crates/strideview-copy/tests/it/runner.rs"]
mod runner;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(program::run_program(bytes)));
