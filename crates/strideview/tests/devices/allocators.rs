//! Where the temporaries of copies come from: resources that count.

use std::sync::Arc;

use strideview::cuda::{Device, DeviceResource, PinnedResource};
use strideview::{
    CopyOptions, DType, Error, ErrorKind, HostResource, MemoryError, MemoryResource, Slice,
    StreamToken, StridedLayout, StridedMemoryView, TrackingResource, copy_with,
};

use crate::{buffer, standin};

fn device() -> Device {
    Device::new(0).unwrap()
}

/// A resource that counts what another one gives.
type Counted = Arc<TrackingResource<Arc<dyn MemoryResource>>>;

/// A resource of a kind, counted.
fn counted(kind: &str) -> (Counted, Arc<dyn MemoryResource>) {
    let inner: Arc<dyn MemoryResource> = match kind {
        "host" => Arc::new(HostResource::new()),
        "pinned" => Arc::new(PinnedResource::new(device()).unwrap()),
        _ => Arc::new(DeviceResource::new(device()).unwrap()),
    };
    tracked(inner)
}

fn tracked(inner: Arc<dyn MemoryResource>) -> (Counted, Arc<dyn MemoryResource>) {
    let counts = Arc::new(TrackingResource::new(inner));
    let resource: Arc<dyn MemoryResource> = Counted::clone(&counts);
    (counts, resource)
}

fn square(kind: &str) -> StridedMemoryView {
    let layout = StridedLayout::new(&[64, 64], None, 4).unwrap();
    let memory = buffer(kind, 64 * 64 * 4);
    StridedMemoryView::from_buffer(&memory, &layout, Some(DType::F32), false).unwrap()
}

/// How many spans a copy took from resources of each kind, given one at a time; none is left taken.
fn taken(dst: &StridedMemoryView, src: &StridedMemoryView, blocking: Option<bool>) -> [usize; 3] {
    ["host", "pinned", "device"].map(|kind| {
        let (counts, resource) = counted(kind);
        let options =
            CopyOptions { blocking, allocator: Some(&resource), ..CopyOptions::default() };
        copy_with(dst, src, options).unwrap();
        strideview_cuda::wait_for_retired();
        assert_eq!(counts.live_blocks(), 0, "{kind}");
        counts.total_blocks()
    })
}

/// Which resource is asked is what its memory is fit for; a fit one is asked, and no other.
#[test]
fn temporaries_come_from_the_resource_that_is_fit_for_them() {
    let _standin = standin();
    for blocking in [None, Some(true), Some(false)] {
        // A matrix transposed in its own memory.
        let own = |kind: &str| {
            let view = square(kind);
            taken(&view, &view.reversed_axes().unwrap(), blocking)
        };
        assert_eq!(own("host"), [1, 1, 0], "{blocking:?}");
        assert_eq!(own("device"), [0, 1, 1], "{blocking:?}");
        // Pageable memory is staged in one slot, and permuted in memory of the device.
        let there = square("device");
        let sent = taken(&there, &square("host").reversed_axes().unwrap(), blocking);
        assert_eq!(sent, [0, 2, 1], "{blocking:?}");
        let back = taken(&square("host"), &there, blocking);
        assert_eq!(back, [0, 1, 0], "{blocking:?}");
        // Nothing is needed.
        assert_eq!(taken(&there, &square("device"), blocking), [0, 0, 0], "{blocking:?}");
    }
}

/// A slot holds a chunk: 16 KiB that are copied do not pin a whole slot of those that are kept.
#[test]
fn slots_are_no_larger_than_needed() {
    let _standin = standin();
    let (there, here) = (square("device"), square("host"));
    for blocking in [Some(true), Some(false)] {
        for (dst, src) in [(&there, &here), (&here, &there)] {
            let (counts, resource) = counted("pinned");
            let options =
                CopyOptions { blocking, allocator: Some(&resource), ..CopyOptions::default() };
            copy_with(dst, src, options).unwrap();
            strideview_cuda::wait_for_retired();
            assert_eq!((counts.total_bytes(), counts.live_blocks()), (64 * 64 * 4, 0));
        }
    }
}

/// Rows that move by one within their memory need none: they are moved in their order.
#[test]
fn no_temporary_is_taken_where_none_is_needed() {
    let _standin = standin();
    let view = square("host");
    let (first, last) = (
        view.sliced(&[Slice::range(0, 63, 1)]).unwrap(),
        view.sliced(&[Slice::range(1, 64, 1)]).unwrap(),
    );
    assert_eq!(taken(&last, &first, None), [0, 0, 0]);
}

/// Memory of another device is not fit, so the pool is asked.
#[test]
fn a_resource_of_another_device_is_not_asked() {
    let standin = standin();
    let other = Device::new(1).unwrap();
    let inner: Arc<dyn MemoryResource> = Arc::new(DeviceResource::new(other).unwrap());
    let (counts, resource) = tracked(inner);
    let view = square("device");
    standin.reset();
    let options = CopyOptions { allocator: Some(&resource), ..CopyOptions::default() };
    copy_with(&view, &view.reversed_axes().unwrap(), options).unwrap();
    assert_eq!((counts.total_blocks(), standin.calls("cuMemAllocAsync")), (0, 1));
}

/// A resource with nothing to give.
struct Exhausted(strideview::Access);

// SAFETY: `allocate` never succeeds.
unsafe impl MemoryResource for Exhausted {
    fn allocate(&self, size_in_bytes: usize, _: StreamToken) -> Result<*mut u8, MemoryError> {
        Err(MemoryError::OutOfMemory { size_in_bytes })
    }
    unsafe fn deallocate(&self, _: *mut u8, _: usize, _: StreamToken) -> Result<(), MemoryError> {
        Ok(())
    }
    fn access(&self) -> strideview::Access {
        self.0
    }
}

#[test]
fn a_resource_that_fails_is_an_error_and_writes_nothing() {
    let _standin = standin();
    let on_host: Arc<dyn MemoryResource> = Arc::new(Exhausted(strideview::Access::host()));
    let pinned: Arc<dyn MemoryResource> = Arc::new(Exhausted(strideview::Access::pinned(0)));
    let view = StridedMemoryView::from_vec((0..9).collect::<Vec<i32>>(), &[3, 3]).unwrap();
    let turned = view.reversed_axes().unwrap();
    let with = |resource| CopyOptions { allocator: Some(resource), ..CopyOptions::default() };
    let error = copy_with(&view, &turned, with(&on_host)).unwrap_err();
    assert_eq!(error, Error::Memory(MemoryError::OutOfMemory { size_in_bytes: 36 }));
    assert_eq!(view.to_vec::<i32>().unwrap(), (0..9).collect::<Vec<i32>>());
    let there = square("device");
    for (to, from) in [(&there, square("host")), (&there, there.reversed_axes().unwrap())] {
        let error = copy_with(to, &from, with(&pinned)).unwrap_err();
        assert_eq!((error.code(), error.kind()), ("cuda.allocator", ErrorKind::Memory));
    }
}
