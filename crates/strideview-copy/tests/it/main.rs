//! The tests of strideview-copy, in one binary.

mod allocation;
mod cases;
mod codes;
mod errors;
mod kernels;
mod laws;
mod layouts;
mod oracle;
mod overlapping;
#[path = "../program/mod.rs"]
mod program;
mod random;
mod replay;
mod runner;
mod tables;
