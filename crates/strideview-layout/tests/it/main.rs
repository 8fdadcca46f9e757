//! The laws of layouts, checked by enumeration, and hand-picked cases.
#![allow(clippy::unwrap_used)] // the functions that tests call are tests as well

mod errors;
mod laws;
mod overlap;
mod picture;
#[path = "../program/mod.rs"]
mod program;
mod replay;
mod short_vec;
mod support;
mod tables;
mod uniqueness;
