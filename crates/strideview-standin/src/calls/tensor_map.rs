//! Descriptors of tensors, which hold what they were asked to say.

use std::slice::from_raw_parts;

use crate::out::Out;
use crate::state::device_attribute;
use crate::{Descriptor, TensorMapCall};

/// The first `rank` numbers of a list, in the places of five.
///
/// # Safety
///
/// `list` has so many numbers.
unsafe fn numbers<T: Copy + Default>(list: *const T, rank: usize) -> [T; 5] {
    let mut all = [T::default(); 5];
    // SAFETY: the caller promises the list.
    all[..rank].copy_from_slice(unsafe { from_raw_parts(list, rank) });
    all
}

calls! { state;
    fn cuTensorMapEncodeTiled(
        map: Out<Descriptor>,
        data_type: i32,
        rank: u32,
        address: u64,
        extents: *const u64,
        strides_in_bytes: *const u64,
        box_extents: *const u32,
        element_strides: *const u32,
        interleave: i32,
        swizzle: i32,
        l2_promotion: i32,
        fill: i32,
    ) {
        let (_, device) = state.here()?;
        if device_attribute(device, 75)? < 9 {
            return Err(801);
        }
        let rank = rank as usize;
        let is_null = extents.is_null()
            || strides_in_bytes.is_null() && rank > 1
            || box_extents.is_null()
            || element_strides.is_null();
        if !(1..=5).contains(&rank) || is_null || !map.is_aligned(64) {
            return Err(1);
        }
        // SAFETY: the caller promises a number for each axis.
        let extents = unsafe { numbers(extents, rank) };
        // SAFETY: as above, but for the innermost axis.
        let strides_in_bytes = unsafe { numbers(strides_in_bytes, rank - 1) };
        // SAFETY: as above, for each axis.
        let box_extents = unsafe { numbers(box_extents, rank) };
        // SAFETY: as above.
        let element_strides = unsafe { numbers(element_strides, rank) };
        map.put(
            TensorMapCall {
                data_type,
                rank,
                address,
                extents,
                strides_in_bytes,
                box_extents,
                element_strides,
                modes: [interleave, swizzle, l2_promotion, fill],
            }
            .to_bytes(),
        )
    }
}
