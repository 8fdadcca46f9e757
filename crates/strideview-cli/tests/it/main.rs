//! The program as users call it: what it writes, says, refuses and leaves behind.
#![allow(clippy::unwrap_used)] // the functions that tests call are tests as well

mod copies;
mod interruption;
mod refusals;
mod resident;
mod scene;
mod texts;
