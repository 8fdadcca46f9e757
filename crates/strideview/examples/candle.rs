//! Tensors of candle as views, and views as tensors:
//! `cargo run -p strideview --features candle --example candle`.

use candle_core::{DType, Device, Tensor};
use strideview::StridedMemoryView;
use strideview::interop::candle::{copy_into_tensor, copy_to_tensor, lend};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Out, without a copy: a transposed, narrowed tensor is a view with the same strides.
    let tensor = Tensor::arange(0_f32, 24.0, &Device::Cpu)?.reshape((2, 3, 4))?;
    let part = tensor.transpose(0, 2)?.narrow(0, 1, 2)?;
    lend(&part, |view| println!("{} of {}", view.layout(), view.dtype().expect("typed")))?;

    // In, with one copy of each element, whatever the strides of the view.
    let rows = StridedMemoryView::from_vec((0..6_i64).collect(), &[2, 3])?;
    let columns = copy_to_tensor(&rows.reversed_axes()?)?;
    assert_eq!(columns.to_vec2::<i64>()?, [[0, 3], [1, 4], [2, 5]]);

    // Into a part of a tensor that is there, such as one batch of many.
    let batches = Tensor::zeros((4, 2, 3), DType::I64, &Device::Cpu)?;
    copy_into_tensor(&rows, &batches.get(2)?)?;
    assert_eq!(batches.sum_all()?.to_scalar::<i64>()?, 15);
    println!("{columns}");
    Ok(())
}
