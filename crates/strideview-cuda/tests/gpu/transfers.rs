//! Copies between host and device, against the naive copy: every byte, guard bytes included.

use strideview_copy::CopyPlan;
use strideview_cuda::{
    Direction, HostMemory, Stream, TransferPlan, enqueue_transfer, is_pinned, staging_bytes,
    transfer,
};
use strideview_testkit::Random;
use strideview_testkit::copy_case::{CopyCase, moves, noise, random_case, span};

use crate::gpu;
use crate::raw::Raw;

const GUARD: i64 = 64;
const ARENA: usize = 24 << 20;

/// Memory of the host and of the device for many cases.
struct Arenas<'a> {
    raw: &'a Raw,
    host: &'a mut [u8],
    device: usize,
}

impl Arenas<'_> {
    fn check(&mut self, case: &CopyCase, moved: (i64, i64), random: &mut Random, stream: &Stream) {
        let to = span(&case.shape, &case.dst_strides, case.itemsize);
        let from = span(&case.shape, &case.src_strides, case.itemsize);
        let (dst_at, src_at) = (GUARD + moved.0 - to.0, GUARD + moved.1 - from.0);
        let sizes = [dst_at + to.1 + GUARD, src_at + from.1 + GUARD]
            .map(|size| usize::try_from(size).unwrap());
        if sizes[0].max(sizes[1]) > ARENA {
            return; // Gaps made it large.
        }
        let plan = CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize)
            .unwrap();
        let (mut expected, content) = (noise(sizes[0], 1), noise(sizes[1], 2));
        for direction in [Direction::ToDevice, Direction::ToHost] {
            let host = self.host.as_mut_ptr().expose_provenance();
            let (dst, src) = match direction {
                Direction::ToDevice => (self.device, host),
                Direction::ToHost => (host, self.device),
            };
            self.write(dst, &expected);
            self.write(src, &content);
            let (to, from) = (
                (dst as u64).wrapping_add_signed(dst_at),
                (src as u64).wrapping_add_signed(src_at),
            );
            let kind = if is_pinned(host, ARENA, stream.device()) {
                HostMemory::Pinned
            } else {
                HostMemory::Pageable
            };
            let plan = match random.below(3) {
                0 => TransferPlan::new(&plan, to, from, direction, kind),
                _ => TransferPlan::in_chunks(
                    &plan,
                    (to, from),
                    direction,
                    kind,
                    random.pick(&[5000, 100_000]),
                ),
            };
            if random.once_in(2) {
                // SAFETY: both arenas have the bytes of the case, and are used by this thread alone.
                unsafe { transfer(&plan, to, from, stream, None) }.unwrap();
            } else {
                // SAFETY: as above, until all is done, below.
                unsafe { enqueue_transfer(&plan, to, from, stream, None, Box::new(())) }.unwrap();
                stream.synchronize().unwrap();
            }
            let before = expected.clone();
            case.copy(&mut expected, dst_at, &content, src_at);
            let mut got = vec![0; sizes[0]];
            self.raw.copy(got.as_mut_ptr().addr(), dst, got.len(), 0).unwrap();
            self.raw.synchronize_stream(0).unwrap();
            assert!(got == expected, "{case:?} {moved:?} {plan}");
            expected = before;
        }
    }

    fn write(&self, address: usize, bytes: &[u8]) {
        self.raw.copy(address, bytes.as_ptr().addr(), bytes.len(), 0).unwrap();
        self.raw.synchronize_stream(0).unwrap();
    }
}

fn check_all(is_registered: bool) {
    let Some((device, raw, _turn)) = gpu() else { return };
    device
        .with_context(|| {
            let stream = device.create_stream().unwrap();
            let mut host = vec![0_u8; ARENA];
            let address = host.as_mut_ptr().expose_provenance();
            if is_registered {
                raw.register(address, ARENA, 0).unwrap();
            }
            assert_eq!(is_pinned(address, ARENA, device), is_registered);
            let mut arenas =
                Arenas { raw: &raw, host: &mut host, device: raw.allocate(ARENA).unwrap() };
            let mut random = Random::new(9);
            for number in 0..400 {
                let most = if number % 10 == 0 { 4 << 20 } else { 100_000 };
                let case = random_case(&mut random, most);
                let moved = moves(&mut random, case.itemsize);
                arenas.check(&case, moved, &mut random, &stream);
            }
            raw.free(arenas.device).unwrap();
            if is_registered {
                raw.unregister(address).unwrap();
            }
        })
        .unwrap();
}

#[test]
fn pageable_memory() {
    check_all(false);
    if gpu().is_some() {
        assert!(staging_bytes() > 0);
    }
}

#[test]
fn registered_memory() {
    check_all(true);
}
