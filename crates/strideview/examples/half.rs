//! Numbers of 16 bits as elements: `cargo run -p strideview --features half --example half`.

use half::{bf16, f16};
use strideview::{DType, Error, StridedMemoryView};

pub(crate) fn main() -> Result<(), Error> {
    let weights: Vec<f16> = (0..6).map(|value| f16::from_f32(value as f32 / 4.0)).collect();
    let view = StridedMemoryView::from_vec(weights, &[2, 3])?;
    let columns = view.reversed_axes()?;
    println!("{} {}: {:?}", DType::F16, columns.layout(), columns.to_vec::<f16>()?);
    assert_eq!(columns.get::<f16>(&[1, 1])?, f16::from_f32(1.0));

    // The other type of 16 bits is another dtype: nothing is converted by accident.
    let error = view.as_slice::<bf16>().expect_err("it is float16");
    println!("{error}");
    assert_eq!(error, Error::DTypeMismatch { wanted: DType::BF16, got: DType::F16 });
    Ok(())
}
