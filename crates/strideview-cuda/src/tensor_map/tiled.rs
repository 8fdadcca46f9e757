//! What a descriptor says, and whether the driver takes it.
#![forbid(unsafe_code)]

use super::{
    TensorMapFault, TensorMapFill, TensorMapInterleave, TensorMapL2Promotion, TensorMapSwizzle,
    TensorMapType,
};

/// The most axes of a descriptor.
const MOST_AXES: usize = 5;
/// The driver takes 2^32, its newer header says 2^31.
const MOST_EXTENT: i64 = 1 << 31;
const MOST_BOX: i64 = 256;
const MOST_ELEMENT_STRIDE: i64 = 8;
const STRIDE_BITS: u32 = 40;
const ADDRESS_BITS: u32 = 57;
/// What a row of a box, its address and its strides are multiples of.
const UNIT: i64 = 16;
/// The shared memory that a thread block can have.
const MOST_BOX_BYTES: i64 = 227 << 10;

/// What is the same for all axes.
///
/// ```
/// use strideview_cuda::{TensorMapModes, TensorMapSwizzle};
///
/// assert_eq!(TensorMapModes::default().swizzle, TensorMapSwizzle::None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorMapModes {
    /// How channels are interleaved in memory.
    pub interleave: TensorMapInterleave,
    /// How boxes are permuted in shared memory.
    pub swizzle: TensorMapSwizzle,
    /// How much the level 2 cache fetches.
    pub l2_promotion: TensorMapL2Promotion,
    /// What stands for elements outside of the tensor.
    pub fill: TensorMapFill,
}

impl Default for TensorMapModes {
    fn default() -> Self {
        Self {
            interleave: TensorMapInterleave::None,
            swizzle: TensorMapSwizzle::None,
            l2_promotion: TensorMapL2Promotion::None,
            fill: TensorMapFill::Zero,
        }
    }
}

/// A tensor in global memory, and the boxes that are copied of it. The innermost axis comes first in
/// each list.
///
/// ```
/// use strideview_cuda::{TensorMapFault, TensorMapModes, TensorMapType, TiledTensor};
///
/// // 100 rows of 64 elements, 256 bytes apart; boxes of 8 rows of 32.
/// let tensor = TiledTensor {
///     data_type: TensorMapType::Float32,
///     address: 0x7f00_0000_0000,
///     extents: &[64, 100],
///     strides_in_bytes: &[4, 256],
///     box_extents: &[32, 8],
///     element_strides: &[1, 1],
///     modes: TensorMapModes::default(),
/// };
/// assert_eq!(tensor.check(), Ok(()));
/// assert_eq!(tensor.box_bytes(), 1024);
/// let tensor = TiledTensor { box_extents: &[32, 300], ..tensor };
/// assert_eq!(tensor.check(), Err(TensorMapFault::Box { axis: 1, extent: 300 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TiledTensor<'a> {
    /// What an element is.
    pub data_type: TensorMapType,
    /// The address of element `[0, …, 0]`.
    pub address: u64,
    /// The number of elements along each axis.
    pub extents: &'a [i64],
    /// How far the elements along each axis are apart; the first is the size of an element.
    pub strides_in_bytes: &'a [i64],
    /// How many elements a box spans along each axis.
    pub box_extents: &'a [i64],
    /// Each how many of these are copied: 1 for all.
    pub element_strides: &'a [i64],
    /// What is the same for all axes.
    pub modes: TensorMapModes,
}

impl TiledTensor<'_> {
    /// Whether the driver takes it. O(rank).
    ///
    /// Stricter than the driver in two places: it takes null for an address, and extents of up to
    /// 2^32. Whether the device reaches the address is for the caller to know: the driver takes any.
    ///
    /// # Errors
    ///
    /// The first of the requirements, in the order of [`TensorMapFault`], that is not met.
    pub fn check(&self) -> Result<(), TensorMapFault> {
        self.check_lists()?;
        self.check_memory()?;
        self.check_box()?;
        if self.modes.fill == TensorMapFill::Nan && !self.data_type.is_float() {
            return Err(TensorMapFault::Fill { data_type: self.data_type });
        }
        Ok(())
    }

    /// The bytes of a box in shared memory, as far as they fit in 64 bits: those that a barrier waits
    /// for. O(rank).
    pub fn box_bytes(&self) -> i64 {
        let steps = self.box_extents.iter().zip(self.element_strides);
        let along = |(position, (extent, stride)): (usize, (&i64, &i64))| {
            // Along the innermost axis all elements are copied.
            if position == 0 && self.modes.interleave == TensorMapInterleave::None {
                return (*extent).max(0);
            }
            (*extent).max(0).unsigned_abs().div_ceil(stride.unsigned_abs().max(1)).cast_signed()
        };
        let elements = steps.enumerate().map(along).fold(1, i64::saturating_mul);
        elements.saturating_mul(self.data_type.itemsize_bytes())
    }

    fn check_lists(&self) -> Result<(), TensorMapFault> {
        let is_interleaved = self.modes.interleave != TensorMapInterleave::None;
        let (rank, least) = (self.extents.len(), if is_interleaved { 3 } else { 1 });
        if !(least..=MOST_AXES).contains(&rank) {
            return Err(TensorMapFault::Rank { least, rank });
        }
        let lists = [
            ("strides", self.strides_in_bytes.len()),
            ("box extents", self.box_extents.len()),
            ("element strides", self.element_strides.len()),
        ];
        match lists.into_iter().find(|(_, got)| *got != rank) {
            Some((what, got)) => Err(TensorMapFault::Entries { what, wanted: rank, got }),
            None => Ok(()),
        }
    }

    fn check_memory(&self) -> Result<(), TensorMapFault> {
        for (axis, &extent) in self.extents.iter().enumerate() {
            if !(1..=MOST_EXTENT).contains(&extent) {
                return Err(TensorMapFault::Extent { axis, extent });
            }
        }
        let itemsize = self.data_type.itemsize_bytes();
        if self.strides_in_bytes.first() != Some(&itemsize) {
            return Err(TensorMapFault::Innermost { itemsize });
        }
        let is_wide = self.modes.interleave == TensorMapInterleave::Bytes32;
        let multiple = if is_wide { 2 * UNIT } else { UNIT };
        for (axis, &stride_in_bytes) in self.strides_in_bytes.iter().enumerate().skip(1) {
            if !(0..1 << STRIDE_BITS).contains(&stride_in_bytes) || stride_in_bytes % multiple != 0
            {
                return Err(TensorMapFault::Stride { axis, stride_in_bytes, multiple });
            }
        }
        let address = self.address;
        let is_aligned = address.is_multiple_of(multiple.unsigned_abs());
        if address == 0 || address >> ADDRESS_BITS != 0 || !is_aligned {
            return Err(TensorMapFault::Address { address, multiple });
        }
        Ok(())
    }

    fn check_box(&self) -> Result<(), TensorMapFault> {
        for (axis, &extent) in self.box_extents.iter().enumerate() {
            if !(1..=MOST_BOX).contains(&extent) {
                return Err(TensorMapFault::Box { axis, extent });
            }
        }
        for (axis, &stride) in self.element_strides.iter().enumerate() {
            if !(1..=MOST_ELEMENT_STRIDE).contains(&stride) {
                return Err(TensorMapFault::ElementStride { axis, stride });
            }
        }
        let itemsize = self.data_type.itemsize_bytes();
        let size_in_bytes = self.box_extents.first().map_or(0, |extent| extent * itemsize);
        if size_in_bytes % UNIT != 0 {
            return Err(TensorMapFault::BoxRow { axis: 0, size_in_bytes });
        }
        let is_interleaved = self.modes.interleave != TensorMapInterleave::None;
        if let Some(most) = self.modes.swizzle.row_bytes().filter(|_| !is_interleaved)
            && size_in_bytes > most
        {
            return Err(TensorMapFault::BoxSwizzle { axis: 0, size_in_bytes, most });
        }
        // The driver rounds down, which is less than what is copied.
        let whole = self.box_extents.iter().zip(self.element_strides);
        let elements: i64 = whole.map(|(extent, stride)| extent / stride).product();
        let (size_in_bytes, most) = (elements * itemsize, MOST_BOX_BYTES);
        if size_in_bytes > most {
            return Err(TensorMapFault::BoxSize { size_in_bytes, most });
        }
        Ok(())
    }
}
