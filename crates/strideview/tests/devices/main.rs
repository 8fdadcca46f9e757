//! What needs a driver, over the stand-in, whose memory of a device is memory of the host.
//!
//! The driver is loaded once for a process, so all these tests share one stand-in, one at a time.

#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod allocators;
mod bytes;
mod tensor_maps;
mod verified;
mod views;

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use strideview::cuda::{Device, ManagedResource, PinnedResource};
use strideview::{Access, Buffer, Device as Place, MemoryResource, StreamToken};
use strideview_standin::Control;

static CONTROL: LazyLock<Mutex<Control>> = LazyLock::new(|| {
    let path = Control::library_path();
    // SAFETY: the tests read the environment after this only, since each begins with `standin`.
    unsafe { std::env::set_var("STRIDEVIEW_CUDA_DRIVER", &path) };
    Mutex::new(Control::open(&path))
});

fn standin() -> MutexGuard<'static, Control> {
    let control = CONTROL.lock().unwrap_or_else(PoisonError::into_inner);
    control.reset();
    Device::new(0).unwrap().with_context(|| ()).unwrap();
    Place::cuda(0).unwrap().memory_resource().unwrap();
    control.reset();
    control
}

const KINDS: [&str; 4] = ["host", "pinned", "managed", "device"];

/// A buffer of a kind of memory.
fn buffer(kind: &str, size_in_bytes: usize) -> Buffer {
    let device = Device::new(0).unwrap();
    let resource: Arc<dyn MemoryResource> = match kind {
        "host" => Place::cpu().memory_resource().unwrap(),
        "pinned" => Arc::new(PinnedResource::new(device).unwrap()),
        "managed" => Arc::new(ManagedResource::new(device).unwrap()),
        _ => Place::cuda(0).unwrap().memory_resource().unwrap(),
    };
    Buffer::allocate(&resource, size_in_bytes, StreamToken::NONE).unwrap()
}

/// Bytes inside of a buffer, as another one.
fn part(of: &Buffer, offset: usize, size_in_bytes: usize, access: Access) -> Buffer {
    assert!(offset + size_in_bytes <= of.len_bytes());
    let start = of.as_ptr().wrapping_add(offset);
    // SAFETY: (1, 2) inside of a buffer that the tests keep.
    unsafe { Buffer::from_raw(start, size_in_bytes, access, None) }
}

fn content(buffer: &Buffer) -> Vec<u8> {
    let start = std::ptr::with_exposed_provenance::<u8>(buffer.address());
    // SAFETY: all memory of the stand-in is initialised memory of the host.
    unsafe { std::slice::from_raw_parts(start, buffer.len_bytes()) }.to_vec()
}
