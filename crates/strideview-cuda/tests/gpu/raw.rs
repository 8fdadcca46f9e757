//! Functions of the driver that the crate does not offer, for making the memory to ask about.

use std::ffi::c_void;

use libloading::Library;

/// The driver, called by name. Every call is checked.
pub(crate) struct Raw(Library);

/// Where memory is: 1 device, 2 host, 3 a NUMA node of the host.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Location {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct AccessDescription {
    pub(crate) location: Location,
    pub(crate) flags: i32,
}

/// `CUmemAllocationProp`.
#[repr(C)]
struct AllocationProperties {
    kind: i32,
    handle_types: i32,
    location: Location,
    windows: *mut c_void,
    flags: u64,
}

/// `CUmemPoolProps`.
#[repr(C)]
struct PoolProperties {
    kind: i32,
    handle_types: i32,
    location: Location,
    windows: *mut c_void,
    max_size_in_bytes: usize,
    reserved: [u64; 7],
}

/// `CUtensorMap`.
#[repr(C, align(64))]
struct Descriptor([u8; 128]);

/// Calls a function of the driver by the name it has in the library.
macro_rules! call {
    ($raw:expr, $name:literal, ($($argument:expr => $type:ty),*)) => {{
        // SAFETY: the type is that of the function in `cuda.h`.
        let function = unsafe {
            $raw.0.get::<unsafe extern "C" fn($($type),*) -> i32>($name.as_bytes())
        };
        match function {
            // SAFETY: the arguments are values, or places valid for the call.
            Ok(function) => match unsafe { function($($argument),*) } {
                0 => Ok(()),
                status => Err(format!("{}: {status}", $name)),
            },
            Err(error) => Err(error.to_string()),
        }
    }};
}

type Outcome<T = ()> = Result<T, String>;

impl Raw {
    pub(crate) fn open() -> Outcome<Self> {
        // SAFETY: loading the driver has no condition.
        unsafe { Library::new("libcuda.so.1") }.map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn current(&self) -> usize {
        let mut context = 0;
        call!(self, "cuCtxGetCurrent", (&mut context => *mut usize)).unwrap();
        context
    }

    pub(crate) fn set_current(&self, context: usize) -> Outcome {
        call!(self, "cuCtxSetCurrent", (context => usize))
    }

    /// The descriptor of a tensor, if the driver takes it.
    pub(crate) fn encode_tensor_map(
        &self,
        (data_type, rank, address): (i32, u32, u64),
        extents: &[u64; 8],
        strides: &[u64; 8],
        box_extents: &[u32; 8],
        element_strides: &[u32; 8],
        [interleave, swizzle, l2_promotion, fill]: [i32; 4],
    ) -> Outcome<[u8; 128]> {
        let mut map = Descriptor([0; 128]);
        call!(
            self,
            "cuTensorMapEncodeTiled",
            (&mut map => *mut Descriptor, data_type => i32, rank => u32, address => u64,
             extents.as_ptr() => *const u64, strides.as_ptr() => *const u64,
             box_extents.as_ptr() => *const u32, element_strides.as_ptr() => *const u32,
             interleave => i32, swizzle => i32, l2_promotion => i32, fill => i32)
        )?;
        Ok(map.0)
    }

    pub(crate) fn register(&self, address: usize, size: usize, flags: u32) -> Outcome {
        call!(self, "cuMemHostRegister_v2", (address => usize, size => usize, flags => u32))
    }

    pub(crate) fn unregister(&self, address: usize) -> Outcome {
        call!(self, "cuMemHostUnregister", (address => usize))
    }

    pub(crate) fn allocate(&self, size: usize) -> Outcome<usize> {
        let mut address = 0;
        call!(self, "cuMemAlloc_v2", (&mut address => *mut usize, size => usize))?;
        Ok(address)
    }

    pub(crate) fn free(&self, address: usize) -> Outcome {
        call!(self, "cuMemFree_v2", (address => usize))
    }

    pub(crate) fn fill(&self, address: usize, value: u8, size: usize, stream: usize) -> Outcome {
        call!(
            self,
            "cuMemsetD8Async",
            (address => usize, value => u8, size => usize, stream => usize)
        )
    }

    pub(crate) fn copy(&self, dst: usize, src: usize, size: usize, stream: usize) -> Outcome {
        call!(
            self,
            "cuMemcpyAsync",
            (dst => usize, src => usize, size => usize, stream => usize)
        )
    }

    pub(crate) fn synchronize_stream(&self, stream: usize) -> Outcome {
        call!(self, "cuStreamSynchronize", (stream => usize))
    }

    pub(crate) fn end_capture_into(&self, stream: usize) -> Outcome<usize> {
        let (mut graph, mut ready) = (0, 0);
        call!(self, "cuStreamEndCapture", (stream => usize, &mut graph => *mut usize))?;
        call!(
            self,
            "cuGraphInstantiateWithFlags",
            (&mut ready => *mut usize, graph => usize, 0 => u64)
        )?;
        call!(self, "cuGraphDestroy", (graph => usize))?;
        Ok(ready)
    }

    pub(crate) fn launch_graph(&self, graph: usize, stream: usize) -> Outcome {
        call!(self, "cuGraphLaunch", (graph => usize, stream => usize))
    }

    pub(crate) fn destroy_graph(&self, graph: usize) -> Outcome {
        call!(self, "cuGraphExecDestroy", (graph => usize))
    }

    pub(crate) fn begin_capture(&self, stream: usize) -> Outcome {
        call!(self, "cuStreamBeginCapture_v2", (stream => usize, 2 => i32))
    }

    pub(crate) fn end_capture(&self, stream: usize) -> Outcome {
        let mut graph = 0;
        call!(self, "cuStreamEndCapture", (stream => usize, &mut graph => *mut usize))?;
        call!(self, "cuGraphDestroy", (graph => usize))
    }

    /// A reservation of two mappings of device memory, without access: address and size of each.
    pub(crate) fn map_two(&self) -> Outcome<(usize, usize)> {
        let location = Location { kind: 1, id: 0 };
        let properties = AllocationProperties {
            kind: 1,
            handle_types: 0,
            location,
            windows: std::ptr::null_mut(),
            flags: 0,
        };
        let (mut size, mut address) = (0, 0);
        call!(
            self,
            "cuMemGetAllocationGranularity",
            (&mut size => *mut usize, &properties => *const AllocationProperties, 0 => i32)
        )?;
        call!(
            self,
            "cuMemAddressReserve",
            (&mut address => *mut usize, 2 * size => usize, 0 => usize, 0 => usize, 0 => u64)
        )?;
        for part in 0..2 {
            let mut handle = 0;
            call!(
                self,
                "cuMemCreate",
                (&mut handle => *mut u64, size => usize,
                 &properties => *const AllocationProperties, 0 => u64)
            )?;
            call!(
                self,
                "cuMemMap",
                (address + part * size => usize, size => usize, 0 => usize, handle => u64,
                 0 => u64)
            )?;
            // The mapping keeps the memory.
            call!(self, "cuMemRelease", (handle => u64))?;
        }
        Ok((address, size))
    }

    pub(crate) fn grant(&self, address: usize, size: usize, flags: i32) -> Outcome {
        let description = AccessDescription { location: Location { kind: 1, id: 0 }, flags };
        call!(
            self,
            "cuMemSetAccess",
            (address => usize, size => usize, &description => *const AccessDescription,
             1 => usize)
        )
    }

    pub(crate) fn unmap_two(&self, address: usize, size: usize) -> Outcome {
        call!(self, "cuMemUnmap", (address => usize, size => usize))?;
        call!(self, "cuMemUnmap", (address + size => usize, size => usize))?;
        call!(self, "cuMemAddressFree", (address => usize, 2 * size => usize))
    }

    /// A pool of host memory that no device was granted.
    pub(crate) fn host_pool(&self) -> Outcome<usize> {
        let properties = PoolProperties {
            kind: 1,
            handle_types: 0,
            location: Location { kind: 3, id: 0 },
            windows: std::ptr::null_mut(),
            max_size_in_bytes: 0,
            reserved: [0; 7],
        };
        let mut pool = 0;
        call!(
            self,
            "cuMemPoolCreate",
            (&mut pool => *mut usize, &properties => *const PoolProperties)
        )?;
        Ok(pool)
    }

    pub(crate) fn allocate_from(&self, pool: usize, size: usize) -> Outcome<usize> {
        let mut address = 0;
        call!(
            self,
            "cuMemAllocFromPoolAsync",
            (&mut address => *mut usize, size => usize, pool => usize, 2 => usize)
        )?;
        call!(self, "cuStreamSynchronize", (2 => usize))?;
        Ok(address)
    }

    pub(crate) fn grant_pool(&self, pool: usize) -> Outcome {
        let description = AccessDescription { location: Location { kind: 1, id: 0 }, flags: 3 };
        call!(
            self,
            "cuMemPoolSetAccess",
            (pool => usize, &description => *const AccessDescription, 1 => usize)
        )
    }

    pub(crate) fn drop_pool(&self, pool: usize, address: usize) -> Outcome {
        call!(self, "cuMemFreeAsync", (address => usize, 2 => usize))?;
        call!(self, "cuStreamSynchronize", (2 => usize))?;
        call!(self, "cuMemPoolDestroy", (pool => usize))
    }
}
