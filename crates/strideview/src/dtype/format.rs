//! Formats of the Python buffer protocol, which are those of the `struct` module.
#![forbid(unsafe_code)]

use super::DType;

/// Sizes of the codes whose size depends on the mode: native, or standard.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Native,
    Standard,
}

impl DType {
    /// The dtype that a format string names; `None` where no view can carry it, as for byte orders
    /// that are not the machine's, structures and long doubles. O(length).
    ///
    /// `itemsize_bytes` is authoritative: a format of another size is refused.
    ///
    /// ```
    /// use strideview::DType;
    /// assert_eq!(DType::from_buffer_format(b"<f", 4), Some(DType::F32));
    /// assert_eq!(DType::from_buffer_format(b"Zd", 16), Some(DType::C128));
    /// assert_eq!(DType::from_buffer_format(b">f", 4), None);
    /// ```
    #[must_use]
    pub fn from_buffer_format(format: &[u8], itemsize_bytes: usize) -> Option<Self> {
        let (sizes, code) = mode(format.trim_ascii(), itemsize_bytes)?;
        let dtype = named(code.strip_prefix(b"1").unwrap_or(code).trim_ascii(), sizes)?;
        (dtype.itemsize_bytes() == itemsize_bytes).then_some(dtype)
    }

    /// The format string of this dtype; `None` where the buffer protocol has none. O(1).
    ///
    /// ```
    /// use strideview::DType;
    /// assert_eq!(DType::I64.buffer_format(), Some(c"q"));
    /// assert_eq!(DType::BF16.buffer_format(), None);
    /// ```
    #[must_use]
    pub fn buffer_format(self) -> Option<&'static std::ffi::CStr> {
        Some(match self {
            Self::BOOL => c"?",
            Self::I8 => c"b",
            Self::U8 => c"B",
            Self::I16 => c"h",
            Self::U16 => c"H",
            Self::I32 => c"i",
            Self::U32 => c"I",
            Self::I64 => c"q",
            Self::U64 => c"Q",
            Self::F16 => c"e",
            Self::F32 => c"f",
            Self::F64 => c"d",
            Self::C64 => c"Zf",
            Self::C128 => c"Zd",
            Self::HANDLE => c"P",
            _ => return None,
        })
    }
}

/// The sizes that the first character chooses, and the rest; `None` for a swapped byte order.
fn mode(format: &[u8], itemsize_bytes: usize) -> Option<(Sizes, &[u8])> {
    let little = cfg!(target_endian = "little");
    let (native_order, sizes) = match format.first()? {
        b'@' | b'^' => (true, Sizes::Native),
        b'=' => (true, Sizes::Standard),
        b'<' => (little, Sizes::Standard),
        b'>' | b'!' => (!little, Sizes::Standard),
        _ => return Some((Sizes::Native, format)),
    };
    (native_order || itemsize_bytes == 1).then_some((sizes, &format[1..]))
}

/// The dtype of a code.
fn named(code: &[u8], sizes: Sizes) -> Option<DType> {
    let long_is_64 = sizes == Sizes::Native && size_of::<std::ffi::c_long>() == 8;
    Some(match code {
        b"?" => DType::BOOL,
        b"b" => DType::I8,
        b"B" | b"c" => DType::U8,
        b"h" => DType::I16,
        b"H" => DType::U16,
        b"i" => DType::I32,
        b"I" => DType::U32,
        b"l" if long_is_64 => DType::I64,
        b"l" => DType::I32,
        b"L" if long_is_64 => DType::U64,
        b"L" => DType::U32,
        b"q" => DType::I64,
        b"Q" => DType::U64,
        b"n" if sizes == Sizes::Native => DType::I64,
        b"N" if sizes == Sizes::Native => DType::U64,
        b"e" => DType::F16,
        b"f" => DType::F32,
        b"d" => DType::F64,
        b"Ze" => DType::C32,
        b"Zf" | b"F" => DType::C64,
        b"Zd" | b"D" => DType::C128,
        b"P" => DType::HANDLE,
        _ => return None,
    })
}
