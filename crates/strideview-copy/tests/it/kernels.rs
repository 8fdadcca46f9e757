//! Every kernel against the oracle.

use std::collections::HashSet;

use strideview_copy::host::{HostKernel, HostPlan, Isa, Machine};
use strideview_copy::{CopyPlan, Kernel, host};

use crate::cases::{ITEMSIZES, cases, large_cases};
use crate::oracle::Case;
use crate::runner::{Implementation, check, check_each};

/// Machines of every kind that this one can be taken for.
fn machines() -> impl Iterator<Item = Machine> {
    let with = |isa: &Isa| {
        // Everything is streamed, or nothing; alone, or with threads.
        let caches = [(0, 1), (0, 3), (i64::MAX, 1), (i64::MAX, 2)];
        let isa = *isa;
        caches.map(|(cache_bytes, threads)| Machine { isa, cache_bytes, threads, thread_bytes: 0 })
    };
    Isa::available().iter().flat_map(with)
}

#[test]
fn copies_what_the_oracle_copies() {
    for itemsize in ITEMSIZES {
        for case in cases(itemsize) {
            check(&case, &|plan, dst, src| {
                // SAFETY: (1) the runner gives memory for both sides of the case; (2, 3) they are
                // two vectors of its own.
                unsafe { host::copy(plan, dst, src) };
            });
        }
    }
}

/// Checks a case on every kind of machine.
fn check_on_machines(case: &Case, machines: &[Machine]) {
    let copies: Vec<_> = machines
        .iter()
        .map(|machine| {
            move |plan: &CopyPlan, dst: *mut u8, src: *const u8| {
                let plan = HostPlan::new(plan, machine);
                // SAFETY: (1) the runner gives memory for both sides of the case; (2, 3) they are
                // two vectors of its own.
                unsafe { plan.copy(dst, src) };
            }
        })
        .collect();
    let copies: Vec<Implementation<'_>> =
        copies.iter().map(|copy| copy as Implementation<'_>).collect();
    check_each(case, &copies);
}

#[test]
fn every_machine_copies_what_the_oracle_copies() {
    let machines: Vec<Machine> = machines().collect();
    for itemsize in ITEMSIZES {
        for case in cases(itemsize) {
            check_on_machines(&case, &machines);
        }
    }
}

/// Beyond the edges of blocks: large enough for several of them each way, and no multiple of any.
#[test]
fn every_machine_copies_many_blocks() {
    let machines: Vec<Machine> = machines().collect();
    for itemsize in [1, 2, 3, 4, 8, 16, 24, 40] {
        for case in large_cases(itemsize) {
            check_on_machines(&case, &machines);
        }
    }
}

#[test]
fn copies_through_a_temporary_what_the_oracle_copies() {
    for itemsize in [1, 3, 4, 40] {
        for case in cases(itemsize) {
            check(&case, &|plan, dst, src| {
                // SAFETY: as above.
                unsafe { host::copy_overlapping(plan, dst, src) }.expect("a little memory");
            });
        }
    }
}

/// The cases above reach every kernel with every item size that it can have.
#[test]
fn the_cases_reach_every_kernel() {
    let mut reached = HashSet::new();
    for itemsize in ITEMSIZES {
        for case in cases(itemsize) {
            let plan =
                CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, itemsize).unwrap();
            reached.insert((plan.kernel(), plan.run_bytes()));
        }
    }
    for itemsize in ITEMSIZES.into_iter().filter(|itemsize| *itemsize < 32) {
        assert!(reached.contains(&(Kernel::Strided, itemsize)), "{itemsize}");
        assert!(reached.contains(&(Kernel::Transposed, itemsize)), "{itemsize}");
    }
    for kernel in [Kernel::Nothing, Kernel::Contiguous, Kernel::Runs] {
        assert!(reached.iter().any(|(reached, _)| *reached == kernel), "{kernel}");
    }
}

#[test]
fn the_cases_reach_every_host_kernel() {
    let mut reached = HashSet::new();
    for machine in machines() {
        for itemsize in ITEMSIZES {
            for case in cases(itemsize) {
                let plan =
                    CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, itemsize);
                let plan = HostPlan::new(&plan.unwrap(), &machine);
                reached.insert((plan.kernel(), plan.is_streamed(), plan.threads() > 1));
            }
        }
    }
    use HostKernel::*;
    // Only x86-64 has stores past the caches.
    let streamed = if cfg!(target_arch = "x86_64") { [false, true].as_slice() } else { &[false] };
    for kernel in [Runs, Tiles, Interleave, Deinterleave, Fill, Reverse, Table, Contiguous] {
        for &is_streamed in streamed {
            for has_threads in [false, true] {
                let wanted = (kernel, is_streamed, has_threads);
                assert!(reached.contains(&wanted), "{wanted:?}");
            }
        }
    }
    assert!(reached.contains(&(Items, false, false)));
}

#[test]
fn nothing_needs_no_memory() {
    let plan = CopyPlan::new(&[3, 0], &[8, 8], &[8, 8], 8).unwrap();
    let (dst, src) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: the plan says no byte.
    unsafe { host::copy(&plan, dst, src) };
    // SAFETY: as above.
    unsafe { host::copy_overlapping(&plan, dst, src) }.unwrap();
}

/// More than 2^31 items: the counters and offsets have 64 bits. Slow without optimisation.
#[test]
#[ignore = "2 GiB of memory, and minutes without optimisation"]
fn more_items_than_32_bits_count() {
    let len = (1_usize << 31) + 5;
    let mut dst = vec![0_u8; len];
    let src = [7_u8, 9];
    let shape = [i64::try_from(len).unwrap()];
    let plan = CopyPlan::new(&shape, &[1], &[0], 1).unwrap();
    // SAFETY: (1) `len` bytes on the one side, one byte on the other; (2, 3) local variables.
    unsafe { host::copy(&plan, dst.as_mut_ptr(), src.as_ptr()) };
    assert!(dst.iter().all(|byte| *byte == 7));
}
