//! What one call of the driver copies.

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance, without_provenance_mut};

use strideview_copy::CopyPlan;

use super::transfer_plan::Direction;
use crate::driver::driver;
use crate::driver::sys::{CUarray, CUmemcpy2D, CUmemcpy3D, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST};
use crate::{CudaError, Stream};

/// Shorter rows take the driver longer than a kernel.
const LEAST_ROW: i64 = 512;
/// What the driver takes as the distance of rows.
const MOST_PITCH: i64 = i32::MAX as i64;

/// A copy that the driver does in one call: bytes in a row, rows, or slices of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DriverCopy {
    width: i64,
    height: i64,
    depth: i64,
    dst: Pitch,
    src: Pitch,
}

/// How far rows are apart in bytes, and slices in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Pitch {
    row: i64,
    slice: i64,
}

impl DriverCopy {
    /// The call for a plan, whose offsets are left to the caller; None where it takes several, or a
    /// kernel is faster.
    pub(super) fn of(plan: &CopyPlan) -> Option<Self> {
        let width = plan.run_bytes();
        let line =
            Self { width, height: 1, depth: 1, dst: Pitch::default(), src: Pitch::default() };
        let (outer, rows) = match plan.axes() {
            [] => return (width > 0).then_some(line),
            [rows] => (None, rows),
            [outer, rows] => (Some(outer), rows),
            _ => return None,
        };
        if width < LEAST_ROW {
            return None;
        }
        let pitch = |row: i64, slice: Option<i64>| {
            let is_pitch = (width..=MOST_PITCH).contains(&row);
            let slice = match slice {
                None => rows.extent,
                Some(slice) if is_pitch && slice % row == 0 => slice / row,
                Some(_) => return None,
            };
            (is_pitch && slice >= rows.extent).then_some(Pitch { row, slice })
        };
        Some(Self {
            height: rows.extent,
            depth: outer.map_or(1, |outer| outer.extent),
            dst: pitch(rows.dst_stride, outer.map(|outer| outer.dst_stride))?,
            src: pitch(rows.src_stride, outer.map(|outer| outer.src_stride))?,
            ..line
        })
    }

    /// The name, for people.
    pub(super) fn name(&self) -> &'static str {
        match (self.height, self.depth) {
            (1, 1) => "cuMemcpyAsync",
            (_, 1) => "cuMemcpy2DAsync",
            _ => "cuMemcpy3DAsync",
        }
    }

    /// Queues the call: `dst` and `src` are the addresses of the first runs.
    ///
    /// # Safety
    ///
    /// 1. Every byte of the copy lies in memory that stays alive until the work is done: of the
    ///    stream's device on the one side, pinned memory of the host on the other.
    /// 2. Until then nobody else writes what is read, nor touches what is written, but in the order
    ///    of the stream.
    pub(super) unsafe fn enqueue(
        &self,
        direction: Direction,
        dst: u64,
        src: u64,
        stream: &Stream,
    ) -> Result<(), CudaError> {
        let _guard = stream.enter()?;
        let driver = driver()?;
        if (self.height, self.depth) == (1, 1) {
            // SAFETY: the caller promises both spans (1, 2); the stream is alive, its context current.
            return unsafe { driver.cuMemcpyAsync(dst, src, self.width as usize, stream.raw()) };
        }
        let (dst_type, src_type) = match direction {
            Direction::ToDevice => (MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST),
            Direction::ToHost => (MEMORY_TYPE_HOST, MEMORY_TYPE_DEVICE),
        };
        if self.depth == 1 {
            let copy = self.rows((dst, dst_type), (src, src_type));
            // SAFETY: as above, row by row; the description is valid for the call.
            return unsafe { driver.cuMemcpy2DAsync(&copy, stream.raw()) };
        }
        let copy = self.slices((dst, dst_type), (src, src_type));
        // SAFETY: as above.
        unsafe { driver.cuMemcpy3DAsync(&copy, stream.raw()) }
    }

    fn rows(&self, (dst, dst_type): (u64, u32), (src, src_type): (u64, u32)) -> CUmemcpy2D {
        CUmemcpy2D {
            src_x_in_bytes: 0,
            src_y: 0,
            src_memory_type: src_type,
            src_host: host(src),
            src_device: src,
            src_array: CUarray::NULL,
            src_pitch: self.src.row as usize,
            dst_x_in_bytes: 0,
            dst_y: 0,
            dst_memory_type: dst_type,
            dst_host: host_mut(dst),
            dst_device: dst,
            dst_array: CUarray::NULL,
            dst_pitch: self.dst.row as usize,
            width_in_bytes: self.width as usize,
            height: self.height as usize,
        }
    }

    fn slices(&self, (dst, dst_type): (u64, u32), (src, src_type): (u64, u32)) -> CUmemcpy3D {
        CUmemcpy3D {
            src_x_in_bytes: 0,
            src_y: 0,
            src_z: 0,
            src_lod: 0,
            src_memory_type: src_type,
            src_host: host(src),
            src_device: src,
            src_array: CUarray::NULL,
            reserved_0: null_mut(),
            src_pitch: self.src.row as usize,
            src_height: self.src.slice as usize,
            dst_x_in_bytes: 0,
            dst_y: 0,
            dst_z: 0,
            dst_lod: 0,
            dst_memory_type: dst_type,
            dst_host: host_mut(dst),
            dst_device: dst,
            dst_array: CUarray::NULL,
            reserved_1: null_mut(),
            dst_pitch: self.dst.row as usize,
            dst_height: self.dst.slice as usize,
            width_in_bytes: self.width as usize,
            height: self.height as usize,
            depth: self.depth as usize,
        }
    }
}

/// An address as the driver's descriptions take it; Rust never looks behind it.
fn host(address: u64) -> *const c_void {
    without_provenance(address as usize)
}

fn host_mut(address: u64) -> *mut c_void {
    without_provenance_mut(address as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(shape: &[i64], dst: &[i64], src: &[i64], itemsize: i64) -> Option<&'static str> {
        DriverCopy::of(&CopyPlan::new(shape, dst, src, itemsize).unwrap()).map(|copy| copy.name())
    }

    #[test]
    fn what_one_call_copies() {
        assert_eq!(name(&[100], &[4], &[4], 4), Some("cuMemcpyAsync"));
        assert_eq!(name(&[100, 1024], &[1024, 1], &[1040, 1], 1), Some("cuMemcpy2DAsync"));
        let slices = |outer: i64| name(&[3, 100, 1024], &[102_400, 1024, 1], &[outer, 1040, 1], 1);
        assert_eq!(slices(1040 * 101), Some("cuMemcpy3DAsync"));
        assert_eq!(slices(1040 * 101 + 1), None);
        // Short rows, rows that come again, rows backwards, rows too far apart.
        assert_eq!(name(&[100, 256], &[256, 1], &[300, 1], 1), None);
        assert_eq!(name(&[100, 1024], &[1024, 1], &[0, 1], 1), None);
        assert_eq!(name(&[100, 1024], &[1024, 1], &[-1024, 1], 1), None);
        assert_eq!(name(&[100, 1024], &[1024, 1], &[1 << 31, 1], 1), None);
        assert_eq!(name(&[0], &[1], &[1], 1), None);
    }
}
