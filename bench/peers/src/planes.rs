//! The crates that transpose matrices: transpose and fast_transpose, one matrix after another.

use std::hint::black_box;
use std::slice;

use fast_transpose::{
    FlipMode, FlopMode, transpose_plane, transpose_plane_f32, transpose_plane16,
    transpose_rgba_f32, transpose_rgba16,
};

use crate::case::Case;
use crate::timed::{Timed, timed};

/// How far a matrix with a pitch may reach past its last element; Python keeps so much memory.
const SLACK: usize = 1 << 16;

/// Matrices to transpose, all alike: lengths in items.
struct Planes {
    width: usize,
    height: usize,
    pitch: usize,
    dst_pitch: usize,
    dst: *mut u8,
    src: *const u8,
    /// Where each matrix begins, in bytes: destination, source.
    offsets: Vec<(usize, usize)>,
}

impl Planes {
    /// None if the case is something else once its axes are fused.
    fn new(case: &Case) -> Option<Planes> {
        let axes = fused(case);
        let (outer, inner) = axes.split_at(axes.len().checked_sub(2)?);
        let [rows, columns] = inner else { return None };
        let positive = axes.iter().all(|axis| axis.dst > 0 && axis.src > 0);
        if !positive || rows.src != 1 || columns.dst != 1 {
            return None;
        }
        if columns.src < rows.extent || rows.dst < columns.extent {
            return None;
        }
        let mut offsets = vec![(0, 0)];
        for axis in outer {
            let steps = (0..axis.extent).map(|i| (i * axis.dst, i * axis.src));
            let steps: Vec<_> = steps.collect();
            let all = offsets
                .iter()
                .flat_map(|from| steps.iter().map(|by| (from.0 + by.0, from.1 + by.1)));
            offsets = all.collect();
        }
        let bytes = |items: i64| items as usize * case.itemsize;
        Some(Planes {
            width: rows.extent as usize,
            height: columns.extent as usize,
            pitch: columns.src as usize,
            dst_pitch: rows.dst as usize,
            dst: case.dst,
            src: case.src,
            offsets: offsets.into_iter().map(|(dst, src)| (bytes(dst), bytes(src))).collect(),
        })
    }

    /// Calls `transpose` for each matrix, as slices of `parts` numbers an item.
    fn timed<T: 'static>(self, parts: usize, transpose: fn(&Planes, &[T], &mut [T])) -> Timed {
        timed(move || {
            let planes = black_box(&self);
            for (dst, src) in &planes.offsets {
                let (dst, src) = (planes.dst.wrapping_add(*dst), planes.src.wrapping_add(*src));
                // SAFETY: the case lies in its memory, which has some slack.
                let src = unsafe {
                    slice::from_raw_parts(src.cast(), planes.pitch * planes.height * parts)
                };
                // SAFETY: as above.
                let dst = unsafe {
                    slice::from_raw_parts_mut(dst.cast(), planes.dst_pitch * planes.width * parts)
                };
                transpose(planes, src, dst);
            }
        })
    }
}

pub(crate) fn open_transpose(case: &Case, _threads: usize) -> Option<Timed> {
    fn transposed<T: Copy>(planes: &Planes, src: &[T], dst: &mut [T]) {
        transpose::transpose(src, dst, planes.width, planes.height);
    }
    let planes = Planes::new(case)?;
    if planes.pitch != planes.width || planes.dst_pitch != planes.height {
        return None;
    }
    match case.itemsize {
        1 => Some(planes.timed::<u8>(1, transposed)),
        2 => Some(planes.timed::<u16>(1, transposed)),
        4 => Some(planes.timed::<f32>(1, transposed)),
        8 => Some(planes.timed::<f64>(1, transposed)),
        16 => Some(planes.timed::<[f64; 2]>(1, transposed)),
        _ => None,
    }
}

/// A function of fast_transpose, with the pitches in numbers.
macro_rules! fast {
    ($function:ident, $parts:literal) => {
        |planes, src, dst| {
            let (pitch, dst_pitch) = (planes.pitch * $parts, planes.dst_pitch * $parts);
            let (width, height) = (planes.width, planes.height);
            // Without the flop it is a rotation.
            let (flip, flop) = (FlipMode::NoFlip, FlopMode::Flop);
            let done = $function(src, pitch, dst, dst_pitch, width, height, flip, flop);
            debug_assert!(done.is_ok());
        }
    };
}

pub(crate) fn open_fast(case: &Case, _threads: usize) -> Option<Timed> {
    let planes = Planes::new(case)?;
    let too_far = planes.pitch.saturating_sub(planes.width).max(planes.dst_pitch - planes.height);
    if too_far * case.itemsize > SLACK || planes.dst_pitch != planes.height {
        return None;
    }
    match case.itemsize {
        1 => Some(planes.timed::<u8>(1, fast!(transpose_plane, 1))),
        2 => Some(planes.timed::<u16>(1, fast!(transpose_plane16, 1))),
        4 => Some(planes.timed::<f32>(1, fast!(transpose_plane_f32, 1))),
        8 => Some(planes.timed::<u16>(4, fast!(transpose_rgba16, 4))),
        16 => Some(planes.timed::<f32>(4, fast!(transpose_rgba_f32, 4))),
        _ => None,
    }
}

struct Fused {
    extent: i64,
    dst: i64,
    src: i64,
}

/// The axes, with neighbours that both sides walk as one made one.
fn fused(case: &Case) -> Vec<Fused> {
    let mut axes: Vec<Fused> = Vec::new();
    for ((&extent, &dst), &src) in case.shape.iter().zip(&case.dst_strides).zip(&case.src_strides) {
        match axes.last_mut() {
            Some(last) if last.dst == dst * extent && last.src == src * extent => {
                *last = Fused { extent: last.extent * extent, dst, src };
            }
            _ => axes.push(Fused { extent, dst, src }),
        }
    }
    axes
}
