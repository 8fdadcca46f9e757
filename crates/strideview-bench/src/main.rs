//! Nanoseconds of layout operations in Rust, without Python around them.
//!
//! Each is timed over many rounds, and the least round counts: a round is disturbed by other work
//! on the machine, never helped. In-place operations are timed on a copy that is restored first;
//! the time of restoring it is measured alone and taken off.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use strideview::{LayoutError, Slice, StrideOrder, StridedLayout};

const ROUNDS: usize = 200;
const CALLS: u32 = 2_000;

/// The least time of a call, in nanoseconds.
fn least_ns(mut call: impl FnMut()) -> f64 {
    (0..ROUNDS).fold(f64::INFINITY, |least, _| {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        least.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS))
    })
}

fn line(name: &str, ns: f64) {
    println!("{name:<44}{ns:>8.1}");
}

/// Times a change of `layout` in place.
fn in_place(
    name: &str,
    layout: &StridedLayout,
    change: impl Fn(&mut StridedLayout) -> Result<(), LayoutError>,
) -> Result<(), LayoutError> {
    let mut scratch = layout.clone();
    change(&mut scratch)?; // a benchmark of an error would be of no use
    let restore = least_ns(|| {
        scratch = black_box(layout).clone();
        black_box(&mut scratch);
    });
    let both = least_ns(|| {
        scratch = black_box(layout).clone();
        let changed = change(black_box(&mut scratch));
        black_box(&changed);
    });
    line(name, both - restore);
    Ok(())
}

fn main() -> Result<(), LayoutError> {
    let shape = [5, 3, 7, 11];
    let strides = [231, 77, 11, 1];
    let layout = StridedLayout::new(&shape, Some(&strides), 4)?;
    println!("{:<44}{:>8}", "4-D layout (5, 3, 7, 11) x4", "ns");
    let explicit = || StridedLayout::new(black_box(&shape), Some(black_box(&strides)), 4);
    line("construct, explicit strides", least_ns(|| _ = black_box(&explicit())));
    let implicit = || StridedLayout::new(black_box(&shape), None, 4);
    line("construct, implicit strides", least_ns(|| _ = black_box(&implicit())));
    let dense = || StridedLayout::dense(black_box(&shape), 4, StrideOrder::F);
    line("dense, F", least_ns(|| _ = black_box(&dense())));
    line("clone", least_ns(|| _ = black_box(&black_box(&layout).clone())));

    in_place("permute (3, 1, 0, 2)", &layout, |l| l.permute(black_box(&[3, 1, 0, 2])))?;
    let entries = [Slice::range(1, 4, 1), Slice::ALL, Slice::step(2)];
    in_place("slice [1:4, :, ::2]", &layout, |l| l.slice(black_box(&entries)))?;
    in_place("slice [2]", &layout, |l| l.slice(black_box(&[Slice::Index(2)])))?;
    in_place("flatten", &layout, |l| l.flatten(0, -1, None))?;
    in_place("reshape (15, 77)", &layout, |l| l.reshape(black_box(&[15, 77])))?;
    in_place("reshape (3, 5, 77)", &layout, |l| l.reshape(black_box(&[3, 5, 77])))?;
    in_place("repack to 2 bytes", &layout, |l| l.repack(2, 0, -1, true))?;
    in_place("broadcast to 5-D", &layout, |l| {
        l.broadcast_to_in_place(black_box(&[2, 5, 3, 7, 11]))
    })?;

    line("is_contiguous_c", least_ns(|| _ = black_box(black_box(&layout).is_contiguous_c())));
    line("offset_bounds", least_ns(|| _ = black_box(black_box(&layout).offset_bounds())));
    line("is_unique", least_ns(|| _ = black_box(black_box(&layout).is_unique())));
    let interleaved = StridedLayout::new(&[4, 4, 4, 4], Some(&[17, 31, 5, 3]), 4)?;
    line(
        "uniqueness, strides that do not nest",
        least_ns(|| _ = black_box(black_box(&interleaved).uniqueness())),
    );
    Ok(())
}
