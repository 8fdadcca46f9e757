//! Type strings of the array interfaces of NumPy and CUDA.
#![forbid(unsafe_code)]

use super::DType;

/// A type string taken apart: byte order, kind and bytes.
struct Parts {
    order: u8,
    kind: u8,
    size: usize,
}

impl Parts {
    /// The parts of `<f4` and the like; without a byte order it is the machine's.
    fn of(typestr: &str) -> Option<Self> {
        let (order, rest) = match typestr.as_bytes() {
            [order @ (b'<' | b'>' | b'|' | b'='), rest @ ..] => (*order, rest),
            rest => (b'=', rest),
        };
        let (kind, digits) = rest.split_first()?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let size = str::from_utf8(digits).ok()?.parse().ok()?;
        Some(Self { order, kind: *kind, size })
    }

    /// Whether the bytes of a number come in the order that is not the machine's.
    fn is_swapped(&self) -> bool {
        let swapped = if cfg!(target_endian = "little") { b'>' } else { b'<' };
        self.order == swapped && self.size > 1
    }
}

impl DType {
    /// The dtype that a type string names by itself; None where no view can carry it, as for byte
    /// orders that are not the machine's, structures and long doubles, and where it names several
    /// dtypes, for which [`from_void_typestr`](Self::from_void_typestr) is. O(length).
    ///
    /// ```
    /// use strideview::DType;
    /// let native = if cfg!(target_endian = "little") { "<f4" } else { ">f4" };
    /// assert_eq!(DType::from_typestr(native), Some(DType::F32));
    /// assert_eq!(DType::from_typestr("|b1"), Some(DType::BOOL));
    /// assert_eq!(DType::from_typestr("|O8"), None);
    /// ```
    #[must_use]
    pub fn from_typestr(typestr: &str) -> Option<Self> {
        let parts = Parts::of(typestr)?;
        let code = match parts.kind {
            b'i' => 0,
            b'u' => 1,
            b'f' => 2,
            b'c' => 5,
            b'b' => 6,
            _ => return None,
        };
        let bits = parts.size.checked_mul(8).and_then(|bits| u8::try_from(bits).ok())?;
        if parts.is_swapped() {
            return None;
        }
        Self::from_dlpack(code, bits, 1, false).ok()
    }

    /// The dtype of a type string that says a number of bytes and little more: `<V2`, `<V1`, and
    /// `<f1` and `<W4`, which some versions of `ml_dtypes` send. None for every other. O(length).
    ///
    /// `name` is that of the dtype of the object, which decides. Without a name `<V2` is bfloat16
    /// by convention. Plain bytes are `|V2`, which is none.
    ///
    /// ```
    /// use strideview::DType;
    /// let native = if cfg!(target_endian = "little") { "<V2" } else { ">V2" };
    /// assert_eq!(DType::from_void_typestr(native, None), Some(DType::BF16));
    /// assert_eq!(DType::from_void_typestr("|V1", Some("int4")), Some(DType::I4));
    /// assert_eq!(DType::from_void_typestr("|V2", None), None);
    /// ```
    #[must_use]
    pub fn from_void_typestr(typestr: &str, name: Option<&str>) -> Option<Self> {
        let parts = Parts::of(typestr)?;
        let says_little = matches!((parts.kind, parts.size), (b'V', _) | (b'f', 1) | (b'W', 4));
        if !says_little || parts.is_swapped() {
            return None;
        }
        let Some(name) = name else {
            let by_convention = parts.kind == b'V' && parts.size == 2 && parts.order != b'|';
            return by_convention.then_some(Self::BF16);
        };
        let dtype = Self::from_name(name)?;
        (dtype.needs_name() && dtype.itemsize_bytes() == parts.size).then_some(dtype)
    }

    /// The type string: with `V` and the bytes where there is no kind for this dtype, which loses
    /// it. Allocates.
    ///
    /// ```
    /// use strideview::DType;
    /// assert_eq!(DType::U8.typestr(), "|u1");
    /// assert_eq!(DType::F8_E5M2.typestr(), "|V1");
    /// ```
    #[must_use]
    pub fn typestr(self) -> String {
        let size = self.itemsize_bytes();
        let native = if cfg!(target_endian = "little") { '<' } else { '>' };
        let order = if size == 1 || self.lanes > 1 { '|' } else { native };
        format!("{order}{}{size}", self.typestr_kind())
    }

    fn typestr_kind(self) -> char {
        match self.code {
            _ if self.padded || self.lanes > 1 => 'V',
            0 => 'i',
            1 | 3 => 'u',
            2 => 'f',
            5 => 'c',
            6 => 'b',
            _ => 'V',
        }
    }

    /// Whether some type string of this dtype is shared with others.
    fn needs_name(self) -> bool {
        self.typestr_kind() == 'V' || self == Self::C32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(rest: &str) -> String {
        format!("{}{rest}", if cfg!(target_endian = "little") { '<' } else { '>' })
    }

    fn swapped(rest: &str) -> String {
        format!("{}{rest}", if cfg!(target_endian = "little") { '>' } else { '<' })
    }

    #[test]
    fn every_dtype_comes_back_from_its_typestr_and_name() {
        for &(dtype, name) in DType::ALL {
            let typestr = dtype.typestr();
            let back = DType::from_typestr(&typestr)
                .or_else(|| DType::from_void_typestr(&typestr, Some(name)));
            let wanted = if dtype == DType::HANDLE { DType::U64 } else { dtype };
            assert_eq!(back, Some(wanted), "{name} as {typestr}");
        }
    }

    #[test]
    fn byte_orders() {
        for rest in ["i2", "u8", "f4", "c8", "c16"] {
            let dtype = DType::from_typestr(&native(rest));
            assert!(dtype.is_some(), "{rest}");
            assert_eq!(DType::from_typestr(rest), dtype);
            assert_eq!(DType::from_typestr(&format!("={rest}")), dtype);
            assert_eq!(DType::from_typestr(&format!("|{rest}")), dtype);
            assert_eq!(DType::from_typestr(&swapped(rest)), None);
        }
        for rest in ["i1", "u1", "b1"] {
            assert_eq!(DType::from_typestr(&swapped(rest)), DType::from_typestr(&native(rest)));
        }
        assert_eq!(DType::from_void_typestr(&swapped("V2"), None), None);
        assert_eq!(DType::from_void_typestr(&swapped("V2"), Some("bfloat16")), None);
    }

    #[test]
    fn refused() {
        let typestrs = "< f <f <f3 <f16 <c32 <f1 <i3 <i16 |b2 |O8 |S1 <U1 <M8[s] <m8 |V1 <V2 |V4 |t8 \
                        <f+4 <f-4 <<f4 f4f4 <é4 é <f99999999999999999999 <u2305843009213693953";
        for typestr in typestrs.split_whitespace().chain(["", "<f 4", "<f4 ", " <f4"]) {
            assert_eq!(DType::from_typestr(typestr), None, "{typestr:?}");
        }
    }

    #[test]
    fn names_decide_where_a_typestr_does_not() {
        let f8 = DType::from_void_typestr(&native("f1"), Some("float8_e5m2"));
        assert_eq!(f8, Some(DType::F8_E5M2));
        assert_eq!(DType::from_void_typestr(&native("W4"), Some("complex32")), Some(DType::C32));
        let refused = [
            ("V1", None),
            ("V1", Some("bfloat16")),
            ("V2", Some("void16")),
            ("V4", Some("float32")),
            ("W4", Some("bcomplex32")),
            ("W4", None),
            ("f4", Some("float32")),
            ("f1", None),
        ];
        for (rest, name) in refused {
            assert_eq!(DType::from_void_typestr(&native(rest), name), None, "{rest} {name:?}");
        }
    }
}
