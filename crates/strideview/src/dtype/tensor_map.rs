//! What a dtype is to the Tensor Memory Accelerator.
#![forbid(unsafe_code)]

use strideview_cuda::TensorMapType;

use super::DType;

impl DType {
    /// What an element is to the Tensor Memory Accelerator; None for what it does not copy: elements
    /// of 16 bytes, vectors, and numbers padded to a byte, for which it has packed forms. O(1).
    ///
    /// It moves bytes, so a type that it does not know is one of the same size: a bool is a byte.
    ///
    /// ```
    /// use strideview::DType;
    /// use strideview::cuda::TensorMapType;
    ///
    /// assert_eq!(DType::F32.tensor_map_type(), Some(TensorMapType::Float32));
    /// assert_eq!(DType::BOOL.tensor_map_type(), Some(TensorMapType::Uint8));
    /// assert_eq!(DType::C128.tensor_map_type(), None);
    /// ```
    #[must_use]
    pub fn tensor_map_type(self) -> Option<TensorMapType> {
        if self.is_padded() || self.lanes() != 1 || self == Self::HANDLE {
            return None;
        }
        Some(match self {
            Self::I32 => TensorMapType::Int32,
            Self::I64 => TensorMapType::Int64,
            Self::F16 => TensorMapType::Float16,
            Self::BF16 => TensorMapType::Bfloat16,
            Self::F32 => TensorMapType::Float32,
            Self::F64 => TensorMapType::Float64,
            _ => match self.itemsize_bytes() {
                1 => TensorMapType::Uint8,
                2 => TensorMapType::Uint16,
                4 => TensorMapType::Uint32,
                8 => TensorMapType::Uint64,
                _ => return None,
            },
        })
    }
}
