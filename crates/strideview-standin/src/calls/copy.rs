//! Copies, done at once by the host.

use std::ffi::c_void;

use crate::CopyCall;
use crate::state::State;

/// Copies with the host, after a check of the stream.
///
/// # Safety
///
/// Both spans are live memory of the stand-in or of the host.
unsafe fn copy(
    state: &mut State,
    dst: *mut u8,
    src: *const u8,
    size_in_bytes: usize,
    stream: usize,
) -> Result<(), i32> {
    state.context_of(stream)?;
    let call = CopyCall { axes: 1, width_in_bytes: size_in_bytes, stream, ..CopyCall::default() };
    state.copies.push(call);
    // SAFETY: the caller promises both spans; `copy` allows them to overlap.
    unsafe { dst.copy_from(src, size_in_bytes) };
    Ok(())
}

/// One side of a pitched copy: the words of `CUDA_MEMCPY3D_v2` in order.
#[derive(Clone, Copy)]
#[repr(C)]
struct Side3D {
    x_in_bytes: usize,
    y: usize,
    z: usize,
    lod: usize,
    memory_type: u32,
    host: *mut u8,
    device: *mut u8,
    array: usize,
    reserved: *mut c_void,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D_v2`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Copy3D {
    src: Side3D,
    dst: Side3D,
    width_in_bytes: usize,
    height: usize,
    depth: usize,
}

/// One side of `CUDA_MEMCPY2D_v2`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Side2D {
    x_in_bytes: usize,
    y: usize,
    memory_type: u32,
    host: *mut u8,
    device: *mut u8,
    array: usize,
    pitch: usize,
}

/// `CUDA_MEMCPY2D_v2`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Copy2D {
    src: Side2D,
    dst: Side2D,
    width_in_bytes: usize,
    height: usize,
}

impl Copy3D {
    fn call(&self, axes: usize, stream: usize) -> CopyCall {
        CopyCall {
            axes,
            width_in_bytes: self.width_in_bytes,
            height: self.height,
            depth: self.depth,
            dst_pitch: self.dst.pitch,
            src_pitch: self.src.pitch,
            dst_height: self.dst.height,
            src_height: self.src.height,
            stream,
        }
    }
}

impl Side2D {
    fn deep(self, height: usize) -> Side3D {
        let Self { x_in_bytes, y, memory_type, host, device, array, pitch } = self;
        let reserved = std::ptr::null_mut();
        Side3D {
            x_in_bytes,
            y,
            z: 0,
            lod: 0,
            memory_type,
            host,
            device,
            array,
            reserved,
            pitch,
            height,
        }
    }
}

impl Side3D {
    /// The first byte, with pitch and height filled in where they are 0.
    fn resolve(&mut self, width_in_bytes: usize, height: usize) -> Result<*mut u8, i32> {
        if self.pitch == 0 {
            self.pitch = width_in_bytes;
        }
        if self.height == 0 {
            self.height = height;
        }
        if self.pitch < width_in_bytes || self.height < height {
            return Err(1);
        }
        let base = match self.memory_type {
            1 => self.host,
            2 | 4 => self.device,
            _ => return Err(1),
        };
        let row = self.z * self.height + self.y;
        Ok(base.wrapping_add(row * self.pitch + self.x_in_bytes))
    }

    fn row(&self, start: *mut u8, y: usize, z: usize) -> *mut u8 {
        start.wrapping_add((z * self.height + y) * self.pitch)
    }
}

/// # Safety
///
/// The description stays inside live memory on both sides.
unsafe fn copy_rows(
    state: &mut State,
    mut copy: Copy3D,
    (axes, stream): (usize, usize),
) -> Result<(), i32> {
    state.context_of(stream)?;
    state.copies.push(copy.call(axes, stream));
    if copy.width_in_bytes == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    let src = copy.src.resolve(copy.width_in_bytes, copy.height)?;
    let dst = copy.dst.resolve(copy.width_in_bytes, copy.height)?;
    for z in 0..copy.depth {
        for y in 0..copy.height {
            let (to, from) = (copy.dst.row(dst, y, z), copy.src.row(src, y, z));
            // SAFETY: the caller promises that the rows are inside live memory.
            unsafe { to.copy_from(from, copy.width_in_bytes) };
        }
    }
    Ok(())
}

calls! { state;
    fn cuMemcpyAsync(dst: *mut u8, src: *const u8, size_in_bytes: usize, stream: usize) {
        // SAFETY: the caller promises both spans, as the driver asks.
        unsafe { copy(state, dst, src, size_in_bytes, stream) }
    }
    fn cuMemcpyHtoDAsync(dst: *mut u8, src: *const u8, size_in_bytes: usize, stream: usize) {
        // SAFETY: as above.
        unsafe { copy(state, dst, src, size_in_bytes, stream) }
    }
    fn cuMemcpyDtoHAsync(dst: *mut u8, src: *const u8, size_in_bytes: usize, stream: usize) {
        // SAFETY: as above.
        unsafe { copy(state, dst, src, size_in_bytes, stream) }
    }
    fn cuMemcpyDtoDAsync(dst: *mut u8, src: *const u8, size_in_bytes: usize, stream: usize) {
        // SAFETY: as above.
        unsafe { copy(state, dst, src, size_in_bytes, stream) }
    }
    fn cuMemcpyPeerAsync(
        dst: *mut u8,
        dst_context: usize,
        src: *const u8,
        src_context: usize,
        size_in_bytes: usize,
        stream: usize,
    ) {
        state.device_of(dst_context)?;
        state.device_of(src_context)?;
        // SAFETY: as above.
        unsafe { copy(state, dst, src, size_in_bytes, stream) }
    }
    fn cuMemcpy2DAsync(description: *const Copy2D, stream: usize) {
        if description.is_null() {
            return Err(1);
        }
        // SAFETY: not null, and the caller promises a `CUDA_MEMCPY2D_v2`.
        let flat = unsafe { description.read() };
        let Copy2D { width_in_bytes, height, .. } = flat;
        let (src, dst) = (flat.src.deep(0), flat.dst.deep(0));
        // SAFETY: the caller promises that both sides stay inside live memory.
        unsafe {
            copy_rows(state, Copy3D { src, dst, width_in_bytes, height, depth: 1 }, (2, stream))
        }
    }
    fn cuMemcpy3DAsync(description: *const Copy3D, stream: usize) {
        if description.is_null() {
            return Err(1);
        }
        // SAFETY: not null, and the caller promises a `CUDA_MEMCPY3D_v2`.
        let copy = unsafe { description.read() };
        // SAFETY: as above.
        unsafe { copy_rows(state, copy, (3, stream)) }
    }
}
