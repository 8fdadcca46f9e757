//! A stand-in for the CUDA driver, for tests on machines without one.
//!
//! Built as a library that answers to `cuGetProcAddress_v2`, like `libcuda.so.1`; memory of the
//! device is memory of the host, and work on streams is done at once. It keeps count of what is
//! alive and of every call, fails the call that a test names, and answers questions about pointers
//! as a test scripts them.
//!
//! | device | what it is like |
//! |---|---|
//! | 0 | a data-centre card on Linux |
//! | 1 | a card under WSL: registered memory has another address, managed memory needs sync |
//! | 2 | a coherent machine: the device reaches pageable memory |
//! | 3 | an old card: no pools, no managed memory, no tensor maps |
//!
//! A test loads it through [`Control`], which talks to the very library that the code under test
//! has loaded; the functions of this crate linked into the test itself have state of their own.

mod blocks;
mod calls;
mod control;
mod copy_call;
mod exports;
mod out;
mod state;
mod tensor_map;

pub use control::{Control, Live};
pub use copy_call::CopyCall;
pub use state::Answers;
pub(crate) use tensor_map::Descriptor;
pub use tensor_map::TensorMapCall;
