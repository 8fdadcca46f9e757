//! A kernel of cudarc on a strided view, and memory of cudarc in copies:
//! `cargo run -p strideview --features _cudarc-example --example cudarc`. Without a GPU it says so.
//!
//! A program of yours has the features `cudarc` of strideview, and `nvrtc` and one of `cuda-*` of
//! cudarc.

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use strideview::interop::cudarc::{as_kernel_argument, as_stream_slice, from_slice, token};
use strideview::{CopyOptions, Slice, StridedMemoryView, copy_with};

/// Made by NVRTC 12.0 for compute_70, so that no compiler is needed here, from
///
/// ```c
/// extern "C" __global__ void scale(float *first, long long row_stride, long long column_stride,
///                                  unsigned rows, unsigned columns, float factor) {
///     unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
///     unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
///     if (row < rows && column < columns) {
///         first[row * row_stride + column * column_stride] *= factor;
///     }
/// }
/// ```
const SCALE: &str = include_str!("scale.ptx");

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    if !strideview::cuda::is_available() {
        println!("skipped, no GPU"); // cudarc would panic
        return Ok(());
    }
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let scale = context.load_module(Ptx::from_src(SCALE))?.load_function("scale")?;

    // Memory of cudarc, which the view owns from here on; a part of it, its rows backwards.
    let matrix = from_slice(stream.clone_htod(&[1_f32; 5 * 7])?, &[5, 7])?;
    let part = matrix.sliced(&[Slice::step(-2), (1..6).into()])?;
    launch(&scale, &stream, &part, 3.0)?;

    // The whole, transposed on the way to the host.
    let host = StridedMemoryView::from_vec(vec![0_f32; 7 * 5], &[7, 5])?;
    let options = CopyOptions { stream: token(&stream), ..CopyOptions::default() };
    copy_with(&host, &matrix.reversed_axes()?, options)?;
    assert_eq!(host.to_vec::<f32>()?[5..10], [3.0, 1.0, 3.0, 1.0, 3.0]);

    // The other way: what cudarc does with a slice, done with the memory of a view.
    let mut row = as_stream_slice::<f32>(&matrix.sliced(&[Slice::Index(4)])?, &stream)?;
    stream.memset_zeros(&mut row.as_view_mut()?)?;
    assert_eq!(stream.clone_dtoh(&row.as_view())?, [0.0; 7]);
    println!("{} scaled on {}", part.layout(), context.name()?);
    Ok(())
}

/// Multiplies the elements of a matrix, in place.
fn launch(
    scale: &CudaFunction,
    stream: &CudaStream,
    matrix: &StridedMemoryView,
    factor: f32,
) -> Result<(), Box<dyn std::error::Error>> {
    let first = as_kernel_argument(matrix, stream)?;
    let [rows, columns] = [0, 1].map(|axis| matrix.shape()[axis] as u32);
    let [row_stride, column_stride] = [0, 1].map(|axis| matrix.layout().strides()[axis]);
    let blocks = (columns.div_ceil(32), rows.div_ceil(8), 1);
    let config = LaunchConfig { grid_dim: blocks, block_dim: (32, 8, 1), shared_mem_bytes: 0 };
    let mut arguments = stream.launch_builder(scale);
    arguments
        .arg(&first)
        .arg(&row_stride)
        .arg(&column_stride)
        .arg(&rows)
        .arg(&columns)
        .arg(&factor);
    // SAFETY: the kernel takes these types, and reaches the elements of the view and no others.
    unsafe { arguments.launch(config) }?;
    Ok(())
}
