//! A machine with a driver and no device: `cuInit` fails, and is not asked again.

use strideview_cuda::{CudaError, Declared, Device, classify};
use strideview_memory::Access;
use strideview_standin::Control;

/// One test, since the driver is loaded once for the process.
#[test]
fn a_driver_that_does_not_start_counts_as_none() {
    let path = Control::library_path();
    // SAFETY: the only test of this process; nothing else reads the environment now.
    unsafe { std::env::set_var("STRIDEVIEW_CUDA_DRIVER", &path) };
    let control = Control::open(&path);
    control.init_status(100);

    // The library is in the process, but nobody has started it: host memory stays host memory.
    let facts = classify(0x1000, 64, Declared::Host, None).unwrap();
    assert_eq!((facts.access, facts.verified), (Access::host(), true));
    assert_eq!((control.calls("cuInit"), control.calls("cuPointerGetAttributes")), (0, 0));

    let error = Device::new(0).unwrap_err();
    assert_eq!(error, CudaError::Driver { call: "cuInit", status: 100 });
    assert!(error.is_unavailable());
    assert_eq!(
        error.to_string(),
        "cuInit failed: wanted status 0, got 100 \
         (CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected)"
    );
    let facts = classify(0x1000, 64, Declared::Device, None).unwrap();
    assert_eq!((facts.access, facts.verified), (Access::device(0), false));
    assert_eq!(Device::count(), Err(error));
    assert_eq!(control.calls("cuInit"), 1);
}
