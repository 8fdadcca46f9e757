//! The dtypes that have a name of their own.
#![forbid(unsafe_code)]

use super::DType;

macro_rules! table {
    ($($constant:ident, $name:literal, ($code:literal, $bits:literal, $lanes:literal), $padded:literal;)*) => {
        impl DType {
            $(
                #[doc = concat!(
                    "`", $name, "`: DLPack (", $code, ", ", $bits, ", ", $lanes, ")."
                )]
                pub const $constant: Self =
                    Self { code: $code, bits: $bits, lanes: $lanes, padded: $padded };
            )*

            /// Every dtype that has a constant, with its name.
            ///
            /// ```
            /// use strideview::DType;
            /// assert!(DType::ALL.contains(&(DType::F64, "float64")));
            /// ```
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$constant, $name)),*];
        }
    };
}

table! {
    BOOL, "bool", (6, 8, 1), false;
    I8, "int8", (0, 8, 1), false;
    U8, "uint8", (1, 8, 1), false;
    I16, "int16", (0, 16, 1), false;
    U16, "uint16", (1, 16, 1), false;
    I32, "int32", (0, 32, 1), false;
    U32, "uint32", (1, 32, 1), false;
    I64, "int64", (0, 64, 1), false;
    U64, "uint64", (1, 64, 1), false;
    F16, "float16", (2, 16, 1), false;
    BF16, "bfloat16", (4, 16, 1), false;
    F32, "float32", (2, 32, 1), false;
    F64, "float64", (2, 64, 1), false;
    C32, "complex32", (5, 32, 1), false;
    C64, "complex64", (5, 64, 1), false;
    C128, "complex128", (5, 128, 1), false;
    F8_E3M4, "float8_e3m4", (7, 8, 1), false;
    F8_E4M3, "float8_e4m3", (8, 8, 1), false;
    F8_E4M3B11FNUZ, "float8_e4m3b11fnuz", (9, 8, 1), false;
    F8_E4M3FN, "float8_e4m3fn", (10, 8, 1), false;
    F8_E4M3FNUZ, "float8_e4m3fnuz", (11, 8, 1), false;
    F8_E5M2, "float8_e5m2", (12, 8, 1), false;
    F8_E5M2FNUZ, "float8_e5m2fnuz", (13, 8, 1), false;
    F8_E8M0FNU, "float8_e8m0fnu", (14, 8, 1), false;
    F6_E2M3FN, "float6_e2m3fn", (15, 6, 1), true;
    F6_E3M2FN, "float6_e3m2fn", (16, 6, 1), true;
    F4_E2M1FN, "float4_e2m1fn", (17, 4, 1), true;
    F4_E2M1FN_X2, "float4_e2m1fn_x2", (17, 4, 2), false;
    I4, "int4", (0, 4, 1), true;
    U4, "uint4", (1, 4, 1), true;
    I2, "int2", (0, 2, 1), true;
    U2, "uint2", (1, 2, 1), true;
    I1, "int1", (0, 1, 1), true;
    U1, "uint1", (1, 1, 1), true;
    HANDLE, "opaque_handle", (3, 64, 1), false;
}
