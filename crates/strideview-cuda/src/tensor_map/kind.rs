//! The numbers of a descriptor, by name.
#![forbid(unsafe_code)]

use std::fmt;

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $number:literal $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$of])* $variant = $number),* }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The number that the driver gives it. O(1).
            pub const fn number(self) -> i32 {
                self as i32
            }

            /// The one with a number of the driver. O(1).
            pub fn from_number(number: i32) -> Option<Self> {
                Self::ALL.iter().copied().find(|each| each.number() == number)
            }

            /// Its name, as it is printed and as Python takes it. O(1).
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The one with a name. O(1).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|each| each.name() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

numbers! {
    /// What an element is to the copy engine, which moves bytes: it matters for the fill, and where
    /// bits are rounded or flushed to zero on the way.
    ///
    /// ```
    /// use strideview_cuda::TensorMapType;
    ///
    /// assert_eq!((TensorMapType::Float32.number(), TensorMapType::Float32.itemsize_bytes()), (7, 4));
    /// ```
    TensorMapType {
        /// A byte.
        Uint8 = 0 "uint8",
        /// Two bytes.
        Uint16 = 1 "uint16",
        /// Four bytes.
        Uint32 = 2 "uint32",
        /// Four bytes, signed.
        Int32 = 3 "int32",
        /// Eight bytes.
        Uint64 = 4 "uint64",
        /// Eight bytes, signed.
        Int64 = 5 "int64",
        /// IEEE half.
        Float16 = 6 "float16",
        /// IEEE single.
        Float32 = 7 "float32",
        /// IEEE double.
        Float64 = 8 "float64",
        /// The upper half of an IEEE single.
        Bfloat16 = 9 "bfloat16",
        /// IEEE single, denormals flushed to zero.
        Float32Ftz = 10 "float32_ftz",
        /// IEEE single rounded to TF32.
        Tfloat32 = 11 "tfloat32",
        /// As above, denormals flushed to zero.
        Tfloat32Ftz = 12 "tfloat32_ftz",
    }
}

numbers! {
    /// How channels are interleaved in memory.
    TensorMapInterleave {
        /// They are not.
        None = 0 "none",
        /// By 16 bytes: NC/8HWC8 of two bytes.
        Bytes16 = 1 "16B",
        /// By 32 bytes.
        Bytes32 = 2 "32B",
    }
}

numbers! {
    /// How 16-byte pieces are permuted in shared memory, against bank conflicts; the number is how
    /// long the rows of a box may be.
    TensorMapSwizzle {
        /// They are not.
        None = 0 "none",
        /// Rows of up to 32 bytes.
        Bytes32 = 1 "32B",
        /// Rows of up to 64 bytes.
        Bytes64 = 2 "64B",
        /// Rows of up to 128 bytes.
        Bytes128 = 3 "128B",
    }
}

numbers! {
    /// How much the level 2 cache fetches at a time.
    TensorMapL2Promotion {
        /// What is asked for.
        None = 0 "none",
        /// 64 bytes.
        Bytes64 = 1 "64B",
        /// 128 bytes.
        Bytes128 = 2 "128B",
        /// 256 bytes.
        Bytes256 = 3 "256B",
    }
}

numbers! {
    /// What a load puts in the place of elements outside of the tensor.
    TensorMapFill {
        /// Zeros.
        Zero = 0 "zero",
        /// A NaN that special instructions take for zero; for floating point alone.
        Nan = 1 "nan",
    }
}

impl TensorMapType {
    /// The bytes of an element. O(1).
    pub const fn itemsize_bytes(self) -> i64 {
        match self {
            Self::Uint8 => 1,
            Self::Uint16 | Self::Float16 | Self::Bfloat16 => 2,
            Self::Uint32
            | Self::Int32
            | Self::Float32
            | Self::Float32Ftz
            | Self::Tfloat32
            | Self::Tfloat32Ftz => 4,
            Self::Uint64 | Self::Int64 | Self::Float64 => 8,
        }
    }

    /// Whether it has a NaN. O(1).
    pub const fn is_float(self) -> bool {
        self.number() >= Self::Float16.number()
    }
}

impl TensorMapSwizzle {
    /// The bytes that a row of a box may take; none where it is not limited. O(1).
    pub const fn row_bytes(self) -> Option<i64> {
        match self {
            Self::None => None,
            Self::Bytes32 => Some(32),
            Self::Bytes64 => Some(64),
            Self::Bytes128 => Some(128),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_go_both_ways() {
        for (position, each) in TensorMapType::ALL.iter().enumerate() {
            assert_eq!(each.number(), i32::try_from(position).unwrap());
            assert_eq!(TensorMapType::from_number(each.number()), Some(*each));
            assert_eq!(TensorMapType::from_name(each.name()), Some(*each));
        }
        assert_eq!(TensorMapType::from_number(13), None);
        assert_eq!(TensorMapSwizzle::from_name("128B"), Some(TensorMapSwizzle::Bytes128));
        assert_eq!(TensorMapFill::from_name("nought"), None);
    }

    #[test]
    fn floats_begin_at_float16() {
        assert!(TensorMapType::Float16.is_float() && TensorMapType::Tfloat32Ftz.is_float());
        assert!(!TensorMapType::Int64.is_float());
    }
}
