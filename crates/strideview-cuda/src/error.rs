//! What can go wrong with the driver, or with what it says.
#![forbid(unsafe_code)]

use std::fmt;

use strideview_memory::MemoryError;

use crate::TensorMapFault;
use crate::driver::describe_status;
use crate::driver::sys::CUresult;

/// A failure of the CUDA driver, or of something asked of it.
///
/// A small `Copy` value: making, moving and comparing one allocates nothing. [`CudaError::code`] is
/// stable; the message is not.
///
/// ```
/// use strideview_cuda::CudaError;
///
/// let error = CudaError::NoSuchDevice { ordinal: 8, count: 2 };
/// assert_eq!(error.code(), "cuda.no_such_device");
/// assert_eq!(error.to_string(), "wanted a device from 0 to 1, got 8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CudaError {
    /// There is no driver on this machine, or one that is too old.
    Unavailable {
        /// Why, in words.
        reason: &'static str,
    },
    /// The driver is too old for a function.
    MissingFunction {
        /// The name of the function.
        call: &'static str,
        /// The version of its interface that was wanted: 12000 for CUDA 12.0.
        version: i32,
    },
    /// A call of the driver failed.
    Driver {
        /// The name of the call.
        call: &'static str,
        /// Its status, a number of `CUresult`.
        status: i32,
    },
    /// There is no device with this ordinal.
    NoSuchDevice {
        /// The ordinal given.
        ordinal: i32,
        /// How many devices there are.
        count: i32,
    },
    /// Said to be device memory, but the driver does not know it: freed, or of no device.
    UnknownPointer {
        /// The address.
        address: usize,
    },
    /// Neither the host nor the device can reach the memory at its address.
    Unreachable {
        /// The address.
        address: usize,
    },
    /// A number that names no stream.
    InvalidStreamNumber {
        /// The number given.
        number: i64,
    },
    /// The device cannot do what was asked.
    Unsupported {
        /// What was asked.
        feature: &'static str,
        /// The device.
        ordinal: i32,
    },
    /// An address that is aligned less than the plan of a copy was made for.
    Misaligned {
        /// The address.
        address: usize,
        /// What it had to be a multiple of.
        wanted: usize,
    },
    /// A tensor, or boxes of it, that a descriptor cannot be made of.
    TensorMap(TensorMapFault),
    /// The resource that a copy was to take its temporaries from has failed.
    Allocator(MemoryError),
}

/// Every code that [`CudaError::code`] gives, in the order of the variants.
///
/// ```
/// assert_eq!(strideview_cuda::ALL_CODES.len(), 11);
/// ```
pub const ALL_CODES: &[&str] = &[
    "cuda.unavailable",
    "cuda.missing_function",
    "cuda.driver",
    "cuda.no_such_device",
    "cuda.unknown_pointer",
    "cuda.unreachable",
    "cuda.invalid_stream_number",
    "cuda.unsupported",
    "cuda.misaligned",
    "cuda.tensor_map",
    "cuda.allocator",
];

impl CudaError {
    /// The stable name of this kind of failure, `cuda.` and a slug. O(1).
    ///
    /// ```
    /// use strideview_cuda::CudaError;
    ///
    /// let error = CudaError::Driver { call: "cuMemAllocAsync", status: 2 };
    /// assert_eq!(error.code(), "cuda.driver");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "cuda.unavailable",
            Self::MissingFunction { .. } => "cuda.missing_function",
            Self::Driver { .. } => "cuda.driver",
            Self::NoSuchDevice { .. } => "cuda.no_such_device",
            Self::UnknownPointer { .. } => "cuda.unknown_pointer",
            Self::Unreachable { .. } => "cuda.unreachable",
            Self::InvalidStreamNumber { .. } => "cuda.invalid_stream_number",
            Self::Unsupported { .. } => "cuda.unsupported",
            Self::Misaligned { .. } => "cuda.misaligned",
            Self::TensorMap(_) => "cuda.tensor_map",
            Self::Allocator(_) => "cuda.allocator",
        }
    }

    /// Whether CUDA cannot be used at all: no driver, or one that cannot start (no device, say).
    ///
    /// ```
    /// use strideview_cuda::CudaError;
    ///
    /// assert!(CudaError::Driver { call: "cuInit", status: 100 }.is_unavailable());
    /// assert!(!CudaError::Driver { call: "cuMemAlloc", status: 2 }.is_unavailable());
    /// ```
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Driver { call: "cuInit", .. })
    }

    /// The driver's name for the status and its text; None without a driver, or when the error is
    /// not [`CudaError::Driver`]. Two calls of the driver.
    pub fn driver_text(&self) -> Option<(&'static str, &'static str)> {
        match *self {
            Self::Driver { status, .. } => describe_status(status),
            _ => None,
        }
    }

    /// Whether this is a failed call with the given status.
    pub(crate) fn has_status(&self, wanted: CUresult) -> bool {
        matches!(*self, Self::Driver { status, .. } if status == wanted.0)
    }

    /// What a memory resource reports when `size_in_bytes` were wanted.
    pub(crate) fn for_memory(self, size_in_bytes: usize) -> MemoryError {
        match self {
            Self::Driver { status, .. } if status == CUresult::OUT_OF_MEMORY.0 => {
                MemoryError::OutOfMemory { size_in_bytes }
            }
            Self::Driver { call, status } => {
                MemoryError::Resource { call, status: i64::from(status) }
            }
            Self::MissingFunction { call, .. } => MemoryError::Resource { call, status: -1 },
            _ => MemoryError::Resource { call: "cuInit", status: -1 },
        }
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unavailable { reason } => {
                write!(f, "wanted a CUDA driver, got none: {reason}")
            }
            Self::MissingFunction { call, version } => write!(
                f,
                "wanted a CUDA driver with {call} (CUDA {}.{} or newer), got one without it",
                version / 1000,
                version % 1000 / 10
            ),
            Self::Driver { call, status } => {
                write!(f, "{call} failed: wanted status 0, got {status}")?;
                match describe_status(status) {
                    Some((name, text)) => write!(f, " ({name}: {text})"),
                    None => Ok(()),
                }
            }
            Self::NoSuchDevice { ordinal, count: ..=0 } => {
                write!(f, "wanted a CUDA device, got ordinal {ordinal} where there is none")
            }
            Self::NoSuchDevice { ordinal, count } => {
                write!(f, "wanted a device from 0 to {}, got {ordinal}", count - 1)
            }
            Self::UnknownPointer { address } => write!(
                f,
                "wanted memory that the driver knows, got {address:#x}, freed or not of a device"
            ),
            Self::Unreachable { address } => write!(
                f,
                "wanted memory that the host or the device can reach, got {address:#x} without \
                 access granted to either"
            ),
            Self::InvalidStreamNumber { number } => write!(
                f,
                "wanted a stream number: -1 (no ordering), 1, 2 or a handle above 2; got {number}"
            ),
            Self::Unsupported { feature, ordinal } => {
                write!(f, "wanted {feature}, got device {ordinal}, which cannot do it")
            }
            Self::Misaligned { address, wanted } => write!(
                f,
                "wanted an address that is a multiple of {wanted}, as the plan was made for, got \
                 {address:#x}"
            ),
            Self::TensorMap(fault) => write!(f, "tensor map: {fault}"),
            Self::Allocator(error) => write!(f, "temporary memory of a copy: {error}"),
        }
    }
}

impl std::error::Error for CudaError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_in_order() {
        let (call, address, ordinal) = ("cuInit", 16, 0);
        let errors = [
            CudaError::Unavailable { reason: "none" },
            CudaError::MissingFunction { call, version: 12000 },
            CudaError::Driver { call, status: 1 },
            CudaError::NoSuchDevice { ordinal, count: 0 },
            CudaError::UnknownPointer { address },
            CudaError::Unreachable { address },
            CudaError::InvalidStreamNumber { number: 0 },
            CudaError::Unsupported { feature: "managed memory", ordinal },
            CudaError::Misaligned { address, wanted: 16 },
            CudaError::TensorMap(TensorMapFault::Rank { least: 1, rank: 6 }),
            CudaError::Allocator(MemoryError::OutOfMemory { size_in_bytes: 4 }),
        ];
        let codes: Vec<&str> = errors.iter().map(CudaError::code).collect();
        assert_eq!(codes, ALL_CODES);
        for error in errors {
            let message = error.to_string();
            assert!(!message.ends_with('.') && message.contains("wanted"), "{message}");
        }
    }
}
