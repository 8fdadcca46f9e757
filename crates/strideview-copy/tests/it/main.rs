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
mod random;
mod runner;
mod tables;
