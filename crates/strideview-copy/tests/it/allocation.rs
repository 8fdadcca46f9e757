//! What is allocated: nothing up to rank 8, and a temporary no larger than what is read.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use strideview_copy::{CopyPlan, host};

/// Counts the allocations of each thread, and their bytes.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

// SAFETY: every call goes to the system allocator unchanged; counting allocates nothing, since
// the thread local is constant and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (count, bytes) = ALLOCATIONS.get();
        ALLOCATIONS.set((count + 1, bytes + layout.size()));
        // SAFETY: the caller promises the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller promises the same.
        unsafe { System.dealloc(address, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations, and their bytes. What the first copy of a process finds out about the
/// machine is not counted.
fn allocations(of: impl FnOnce()) -> (usize, usize) {
    host::Machine::this();
    let before = ALLOCATIONS.get();
    of();
    let after = ALLOCATIONS.get();
    (after.0 - before.0, after.1 - before.1)
}

#[test]
fn rank_8_stays_off_the_heap() {
    let shape = [2; 8];
    let dst = [128, 64, 32, 16, 8, 4, 2, 1];
    let src = [1, -2, 4, 8, -16, 32, 64, 128];
    let memory = [5_u8; 256];
    let mut target = [0_u8; 256];
    let count = allocations(|| {
        let plan = CopyPlan::new(&shape, &dst, &src, 1).unwrap();
        // The two negative axes start at their other end, 2 + 16 further on.
        let start = memory.as_ptr().wrapping_add(18);
        // SAFETY: (1) both sides visit each of 256 bytes once; (2, 3) they are local arrays.
        unsafe { host::copy(&plan, target.as_mut_ptr(), start) };
    });
    assert_eq!(count, (0, 0));
    assert_eq!(target, memory);
}

#[test]
fn a_temporary_holds_what_is_read_once() {
    let plan = CopyPlan::new(&[100, 4], &[4, 1], &[0, -1], 1).unwrap();
    let mut memory = [0_u8; 400];
    memory[200..204].copy_from_slice(b"abcd");
    let start = memory.as_mut_ptr();
    let count = allocations(|| {
        // SAFETY: (1) 400 bytes are written, four of them read; (2) it is a local array.
        unsafe { host::copy_overlapping(&plan, start, start.wrapping_add(203)) }.unwrap();
    });
    assert_eq!(count, (1, 4));
    assert_eq!(memory, *b"dcba".repeat(100));
}

#[test]
fn a_layout_is_moved_without_a_temporary() {
    // Rows of 3 bytes, 8 apart, one byte further on.
    let plan = CopyPlan::new(&[10, 3], &[8, 1], &[8, 1], 1).unwrap();
    let mut memory: Vec<u8> = (0..81).collect();
    let start = memory.as_mut_ptr();
    let count = allocations(|| {
        // SAFETY: (1) bytes 1 to 75 are written, 0 to 74 read; (2) it is a local vector.
        unsafe { host::copy_overlapping(&plan, start.wrapping_add(1), start) }.unwrap();
    });
    assert_eq!(count, (0, 0));
    assert_eq!(memory[..9], [0, 0, 1, 2, 4, 5, 6, 7, 8]);
}
