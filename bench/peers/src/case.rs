//! What is to be copied.

use std::slice;

/// A case as Python passes it. Strides are in elements; `dst` and `src` are the addresses of
/// element `[0, …, 0]`, the bases those of the lowest byte of each side.
#[repr(C)]
pub struct RawCase {
    rank: usize,
    itemsize: usize,
    shape: *const i64,
    dst_strides: *const i64,
    src_strides: *const i64,
    dst: *mut u8,
    src: *const u8,
    dst_base: *mut u8,
    src_base: *const u8,
    /// The elements from the lowest to the highest of each side.
    dst_len: usize,
    src_len: usize,
}

/// A case with the lists that it owns.
#[derive(Clone)]
#[cfg_attr(not(feature = "peers"), allow(dead_code))]
pub(crate) struct Case {
    pub(crate) itemsize: usize,
    pub(crate) shape: Vec<i64>,
    pub(crate) dst_strides: Vec<i64>,
    pub(crate) src_strides: Vec<i64>,
    pub(crate) dst: *mut u8,
    pub(crate) src: *const u8,
    pub(crate) dst_base: *mut u8,
    pub(crate) src_base: *const u8,
    pub(crate) dst_len: usize,
    pub(crate) src_len: usize,
}

impl Case {
    /// # Safety
    ///
    /// The three lists have `rank` numbers each.
    pub(crate) unsafe fn read(raw: &RawCase) -> Case {
        // SAFETY: the caller promises `rank` numbers.
        let list = |start| unsafe { slice::from_raw_parts(start, raw.rank) }.to_vec();
        Case {
            itemsize: raw.itemsize,
            shape: list(raw.shape),
            dst_strides: list(raw.dst_strides),
            src_strides: list(raw.src_strides),
            dst: raw.dst,
            src: raw.src,
            dst_base: raw.dst_base,
            src_base: raw.src_base,
            dst_len: raw.dst_len,
            src_len: raw.src_len,
        }
    }

    /// The bytes that a copy writes.
    pub(crate) fn bytes(&self) -> usize {
        self.shape.iter().product::<i64>() as usize * self.itemsize
    }
}
