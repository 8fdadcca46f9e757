//! What host plans, their blocks and their parts say, written out byte by byte.
#![forbid(unsafe_code)]

use proptest::prelude::*;

use super::block::Block;
use super::blocks::Blocks;
use super::divide::OUT_BYTES;
use super::host_plan::HostPlan;
use super::kernel::HostKernel;
use super::machine::{Isa, Machine};
use super::split::Cut;
use super::{length, table, tile};
use crate::plan::{CopyPlan, PlanAxis};

/// (destination byte, source byte), as offsets from element `[0, …, 0]`.
type Pairs = Vec<(i64, i64)>;

/// The offsets of every index of some axes, the last axis fastest.
fn steps<'a>(axes: impl IntoIterator<Item = &'a PlanAxis>) -> Pairs {
    let mut all = vec![(0, 0)];
    for axis in axes {
        let along = |index: i64| (index * axis.dst_stride, index * axis.src_stride);
        all = all
            .iter()
            .flat_map(|(dst, src)| {
                (0..axis.extent).map(along).map(move |(to, from)| (dst + to, src + from))
            })
            .collect();
    }
    all
}

/// The bytes of runs that begin at these offsets, sorted.
fn bytes(runs: &Pairs, (dst, src): (i64, i64), run_bytes: i64) -> Pairs {
    let bytes = |(to, from): &(i64, i64)| {
        let (to, from) = (dst + to, src + from);
        (0..run_bytes).map(move |byte| (to + byte, from + byte))
    };
    let mut all: Pairs = runs.iter().flat_map(bytes).collect();
    all.sort_unstable();
    all
}

fn said_by_plan(plan: &CopyPlan) -> Pairs {
    bytes(&steps(plan.axes()), (plan.dst_offset(), plan.src_offset()), plan.run_bytes())
}

/// The axes that `q` stands for: itself, but with a table.
fn along_q(host: &HostPlan) -> Vec<PlanAxis> {
    if host.kernel == HostKernel::Table { host.table().to_vec() } else { vec![host.q] }
}

fn said_by_host(host: &HostPlan) -> Pairs {
    let q = along_q(host);
    let runs = steps(host.others().iter().chain([&host.p]).chain(&q));
    bytes(&runs, (host.dst_offset, host.src_offset), host.run_bytes)
}

/// The bytes of the items of all blocks.
fn said_by_blocks(host: &HostPlan) -> Pairs {
    // Addresses that nothing reads: far from the ends, and no multiple of a cache line.
    let (dst_at, src_at) = (0x10_0000_0013_usize, 0x20_0000_0000_usize);
    let dst = std::ptr::without_provenance_mut(dst_at);
    let mut blocks = Blocks::new(host, dst, std::ptr::without_provenance(src_at));
    let mut runs = vec![];
    while let Some(block) = blocks.next() {
        check_block(host, &block);
        let base =
            (block.dst.addr() as i64 - dst_at as i64, block.src.addr() as i64 - src_at as i64);
        let p = PlanAxis {
            extent: block.p as i64,
            dst_stride: block.dst_pitch as i64,
            src_stride: block.src_step as i64,
        };
        let q = PlanAxis {
            extent: block.q as i64,
            dst_stride: block.dst_step as i64,
            src_stride: block.src_pitch as i64,
        };
        let along_q = if host.kernel == HostKernel::Table { along_q(host) } else { vec![q] };
        let items = steps([&p].into_iter().chain(&along_q));
        runs.extend(items.iter().map(|(to, from)| (base.0 + to, base.1 + from)));
    }
    bytes(&runs, (host.dst_offset, host.src_offset), host.run_bytes)
}

/// What kernels and the room for blocks ask of a block.
fn check_block(host: &HostPlan, block: &Block) {
    let smallest = match host.kernel {
        HostKernel::Tiles => tile::smallest(block.item_bytes),
        _ => 1,
    };
    assert!(block.p >= smallest && block.q >= smallest, "{host}: {} x {}", block.p, block.q);
    if matches!(host.kernel, HostKernel::Table | HostKernel::Interleave) {
        assert_eq!(block.q, length(host.q.extent), "{host}: a line is whole");
    }
    let is_direct = host.kernel == HostKernel::Runs
        && (host.q.dst_stride != host.run_bytes || host.run_bytes >= 512);
    let is_put_together = host.is_streamed && host.kernel != HostKernel::Contiguous && !is_direct;
    let block_bytes = block.p * block.q * block.item_bytes;
    assert!(!is_put_together || block_bytes <= OUT_BYTES, "{host}: {block_bytes} bytes");
}

/// What each kernel needs, as the table of `choose` has it.
fn check_needs(host: &HostPlan) {
    let HostPlan { run_bytes: w, p, q, .. } = host;
    let small = |most: i64| w.count_ones() == 1 && *w <= most;
    let lane = 16 / w;
    let holds = match host.kernel {
        HostKernel::Nothing => *w == 0,
        HostKernel::Contiguous => *w == host.run_bytes && host.others().is_empty(),
        HostKernel::Runs => *w >= 32,
        HostKernel::Tiles => {
            small(16)
                && (q.dst_stride, p.src_stride) == (*w, *w)
                && q.extent >= lane
                && p.extent >= lane
        }
        HostKernel::Interleave => {
            small(8)
                && (q.dst_stride, p.src_stride) == (*w, *w)
                && (2..=4).contains(&q.extent)
                && p.dst_stride == q.extent * w
        }
        HostKernel::Deinterleave => {
            let apart = q.src_stride / w;
            let is_fit = p.src_stride != *w || p.extent <= apart;
            small(8)
                && q.dst_stride == *w
                && q.src_stride % w == 0
                && (2..=4).contains(&apart)
                && is_fit
        }
        HostKernel::Fill => small(16) && (q.dst_stride, q.src_stride) == (*w, 0),
        HostKernel::Reverse => small(16) && (q.dst_stride, q.src_stride) == (*w, -*w),
        HostKernel::Table => {
            let line = steps(host.table());
            let is_dense = line.iter().zip(0..).all(|((dst, _), item)| *dst == item * w);
            is_dense && line.len() as i64 == q.extent && line.len() <= table::LENGTH
        }
        HostKernel::Items => (1..32).contains(w),
    };
    assert!(holds, "{host}\n{host:?}");
    let has_blocks = host.p_block >= 1 && host.q_block >= 1;
    let fit = host.p_block <= p.extent && host.q_block <= q.extent;
    assert!(host.kernel == HostKernel::Nothing || has_blocks && fit, "{host:?}");
}

/// Laws: the host plan says each pair of bytes of the plan once, so do its parts together; and so do
/// the blocks of each, but for those of tiles, which may say some again.
fn check_laws(plan: &CopyPlan, machine: &Machine) {
    let host = HostPlan::new(plan, machine);
    check_needs(&host);
    let expected = said_by_plan(plan);
    assert!(said_by_host(&host) == expected, "{plan}\n{host:?}");
    check_blocks(&host);
    if host.kernel == HostKernel::Nothing {
        return;
    }
    for wanted in [2, 3, 7, 12, 64] {
        let cut = Cut::of(&host, wanted);
        let parts = cut.parts(wanted);
        assert!((1..=wanted).contains(&parts), "{parts}");
        let mut together = vec![];
        for index in 0..parts {
            let part = cut.part(&host, index, parts);
            check_needs(&part);
            check_blocks(&part);
            together.extend(said_by_host(&part));
        }
        together.sort_unstable();
        assert!(together == expected, "{parts} parts\n{plan}\n{host:?}");
    }
}

fn check_blocks(host: &HostPlan) {
    if host.kernel == HostKernel::Nothing {
        return;
    }
    let (mut blocks, said) = (said_by_blocks(host), said_by_host(host));
    if host.kernel == HostKernel::Tiles {
        blocks.dedup();
    }
    assert!(blocks == said, "{host:?}");
}

/// Everything is streamed, or nothing; what a machine never has, too.
fn machines() -> impl Iterator<Item = Machine> {
    let kinds = [(0, 1), (0, 3), (i64::MAX, 1), (i64::MAX, 0), (i64::MIN, usize::MAX)];
    Isa::available().iter().flat_map(move |isa| {
        kinds.map(|(cache_bytes, threads)| Machine {
            isa: *isa,
            cache_bytes,
            threads,
            thread_bytes: 0,
        })
    })
}

/// Strides that lie together, slowest axis first in `order`, with `gap` bytes between lines.
fn dense(shape: &[i64], order: &[usize], itemsize: i64, gap: i64) -> Vec<i64> {
    let mut strides = vec![0; shape.len()];
    let mut step = itemsize;
    for axis in order.iter().rev() {
        strides[*axis] = step;
        step = step * shape[*axis] + gap;
    }
    strides
}

/// Shapes of some ten thousand bytes at most.
fn shape() -> impl Strategy<Value = (Vec<i64>, i64)> {
    let itemsize = prop_oneof![
        3 => prop::sample::select(vec![1_i64, 2, 4, 8, 16]),
        1 => prop::sample::select(vec![3_i64, 5, 6, 12, 24, 31, 32, 40, 64]),
    ];
    let extent = prop_oneof![3 => 1..6_i64, 2 => 14..20_i64, 1 => 60..90_i64, 1 => 200..400_i64];
    (prop::collection::vec(extent, 0..6), itemsize).prop_map(|(mut shape, itemsize)| {
        let mut bytes = itemsize;
        for extent in &mut shape {
            *extent = (*extent).min(40_000 / bytes).max(1);
            bytes *= *extent;
        }
        (shape, itemsize)
    })
}

fn plan() -> impl Strategy<Value = CopyPlan> {
    let signs = || prop::collection::vec(prop_oneof![4 => Just(1_i64), 1 => Just(-1)], 6);
    let zeros = prop::collection::vec(prop::bool::weighted(0.1), 6);
    (shape(), signs(), signs(), zeros, 0..4_i64, 0..4_i64).prop_flat_map(
        |((shape, itemsize), dst_signs, src_signs, zeros, dst_gap, src_gap)| {
            let order: Vec<usize> = (0..shape.len()).collect();
            let order = || Just(order.clone()).prop_shuffle();
            (order(), order()).prop_map(move |(dst, src)| {
                let turn = |strides: Vec<i64>, signs: &[i64]| -> Vec<i64> {
                    strides.iter().zip(signs).map(|(stride, sign)| stride * sign).collect()
                };
                let dst = turn(dense(&shape, &dst, itemsize, dst_gap / 3 * itemsize), &dst_signs);
                let gap = [0, 0, itemsize, 4096][src_gap as usize];
                let mut src = turn(dense(&shape, &src, itemsize, gap), &src_signs);
                for (stride, is_zero) in src.iter_mut().zip(&zeros) {
                    *stride = if *is_zero { 0 } else { *stride };
                }
                CopyPlan::new(&shape, &dst, &src, itemsize).expect("a copy that fits in memory")
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn host_plans_blocks_and_parts_say_what_the_plan_says(plan in plan()) {
        for machine in machines() {
            check_laws(&plan, &machine);
        }
    }

    /// Any numbers at all: a host plan and its parts, never a panic.
    #[test]
    fn any_plan_has_a_host_plan(
        axes in prop::collection::vec((any_number(), any_number(), any_number()), 1..6),
        itemsize in any_number(),
    ) {
        let of = |side: fn(&(i64, i64, i64)) -> i64| axes.iter().map(side).collect::<Vec<i64>>();
        let (shape, dst, src) = (of(|axis| axis.0), of(|axis| axis.1), of(|axis| axis.2));
        let Ok(plan) = CopyPlan::new(&shape, &dst, &src, itemsize) else { return Ok(()) };
        for machine in machines() {
            let host = HostPlan::new(&plan, &machine);
            prop_assert!(host.threads <= 256, "{host}");
            for wanted in [1, 12, host.threads * 4] {
                let cut = Cut::of(&host, wanted);
                let parts = cut.parts(wanted);
                cut.part(&host, parts - 1, parts);
            }
        }
    }
}

/// A plan that moves nothing can be cut like any other, into one part.
#[test]
fn an_empty_plan_is_one_part() {
    let plan = CopyPlan::new(&[0], &[1], &[1], 1).expect("a copy of nothing");
    let host = HostPlan::new(&plan, &Machine::this());
    let cut = Cut::of(&host, 12);
    assert_eq!((cut.parts(12), cut.part(&host, 0, 1)), (1, host));
}

fn any_number() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => 1..9_i64,
        1 => any::<i64>(),
        2 => (0..63_u32, -1..2_i64).prop_map(|(bits, by)| (1_i64 << bits) + by),
        1 => (0..63_u32).prop_map(|bits| -(1_i64 << bits)),
    ]
}

/// A line of a table is never cut: 240 items of 24 bytes are more than other kernels stream at once.
#[test]
fn long_lines_of_tables_are_whole() {
    let shape = [6, 16, 15];
    let (dst, src) = (dense(&shape, &[0, 1, 2], 24, 0), dense(&shape, &[2, 1, 0], 24, 0));
    let plan = CopyPlan::new(&shape, &dst, &src, 24).expect("a copy that fits in memory");
    let streamed = Machine { cache_bytes: 0, threads: 1, ..Machine::this() };
    assert_eq!(HostPlan::new(&plan, &streamed).kernel(), HostKernel::Table);
    check_laws(&plan, &streamed);
}
