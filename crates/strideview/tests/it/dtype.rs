//! The dtype table: names, sizes and refusals.

use strideview::{DType, Error};

#[test]
fn sizes_are_those_of_the_table() {
    let sizes = [
        ("bool", 1),
        ("int8", 1),
        ("uint16", 2),
        ("float16", 2),
        ("bfloat16", 2),
        ("int32", 4),
        ("float32", 4),
        ("complex32", 4),
        ("uint64", 8),
        ("float64", 8),
        ("complex64", 8),
        ("complex128", 16),
        ("float8_e4m3b11fnuz", 1),
        ("float8_e8m0fnu", 1),
        ("float6_e2m3fn", 1),
        ("float4_e2m1fn", 1),
        ("float4_e2m1fn_x2", 1),
        ("int4", 1),
        ("uint1", 1),
        ("opaque_handle", 8),
        ("float32x4", 16),
        ("uint8x3", 3),
        ("int4x2", 1),
        ("float6_e3m2fn_x4", 3),
        ("complex64x2", 16),
    ];
    for (name, itemsize) in sizes {
        assert_eq!(DType::from_name(name).map(DType::itemsize_bytes), Some(itemsize), "{name}");
    }
}

#[test]
fn every_constant_survives_both_round_trips() {
    assert_eq!(DType::ALL.len(), 35);
    for &(dtype, name) in DType::ALL {
        assert_eq!(dtype.name(), name);
        assert_eq!(dtype.to_string(), name);
        assert_eq!(DType::from_name(name), Some(dtype));
        let again =
            DType::from_dlpack(dtype.code(), dtype.bits(), dtype.lanes(), dtype.is_padded());
        assert_eq!(again, Ok(dtype));
    }
}

#[test]
fn names_that_are_none() {
    let names = [
        "",
        "x",
        "x4",
        "float32x",
        "float32x1",
        "float32x0",
        "float32x04",
        "float32_x4",
        "float",
        "Float32",
        "float32x4x2",
        "float32x65536",
        "float4_e2m1fnx2",
        "int4x3",
        "float4_e2m1fn_x3",
        "float32x-4",
        "float32 x4",
        "boolx",
        "float128",
        "complex256",
    ];
    for name in names {
        assert_eq!(DType::from_name(name), None, "{name}");
    }
}

#[test]
fn a_triple_is_taken_iff_its_elements_are_whole_bytes_of_a_known_kind() {
    let lanes = [0, 1, 2, 3, 4, 8, 255, u16::MAX];
    for code in 0..=u8::MAX {
        for bits in 0..=u8::MAX {
            for lanes in lanes {
                for padded in [false, true] {
                    check_triple(code, bits, lanes, padded);
                }
            }
        }
    }
}

fn check_triple(code: u8, bits: u8, lanes: u16, padded: bool) {
    let widths: &[u8] = match code {
        0 | 1 => &[1, 2, 4, 8, 16, 32, 64],
        2 => &[16, 32, 64],
        3 => &[64],
        4 => &[16],
        5 => &[32, 64, 128],
        6..=14 => &[8],
        15 | 16 => &[6],
        17 => &[4],
        _ => &[],
    };
    let total = u32::from(bits) * u32::from(lanes);
    let wanted = if code > 17 {
        Err(Error::UnknownTypeCode { code })
    } else if !widths.contains(&bits) {
        Err(Error::UnsupportedBits { code, bits })
    } else if lanes == 0 {
        Err(Error::ZeroLanes)
    } else if bits >= 8 {
        Ok(total / 8)
    } else if padded {
        if lanes == 1 { Ok(1) } else { Err(Error::PaddedLanes { bits, lanes }) }
    } else if total % 8 == 0 {
        Ok(total / 8)
    } else {
        Err(Error::PackedSubByte { bits, lanes })
    };
    let got = DType::from_dlpack(code, bits, lanes, padded);
    assert_eq!(got.map(|dtype| dtype.itemsize_bytes() as u32), wanted, "{code} {bits} {lanes}");
    if let Ok(dtype) = got {
        assert_eq!(DType::from_name(&dtype.name()), Some(dtype));
        assert_eq!(dtype.is_padded(), bits < 8 && padded);
    }
}

#[test]
fn padding_is_said_of_less_than_a_byte_only() {
    assert_eq!(DType::from_dlpack(2, 32, 1, true), Ok(DType::F32));
    assert_ne!(DType::F4_E2M1FN, DType::F4_E2M1FN_X2);
}

#[test]
fn display_honours_width() {
    assert_eq!(format!("{:>8}", DType::I8), "    int8");
}

#[test]
fn buffer_formats_are_read_by_the_rules_of_struct() {
    let little = cfg!(target_endian = "little");
    let cases: [(&[u8], usize, Option<DType>); 27] = [
        (b"?", 1, Some(DType::BOOL)),
        (b"b", 1, Some(DType::I8)),
        (b"h", 2, Some(DType::I16)),
        (b"@H", 2, Some(DType::U16)),
        (b"i", 4, Some(DType::I32)),
        (b"q", 8, Some(DType::I64)),
        (b"=l", 4, Some(DType::I32)),
        (b"=L", 4, Some(DType::U32)),
        (b"N", 8, Some(DType::U64)),
        (b"=n", 8, None),
        (b"e", 2, Some(DType::F16)),
        (b" f ", 4, Some(DType::F32)),
        (b"1f", 4, Some(DType::F32)),
        (b"2f", 8, None),
        (b"<f", 4, little.then_some(DType::F32)),
        (b">f", 4, (!little).then_some(DType::F32)),
        (b"!d", 8, (!little).then_some(DType::F64)),
        (b">B", 1, Some(DType::U8)),
        (b"^d", 8, Some(DType::F64)),
        (b"Ze", 4, Some(DType::C32)),
        (b"Zf", 8, Some(DType::C64)),
        (b"Zd", 16, Some(DType::C128)),
        (b"g", 16, None),
        (b"O", 8, None),
        (b"T{i:a:}", 4, None),
        (b"f", 8, None),
        (b"", 1, None),
    ];
    for (format, itemsize, wanted) in cases {
        let got = DType::from_buffer_format(format, itemsize);
        assert_eq!(got, wanted, "{}", String::from_utf8_lossy(format));
    }
    for &(dtype, name) in DType::ALL {
        if let Some(format) = dtype.buffer_format() {
            let itemsize = dtype.itemsize_bytes();
            let again = DType::from_buffer_format(format.to_bytes(), itemsize);
            assert_eq!(again, Some(dtype), "{name}");
        }
    }
}
