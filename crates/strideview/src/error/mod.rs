//! What can go wrong with a view, a copy or an exchange.
#![forbid(unsafe_code)]

mod code;
mod display;
mod kind;

use strideview_copy::CopyError;
use strideview_layout::LayoutError;
use strideview_memory::MemoryError;

use crate::DType;

pub use code::CODES;
pub use kind::ErrorKind;

/// Why an operation of this crate was refused or failed.
///
/// A `Copy` value with scalar fields: making, moving and comparing one allocates nothing.
/// [`Error::code`] is stable, the message is not; [`Error::kind`] is the family by which a caller
/// or a binding decides. Whatever can be found out beforehand is: a refused operation has touched
/// no memory.
///
/// ```
/// use strideview::{DType, Error, ErrorKind, StridedMemoryView};
///
/// let view = StridedMemoryView::from_vec(vec![1_u16, 2, 3], &[3])?;
/// let error = view.as_slice::<f32>().unwrap_err();
/// assert_eq!(error, Error::DTypeMismatch { wanted: DType::F32, got: DType::U16 });
/// assert_eq!((error.code(), error.kind()), ("view.dtype_mismatch", ErrorKind::Value));
/// assert_eq!(error.to_string(), "wanted dtype float32, got uint16");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A layout, or an operation on one.
    Layout(LayoutError),
    /// A buffer or a memory resource.
    Memory(MemoryError),
    /// A copy plan.
    Copy(CopyError),
    /// A layout reaches bytes outside of its buffer.
    OutOfBounds {
        /// The lowest byte of the layout, counted from the start of the buffer.
        lowest: i128,
        /// The byte after the highest one, counted from the start of the buffer.
        end: i128,
        /// The bytes of the buffer.
        size_in_bytes: usize,
    },
    /// A dtype and a layout disagree about the size of an element.
    ItemsizeMismatch {
        /// What an element of the dtype takes, in bytes.
        dtype_itemsize: usize,
        /// What an element of the layout takes, in bytes.
        itemsize: i64,
    },
    /// Two dtypes that must be the same are not.
    DTypeMismatch {
        /// The dtype of the destination, or the one asked for.
        wanted: DType,
        /// The dtype of the source, or of the view.
        got: DType,
    },
    /// A view without a dtype, where one is needed.
    Untyped,
    /// As many values as elements are needed.
    LengthMismatch {
        /// Elements of the shape.
        wanted: i64,
        /// Values given.
        got: usize,
    },
    /// Elements that must lie side by side do not.
    NotContiguous,
    /// An address that a reference to the type may not have.
    Misaligned {
        /// The address of the first element.
        address: usize,
        /// What must divide it, in bytes.
        alignment: usize,
    },
    /// The host cannot reach the memory.
    NotHostAccessible {
        /// The ordinal of the device that the memory belongs to; -1 for none.
        device_id: i32,
    },
    /// No device can reach the memory.
    NotDeviceAccessible {
        /// The ordinal of the device that the memory belongs to; -1 for none.
        device_id: i32,
    },
    /// A dtype that the Tensor Memory Accelerator does not copy.
    NoTensorMapType {
        /// The dtype of the view.
        dtype: DType,
    },
    /// The device that is to use the memory cannot reach it.
    NotOnDevice {
        /// The ordinal of the device that is to use it.
        wanted: i32,
        /// The ordinal of the device that the memory belongs to; -1 for none.
        device_id: i32,
    },
    /// The destination of a copy is borrowed by a [`HostSlice`](crate::HostSlice).
    SliceAlive,
    /// The memory to be borrowed is the destination of a copy that another thread is doing.
    BeingWritten,
    /// The destination is read-only.
    ReadOnly,
    /// Two indices of the destination share a byte.
    NotUnique,
    /// Whether two indices of the destination share a byte was not found out within the work bound.
    UniquenessUndecided,
    /// Two buffers of different sizes, where one is to be copied to the other.
    SizeMismatch {
        /// Bytes of the destination.
        dst_size_in_bytes: usize,
        /// Bytes of the source.
        src_size_in_bytes: usize,
    },
    /// A pattern of another length than 1, 2, 4 or 8 bytes, or one that does not fill a buffer evenly.
    FillPattern {
        /// Bytes of the buffer.
        size_in_bytes: usize,
        /// Bytes of the pattern.
        pattern_in_bytes: usize,
    },
    /// A description from outside is no layout.
    ForeignLayout(LayoutError),
    /// A dtype and an item size from outside disagree.
    ForeignItemsize {
        /// What an element of the dtype takes, in bytes.
        dtype_itemsize: usize,
        /// The item size given, in bytes.
        itemsize: i64,
    },
    /// A description from outside has elements, and no address.
    NullAddress,
    /// A description from outside leaves the address space, or spans more than half of it.
    AddressRange {
        /// The lowest address of an element.
        lowest: i128,
        /// The address after the highest one.
        end: i128,
    },
    /// A dtype that the library which is to have the elements does not know.
    NoCounterpart {
        /// The library.
        library: &'static str,
        /// The dtype of the view.
        dtype: DType,
    },
    /// A library that memory is exchanged with refused or failed.
    Neighbour {
        /// The library.
        library: &'static str,
        /// What it was asked for.
        call: &'static str,
    },
    /// A DLPack tensor that is not there.
    NullTensor,
    /// A DLPack major version that this build does not know.
    MajorVersion {
        /// Major version of the tensor.
        major: u32,
        /// Major version known here.
        supported: u32,
    },
    /// A flag bit that this build does not know, from a newer minor version.
    UnknownFlags {
        /// The flags of the tensor.
        flags: u64,
        /// Minor version of the tensor.
        minor: u32,
    },
    /// A DLPack tensor with too many axes, or fewer than none.
    ForeignRank {
        /// Axes of the tensor.
        ndim: i32,
        /// The most axes that a layout takes.
        limit: usize,
    },
    /// A DLPack tensor with axes and without a shape.
    NullShape {
        /// Axes of the tensor.
        ndim: i32,
    },
    /// A DLPack device type that this build cannot use.
    UnknownDevice {
        /// Device type of the tensor.
        device_type: i32,
    },
    /// A negative device id.
    NegativeDeviceId {
        /// Device id of the tensor.
        device_id: i32,
    },
    /// A DLPack type code that this build does not know.
    UnknownTypeCode {
        /// Type code of the tensor.
        code: u8,
    },
    /// A number of bits that the DLPack type code does not come in.
    UnsupportedBits {
        /// Type code of the tensor.
        code: u8,
        /// Bits of the tensor.
        bits: u8,
    },
    /// A DLPack dtype of no lanes.
    ZeroLanes,
    /// Elements packed more densely than one a byte, which a layout cannot address.
    PackedSubByte {
        /// Bits of a lane.
        bits: u8,
        /// Lanes of an element.
        lanes: u16,
    },
    /// Padded elements of several lanes, of which no size is agreed.
    PaddedLanes {
        /// Bits of a lane.
        bits: u8,
        /// Lanes of an element.
        lanes: u16,
    },
    /// An untyped view cannot be exported.
    UntypedExport,
    /// A legacy DLPack tensor cannot say that it is read-only.
    LegacyReadOnly,
    /// A legacy DLPack tensor cannot say that its elements are padded to bytes.
    LegacyPadded,
    /// Memory that neither the host nor a device can reach cannot be exported.
    Unreachable,
    /// A DLPack consumer wants a device that the memory cannot be given out for.
    DeviceRequest {
        /// Device type wanted.
        wanted_type: i32,
        /// Device id wanted.
        wanted_id: i32,
        /// Device type of the memory.
        device_type: i32,
        /// Device id of the memory.
        device_id: i32,
    },
    /// A DLPack consumer forbids the copy that its other wishes need.
    CopyNeeded {
        /// Device type wanted.
        wanted_type: i32,
        /// Device id wanted.
        wanted_id: i32,
    },
    /// A DLPack consumer wants a copy in memory that this build cannot allocate.
    CopyDevice {
        /// Device type of the copy.
        device_type: i32,
    },
    /// A CUDA device, in a build without CUDA.
    NoCuda {
        /// Ordinal of the device.
        ordinal: i32,
    },
    /// CUDA cannot be used, or failed.
    #[cfg(feature = "cuda")]
    Cuda(strideview_cuda::CudaError),
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Layout(error) | Self::ForeignLayout(error) => Some(error),
            Self::Memory(error) => Some(error),
            Self::Copy(error) => Some(error),
            #[cfg(feature = "cuda")]
            Self::Cuda(error) => Some(error),
            _ => None,
        }
    }
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

impl From<MemoryError> for Error {
    fn from(error: MemoryError) -> Self {
        Self::Memory(error)
    }
}

impl From<CopyError> for Error {
    fn from(error: CopyError) -> Self {
        Self::Copy(error)
    }
}

#[cfg(feature = "cuda")]
impl From<strideview_cuda::CudaError> for Error {
    fn from(error: strideview_cuda::CudaError) -> Self {
        Self::Cuda(error)
    }
}
