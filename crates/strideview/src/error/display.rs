//! Messages: lower case, no full stop, what was wanted and what was got.
#![forbid(unsafe_code)]

use std::fmt;

use super::Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Layout(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::Copy(error) => error.fmt(f),
            Self::OutOfBounds { lowest, end, size_in_bytes } => write!(
                f,
                "layout wanted bytes {lowest} to {end} of its buffer, got one of {size_in_bytes} bytes"
            ),
            Self::ItemsizeMismatch { dtype_itemsize, itemsize } => write!(
                f,
                "dtype wanted an itemsize of {dtype_itemsize} bytes, got a layout with {itemsize}"
            ),
            Self::DTypeMismatch { wanted, got } => write!(f, "wanted dtype {wanted}, got {got}"),
            Self::Untyped => f.write_str("wanted a view with a dtype, got an untyped one"),
            Self::LengthMismatch { wanted, got } => {
                write!(f, "shape wanted {wanted} values, got {got}")
            }
            Self::NotContiguous => f.write_str("wanted contiguous elements, got gaps between them"),
            Self::Misaligned { address, alignment } => {
                write!(f, "wanted an address that is a multiple of {alignment}, got {address:#x}")
            }
            Self::NotHostAccessible { device_id } => {
                write!(f, "wanted memory that the host can reach, got memory of device {device_id}")
            }
            Self::NotDeviceAccessible { device_id: ..0 } => {
                f.write_str("wanted memory that a device can reach, got memory of the host")
            }
            Self::NotDeviceAccessible { device_id } => write!(
                f,
                "wanted memory that a device can reach, got memory of device {device_id} without access"
            ),
            Self::NoTensorMapType { dtype } => write!(
                f,
                "wanted a dtype that tensor maps have: numbers of 1, 2, 4 or 8 bytes; got {dtype}"
            ),
            Self::NotOnDevice { wanted, device_id } => write!(
                f,
                "wanted memory that device {wanted} can reach, got memory of device {device_id}"
            ),
            Self::SliceAlive => f.write_str(
                "wanted a destination that nobody borrows, got one with a host slice alive",
            ),
            Self::BeingWritten => f.write_str(
                "wanted memory that is at rest, got the destination of a copy in another thread",
            ),
            Self::ReadOnly => f.write_str("wanted a writable destination, got a read-only one"),
            Self::NotUnique => f.write_str(
                "wanted a destination whose elements share no byte, got one where two do",
            ),
            Self::UniquenessUndecided => f.write_str(
                "wanted a destination whose elements share no byte, got one for which this is \
                 undecided",
            ),
            Self::SizeMismatch { dst_size_in_bytes, src_size_in_bytes } => write!(
                f,
                "wanted two buffers of one size, got {src_size_in_bytes} bytes for {dst_size_in_bytes}"
            ),
            Self::FillPattern { size_in_bytes, pattern_in_bytes } => write!(
                f,
                "wanted a pattern of 1, 2, 4 or 8 bytes that divides a buffer of {size_in_bytes} bytes, \
                 got one of {pattern_in_bytes} bytes"
            ),
            Self::ForeignLayout(error) => {
                write!(f, "wanted a valid layout from outside, got a fault: {error}")
            }
            Self::ForeignItemsize { dtype_itemsize, itemsize } => {
                write!(f, "format wanted an itemsize of {dtype_itemsize} bytes, got {itemsize}")
            }
            Self::NullAddress => f.write_str("wanted the address of the elements, got null"),
            Self::AddressRange { lowest, end } => write!(
                f,
                "wanted elements inside the address space, got addresses {lowest:#x} to {end:#x}"
            ),
            Self::NoCounterpart { library, dtype } => {
                write!(f, "wanted a dtype that {library} has, got {dtype}")
            }
            Self::Neighbour { library, call } => {
                write!(f, "wanted {call} of {library} to succeed, got a failure")
            }
            #[cfg(feature = "cuda")]
            Self::Cuda(error) => error.fmt(f),
            Self::NoCuda { ordinal } => {
                write!(f, "wanted CUDA device {ordinal}, got no CUDA driver support in this build")
            }
            _ => self.fmt_dlpack(f),
        }
    }
}

impl Error {
    /// The messages of the `dlpack.` codes.
    fn fmt_dlpack(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NullTensor => f.write_str("wanted a DLPack tensor, got null"),
            Self::MajorVersion { major, supported } => {
                write!(f, "wanted DLPack major version {supported}, got {major}")
            }
            Self::UnknownFlags { flags, minor } => write!(
                f,
                "wanted DLPack flags known here, got {flags:#x} from minor version {minor}"
            ),
            Self::ForeignRank { ndim, limit } => {
                write!(f, "wanted a DLPack tensor of 0 to {limit} axes, got {ndim}")
            }
            Self::NullShape { ndim } => {
                write!(f, "wanted a DLPack shape of {ndim} axes, got null")
            }
            Self::UnknownDevice { device_type } => write!(
                f,
                "wanted a DLPack device type of CPU 1, CUDA 2, pinned 3 or managed 13, \
                 got {device_type}"
            ),
            Self::NegativeDeviceId { device_id } => {
                write!(f, "wanted a device id of at least 0, got {device_id}")
            }
            Self::UnknownTypeCode { code } => {
                write!(f, "wanted a DLPack type code of 0 to 17, got {code}")
            }
            Self::UnsupportedBits { code, bits } => write!(
                f,
                "wanted a number of bits that DLPack type code {code} comes in, got {bits}"
            ),
            Self::ZeroLanes => f.write_str("wanted a DLPack dtype of at least 1 lane, got 0"),
            Self::PackedSubByte { bits, lanes } => write!(
                f,
                "wanted elements of whole bytes, got packed ones of {lanes} x {bits} bits; \
                 pad each to a byte first"
            ),
            Self::PaddedLanes { bits, lanes } => {
                write!(f, "wanted padded elements of 1 lane, got {lanes} x {bits} bits")
            }
            Self::UntypedExport => {
                f.write_str("wanted a view with a dtype for a DLPack tensor, got an untyped one")
            }
            Self::LegacyReadOnly => f.write_str(
                "wanted a writable view for a legacy DLPack tensor, got a read-only one; \
                 ask for max_version (1, 0) or newer",
            ),
            Self::LegacyPadded => f.write_str(
                "wanted elements of whole bytes for a legacy DLPack tensor, got padded ones; \
                 ask for max_version (1, 1) or newer",
            ),
            Self::Unreachable => f.write_str(
                "wanted memory that the host or a device can reach, got memory that none can",
            ),
            Self::DeviceRequest { wanted_type, wanted_id, device_type, device_id } => write!(
                f,
                "wanted memory for DLPack device ({wanted_type}, {wanted_id}), \
                 got memory of ({device_type}, {device_id})"
            ),
            Self::CopyNeeded { wanted_type, wanted_id } => write!(
                f,
                "DLPack device ({wanted_type}, {wanted_id}) wanted a copy, got copy=False"
            ),
            Self::CopyDevice { device_type } => write!(
                f,
                "wanted a copy in memory of DLPack device type {device_type}, got a build that \
                 copies to the host only"
            ),
            _ => f.write_str(self.code()),
        }
    }
}
