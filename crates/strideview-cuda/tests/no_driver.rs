//! A machine without a driver: every operation is an error that says so, and none panics.

use strideview_cuda::{
    CudaError, Declared, Device, Stream, classify, driver_version, is_available,
};
use strideview_memory::Access;

/// One test, since the variable is set once for the process.
#[test]
fn everything_says_that_there_is_no_driver() {
    // SAFETY: the only test of this process; nothing else reads the environment now.
    unsafe { std::env::set_var("STRIDEVIEW_CUDA_DRIVER", "/nonexistent/libcuda.so.1") };

    // Memory of the host is asked about without looking for a driver.
    let facts = classify(0x1000, 64, Declared::Host, None).unwrap();
    assert_eq!((facts.access, facts.dl_device, facts.verified), (Access::host(), (1, 0), true));

    let error = Device::new(0).unwrap_err();
    assert!(matches!(error, CudaError::Unavailable { .. }), "{error:?}");
    assert!(error.is_unavailable());
    assert_eq!(error.code(), "cuda.unavailable");
    let message = error.to_string();
    assert!(message.starts_with("wanted a CUDA driver, got none: cannot load /nonexistent"));
    assert_eq!(error.driver_text(), None);

    assert!(!is_available());
    assert_eq!(driver_version(), Err(error));
    assert_eq!(Device::count(), Err(error));
    assert_eq!(Device::current(), Err(error));
    // SAFETY: nothing is done with the handle without a driver.
    assert!(unsafe { Stream::from_handle(0x5000, None, None) }.is_err());

    // Other memory is what its producer says, and marked as such.
    let cases = [
        (Declared::Device, Access::device(0), (2, 0)),
        (Declared::PinnedHost, Access::pinned(0), (3, 0)),
        (Declared::Managed, Access::managed(0), (13, 0)),
    ];
    for (declared, access, dl_device) in cases {
        let facts = classify(0x1000, 64, declared, None).unwrap();
        assert_eq!((facts.access, facts.dl_device, facts.verified), (access, dl_device, false));
    }
    let plain = CudaError::Driver { call: "cuMemAlloc", status: 2 };
    assert_eq!(plain.to_string(), "cuMemAlloc failed: wanted status 0, got 2");
}
