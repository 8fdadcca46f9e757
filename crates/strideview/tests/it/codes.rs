//! Codes are API: the list is complete, and no code disappears.

use strideview::{CODES, CopyError, DType, Error, ErrorKind, LayoutError, MemoryError};

fn one_of_each() -> Vec<Error> {
    vec![
        Error::OutOfBounds { lowest: -4, end: 8, size_in_bytes: 16 },
        Error::ItemsizeMismatch { dtype_itemsize: 4, itemsize: 8 },
        Error::DTypeMismatch { wanted: DType::F32, got: DType::I32 },
        Error::Untyped,
        Error::LengthMismatch { wanted: 4, got: 3 },
        Error::NotContiguous,
        Error::Misaligned { address: 0x1001, alignment: 8 },
        Error::NotHostAccessible { device_id: 0 },
        Error::NotDeviceAccessible { device_id: -1 },
        Error::NoTensorMapType { dtype: DType::C128 },
        Error::NotOnDevice { wanted: 1, device_id: 0 },
        Error::SliceAlive,
        Error::BeingWritten,
        Error::ReadOnly,
        Error::NotUnique,
        Error::UniquenessUndecided,
        Error::SizeMismatch { dst_size_in_bytes: 8, src_size_in_bytes: 4 },
        Error::FillPattern { size_in_bytes: 8, pattern_in_bytes: 3 },
        Error::ForeignLayout(LayoutError::NegativeExtent { axis: 0, extent: -1 }),
        Error::ForeignItemsize { dtype_itemsize: 4, itemsize: 8 },
        Error::NullAddress,
        Error::AddressRange { lowest: -8, end: 8 },
        Error::NoCounterpart { library: "candle", dtype: DType::U16 },
        Error::Neighbour { library: "candle", call: "zeros" },
        Error::NullTensor,
        Error::MajorVersion { major: 2, supported: 1 },
        Error::UnknownFlags { flags: 8, minor: 4 },
        Error::ForeignRank { ndim: 65, limit: 64 },
        Error::NullShape { ndim: 2 },
        Error::UnknownDevice { device_type: 99 },
        Error::NegativeDeviceId { device_id: -1 },
        Error::UnknownTypeCode { code: 200 },
        Error::UnsupportedBits { code: 6, bits: 1 },
        Error::ZeroLanes,
        Error::PackedSubByte { bits: 4, lanes: 1 },
        Error::PaddedLanes { bits: 4, lanes: 2 },
        Error::UntypedExport,
        Error::LegacyReadOnly,
        Error::LegacyPadded,
        Error::Unreachable,
        Error::DeviceRequest { wanted_type: 2, wanted_id: 0, device_type: 1, device_id: 0 },
        Error::CopyNeeded { wanted_type: 1, wanted_id: 0 },
        Error::CopyDevice { device_type: 3 },
        Error::NoCuda { ordinal: 0 },
    ]
}

#[test]
fn the_list_is_what_the_variants_say() {
    let codes: Vec<&str> = one_of_each().iter().map(Error::code).collect();
    assert_eq!(codes, CODES);
}

#[test]
fn no_code_is_given_twice() {
    let mut codes = CODES.to_vec();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), CODES.len());
}

#[test]
fn messages_say_what_was_wanted_and_got() {
    for error in one_of_each() {
        let message = error.to_string();
        assert!(message.contains("wanted") && message.contains("got"), "{message}");
        assert!(!message.ends_with('.'), "{message}");
        assert!(!message.contains("  "), "{message}");
        let first = message.trim_start_matches("DLPack ");
        assert!(first.starts_with(|letter: char| !letter.is_uppercase()), "{message}");
    }
}

#[test]
fn everything_about_exchange_is_of_one_kind() {
    for error in one_of_each() {
        let is_exchange = ["dlpack.", "interop."].iter().any(|area| error.code().starts_with(area));
        if is_exchange {
            assert_eq!(error.kind(), ErrorKind::Interop, "{}", error.code());
        }
    }
}

#[test]
fn wrapped_errors_keep_their_code_kind_and_text() {
    let wrapped: [(Error, &str, ErrorKind); 9] = [
        (
            LayoutError::AxisOutOfRange { axis: 5, rank: 2 }.into(),
            "layout.axis_out_of_range",
            ErrorKind::Axis,
        ),
        (
            LayoutError::IndexOutOfRange { axis: 0, index: 5, extent: 2 }.into(),
            "layout.index_out_of_range",
            ErrorKind::Index,
        ),
        (LayoutError::SecondEllipsis.into(), "layout.second_ellipsis", ErrorKind::Value),
        (
            MemoryError::OutOfMemory { size_in_bytes: 1 }.into(),
            "memory.out_of_memory",
            ErrorKind::Memory,
        ),
        (MemoryError::Closed.into(), "memory.closed", ErrorKind::Closed),
        (MemoryError::InUse { leases: 1 }.into(), "memory.in_use", ErrorKind::Interop),
        (MemoryError::ReleasePanicked.into(), "memory.release_panicked", ErrorKind::Runtime),
        (CopyError::OutOfMemory { bytes: 1 }.into(), "copy.out_of_memory", ErrorKind::Memory),
        (
            CopyError::RankMismatch { dst_rank: 1, src_rank: 2 }.into(),
            "copy.rank_mismatch",
            ErrorKind::Value,
        ),
    ];
    for (error, code, kind) in wrapped {
        assert_eq!((error.code(), error.kind()), (code, kind));
        let source = std::error::Error::source(&error).map(ToString::to_string);
        assert_eq!(source, Some(error.to_string()));
    }
    assert!(std::error::Error::source(&Error::ReadOnly).is_none());
}

#[test]
fn errors_are_small() {
    assert!(size_of::<Error>() <= 64);
}
