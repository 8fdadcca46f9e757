//! Oracles, generators and lists of layouts used by the tests of strideview.
//!
//! Everything here takes plain slices of integers and computes in `i128`, by enumeration wherever that
//! is possible. It depends on none of the crates under test, so that it cannot share a fault with them.
//!
//! - [`index`]: index tuples in C order, positions and offsets;
//! - [`mod@verdict`]: may a constructor take this layout, must it refuse;
//! - [`oracle`]: uniqueness, bounds, contiguity, runs, overlap by enumeration;
//! - [`view`]: each transform as a result shape and a law `result(i) = source(j(i))`;
//! - [`odd`]: the shared list of odd layouts; [`mod@generated`]: pseudo-random ones;
//! - [`copy_case`]: pseudo-random copies and the naive copy;
//! - [`arguments`]: arguments of operations, good and bad.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod copy_case;
pub mod generated;
pub mod index;
pub mod layout;
pub mod odd;
pub mod oracle;
pub mod random;
pub mod slice;
pub mod verdict;
pub mod view;

pub use generated::generated;
pub use layout::PlainLayout;
pub use odd::odd_layouts;
pub use random::Random;
pub use slice::PlainSlice;
pub use verdict::{Verdict, verdict};
pub use view::{Derived, Fault, View};
