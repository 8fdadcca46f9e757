//! `.npy` files: NumPy's format of one array.
//!
//! A module of our own, since the crates for it read and write elements: they know the dtypes they
//! have a Rust type for. A copy moves bytes, needs the size of an element alone, and hands the
//! description of the dtype on as it stands, whatever it is.

mod dtype;
mod file;
mod header;
mod literal;

pub(crate) use file::NpyFile;
pub(crate) use header::{Header, HeaderError};
