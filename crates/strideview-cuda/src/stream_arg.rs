//! A stream as DLPack and the CUDA Array Interface number it.
#![forbid(unsafe_code)]

use crate::CudaError;

/// A stream as the interchange protocols name it: an integer, with -1, 0, 1 and 2 special.
///
/// ```
/// use strideview_cuda::StreamArg;
///
/// assert_eq!(StreamArg::from_handle(0).number(), 1);
/// assert_eq!(StreamArg::from_dlpack(-1), Ok(StreamArg::NoOrdering));
/// assert!(StreamArg::from_dlpack(0).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamArg {
    /// Nothing is to be ordered.
    NoOrdering,
    /// The default stream that waits for the others, and they for it.
    LegacyDefault,
    /// The default stream that each thread has for itself.
    PerThreadDefault,
    /// A stream that was created: its handle, above 2.
    Handle(usize),
}

impl StreamArg {
    /// The form of a raw handle of the driver or the runtime, where 0 is the legacy default
    /// stream. O(1).
    pub const fn from_handle(raw: usize) -> Self {
        match raw {
            0 | 1 => Self::LegacyDefault,
            2 => Self::PerThreadDefault,
            raw => Self::Handle(raw),
        }
    }

    /// The form of the argument of `__dlpack__` for CUDA memory, where 0 is forbidden. O(1).
    ///
    /// # Errors
    ///
    /// [`CudaError::InvalidStreamNumber`] for 0 and below -1.
    pub fn from_dlpack(number: i64) -> Result<Self, CudaError> {
        match number {
            -1 => Ok(Self::NoOrdering),
            ..=0 => Err(CudaError::InvalidStreamNumber { number }),
            _ => usize::try_from(number)
                .map(Self::from_handle)
                .map_err(|_| CudaError::InvalidStreamNumber { number }),
        }
    }

    /// The form of the `stream` entry of a CUDA Array Interface, where nothing means that no
    /// ordering is needed, and 0 is forbidden. O(1).
    ///
    /// # Errors
    ///
    /// [`CudaError::InvalidStreamNumber`] for 0 and below.
    ///
    /// ```
    /// use strideview_cuda::StreamArg;
    ///
    /// assert_eq!(StreamArg::from_cuda_array_interface(None), Ok(StreamArg::NoOrdering));
    /// assert!(StreamArg::from_cuda_array_interface(Some(-1)).is_err());
    /// ```
    pub fn from_cuda_array_interface(number: Option<i64>) -> Result<Self, CudaError> {
        match number {
            None => Ok(Self::NoOrdering),
            Some(number @ ..=0) => Err(CudaError::InvalidStreamNumber { number }),
            Some(number) => Self::from_dlpack(number),
        }
    }

    /// The number that both protocols use: -1, 1, 2 or the handle; never 0. O(1).
    pub const fn number(self) -> i64 {
        match self {
            Self::NoOrdering => -1,
            Self::LegacyDefault => 1,
            Self::PerThreadDefault => 2,
            Self::Handle(raw) => raw.cast_signed() as i64,
        }
    }

    /// The handle that the driver takes; None for no ordering. O(1).
    pub const fn handle(self) -> Option<usize> {
        match self {
            Self::NoOrdering => None,
            Self::LegacyDefault => Some(1),
            Self::PerThreadDefault => Some(2),
            Self::Handle(raw) => Some(raw),
        }
    }
}
