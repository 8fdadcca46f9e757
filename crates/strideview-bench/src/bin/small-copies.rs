//! Nanoseconds of the host's time for a small copy on a device, in Rust: all of it, and its parts.
//!
//! 64 x 64 floats, transposed. The device is waited for between rounds, outside of what is timed, so
//! that no queue is full. Nothing to say without a driver. The bar is 4 µs for all of a copy, of
//! which the driver's launch takes most.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use strideview::cuda::{DevicePlan, Stream};
use strideview::{
    Buffer, CopyOptions, CopyPlan, DType, Device, Error, StreamToken, StridedLayout,
    StridedMemoryView, copy_with,
};

const ROUNDS: usize = 60;
const CALLS: u32 = 100;
const SIDE: i64 = 64;

/// The median and the least time of a call over rounds, in nanoseconds.
fn line(name: &str, stream: Option<&Stream>, mut call: impl FnMut()) -> Result<(), Error> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        times.push(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
        if let Some(stream) = stream {
            stream.synchronize()?;
        }
    }
    times.sort_by(f64::total_cmp);
    println!("{name:<52}{:>8.0}{:>8.0}", times[ROUNDS / 2], times[0]);
    Ok(())
}

fn square(of: &Buffer) -> Result<StridedMemoryView, Error> {
    let layout = StridedLayout::new(&[SIDE, SIDE], None, 4)?;
    StridedMemoryView::from_buffer(of, &layout, Some(DType::F32), false)
}

fn measure(device: Device) -> Result<(), Error> {
    device.set_current()?;
    let size = (SIDE * SIDE * 4) as usize;
    let (dst, src) = (device.allocate(size)?, device.allocate(size)?);
    let (to, from) = (square(&dst)?, square(&src)?.reversed_axes()?);
    let stream = strideview::cuda::Device::new(device.ordinal())?.create_stream()?;
    let on = |token: StreamToken| CopyOptions { stream: token, ..CopyOptions::default() };
    copy_with(&to, &from, on(stream.token()))?;
    println!("{:<52}{:>8}{:>8}", "64 x 64 floats transposed, ns", "median", "least");
    let plan = || {
        let strides = (&[SIDE * 4, 4], &[4, SIDE * 4]);
        CopyPlan::new(black_box(&[SIDE, SIDE]), black_box(strides.0), black_box(strides.1), 4)
    };
    let made = plan()?;
    line("CopyPlan::new", None, || _ = black_box(plan()))?;
    let addresses = (to.address() as u64, from.address() as u64);
    let device_plan = || DevicePlan::new(black_box(&made), addresses.0, addresses.1);
    line("DevicePlan::new", None, || _ = black_box(device_plan()))?;
    for (name, token) in [("a stream", stream.token()), ("the default stream", StreamToken::NONE)] {
        let copied = || _ = black_box(copy_with(black_box(&to), black_box(&from), on(token)));
        line(&format!("copy_with on {name}"), Some(&stream), copied)?;
        device.synchronize()?;
    }
    let rows = square(&src)?;
    let dense = || _ = black_box(copy_with(black_box(&to), black_box(&rows), on(stream.token())));
    line("copy_with, dense on both sides (a memcpy)", Some(&stream), dense)
}

fn main() {
    match Device::cuda(0).and_then(measure) {
        Ok(()) => {}
        Err(error) => println!("no figures: {error}"),
    }
}
