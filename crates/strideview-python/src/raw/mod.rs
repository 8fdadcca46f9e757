//! Python classes on the C API, for objects that are made as often as calls.
//!
//! PyO3's class machinery takes about as long as a layout operation, or as taking over an array; the
//! figures are in `bench/record`. So the classes `StridedLayout` and `StridedMemoryView` are written
//! against the C API: `instance` is the memory of an object, `class` the type with its slots, `call`
//! takes arguments apart, `result` hands values back, `cache` keeps what was derived, and `table`
//! writes the tables of getters and methods. `numpy` reads arrays in place. The bodies of the methods are
//! safe code elsewhere.

pub(crate) mod cache;
pub(crate) mod call;
pub(crate) mod class;
pub(crate) mod instance;
pub(crate) mod lookup;
pub(crate) mod numpy;
pub(crate) mod place;
pub(crate) mod result;
pub(crate) mod table;
pub(crate) mod vectorcall;
