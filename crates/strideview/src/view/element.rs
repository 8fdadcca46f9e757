//! Rust types that elements can be read as.

use crate::DType;

/// A Rust scalar that is the element of a typed view: the integers of 8 to 64 bits, and the floats
/// of 32 and 64; with the feature `half` also `half::f16` and `half::bf16`.
///
/// `bool` is none, because a byte of foreign memory may be neither 0 nor 1: read it as `u8`, through
/// [`StridedMemoryView::view`](crate::StridedMemoryView::view).
///
/// # Safety
///
/// 1. Every sequence of `size_of::<Self>()` initialised bytes is a value.
/// 2. An element of [`DTYPE`](Self::DTYPE) takes as many bytes.
///
/// ```
/// use strideview::{DType, Element};
/// assert_eq!(<f64 as Element>::DTYPE, DType::F64);
/// ```
pub unsafe trait Element: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The dtype whose elements are read as this type.
    const DTYPE: DType;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($scalar:ty => $dtype:ident),* $(,)?) => {
        $(
            impl sealed::Sealed for $scalar {}

            // SAFETY: (1) integers and floats have no padding and no invalid value; (2) the size is
            // compared below.
            unsafe impl Element for $scalar {
                const DTYPE: DType = DType::$dtype;
            }

            const _: () = assert!(size_of::<$scalar>() == DType::$dtype.itemsize_bytes());
        )*
    };
}

elements! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    f32 => F32, f64 => F64,
}

#[cfg(feature = "half")]
elements! {
    half::f16 => F16, half::bf16 => BF16,
}
