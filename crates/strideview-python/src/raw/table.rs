//! The macros that write the tables of getters and methods.
//!
//! `///` lines become the docstring, so `help()` shows them; the signature is the one that
//! `inspect.signature` reads.

/// `name => body`, with the value of the object as the first name.
macro_rules! getters {
    ($class:ty, $this:ident: $( $(#[doc = $doc:literal])* $name:ident => $body:expr; )*) => {
        $(
            /// A getter.
            ///
            /// # Safety
            ///
            /// Called by the interpreter, for an object of the class.
            unsafe extern "C" fn $name(
                slf: *mut pyo3::ffi::PyObject,
                _: *mut std::ffi::c_void,
            ) -> *mut pyo3::ffi::PyObject {
                // SAFETY: the caller promises the same.
                unsafe {
                    $crate::raw::call::getter(
                        slf,
                        |$this: &$class| $body,
                    )
                }
            }
        )*

        /// Name, docstring and function of each getter.
        pub(super) const GETTERS: &[$crate::raw::class::Getter] = &[
            $( (
                $crate::raw::table::c_str!(stringify!($name)),
                $crate::raw::table::c_str!($($doc, "\n"),*),
                $name,
            ), )*
        ];
    };
}
pub(crate) use getters;

/// `name(required; optional; keyword-only) "signature" => body`, with the value of the object as the first name.
macro_rules! methods {
    ($table:ident, $class:ty, $this:ident: $(
        $(#[doc = $doc:literal])*
        $name:ident($($required:ident),*; $($optional:ident),*; $($keyword:ident),*) $text:literal => $body:expr;
    )*) => {
        $( $crate::raw::table::method! {
            $class, $this $name($($required),*; $($optional),*; $($keyword),*) $body
        } )*

        /// The methods with their docstrings.
        pub(super) const $table: &[pyo3::ffi::PyMethodDef] = &[
            $( pyo3::ffi::PyMethodDef {
                ml_name: $crate::raw::table::c_str!(stringify!($name)).as_ptr(),
                ml_meth: pyo3::ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: $name },
                ml_flags: pyo3::ffi::METH_FASTCALL | pyo3::ffi::METH_KEYWORDS,
                ml_doc: $crate::raw::table::c_str!(
                    stringify!($name), $text, "\n--\n\n", $($doc, "\n"),*
                ).as_ptr(),
            }, )*
        ];
    };
}
pub(crate) use methods;

/// One method of [`methods!`].
macro_rules! method {
    ($class:ty, $this:ident $name:ident($($required:ident),*; $($optional:ident),*; $($keyword:ident),*) $body:expr) => {
        /// A method.
        ///
        /// # Safety
        ///
        /// Called by the interpreter, for an object of the class, by the vectorcall convention.
        unsafe extern "C" fn $name(
            slf: *mut pyo3::ffi::PyObject,
            values: *const *mut pyo3::ffi::PyObject,
            count: pyo3::ffi::Py_ssize_t,
            keywords: *mut pyo3::ffi::PyObject,
        ) -> *mut pyo3::ffi::PyObject {
            const COUNT: usize = <[&str]>::len(&[
                $(stringify!($required),)* $(stringify!($optional),)* $(stringify!($keyword)),*
            ]);
            static SIGNATURE: $crate::raw::call::Signature<COUNT> =
                $crate::raw::table::signature!($name($($required),*; $($optional),*; $($keyword),*));
            let given = $crate::raw::call::Given { values, count, keywords };
            // SAFETY: the caller promises the same.
            unsafe {
                $crate::raw::call::method(
                    slf,
                    given,
                    &SIGNATURE,
                    |$this: &$class, arguments| {
                        let [$($required,)* $($optional,)* $($keyword),*] = arguments;
                        $( let $required = $crate::raw::call::given($required)?; )*
                        $body
                    },
                )
            }
        }
    };
}
pub(crate) use method;

/// The parameters of a function: required; optional; optional by name only.
macro_rules! signature {
    ($name:ident($($required:ident),*; $($optional:ident),*; $($keyword:ident),*)) => {
        $crate::raw::call::Signature {
            function: stringify!($name),
            names: [
                $( $crate::raw::table::name!($required), )*
                $( $crate::raw::table::name!($optional), )*
                $( $crate::raw::table::name!($keyword), )*
            ],
            required: <[&str]>::len(&[$(stringify!($required)),*]),
            positional: <[&str]>::len(&[$(stringify!($required),)* $(stringify!($optional)),*]),
        }
    };
}
pub(crate) use signature;

/// A C string put together from literals at compile time.
macro_rules! c_str {
    ($($part:expr),*) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($($part,)* "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a NUL inside a name or a docstring"),
        }
    };
}
pub(crate) use c_str;

/// The name of a parameter.
macro_rules! name {
    ($name:ident) => {
        $crate::raw::call::Name::new($crate::raw::table::c_str!(stringify!($name)))
    };
}
pub(crate) use name;
