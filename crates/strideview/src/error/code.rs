//! Stable names of failures.
#![forbid(unsafe_code)]

use super::Error;

/// Every code of this crate's own variants, in their order; those of wrapped errors are listed by
/// [`LayoutError::CODES`](crate::LayoutError::CODES), `strideview_memory::ALL_CODES`,
/// `strideview_copy::ALL_CODES` and `strideview_cuda::ALL_CODES`. Codes are stable, messages are not.
///
/// ```
/// assert_eq!(strideview::CODES[0], "view.out_of_bounds");
/// ```
pub const CODES: &[&str] = &[
    "view.out_of_bounds",
    "view.itemsize_mismatch",
    "view.dtype_mismatch",
    "view.untyped",
    "view.length_mismatch",
    "view.not_contiguous",
    "view.misaligned",
    "view.not_host_accessible",
    "view.not_device_accessible",
    "view.no_tensor_map_type",
    "view.not_on_device",
    "view.slice_alive",
    "view.being_written",
    "view.read_only",
    "view.not_unique",
    "view.uniqueness_undecided",
    "buffer.size_mismatch",
    "buffer.fill_pattern",
    "interop.layout",
    "interop.itemsize",
    "interop.null_address",
    "interop.address_range",
    "interop.no_counterpart",
    "interop.neighbour",
    "dlpack.null_tensor",
    "dlpack.major_version",
    "dlpack.unknown_flags",
    "dlpack.rank",
    "dlpack.null_shape",
    "dlpack.unknown_device",
    "dlpack.negative_device_id",
    "dlpack.unknown_dtype",
    "dlpack.unsupported_bits",
    "dlpack.zero_lanes",
    "dlpack.packed_subbyte",
    "dlpack.padded_lanes",
    "dlpack.untyped",
    "dlpack.legacy_read_only",
    "dlpack.legacy_padded",
    "dlpack.unreachable",
    "dlpack.device_request",
    "dlpack.copy_needed",
    "dlpack.copy_device",
    "device.no_cuda",
];

impl Error {
    /// The stable name of this kind of failure; that of the wrapped error where there is one. O(1).
    ///
    /// ```
    /// use strideview::{Error, MemoryError};
    /// assert_eq!(Error::ReadOnly.code(), "view.read_only");
    /// assert_eq!(Error::Memory(MemoryError::Closed).code(), "memory.closed");
    /// ```
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Layout(error) => error.code(),
            Self::Memory(error) => error.code(),
            Self::Copy(error) => error.code(),
            Self::OutOfBounds { .. } => "view.out_of_bounds",
            Self::ItemsizeMismatch { .. } => "view.itemsize_mismatch",
            Self::DTypeMismatch { .. } => "view.dtype_mismatch",
            Self::Untyped => "view.untyped",
            Self::LengthMismatch { .. } => "view.length_mismatch",
            Self::NotContiguous => "view.not_contiguous",
            Self::Misaligned { .. } => "view.misaligned",
            Self::NotHostAccessible { .. } => "view.not_host_accessible",
            Self::NotDeviceAccessible { .. } => "view.not_device_accessible",
            Self::NoTensorMapType { .. } => "view.no_tensor_map_type",
            Self::NotOnDevice { .. } => "view.not_on_device",
            Self::SliceAlive => "view.slice_alive",
            Self::BeingWritten => "view.being_written",
            Self::ReadOnly => "view.read_only",
            Self::NotUnique => "view.not_unique",
            Self::UniquenessUndecided => "view.uniqueness_undecided",
            Self::SizeMismatch { .. } => "buffer.size_mismatch",
            Self::FillPattern { .. } => "buffer.fill_pattern",
            Self::ForeignLayout(_) => "interop.layout",
            Self::ForeignItemsize { .. } => "interop.itemsize",
            Self::NullAddress => "interop.null_address",
            Self::AddressRange { .. } => "interop.address_range",
            Self::NoCounterpart { .. } => "interop.no_counterpart",
            Self::Neighbour { .. } => "interop.neighbour",
            Self::NullTensor => "dlpack.null_tensor",
            Self::MajorVersion { .. } => "dlpack.major_version",
            Self::UnknownFlags { .. } => "dlpack.unknown_flags",
            Self::ForeignRank { .. } => "dlpack.rank",
            Self::NullShape { .. } => "dlpack.null_shape",
            Self::UnknownDevice { .. } => "dlpack.unknown_device",
            Self::NegativeDeviceId { .. } => "dlpack.negative_device_id",
            Self::UnknownTypeCode { .. } => "dlpack.unknown_dtype",
            Self::UnsupportedBits { .. } => "dlpack.unsupported_bits",
            Self::ZeroLanes => "dlpack.zero_lanes",
            Self::PackedSubByte { .. } => "dlpack.packed_subbyte",
            Self::PaddedLanes { .. } => "dlpack.padded_lanes",
            Self::UntypedExport => "dlpack.untyped",
            Self::LegacyReadOnly => "dlpack.legacy_read_only",
            Self::LegacyPadded => "dlpack.legacy_padded",
            Self::Unreachable => "dlpack.unreachable",
            Self::DeviceRequest { .. } => "dlpack.device_request",
            Self::CopyNeeded { .. } => "dlpack.copy_needed",
            Self::CopyDevice { .. } => "dlpack.copy_device",
            Self::NoCuda { .. } => "device.no_cuda",
            #[cfg(feature = "cuda")]
            Self::Cuda(error) => error.code(),
        }
    }
}
