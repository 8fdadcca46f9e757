//! HPTT, as the crate `hptt` offers it: it plans in every call.

use std::hint::black_box;
use std::slice;

use hptt::{MemoryOrder, transpose_f32_sub, transpose_f64_sub};

use crate::case::Case;
use crate::timed::{Timed, timed};

/// A case in HPTT's terms: sizes in the order of the source's memory, those of the memory around.
struct Permutation {
    perm: Vec<usize>,
    shape: Vec<usize>,
    src_outer: Vec<usize>,
    dst_outer: Vec<usize>,
}

impl Permutation {
    /// None for what HPTT has no words for: steps, reversed or broadcast axes, gaps that are no
    /// multiple of the inner axes.
    fn new(case: &Case) -> Option<Permutation> {
        let rank = case.shape.len();
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by_key(|&axis| -case.src_strides[axis]);
        let of_source =
            |numbers: &[i64]| order.iter().map(|&axis| numbers[axis]).collect::<Vec<_>>();
        let shape = of_source(&case.shape);
        let src_outer = outer(&shape, &of_source(&case.src_strides))?;
        let dst_outer = outer(&case.shape, &case.dst_strides)?;
        let perm = (0..rank)
            .map(|axis| order.iter().position(|&from| from == axis))
            .collect::<Option<_>>()?;
        let shape = shape.iter().map(|&extent| extent as usize).collect();
        Some(Permutation { perm, shape, src_outer, dst_outer })
    }
}

/// The extents of the memory around an array, from the outermost axis to the innermost.
fn outer(shape: &[i64], strides: &[i64]) -> Option<Vec<usize>> {
    if strides.last() != Some(&1) {
        return None;
    }
    let mut outer = vec![*shape.first()? as usize];
    for axis in 1..shape.len() {
        let (whole, part) = (strides[axis - 1], strides[axis]);
        if part < 1 || whole % part != 0 || whole / part < shape[axis] {
            return None;
        }
        outer.push((whole / part) as usize);
    }
    Some(outer)
}

pub(crate) fn open(case: &Case, threads: usize) -> Option<Timed> {
    match case.itemsize {
        4 => opened::<f32>(case, threads, |p, src, dst, threads| {
            let order = MemoryOrder::RowMajor;
            transpose_f32_sub(
                &p.perm,
                1.0,
                src,
                &p.shape,
                &p.src_outer,
                0.0,
                dst,
                &p.dst_outer,
                threads,
                order,
            )
        }),
        8 => opened::<f64>(case, threads, |p, src, dst, threads| {
            let order = MemoryOrder::RowMajor;
            transpose_f64_sub(
                &p.perm,
                1.0,
                src,
                &p.shape,
                &p.src_outer,
                0.0,
                dst,
                &p.dst_outer,
                threads,
                order,
            )
        }),
        _ => None,
    }
}

type Call<T> = fn(&Permutation, &[T], &mut [T], usize) -> hptt::Result<()>;

fn opened<T: 'static>(case: &Case, threads: usize, call: Call<T>) -> Option<Timed> {
    let permutation = Permutation::new(case)?;
    let (dst, src) = (case.dst.cast::<T>(), case.src.cast::<T>());
    let dst_len = permutation.dst_outer.iter().product();
    let src_len = permutation.src_outer.iter().product();
    if dst_len > case.dst_len || src_len > case.src_len {
        return None;
    }
    // SAFETY: the case says how long its memory is.
    let dst = unsafe { slice::from_raw_parts_mut(dst, dst_len) };
    // SAFETY: as above.
    let src = unsafe { slice::from_raw_parts(src, src_len) };
    call(&permutation, src, dst, threads).ok()?;
    Some(timed(move || {
        let done = call(&permutation, black_box(src), black_box(&mut *dst), threads);
        debug_assert!(done.is_ok());
    }))
}
