//! The functions of the driver, by name.

use std::ffi::c_void;

/// Defines functions of the driver, and a `find` that knows them by name.
macro_rules! calls {
    ($state:ident; $(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[allow(non_snake_case, reason = "the driver's own name")]
            extern "C" fn $name($($argument: $type),*) -> i32 {
                crate::state::call(stringify!($name), |$state| $body)
            }
        )*

        /// The function of this name.
        pub(super) fn find(name: &str) -> Option<*mut std::ffi::c_void> {
            match name {
                $(stringify!($name) => Some($name as *mut std::ffi::c_void),)*
                _ => None,
            }
        }
    };
}

mod context;
mod copy;
mod device;
mod kernel;
mod memory;
mod pointer;
mod stream;
mod tensor_map;

/// The function of this name, whatever version of it is asked for.
pub(crate) fn find(name: &str) -> Option<*mut c_void> {
    [
        context::find,
        copy::find,
        device::find,
        kernel::find,
        memory::find,
        pointer::find,
        stream::find,
        tensor_map::find,
    ]
    .into_iter()
    .find_map(|find| find(name))
}
