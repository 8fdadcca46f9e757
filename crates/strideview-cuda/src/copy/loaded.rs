//! Kernels that are loaded: each family of a device at its first use, and for good.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::image::{Target, image};
use super::kernel::{Family, Kernel};
use crate::driver::sys::{CAPTURE_MODE_RELAXED, CUfunction, CUkernel, CUlibrary, CUresult};
use crate::driver::{Driver, driver};
use crate::{CudaError, Device};

/// The handles of all kernels of all devices; 0 for one that is not loaded.
static KERNELS: OnceLock<Box<[AtomicUsize]>> = OnceLock::new();
/// The libraries that they are of, and what each was compiled for.
static LIBRARIES: Mutex<Option<Libraries>> = Mutex::new(None);

/// By the ordinal of a device and the family.
type Libraries = HashMap<(i32, Family), (CUlibrary, Target)>;

/// The kernels that have been loaded for a device: what they are compiled from, and for what.
///
/// Machine code of the device's capability is taken as it is; PTX is compiled by the driver, which takes
/// a hundred times as long.
///
/// ```
/// // Before the first copy that needs a kernel.
/// assert!(strideview_cuda::loaded_images(0).is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoadedImage {
    /// The family, such as `tile_4`.
    pub family: &'static str,
    /// The target, such as `sm_90`, or `compute_70` for PTX.
    pub target: &'static str,
}

impl LoadedImage {
    /// Whether the driver took it as it is, and compiled nothing. O(1).
    pub fn is_machine_code(&self) -> bool {
        self.target.starts_with("sm_")
    }
}

/// The images of kernels that are loaded for the device with an ordinal, in the order of their names.
pub fn loaded_images(ordinal: i32) -> Vec<LoadedImage> {
    let libraries = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let of_device = libraries.iter().flatten().filter(|((device, _), _)| *device == ordinal);
    let image = |((_, family), (_, target)): (&(i32, Family), &(CUlibrary, Target))| LoadedImage {
        family: family.name(),
        target: target.name(),
    };
    let mut images: Vec<LoadedImage> = of_device.map(image).collect();
    images.sort();
    images
}

/// The kernel, for work in the current context, which is one of `device`.
///
/// The first call for a family loads it, in a millisecond or two; later calls are a load from memory.
pub(super) fn kernel(device: Device, kernel: Kernel) -> Result<CUfunction, CudaError> {
    let slot = slot(device, kernel)?;
    let known = slot.load(Ordering::Acquire);
    if known != 0 {
        return Ok(CUfunction(known));
    }
    let mut libraries = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = slot.load(Ordering::Acquire);
    if known != 0 {
        return Ok(CUfunction(known));
    }
    let driver = driver()?;
    let found = relaxed(driver, || {
        let libraries = libraries.get_or_insert_default();
        let key = (device.ordinal(), kernel.family());
        let library = match libraries.get(&key) {
            Some((library, _)) => *library,
            None => {
                let loaded = load(driver, device, kernel.family())?;
                libraries.insert(key, loaded);
                loaded.0
            }
        };
        find(driver, library, kernel)
    })?;
    slot.store(found.0, Ordering::Release);
    // Since CUDA 12 a launch takes the handle of a kernel in the place of that of a function.
    Ok(CUfunction(found.0))
}

fn slot(device: Device, kernel: Kernel) -> Result<&'static AtomicUsize, CudaError> {
    let count = Device::count()?;
    let kernels = KERNELS.get_or_init(|| {
        let devices = usize::try_from(count).unwrap_or(0);
        (0..devices * Kernel::COUNT).map(|_| AtomicUsize::new(0)).collect()
    });
    let ordinal = device.ordinal();
    let position = usize::try_from(ordinal).unwrap_or(usize::MAX);
    let missing = CudaError::NoSuchDevice { ordinal, count };
    let first = position.checked_mul(Kernel::COUNT).ok_or(missing)?;
    kernels.get(first + kernel as usize).ok_or(missing)
}

/// Runs `work` so that what it loads does not count as part of a capture, of this or another thread.
fn relaxed<T>(
    driver: &Driver,
    work: impl FnOnce() -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    let mut mode: c_int = CAPTURE_MODE_RELAXED;
    // SAFETY: the place is valid for its type.
    unsafe { driver.cuThreadExchangeStreamCaptureMode(&mut mode) }?;
    let outcome = work();
    // SAFETY: as above; the mode is the one of before.
    unsafe { driver.cuThreadExchangeStreamCaptureMode(&mut mode) }?;
    outcome
}

/// Loads the best image of a family that the driver takes.
fn load(driver: &Driver, device: Device, family: Family) -> Result<(CUlibrary, Target), CudaError> {
    let (major, minor) = device.compute_capability()?;
    let mut outcome =
        Err(CudaError::Unsupported { feature: "compiled kernels", ordinal: device.ordinal() });
    for target in Target::for_capability(major, minor).into_iter().flatten() {
        outcome = load_image(driver, &image(family, target)).map(|library| (library, target));
        match outcome {
            // An image that this driver does not take: try the next.
            Err(error) if is_about_the_image(error) => {}
            _ => return outcome,
        }
    }
    outcome
}

fn is_about_the_image(error: CudaError) -> bool {
    [
        CUresult::INVALID_IMAGE,
        CUresult::NO_BINARY_FOR_GPU,
        CUresult::INVALID_PTX,
        CUresult::UNSUPPORTED_PTX_VERSION,
        CUresult::INVALID_SOURCE,
    ]
    .into_iter()
    .any(|status| error.has_status(status))
}

fn load_image(driver: &Driver, image: &[u8]) -> Result<CUlibrary, CudaError> {
    let mut library = CUlibrary::NULL;
    let no_options: (*mut c_int, *mut *mut c_void, c_uint) = (null_mut(), null_mut(), 0);
    let (names, values, count) = no_options;
    // SAFETY: the output is valid for its type, the image is a whole one (PTX ends with a zero byte)
    // and is copied by the driver; there are no options.
    unsafe {
        driver.cuLibraryLoadData(
            &mut library,
            image.as_ptr().cast(),
            names,
            values,
            count,
            names,
            values,
            count,
        )
    }?;
    Ok(library)
}

/// The kernel of a library, ready for the current context.
fn find(driver: &Driver, library: CUlibrary, kernel: Kernel) -> Result<CUkernel, CudaError> {
    let mut found = CUkernel::NULL;
    // SAFETY: the output is valid for its type, the library is never unloaded, and the name ends
    // with a zero byte.
    unsafe { driver.cuLibraryGetKernel(&mut found, library, kernel.symbol().as_ptr()) }?;
    let mut function = CUfunction::NULL;
    // Loads it now: a launch that is captured could not.
    // SAFETY: the output is valid for its type, and the kernel is that of above.
    unsafe { driver.cuKernelGetFunction(&mut function, found) }?;
    Ok(found)
}
