//! The macros that write the tables of getters and methods.
//!
//! `///` lines become the docstring, so `help()` shows them; the signature is the one that
//! `inspect.signature` reads.

/// `name => body`, with the layout object as the first name.
macro_rules! getters {
    ($this:ident: $( $(#[doc = $doc:literal])* $name:ident => $body:expr; )*) => {
        $(
            /// A getter.
            ///
            /// # Safety
            ///
            /// Called by the interpreter, for a layout object.
            unsafe extern "C" fn $name(
                slf: *mut pyo3::ffi::PyObject,
                _: *mut std::ffi::c_void,
            ) -> *mut pyo3::ffi::PyObject {
                // SAFETY: the caller promises the same.
                unsafe {
                    $crate::layout::call::getter(
                        slf,
                        |$this: &$crate::layout::object::LayoutObject| $body,
                    )
                }
            }
        )*

        /// Name, docstring and function of each getter.
        pub(super) const GETTERS: &[(&std::ffi::CStr, &std::ffi::CStr, super::call::RawGetter)] = &[
            $( (
                $crate::layout::table::c_str!(stringify!($name)),
                $crate::layout::table::c_str!($($doc, "\n"),*),
                $name,
            ), )*
        ];
    };
}
pub(super) use getters;

/// `name(required; optional; keyword-only) "signature" => body`, with the layout object as the first name.
macro_rules! methods {
    ($table:ident, $this:ident: $(
        $(#[doc = $doc:literal])*
        $name:ident($($required:ident),*; $($optional:ident),*; $($keyword:ident),*) $text:literal => $body:expr;
    )*) => {
        $( $crate::layout::table::method! {
            $this $name($($required),*; $($optional),*; $($keyword),*) $body
        } )*

        /// The methods with their docstrings.
        pub(super) const $table: &[pyo3::ffi::PyMethodDef] = &[
            $( pyo3::ffi::PyMethodDef {
                ml_name: $crate::layout::table::c_str!(stringify!($name)).as_ptr(),
                ml_meth: pyo3::ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: $name },
                ml_flags: pyo3::ffi::METH_FASTCALL | pyo3::ffi::METH_KEYWORDS,
                ml_doc: $crate::layout::table::c_str!(
                    stringify!($name), $text, "\n--\n\n", $($doc, "\n"),*
                ).as_ptr(),
            }, )*
        ];
    };
}
pub(super) use methods;

/// One method of [`methods!`].
macro_rules! method {
    ($this:ident $name:ident($($required:ident),*; $($optional:ident),*; $($keyword:ident),*) $body:expr) => {
        /// A method.
        ///
        /// # Safety
        ///
        /// Called by the interpreter, for a layout object, by the vectorcall convention.
        unsafe extern "C" fn $name(
            slf: *mut pyo3::ffi::PyObject,
            values: *const *mut pyo3::ffi::PyObject,
            count: pyo3::ffi::Py_ssize_t,
            keywords: *mut pyo3::ffi::PyObject,
        ) -> *mut pyo3::ffi::PyObject {
            const COUNT: usize = <[&str]>::len(&[
                $(stringify!($required),)* $(stringify!($optional),)* $(stringify!($keyword)),*
            ]);
            static SIGNATURE: $crate::layout::call::Signature<COUNT> =
                $crate::layout::table::signature!($name($($required),*; $($optional),*; $($keyword),*));
            let given = $crate::layout::call::Given { values, count, keywords };
            // SAFETY: the caller promises the same.
            unsafe {
                $crate::layout::call::method(
                    slf,
                    given,
                    &SIGNATURE,
                    |$this: &$crate::layout::object::LayoutObject, arguments| {
                        let [$($required,)* $($optional,)* $($keyword),*] = arguments;
                        $( let $required = $crate::layout::call::given($required)?; )*
                        $body
                    },
                )
            }
        }
    };
}
pub(super) use method;

/// The parameters of a function: required; optional; optional by name only.
macro_rules! signature {
    ($name:ident($($required:ident),*; $($optional:ident),*; $($keyword:ident),*)) => {
        $crate::layout::call::Signature {
            function: stringify!($name),
            names: [
                $( $crate::layout::table::name!($required), )*
                $( $crate::layout::table::name!($optional), )*
                $( $crate::layout::table::name!($keyword), )*
            ],
            required: <[&str]>::len(&[$(stringify!($required)),*]),
            positional: <[&str]>::len(&[$(stringify!($required),)* $(stringify!($optional)),*]),
        }
    };
}
pub(super) use signature;

/// A C string put together from literals at compile time.
macro_rules! c_str {
    ($($part:expr),*) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($($part,)* "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a NUL inside a name or a docstring"),
        }
    };
}
pub(super) use c_str;

/// The name of a parameter.
macro_rules! name {
    ($name:ident) => {
        $crate::layout::call::Name::new($crate::layout::table::c_str!(stringify!($name)))
    };
}
pub(super) use name;
