//! What `cuTensorMapEncodeTiled` was asked for, which its descriptors here hold.
#![forbid(unsafe_code)]

/// The bytes of a descriptor.
pub(crate) type Descriptor = [u8; 128];

/// The arguments of `cuTensorMapEncodeTiled`; 0 beyond the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapCall {
    /// The number of the type.
    pub data_type: i32,
    /// The number of axes.
    pub rank: usize,
    /// The address of the first element.
    pub address: u64,
    /// The extents, innermost first.
    pub extents: [u64; 5],
    /// The strides of all axes but the innermost.
    pub strides_in_bytes: [u64; 5],
    /// The extents of a box.
    pub box_extents: [u32; 5],
    /// The steps inside of a box.
    pub element_strides: [u32; 5],
    /// Interleave, swizzle, promotion and fill.
    pub modes: [i32; 4],
}

impl TensorMapCall {
    /// What a descriptor of the stand-in holds.
    pub fn of(bytes: &[u8; 128]) -> Self {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let short = |at: usize| u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        Self {
            address: long(0),
            data_type: i32::from(bytes[8]),
            rank: usize::from(bytes[9]),
            modes: std::array::from_fn(|each| i32::from(bytes[10 + each])),
            extents: std::array::from_fn(|axis| long(16 + 8 * axis)),
            strides_in_bytes: std::array::from_fn(|axis| long(56 + 8 * axis)),
            box_extents: std::array::from_fn(|axis| short(96 + 2 * axis)),
            element_strides: std::array::from_fn(|axis| short(106 + 2 * axis)),
        }
    }

    pub(crate) fn to_bytes(self) -> Descriptor {
        let mut bytes = [0; 128];
        let mut put = |at: usize, word: &[u8]| bytes[at..at + word.len()].copy_from_slice(word);
        put(0, &self.address.to_le_bytes());
        put(8, &[byte(self.data_type), byte(self.rank as i32)]);
        put(10, &self.modes.map(byte));
        for axis in 0..5 {
            put(16 + 8 * axis, &self.extents[axis].to_le_bytes());
            put(56 + 8 * axis, &self.strides_in_bytes[axis].to_le_bytes());
            put(96 + 2 * axis, &(self.box_extents[axis] as u16).to_le_bytes());
            put(106 + 2 * axis, &(self.element_strides[axis] as u16).to_le_bytes());
        }
        bytes
    }
}

fn byte(number: i32) -> u8 {
    number as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hold_a_call() {
        let call = TensorMapCall {
            data_type: 7,
            rank: 3,
            address: 0x7f00_0000_1000,
            extents: [64, 1 << 31, 3, 0, 0],
            strides_in_bytes: [256, 1 << 39, 0, 0, 0],
            box_extents: [256, 1, 2, 0, 0],
            element_strides: [1, 8, 2, 0, 0],
            modes: [0, 3, 2, 1],
        };
        assert_eq!(TensorMapCall::of(&call.to_bytes()), call);
    }
}
