//! ndarray: `assign`, and the same by rayon.

use std::hint::black_box;

use ndarray::{
    ArrayView, ArrayViewMut, Axis, Dimension, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn, ShapeBuilder,
    Zip,
};

use crate::case::Case;
use crate::timed::{Timed, timed};

pub(crate) fn open(case: &Case, _threads: usize) -> Option<Timed> {
    by_item(case, false)
}

/// Only where there are threads to use.
pub(crate) fn open_rayon(case: &Case, threads: usize) -> Option<Timed> {
    (threads > 1).then(|| by_item(case, true)).flatten()
}

fn by_item(case: &Case, is_parallel: bool) -> Option<Timed> {
    match case.itemsize {
        1 => by_rank::<u8>(case, is_parallel),
        2 => by_rank::<u16>(case, is_parallel),
        4 => by_rank::<f32>(case, is_parallel),
        8 => by_rank::<f64>(case, is_parallel),
        16 => by_rank::<[f64; 2]>(case, is_parallel),
        _ => None,
    }
}

fn by_rank<T: Copy + Send + Sync + 'static>(case: &Case, is_parallel: bool) -> Option<Timed> {
    Some(match case.shape.len() {
        1 => assign::<T, Ix1>(case, is_parallel),
        2 => assign::<T, Ix2>(case, is_parallel),
        3 => assign::<T, Ix3>(case, is_parallel),
        4 => assign::<T, Ix4>(case, is_parallel),
        5 => assign::<T, Ix5>(case, is_parallel),
        6 => assign::<T, Ix6>(case, is_parallel),
        _ => assign::<T, IxDyn>(case, is_parallel),
    })
}

fn assign<T, D>(case: &Case, is_parallel: bool) -> Timed
where
    T: Copy + Send + Sync + 'static,
    D: Dimension + 'static,
{
    let (shape, strides) = (dimension::<D>(&case.shape), dimension::<D>(&case.dst_strides));
    // SAFETY: the case says which memory is its own; the strides of destinations are positive.
    let mut dst = unsafe { ArrayViewMut::from_shape_ptr(shape.strides(strides), case.dst.cast()) };
    let src = source::<T, D>(case);
    if is_parallel {
        return timed(move || {
            let (dst, src) = black_box((dst.view_mut(), src.view()));
            Zip::from(dst).and(src).par_for_each(|dst, src| *dst = *src);
        });
    }
    timed(move || black_box(&mut dst).assign(black_box(&src)))
}

/// The source; where a stride is negative, an axis turned round.
fn source<T, D: Dimension>(case: &Case) -> ArrayView<'static, T, D> {
    let mut first: *const T = case.src.cast();
    let mut positive = case.src_strides.clone();
    for (stride, extent) in positive.iter_mut().zip(&case.shape).filter(|(stride, _)| **stride < 0)
    {
        first = first.wrapping_offset((*stride * (extent - 1)) as isize);
        *stride = -*stride;
    }
    let (shape, strides) = (dimension::<D>(&case.shape), dimension::<D>(&positive));
    // SAFETY: the case says which memory is its own.
    let mut view = unsafe { ArrayView::from_shape_ptr(shape.strides(strides), first) };
    for (axis, stride) in case.src_strides.iter().enumerate() {
        if *stride < 0 {
            view.invert_axis(Axis(axis));
        }
    }
    view
}

fn dimension<D: Dimension>(numbers: &[i64]) -> D {
    let mut dimension = D::zeros(numbers.len());
    for (to, from) in dimension.slice_mut().iter_mut().zip(numbers) {
        *to = *from as usize;
    }
    dimension
}
