//! What an element is.
#![forbid(unsafe_code)]

mod dlpack;
mod format;
mod name;
mod table;
#[cfg(feature = "cuda")]
mod tensor_map;
mod typestr;

/// The type of an element: a kind of number, its bits, and how many of them make an element.
///
/// A small `Copy` value in the terms of DLPack (code, bits, lanes), and whether a number of less
/// than a byte is padded to one. Every value of this type is one that views can carry: its elements
/// take whole bytes. [`DType::from_dlpack`] is the check.
///
/// # Invariants
///
/// 1. `lanes` is at least 1, and `bits` is one that `code` comes in.
/// 2. `padded` iff an element has a single lane of less than 8 bits; otherwise bits·lanes is a
///    multiple of 8.
///
/// ```
/// use strideview::DType;
///
/// assert_eq!(DType::F32.itemsize_bytes(), 4);
/// assert_eq!(DType::from_name("float32x4").map(DType::itemsize_bytes), Some(16));
/// assert_eq!(DType::BF16.to_string(), "bfloat16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DType {
    code: u8,
    bits: u8,
    lanes: u16,
    padded: bool,
}

impl DType {
    /// The DLPack type code. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::DType::F32.code(), 2);
    /// ```
    #[must_use]
    pub const fn code(self) -> u8 {
        self.code
    }

    /// The bits of one lane. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::DType::C128.bits(), 128);
    /// ```
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// The lanes of one element, 1 unless it is a vector. O(1).
    ///
    /// ```
    /// assert_eq!(strideview::DType::F4_E2M1FN_X2.lanes(), 2);
    /// ```
    #[must_use]
    pub const fn lanes(self) -> u16 {
        self.lanes
    }

    /// Whether a number of less than a byte is stored in a byte of its own. O(1).
    ///
    /// ```
    /// use strideview::DType;
    /// assert!(DType::I4.is_padded() && !DType::I8.is_padded());
    /// ```
    #[must_use]
    pub const fn is_padded(self) -> bool {
        self.padded
    }

    /// The bytes of one element, at least 1. O(1).
    ///
    /// ```
    /// use strideview::DType;
    /// assert_eq!(DType::C64.itemsize_bytes(), 8);
    /// assert_eq!(DType::F4_E2M1FN_X2.itemsize_bytes(), 1); // a pair a byte
    /// ```
    #[must_use]
    pub const fn itemsize_bytes(self) -> usize {
        if self.padded { 1 } else { self.bits as usize * self.lanes as usize / 8 }
    }
}
