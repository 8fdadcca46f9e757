//! The table of copies, checked and timed beside the driver's own copy in the same run.

use strideview_copy::CopyPlan;
use strideview_cuda::{DevicePlan, Event, Stream, enqueue};

use crate::{gpu, note};

pub(crate) struct Timed {
    name: &'static str,
    item: i64,
    shape: Vec<i64>,
    dst: Vec<i64>,
    src: Vec<i64>,
    read: i64,
}

fn c_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (0..shape.len().saturating_sub(1)).rev() {
        strides[axis] = strides[axis + 1] * shape[axis + 1];
    }
    strides
}

fn permuted(name: &'static str, item: i64, source: &[i64], order: &[usize]) -> Timed {
    let strides = c_strides(source);
    let shape: Vec<i64> = order.iter().map(|axis| source[*axis]).collect();
    Timed {
        name,
        item,
        dst: c_strides(&shape),
        src: order.iter().map(|axis| strides[*axis]).collect(),
        read: shape.iter().product(),
        shape,
    }
}

fn strided(name: &'static str, item: i64, shape: &[i64], src: &[i64], read: i64) -> Timed {
    Timed { name, item, shape: shape.to_vec(), dst: c_strides(shape), src: src.to_vec(), read }
}

fn table() -> Vec<Timed> {
    vec![
        strided("contiguous f32", 4, &[1 << 27], &[1], 1 << 27),
        permuted("transpose f32 11584", 4, &[11584, 11584], &[1, 0]),
        permuted("transpose u8 23168", 1, &[23168, 23168], &[1, 0]),
        permuted("transpose u8 23169", 1, &[23169, 23169], &[1, 0]),
        permuted("transpose f16 16384", 2, &[16384, 16384], &[1, 0]),
        permuted("transpose f64 8192", 8, &[8192, 8192], &[1, 0]),
        permuted("transpose c128 5792", 16, &[5792, 5792], &[1, 0]),
        permuted("(64M,2) f32", 4, &[1 << 26, 2], &[1, 0]),
        permuted("NHWC-NCHW u8", 1, &[1024, 416 * 416, 3], &[0, 2, 1]),
        permuted("NCHW-NHWC u8", 1, &[1024, 3, 416 * 416], &[0, 2, 1]),
        permuted("NHWC-NCHW f16", 2, &[64, 112 * 112, 256], &[0, 2, 1]),
        permuted("BSHD-BHSD f16", 2, &[16, 4096, 32, 128], &[0, 2, 1, 3]),
        permuted("(2,1,0) f32 512", 4, &[512, 512, 512], &[2, 1, 0]),
        permuted("(0,2,1) f32 512", 4, &[512, 512, 512], &[0, 2, 1]),
        permuted("(1,0,2) f32 512", 4, &[512, 512, 512], &[1, 0, 2]),
        permuted("(1,2,0) f32 509x511x513", 4, &[509, 511, 513], &[1, 2, 0]),
        permuted("5-D reversed f32", 4, &[32, 40, 48, 56, 40], &[4, 3, 2, 1, 0]),
        permuted("6-D f32", 4, &[24, 24, 24, 24, 24, 16], &[3, 0, 5, 1, 4, 2]),
        permuted("10-D f32", 4, &[8, 6, 8, 6, 8, 6, 8, 6, 8, 6], &[9, 0, 8, 1, 7, 2, 6, 3, 5, 4]),
        strided("step 2 f32", 4, &[8192, 8192], &[16384, 2], 8192 * 8192),
        strided("padded rows f32", 4, &[8192, 16383], &[16384, 1], 8192 * 16383),
        strided("broadcast row f32", 4, &[11584, 11584], &[0, 1], 11584),
        strided("broadcast column f32", 4, &[11584, 11584], &[1, 0], 11584),
        strided("reversed last f32", 4, &[11584, 11584], &[11584, -1], 11584 * 11584),
        strided("step 2 u8", 1, &[16384, 8192], &[16384, 2], 16384 * 8192),
        permuted("odd NHWC-NCHW u8", 1, &[1024, 415 * 415, 3], &[0, 2, 1]),
        permuted("odd NCHW-NHWC u8", 1, &[1024, 3, 415 * 415], &[0, 2, 1]),
        permuted("transpose f16 16383", 2, &[16383, 16383], &[1, 0]),
        permuted("transpose f64 8191", 8, &[8191, 8191], &[1, 0]),
        strided("padded rows u8", 1, &[8192, 65533], &[65536, 1], 8192 * 65533),
        permuted("5 channels u8", 1, &[512, 1 << 16, 5], &[0, 2, 1]),
        permuted("16 channels f32", 4, &[64, 1 << 16, 16], &[0, 2, 1]),
    ]
}

fn milliseconds(stream: &Stream, events: &(Event, Event), repeats: usize, work: &dyn Fn()) -> f32 {
    let mut times: Vec<f32> = (0..repeats)
        .map(|_| {
            stream.record_into(&events.0).unwrap();
            work();
            stream.record_into(&events.1).unwrap();
            events.1.synchronize().unwrap();
            events.1.milliseconds_since(&events.0).unwrap()
        })
        .collect();
    times.sort_by(f32::total_cmp);
    times[repeats / 2]
}

#[test]
#[ignore = "a measurement"]
fn table_of_copies() {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let stream = device.create_stream().unwrap();
            let events = (Event::with_timing(device).unwrap(), Event::with_timing(device).unwrap());
            let size = 1100 << 20;
            let (dst, src) = (raw.allocate(size).unwrap(), raw.allocate(size).unwrap());
            let mut state = 1_u64;
            let bytes: Vec<u8> = (0..size / 8)
                .flat_map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state.to_le_bytes()
                })
                .collect();
            raw.copy(src, bytes.as_ptr().addr(), size, 0).unwrap();
            raw.synchronize_stream(0).unwrap();
            let mut result = vec![0_u8; size];
            let mut csv = String::from("case,kernel,memcpy_gb_per_s,gb_per_s,fraction\n");
            for timed in table() {
                let scale = |strides: &[i64]| -> Vec<i64> {
                    strides.iter().map(|stride| stride * timed.item).collect()
                };
                let plan =
                    CopyPlan::new(&timed.shape, &scale(&timed.dst), &scale(&timed.src), timed.item)
                        .unwrap();
                let written: i64 = timed.shape.iter().product();
                let bytes_moved = (written + timed.read) * timed.item;
                let low: i64 =
                    timed.shape.iter().zip(&timed.src).map(|(e, s)| ((e - 1) * s).min(0)).sum();
                let from = (src as u64).wrapping_add_signed(-low * timed.item);
                let payload = (written * timed.item) as usize;
                let memcpy = || raw.copy(dst, src, payload, stream.handle()).unwrap();
                milliseconds(&stream, &events, 3, &memcpy);
                let ours = DevicePlan::new(&plan, dst as u64, from);
                // SAFETY: the memory is that of the test, and larger than every case.
                let go = || unsafe { enqueue(&ours, dst as u64, from, &stream) }.unwrap();
                raw.fill(dst, 0xa5, payload, stream.handle()).unwrap();
                go();
                stream.synchronize().unwrap();
                raw.copy(result.as_mut_ptr().addr(), dst, payload, 0).unwrap();
                raw.synchronize_stream(0).unwrap();
                for place in 0..20_000 {
                    let at = (place * 7_368_787 + place) % written;
                    let (mut rest, mut offset) = (at, 0);
                    for axis in (0..timed.shape.len()).rev() {
                        offset += rest % timed.shape[axis] * timed.src[axis];
                        rest /= timed.shape[axis];
                    }
                    let item = timed.item as usize;
                    let (to, from) = (at as usize * item, (offset - low) as usize * item);
                    assert!(
                        result[to..to + item] == bytes[from..from + item],
                        "{}: {at}",
                        timed.name
                    );
                }
                milliseconds(&stream, &events, 10, &go);
                let (mut own, mut base) = (vec![], vec![]);
                for _ in 0..11 {
                    own.push(milliseconds(&stream, &events, 5, &go));
                    base.push(milliseconds(&stream, &events, 5, &memcpy));
                }
                own.sort_by(f32::total_cmp);
                base.sort_by(f32::total_cmp);
                let gbs = bytes_moved as f32 / own[5] / 1e6;
                let memcpy_gbs = 2.0 * payload as f32 / base[5] / 1e6;
                let (name, kernel) = (timed.name, ours.kernel_name());
                let fraction = gbs / memcpy_gbs;
                csv += &format!("\"{name}\",{kernel},{memcpy_gbs:.0},{gbs:.0},{fraction:.3}\n");
                note(&format!("{name:24} {kernel:12} {memcpy_gbs:5.0} {gbs:5.0} {fraction:5.3}"));
            }
            if let Some(folder) = std::env::var_os("STRIDEVIEW_RECORD") {
                std::fs::write(std::path::Path::new(&folder).join("device-copies.csv"), csv)
                    .unwrap();
            }
            // The host's time for a small copy.
            let plan = || CopyPlan::new(&[64, 64], &[256, 4], &[4, 256], 4).unwrap();
            let once = || {
                let plan = DevicePlan::new(&plan(), dst as u64, src as u64);
                // SAFETY: as above.
                unsafe { enqueue(&plan, dst as u64, src as u64, &stream) }.unwrap();
            };
            for _ in 0..3 {
                let start = std::time::Instant::now();
                for _ in 0..500 {
                    once();
                }
                let each = start.elapsed() / 500;
                stream.synchronize().unwrap();
                note(&format!("host time of a small copy: {each:?}"));
            }
            let start = std::time::Instant::now();
            for _ in 0..1000 {
                std::hint::black_box(DevicePlan::new(&plan(), dst as u64, src as u64));
            }
            note(&format!("planning: {:?}", start.elapsed() / 1000));
            for address in [dst, src] {
                raw.free(address).unwrap();
            }
        })
        .unwrap();
}
