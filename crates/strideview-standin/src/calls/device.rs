//! The driver itself, its texts, and devices.

use std::ffi::c_char;

use crate::out::Out;
use crate::state::{DEVICES, default_pool, device_attribute, primary};

/// The part of the texts that tests look at.
fn texts(status: i32) -> Option<(&'static [u8], &'static [u8])> {
    Some(match status {
        0 => (b"CUDA_SUCCESS\0", b"no error\0"),
        1 => (b"CUDA_ERROR_INVALID_VALUE\0", b"invalid argument\0"),
        2 => (b"CUDA_ERROR_OUT_OF_MEMORY\0", b"out of memory\0"),
        100 => (b"CUDA_ERROR_NO_DEVICE\0", b"no CUDA-capable device is detected\0"),
        _ => return None,
    })
}

fn check(device: i32) -> Result<i32, i32> {
    if (0..DEVICES).contains(&device) { Ok(device) } else { Err(101) }
}

calls! { state;
    fn cuInit(flags: u32) {
        match (flags, state.init_status) {
            (0, 0) => {
                state.initialised = true;
                Ok(())
            }
            (0, status) => Err(status),
            _ => Err(1),
        }
    }
    fn cuDriverGetVersion(version: Out<i32>) {
        let _ = state;
        version.put(12_080)
    }
    fn cuGetErrorName(status: i32, name: Out<*const c_char>) {
        let _ = state;
        let (text, _) = texts(status).ok_or(1)?;
        name.put(text.as_ptr().cast())
    }
    fn cuGetErrorString(status: i32, text: Out<*const c_char>) {
        let _ = state;
        let (_, words) = texts(status).ok_or(1)?;
        text.put(words.as_ptr().cast())
    }
    fn cuDeviceGetCount(count: Out<i32>) {
        let _ = state;
        count.put(DEVICES)
    }
    fn cuDeviceGet(device: Out<i32>, ordinal: i32) {
        let _ = state;
        device.put(check(ordinal)?)
    }
    fn cuDeviceGetName(name: Out<[u8; 9]>, capacity: i32, device: i32) {
        let _ = state;
        check(device)?;
        if capacity < 9 {
            return Err(1);
        }
        name.put(*b"Stand-in\0")
    }
    fn cuDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32) {
        let _ = state;
        value.put(device_attribute(check(device)?, attribute)?)
    }
    fn cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        let _ = state;
        can.put(i32::from(check(device)? != check(peer)?))
    }
    fn cuDeviceGetDefaultMemPool(pool: Out<usize>, device: i32) {
        let _ = state;
        pool.put(default_pool(check(device)?))
    }
    fn cuDeviceGetMemPool(pool: Out<usize>, device: i32) {
        let _ = state;
        pool.put(default_pool(check(device)?))
    }
    fn cuDevicePrimaryCtxRetain(context: Out<usize>, device: i32) {
        context.put(primary(check(device)?))?;
        *state.retained.entry(device).or_default() += 1;
        Ok(())
    }
    fn cuDevicePrimaryCtxRelease(device: i32) {
        match state.retained.get_mut(&device) {
            Some(count) if *count > 0 => {
                *count -= 1;
                Ok(())
            }
            _ => Err(201),
        }
    }
    fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) {
        flags.put(0)?;
        active.put(i32::from(state.retained.get(&check(device)?).is_some_and(|count| *count > 0)))
    }
}
