//! Errors of calls and of missing functions.

use strideview_cuda::{CudaError, Device, Stream};

use crate::{device, standin};

#[test]
fn a_failed_call_is_named_with_the_driver_s_text() {
    let standin = standin();
    standin.fail(1, 2);
    let error = device(0).attribute(88).unwrap_err();
    assert_eq!(error, CudaError::Driver { call: "cuDeviceGetAttribute", status: 2 });
    let wanted = "cuDeviceGetAttribute failed: wanted status 0, got 2 \
                  (CUDA_ERROR_OUT_OF_MEMORY: out of memory)";
    assert_eq!(error.to_string(), wanted);
    let text = ("CUDA_ERROR_OUT_OF_MEMORY", "out of memory");
    assert_eq!(error.driver_text(), Some(text));
}

#[test]
fn an_unknown_status_is_a_number() {
    let standin = standin();
    standin.fail(1, 12345);
    let error = device(0).name().unwrap_err();
    assert_eq!(error.to_string(), "cuDeviceGetName failed: wanted status 0, got 12345");
    assert_eq!(error.driver_text(), None);
}

#[test]
fn a_missing_function_is_an_error_until_it_is_there() {
    let standin = standin();
    // Nothing else in these tests calls it.
    standin.hide("cuStreamCreateWithPriority");
    let error = Stream::with_priority(device(0), -1).unwrap_err();
    let wanted = CudaError::MissingFunction { call: "cuStreamCreateWithPriority", version: 5050 };
    assert_eq!(error, wanted);
    assert_eq!(
        error.to_string(),
        "wanted a CUDA driver with cuStreamCreateWithPriority (CUDA 5.5 or newer), \
         got one without it"
    );
    standin.reset();
    assert!(Stream::with_priority(device(0), -1).is_ok());
}

#[test]
fn a_driver_that_was_reset_is_initialised_again() {
    let standin = standin();
    standin.deinitialise();
    assert!(device(0).attribute(88).is_ok());
    assert_eq!((standin.calls("cuInit"), standin.calls("cuDeviceGetAttribute")), (1, 2));
}

#[test]
fn a_driver_that_stays_down_is_an_error() {
    let standin = standin();
    standin.deinitialise();
    standin.init_status(100);
    let error = device(0).attribute(88).unwrap_err();
    assert_eq!(error, CudaError::Driver { call: "cuDeviceGetAttribute", status: 3 });
    standin.init_status(0);
    assert!(device(0).attribute(88).is_ok());
}

#[test]
fn devices_are_numbered_from_0() {
    let _standin = standin();
    assert_eq!(Device::count(), Ok(4));
    for ordinal in [-1, 4, i32::MAX] {
        let error = Device::new(ordinal).unwrap_err();
        assert_eq!(error, CudaError::NoSuchDevice { ordinal, count: 4 });
    }
}
