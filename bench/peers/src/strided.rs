//! strided-perm, and strided-kernel with and without a kept plan.

use std::hint::black_box;
use std::slice;
use std::sync::OnceLock;

use strided_kernel::{CopyPlan, RawStridedMut, RawStridedRef};
use strided_view::{StridedView, StridedViewMut};
use threadteam::{Exec, Pool};

use crate::case::Case;
use crate::timed::{Timed, timed};

/// Calls a function generic over the item, if the case has an item of that size.
macro_rules! by_item {
    ($function:ident, $case:expr, $threads:expr) => {
        match $case.itemsize {
            1 => $function::<u8>($case, $threads),
            2 => $function::<u16>($case, $threads),
            4 => $function::<f32>($case, $threads),
            8 => $function::<f64>($case, $threads),
            16 => $function::<[f64; 2]>($case, $threads),
            _ => None,
        }
    };
}

pub(crate) fn open_perm(case: &Case, threads: usize) -> Option<Timed> {
    by_item!(perm, case, threads)
}

pub(crate) fn open_kernel(case: &Case, threads: usize) -> Option<Timed> {
    by_item!(kernel, case, threads)
}

pub(crate) fn open_plan(case: &Case, threads: usize) -> Option<Timed> {
    by_item!(plan, case, threads)
}

/// A case in the terms of these crates: slices, and offsets of the first elements into them.
struct Sides<T: 'static> {
    shape: Vec<usize>,
    dst_strides: Vec<isize>,
    src_strides: Vec<isize>,
    dst: &'static mut [T],
    src: &'static [T],
    dst_offset: isize,
    src_offset: isize,
}

impl<T> Sides<T> {
    fn new(case: &Case) -> Sides<T> {
        let (dst, src): (*mut T, *const T) = (case.dst_base.cast(), case.src_base.cast());
        let distance = |from: usize, to: usize| ((to - from) / case.itemsize) as isize;
        Sides {
            shape: case.shape.iter().map(|&extent| extent as usize).collect(),
            dst_strides: case.dst_strides.iter().map(|&stride| stride as isize).collect(),
            src_strides: case.src_strides.iter().map(|&stride| stride as isize).collect(),
            // SAFETY: the case says how long its memory is.
            dst: unsafe { slice::from_raw_parts_mut(dst, case.dst_len) },
            // SAFETY: as above.
            src: unsafe { slice::from_raw_parts(src, case.src_len) },
            dst_offset: distance(case.dst_base.addr(), case.dst.addr()),
            src_offset: distance(case.src_base.addr(), case.src.addr()),
        }
    }

    fn views(self) -> Option<(StridedViewMut<'static, T>, StridedView<'static, T>)> {
        let dst = StridedViewMut::new(self.dst, &self.shape, &self.dst_strides, self.dst_offset);
        let src = StridedView::new(self.src, &self.shape, &self.src_strides, self.src_offset);
        Some((dst.ok()?, src.ok()?))
    }
}

fn perm<T: Copy + Send + Sync + 'static>(case: &Case, threads: usize) -> Option<Timed> {
    let (mut dst, src) = Sides::<T>::new(case).views()?;
    let mut exec = exec(threads)?;
    strided_perm::copy_into(&mut dst, &src, exec.reborrow()).ok()?;
    Some(released(timed(move || {
        let done = strided_perm::copy_into(black_box(&mut dst), black_box(&src), exec.reborrow());
        debug_assert!(done.is_ok());
    })))
}

fn kernel<T: Copy + Send + Sync + 'static>(case: &Case, threads: usize) -> Option<Timed> {
    let (mut dst, src) = Sides::<T>::new(case).views()?;
    let mut exec = exec(threads)?;
    strided_kernel::copy_into(&mut dst, &src, exec.reborrow()).ok()?;
    Some(released(timed(move || {
        let done = strided_kernel::copy_into(black_box(&mut dst), black_box(&src), exec.reborrow());
        debug_assert!(done.is_ok());
    })))
}

fn plan<T: Copy + Send + Sync + 'static>(case: &Case, threads: usize) -> Option<Timed> {
    let sides = Sides::<T>::new(case);
    let plan = CopyPlan::compile(&sides.shape, &sides.dst_strides, &sides.src_strides).ok()?;
    let mut exec = exec(threads)?;
    Some(released(timed(move || {
        let shape = &sides.shape;
        // SAFETY: the case lies in its memory.
        let mut dst = unsafe {
            RawStridedMut::new_unchecked(
                black_box(&mut *sides.dst),
                shape,
                &sides.dst_strides,
                sides.dst_offset,
            )
        };
        // SAFETY: as above.
        let src = unsafe {
            RawStridedRef::new_unchecked(
                black_box(sides.src),
                shape,
                &sides.src_strides,
                sides.src_offset,
            )
        };
        let done = plan.execute(&mut dst, &src, exec.reborrow());
        debug_assert!(done.is_ok());
    })))
}

/// Where these crates may run.
fn exec(threads: usize) -> Option<Exec<'static>> {
    if threads == 1 { Some(Exec::serial()) } else { Exec::new(pool(threads)?, threads).ok() }
}

static POOL: OnceLock<Option<Pool>> = OnceLock::new();

fn pool(threads: usize) -> Option<&'static Pool> {
    POOL.get_or_init(|| Pool::builder().threads(threads).build().ok()).as_ref()
}

/// The loop, after which no thread of the pool waits busily: others need the processors.
fn released(mut inner: Timed) -> Timed {
    Box::new(move |iterations| {
        let ns = inner(iterations);
        if let Some(Some(pool)) = POOL.get() {
            pool.release_idle();
        }
        ns
    })
}
