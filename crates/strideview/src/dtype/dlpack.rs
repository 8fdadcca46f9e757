//! From the three numbers of DLPack to a dtype that views can carry.
#![forbid(unsafe_code)]

use super::DType;
use crate::Error;

impl DType {
    /// The dtype that DLPack calls `(code, bits, lanes)`; `padded` is whether the tensor says that
    /// numbers of less than a byte have a byte each. O(1).
    ///
    /// Of numbers of less than a byte, those padded to one are carried, and groups that fill whole
    /// bytes, such as torch's pair of 4-bit floats `(17, 4, 2)`. `padded` says nothing about
    /// numbers of whole bytes.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTypeCode`]; [`Error::UnsupportedBits`], such as a `bool` of 1 bit;
    /// [`Error::ZeroLanes`]; [`Error::PackedSubByte`], because a layout cannot address half a byte;
    /// [`Error::PaddedLanes`], because nobody has said how large several padded lanes are.
    ///
    /// ```
    /// use strideview::{DType, Error};
    /// assert_eq!(DType::from_dlpack(4, 16, 1, false)?, DType::BF16);
    /// assert_eq!(DType::from_dlpack(0, 4, 1, true)?, DType::I4);
    /// let error = DType::from_dlpack(0, 4, 1, false).unwrap_err();
    /// assert_eq!(error.code(), "dlpack.packed_subbyte");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_dlpack(code: u8, bits: u8, lanes: u16, padded: bool) -> Result<Self, Error> {
        if !comes_in(code, bits)? {
            return Err(Error::UnsupportedBits { code, bits });
        }
        if lanes == 0 {
            return Err(Error::ZeroLanes);
        }
        if bits.is_multiple_of(8) {
            return Ok(Self { code, bits, lanes, padded: false });
        }
        if padded && lanes != 1 {
            return Err(Error::PaddedLanes { bits, lanes });
        }
        if !padded && !(u32::from(bits) * u32::from(lanes)).is_multiple_of(8) {
            return Err(Error::PackedSubByte { bits, lanes });
        }
        Ok(Self { code, bits, lanes, padded })
    }
}

/// Whether numbers of this type code come in this many bits.
fn comes_in(code: u8, bits: u8) -> Result<bool, Error> {
    Ok(match code {
        // Signed and unsigned integers.
        0 | 1 => matches!(bits, 1 | 2 | 4 | 8 | 16 | 32 | 64),
        // Floats. Those of more than 64 bits differ between machines.
        2 => matches!(bits, 16 | 32 | 64),
        // Opaque handles.
        3 => bits == 64,
        // Bfloats.
        4 => bits == 16,
        // Complex numbers: the bits of both parts together.
        5 => matches!(bits, 32 | 64 | 128),
        // Bools. Some producers say 1 bit and store a byte, others pack; so neither is taken.
        6 => bits == 8,
        // Floats of 8, 6 and 4 bits.
        7..=14 => bits == 8,
        15 | 16 => bits == 6,
        17 => bits == 4,
        _ => return Err(Error::UnknownTypeCode { code }),
    })
}
