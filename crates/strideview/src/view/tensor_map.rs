//! Descriptors of views for the Tensor Memory Accelerator.
#![forbid(unsafe_code)]

use strideview_cuda::{
    CudaError, Device, TensorMapDescriptor, TensorMapFault, TensorMapModes, TensorMapType,
    TiledTensor,
};

use super::StridedMemoryView;
use crate::{Axes, Dims, Error, Lease, MemoryError, Result, StridedLayout};

/// More axes than a descriptor has are looked through for those to leave out.
const MOST_AXES: usize = 5;
/// A stride that is always allowed, for an axis whose own carries no meaning.
const ANY_STRIDE: i64 = 32;

/// What a descriptor says beside the layout of the view and its boxes.
///
/// ```
/// use strideview::TensorMapOptions;
/// use strideview::cuda::{TensorMapModes, TensorMapSwizzle};
///
/// let modes = TensorMapModes { swizzle: TensorMapSwizzle::Bytes128, ..Default::default() };
/// let options = TensorMapOptions { modes, ..Default::default() };
/// assert_eq!((options.element_strides, options.data_type), (None, None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorMapOptions<'a> {
    /// Each how many elements of a box are copied, for each axis of the view; None for all of them.
    pub element_strides: Option<&'a [i64]>,
    /// What an element is to the copy engine; None for what the dtype says.
    pub data_type: Option<TensorMapType>,
    /// Interleave, swizzle, promotion and fill.
    pub modes: TensorMapModes,
}

/// A descriptor of a view for the Tensor Memory Accelerator (`CUtensorMap`), made by
/// [`StridedMemoryView::as_tensor_map`]: 128 bytes, aligned to 64, that a kernel takes by value.
///
/// While it lives, the buffer of the view cannot be closed. Who gives the bytes to a kernel keeps it
/// until the kernel is done.
#[derive(Debug)]
pub struct TensorMap {
    descriptor: TensorMapDescriptor,
    axes: Axes,
    box_extents: Dims,
    box_bytes: i64,
    data_type: TensorMapType,
    device: Device,
    _lease: Lease,
}

impl TensorMap {
    /// The descriptor, at an address that is a multiple of 64. O(1).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 128] {
        self.descriptor.as_bytes()
    }

    /// The axis of the view that each axis of the descriptor is, innermost first: the order in which a
    /// kernel gives coordinates, and in which a box lies in shared memory. O(1).
    #[must_use]
    pub fn axes(&self) -> &[usize] {
        &self.axes
    }

    /// The extents of a box, in the order of [`axes`](Self::axes). O(1).
    #[must_use]
    pub fn box_extents(&self) -> &[i64] {
        &self.box_extents
    }

    /// The bytes that a box takes in shared memory, which a barrier waits for. O(1).
    #[must_use]
    pub fn box_bytes(&self) -> i64 {
        self.box_bytes
    }

    /// What an element is to the copy engine. O(1).
    #[must_use]
    pub fn data_type(&self) -> TensorMapType {
        self.data_type
    }

    /// The device whose kernels may use it. O(1).
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }
}

impl StridedMemoryView {
    /// A descriptor for the Tensor Memory Accelerator of devices since compute capability 9.0, by
    /// which kernels copy boxes of the view to and from shared memory.
    ///
    /// `box_extents` says how many elements of each axis of the view a box spans, 1 to 256. The axes
    /// of the descriptor are those of the view: first the one whose elements lie side by side, then
    /// the others from the last to the first, as [`TensorMap::axes`] says; so the descriptor of a
    /// C-contiguous view has them in reverse. No axes are merged, since a box and its coordinates
    /// belong to axes. Where there are more than 5, those of extent 1 with a box of 1 are left out.
    /// Broadcast axes have stride 0 and come along. Outside of the view a load gives zeros, or NaNs. Along
    /// the innermost axis a box begins at whole 16 bytes, which is for the kernel to see to.
    ///
    /// Nothing is copied; O(rank), and a few calls of the driver, about a microsecond.
    ///
    /// # Errors
    ///
    /// [`Error::NotDeviceAccessible`]; [`Error::Untyped`] and [`Error::NoTensorMapType`] where the
    /// options name no type either; [`CudaError::TensorMap`] with what the copy engine wanted and did
    /// not get: a negative stride, an address that is no multiple of 16, a box too large;
    /// [`CudaError::Unsupported`] for an older device, [`CudaError::MissingFunction`] from a driver
    /// before CUDA 12.0; a failed call.
    ///
    /// ```
    /// use strideview::{Error, StridedMemoryView, TensorMapOptions};
    ///
    /// let view = StridedMemoryView::from_vec(vec![0_f32; 64 * 64], &[64, 64])?;
    /// let error = view.as_tensor_map(&[8, 32], TensorMapOptions::default()).unwrap_err();
    /// assert_eq!(error, Error::NotDeviceAccessible { device_id: -1 });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn as_tensor_map(
        &self,
        box_extents: &[i64],
        options: TensorMapOptions<'_>,
    ) -> Result<TensorMap> {
        if self.is_closed() {
            return Err(MemoryError::Closed.into());
        }
        let access = self.access();
        if !access.device {
            return Err(Error::NotDeviceAccessible { device_id: access.device_id });
        }
        let data_type = self.tensor_map_type(options.data_type)?;
        let lease = self.buffer().lease()?;
        let lowered = Lowered::new(self.layout(), box_extents, options.element_strides, data_type)
            .map_err(CudaError::TensorMap)?;
        let tensor = lowered.tensor(self.address() as u64, data_type, options.modes);
        let device = Device::new(access.device_id)?;
        let descriptor = tensor.encode(device).map_err(|error| lowered.with_axes(error))?;
        let box_bytes = tensor.box_bytes();
        let Lowered { axes, box_extents, .. } = lowered;
        Ok(TensorMap { descriptor, axes, box_extents, box_bytes, data_type, device, _lease: lease })
    }

    fn tensor_map_type(&self, wanted: Option<TensorMapType>) -> Result<TensorMapType> {
        match (wanted, self.dtype()) {
            (Some(wanted), _) => Ok(wanted),
            (None, None) => Err(Error::Untyped),
            (None, Some(dtype)) => dtype.tensor_map_type().ok_or(Error::NoTensorMapType { dtype }),
        }
    }
}

/// A layout and a box in the order of a descriptor: innermost axis first.
struct Lowered {
    axes: Axes,
    extents: Dims,
    strides_in_bytes: Dims,
    box_extents: Dims,
    element_strides: Dims,
}

impl Lowered {
    fn new(
        layout: &StridedLayout,
        box_extents: &[i64],
        element_strides: Option<&[i64]>,
        data_type: TensorMapType,
    ) -> std::result::Result<Self, TensorMapFault> {
        let (rank, itemsize) = (layout.rank(), layout.itemsize());
        let wanted = data_type.itemsize_bytes();
        if wanted != itemsize {
            return Err(TensorMapFault::Itemsize { wanted, itemsize });
        }
        let given = [
            ("box extents", box_extents.len()),
            ("element strides", element_strides.map_or(rank, <[i64]>::len)),
        ];
        if let Some((what, got)) = given.into_iter().find(|(_, got)| *got != rank) {
            return Err(TensorMapFault::Entries { what, wanted: rank, got });
        }
        let axes = order(layout, box_extents).ok_or(TensorMapFault::Innermost { itemsize })?;
        let each =
            |of: &dyn Fn(usize) -> i64| -> Dims { axes.iter().map(|axis| of(*axis)).collect() };
        let stride = |axis: usize| match layout.shape()[axis] {
            ..=1 => ANY_STRIDE,
            _ => layout.strides()[axis].saturating_mul(itemsize),
        };
        let mut strides_in_bytes = each(&stride);
        if let Some(innermost) = strides_in_bytes.first_mut() {
            *innermost = itemsize;
        }
        Ok(Self {
            extents: each(&|axis| layout.shape()[axis]),
            box_extents: each(&|axis| box_extents[axis]),
            element_strides: each(&|axis| element_strides.map_or(1, |strides| strides[axis])),
            strides_in_bytes,
            axes,
        })
    }

    fn tensor(
        &self,
        address: u64,
        data_type: TensorMapType,
        modes: TensorMapModes,
    ) -> TiledTensor<'_> {
        TiledTensor {
            data_type,
            address,
            extents: &self.extents,
            strides_in_bytes: &self.strides_in_bytes,
            box_extents: &self.box_extents,
            element_strides: &self.element_strides,
            modes,
        }
    }

    /// The error with the axes of the view.
    fn with_axes(&self, error: CudaError) -> CudaError {
        match error {
            CudaError::TensorMap(fault) => CudaError::TensorMap(fault.with_axes(&self.axes)),
            error => error,
        }
    }
}

/// The axes of a layout in the order of a descriptor; None without one that can be the innermost.
///
/// It depends on strides only as far as the innermost axis does, so that one kernel fits views of
/// different extents.
fn order(layout: &StridedLayout, box_extents: &[i64]) -> Option<Axes> {
    let (shape, strides) = (layout.shape(), layout.strides());
    let backwards = || (0..layout.rank()).rev();
    let is_dense = |axis: &usize| shape[*axis] > 1 && strides[*axis] == 1;
    let innermost =
        backwards().find(is_dense).or_else(|| backwards().find(|&axis| shape[axis] <= 1));
    let all = || innermost.into_iter().chain(backwards().filter(|&axis| Some(axis) != innermost));
    if layout.rank() <= MOST_AXES {
        return (innermost.is_some() || layout.rank() == 0).then(|| all().collect());
    }
    // The first axis has no stride of its own: what would follow it may not take its place.
    let first = innermost?;
    let is_kept = |axis: &usize| *axis == first || shape[*axis] != 1 || box_extents[*axis] != 1;
    Some(all().filter(is_kept).collect())
}
