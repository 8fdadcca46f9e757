//! Arrays of ndarray as views, copied with strides, and views as arrays:
//! `cargo run -p strideview --features ndarray --example ndarray`.

use ndarray::{Array3, Axis, s};
use strideview::StridedMemoryView;
use strideview::interop::ndarray::{as_array, from_array, lend, lend_mut};

/// Turns an image of pixels into planes, flips it, and takes the mean of each plane.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pixels = Array3::from_shape_fn((4, 6, 3), |(row, column, channel)| {
        (100 * channel + 10 * row + column) as u8
    });

    // An array that is given away: the view owns it.
    let pixels = from_array(pixels)?;
    let planes = pixels.permuted(&[2, 0, 1])?;
    println!("pixels {}, planes {}", pixels.layout(), planes.layout());

    // One copy, in SIMD registers; then any operation of ndarray on the result.
    let dense = StridedMemoryView::from_vec(vec![0_u8; 3 * 4 * 6], planes.shape())?;
    dense.copy_from(&planes)?;
    let array = as_array::<u8>(&dense)?;
    let means = array.map(|&value| f32::from(value)).mean_axis(Axis(1)).expect("rows");
    println!("mean of the first column of each plane: {}", means.slice(s![.., 0]));

    // An array that is borrowed: lent for the time of a call. Here it is the destination.
    let mut flipped = Array3::<u8>::zeros((3, 4, 6));
    lend_mut(&mut flipped.slice_mut(s![.., ..;-1, ..]), |view| view.copy_from(&planes))??;
    assert_eq!(flipped[[2, 0, 5]], 235);

    // What a call keeps of a borrowed array is of a closed buffer afterwards.
    let kept: StridedMemoryView = lend(&flipped, Clone::clone)?;
    println!("after the call: {}", kept.to_vec::<u8>().expect_err("it is closed"));
    Ok(())
}
