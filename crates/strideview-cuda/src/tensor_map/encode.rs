//! Asking the driver for a descriptor.

use std::ffi::{c_uint, c_void};
use std::ptr::without_provenance_mut;

use super::TiledTensor;
use crate::driver::driver;
use crate::driver::sys::CUtensorMap;
use crate::{CudaError, Device};

/// The first capability of devices that take descriptors.
const LEAST_CAPABILITY: (i32, i32) = (9, 0);

/// A descriptor: 128 bytes, aligned to 64, that only the driver and kernels understand. A kernel takes
/// it by value, as a `const __grid_constant__ CUtensorMap`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct TensorMapDescriptor(CUtensorMap);

impl TensorMapDescriptor {
    /// Its bytes. O(1).
    pub const fn as_bytes(&self) -> &[u8; 128] {
        &self.0.0
    }
}

impl TiledTensor<'_> {
    /// The descriptor, for kernels of a device. Checked first; one call of the driver, and two for the
    /// context.
    ///
    /// # Errors
    ///
    /// [`CudaError::TensorMap`] for what [`check`](Self::check) finds; [`CudaError::Unavailable`]
    /// without a driver, [`CudaError::MissingFunction`] from one before CUDA 12.0,
    /// [`CudaError::Unsupported`] for a device before compute capability 9.0, or a failed call.
    pub fn encode(&self, device: Device) -> Result<TensorMapDescriptor, CudaError> {
        self.check().map_err(CudaError::TensorMap)?;
        if device.compute_capability()? < LEAST_CAPABILITY {
            return Err(CudaError::Unsupported {
                feature: "tensor maps (compute capability 9.0 or newer)",
                ordinal: device.ordinal(),
            });
        }
        let lists = Lists::of(self);
        let mut map = CUtensorMap([0; 128]);
        let _guard = device.enter()?;
        // SAFETY: the output is valid for its type, which is aligned as asked; each list has an entry
        // for each axis, and the strides one for each but the innermost; the address is not followed.
        unsafe {
            driver()?.cuTensorMapEncodeTiled(
                &mut map,
                self.data_type.number(),
                self.extents.len() as c_uint,
                without_provenance_mut::<c_void>(self.address as usize),
                lists.extents.as_ptr(),
                lists.outer_strides.as_ptr(),
                lists.box_extents.as_ptr(),
                lists.element_strides.as_ptr(),
                self.modes.interleave.number(),
                self.modes.swizzle.number(),
                self.modes.l2_promotion.number(),
                self.modes.fill.number(),
            )
        }?;
        Ok(TensorMapDescriptor(map))
    }
}

/// The numbers of a tensor that is checked, as the driver takes them.
struct Lists {
    extents: [u64; 5],
    outer_strides: [u64; 5],
    box_extents: [c_uint; 5],
    element_strides: [c_uint; 5],
}

impl Lists {
    fn of(tensor: &TiledTensor<'_>) -> Self {
        let long = |list: &[i64]| entries(list).map(i64::cast_unsigned);
        // At most 256, as checked.
        let short = |list: &[i64]| entries(list).map(|number| number as c_uint);
        Self {
            extents: long(tensor.extents),
            outer_strides: long(tensor.strides_in_bytes.get(1..).unwrap_or_default()),
            box_extents: short(tensor.box_extents),
            element_strides: short(tensor.element_strides),
        }
    }
}

fn entries(list: &[i64]) -> [i64; 5] {
    std::array::from_fn(|position| list.get(position).copied().unwrap_or(0))
}
