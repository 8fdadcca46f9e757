//! Families of failures.
#![forbid(unsafe_code)]

use strideview_copy::CopyError;
use strideview_layout::{ErrorKind as LayoutErrorKind, LayoutError};
use strideview_memory::MemoryError;

use super::Error;

/// The family of an error, by which a caller or a binding chooses what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The values do not go together; in Python a `ValueError`.
    Value,
    /// An axis is out of range; in Python a `ValueError` that is an `IndexError` too.
    Axis,
    /// An index is out of range; in Python a `ValueError` that is an `IndexError` too.
    Index,
    /// A quantity does not fit in a signed 64-bit integer; in Python an `OverflowError`.
    Overflow,
    /// Memory cannot be exchanged, reached or released as asked; in Python a `BufferError`.
    Interop,
    /// There is no memory left; in Python a `MemoryError`.
    Memory,
    /// The buffer is closed; in Python a `BufferError`.
    Closed,
    /// A call below failed, or this build cannot do it; in Python a `RuntimeError`.
    Runtime,
}

impl Error {
    /// The family of this error. O(1).
    ///
    /// ```
    /// use strideview::{Error, ErrorKind};
    /// assert_eq!(Error::ZeroLanes.kind(), ErrorKind::Interop);
    /// ```
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Layout(error) => kind_of_layout(error),
            Self::Memory(error) => kind_of_memory(error),
            Self::Copy(error) => kind_of_copy(error),
            Self::OutOfBounds { .. }
            | Self::ItemsizeMismatch { .. }
            | Self::DTypeMismatch { .. }
            | Self::Untyped
            | Self::LengthMismatch { .. }
            | Self::NotContiguous
            | Self::Misaligned { .. }
            | Self::ReadOnly
            | Self::NotUnique
            | Self::UniquenessUndecided
            | Self::SizeMismatch { .. }
            | Self::NoTensorMapType { .. }
            | Self::FillPattern { .. } => ErrorKind::Value,
            Self::NotHostAccessible { .. }
            | Self::NotDeviceAccessible { .. }
            | Self::NotOnDevice { .. }
            | Self::SliceAlive
            | Self::BeingWritten
            | Self::ForeignLayout(_)
            | Self::ForeignItemsize { .. }
            | Self::NullAddress
            | Self::AddressRange { .. }
            | Self::NoCounterpart { .. }
            | Self::Neighbour { .. }
            | Self::NullTensor
            | Self::MajorVersion { .. }
            | Self::UnknownFlags { .. }
            | Self::ForeignRank { .. }
            | Self::NullShape { .. }
            | Self::UnknownDevice { .. }
            | Self::NegativeDeviceId { .. }
            | Self::UnknownTypeCode { .. }
            | Self::UnsupportedBits { .. }
            | Self::ZeroLanes
            | Self::PackedSubByte { .. }
            | Self::PaddedLanes { .. }
            | Self::UntypedExport
            | Self::LegacyReadOnly
            | Self::LegacyPadded
            | Self::Unreachable
            | Self::DeviceRequest { .. }
            | Self::CopyNeeded { .. }
            | Self::CopyDevice { .. } => ErrorKind::Interop,
            Self::NoCuda { .. } => ErrorKind::Runtime,
            #[cfg(feature = "cuda")]
            Self::Cuda(error) => kind_of_cuda(error),
        }
    }
}

fn kind_of_layout(error: &LayoutError) -> ErrorKind {
    match error.kind() {
        LayoutErrorKind::Axis => ErrorKind::Axis,
        LayoutErrorKind::Index => ErrorKind::Index,
        LayoutErrorKind::Overflow => ErrorKind::Overflow,
        _ => ErrorKind::Value,
    }
}

fn kind_of_memory(error: &MemoryError) -> ErrorKind {
    match error {
        MemoryError::OutOfMemory { .. } | MemoryError::SizeTooLarge { .. } => ErrorKind::Memory,
        MemoryError::Closed => ErrorKind::Closed,
        MemoryError::InUse { .. } => ErrorKind::Interop,
        _ => ErrorKind::Runtime,
    }
}

fn kind_of_copy(error: &CopyError) -> ErrorKind {
    match error {
        CopyError::Overflow { .. } => ErrorKind::Overflow,
        CopyError::OutOfMemory { .. } => ErrorKind::Memory,
        _ => ErrorKind::Value,
    }
}

#[cfg(feature = "cuda")]
fn kind_of_cuda(error: &strideview_cuda::CudaError) -> ErrorKind {
    use strideview_cuda::CudaError;
    match error {
        CudaError::UnknownPointer { .. } | CudaError::Unreachable { .. } => ErrorKind::Interop,
        CudaError::InvalidStreamNumber { .. } | CudaError::TensorMap(_) => ErrorKind::Value,
        CudaError::Allocator(error) => kind_of_memory(error),
        _ => ErrorKind::Runtime,
    }
}
