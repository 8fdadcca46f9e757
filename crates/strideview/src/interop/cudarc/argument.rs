//! Views as arguments of kernels.

use ::cudarc::driver::sys::CUdeviceptr;
use ::cudarc::driver::{CudaStream, LaunchArgs, PushKernelArg};

use super::check_reach;
use crate::{Lease, Result, StridedMemoryView};

/// The address of element `[0, …, 0]` of a view as an argument of a kernel that is launched on a
/// stream. O(1); copies nothing.
///
/// The kernel gets shape and strides as arguments of their own, in the form that it wants:
/// [`StridedLayout::strides`](crate::StridedLayout::strides) are in elements. The argument leases the
/// buffer; the kernel must be done before the memory is given back, as for every use of a device.
/// Whether the kernel keeps to a read-only view is its caller's promise: launching is unsafe.
///
/// # Errors
///
/// [`Error::NotOnDevice`](crate::Error::NotOnDevice) for memory that the stream's device does not
/// reach; [`MemoryError::Closed`](crate::MemoryError).
///
/// ```no_run
/// use cudarc::driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
/// use strideview::{StridedMemoryView, interop::cudarc::as_kernel_argument};
///
/// # fn launch(
/// #     view: &StridedMemoryView, stream: &CudaStream, double: &CudaFunction,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let (elements, stride) = (as_kernel_argument(view, stream)?, view.layout().strides()[0]);
/// let (count, config) = (view.volume() as u32, LaunchConfig::for_num_elems(view.volume() as u32));
/// // SAFETY: the kernel takes a pointer, a stride in elements and a count, and stays within them.
/// unsafe { stream.launch_builder(double).arg(&elements).arg(&stride).arg(&count).launch(config) }?;
/// # Ok(())
/// # }
/// ```
pub fn as_kernel_argument(view: &StridedMemoryView, stream: &CudaStream) -> Result<KernelArgument> {
    check_reach(view, stream.context())?;
    let lease = view.buffer().lease()?;
    Ok(KernelArgument { pointer: view.address() as CUdeviceptr, _lease: lease })
}

/// The address of the first element of a view, kept in place: made by [`as_kernel_argument`], taken
/// by [`LaunchArgs::arg`](PushKernelArg::arg).
#[derive(Debug)]
pub struct KernelArgument {
    pointer: CUdeviceptr,
    _lease: Lease,
}

impl KernelArgument {
    /// The address. O(1).
    #[must_use]
    pub fn pointer(&self) -> CUdeviceptr {
        self.pointer
    }
}

// SAFETY: what is pushed is a reference to a device address, which lives as long as `'b`.
unsafe impl<'a, 'b: 'a> PushKernelArg<&'b KernelArgument> for LaunchArgs<'a> {
    #[inline(always)]
    fn arg(&mut self, argument: &'b KernelArgument) -> &mut Self {
        PushKernelArg::<&'b CUdeviceptr>::arg(self, &argument.pointer)
    }
}
