//! DLPack without Python: numbers in the names of tests are those of the conformance checklist.

mod abi;
mod export;
mod import;
mod producer;
mod threads;
