//! Constructors, transforms and properties of layouts of rank 8 or less allocate nothing.
#![allow(clippy::unwrap_used)] // the functions that tests call are tests as well

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use strideview_layout::{Slice, StrideOrder, StridedLayout};

#[path = "program/operation.rs"]
mod operation;
use operation::{Operation, Order};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting the calls of each thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count_one() {
    // A thread that is ending has no counter left, and nothing to prove.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to `System` with the same arguments, and its answer is returned as it is, so
// the contract holds because `System` keeps it. Counting does not allocate: the counter is a constant
// thread-local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller promises a layout of non-zero size.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller promises a layout of non-zero size.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        // SAFETY: the caller promises a pointer from this allocator, which is one from `System`, its
        // layout, and a non-zero size that does not overflow when rounded up.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a pointer from this allocator, which is one from `System`, and its
        // layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Calls `body` and returns how often it allocated.
fn allocations<T>(body: impl FnOnce() -> T) -> u64 {
    let before = ALLOCATIONS.get();
    black_box(body());
    ALLOCATIONS.get() - before
}

const SHAPE: [i64; 8] = [2, 1, 3, 2, 1, 2, 4, 2];
const STRIDES: [i64; 8] = [384, 7, 64, 32, -9, 16, 2, 1];

/// A layout of each rank from 0 to `most`.
fn layouts(most: usize) -> impl Iterator<Item = StridedLayout> {
    (0..=most).map(|rank| {
        let first = 8 - rank;
        StridedLayout::new(&SHAPE[first..], Some(&STRIDES[first..]), 4).unwrap()
    })
}

/// Both forms of a transform allocate nothing, whether they succeed or fail.
fn check_operation(layout: &StridedLayout, operation: &Operation) {
    let name = operation.name();
    let by_value = allocations(|| operation.by_value(layout));
    assert_eq!(by_value, 0, "{layout}: {name} by value");
    let mut changed = layout.clone();
    let in_place = allocations(|| operation.in_place(&mut changed));
    assert_eq!(in_place, 0, "{layout}: {name} in place");
}

/// As [`check_operation`], for arguments that must succeed.
fn check_success(layout: &StridedLayout, operation: &Operation) {
    let outcome = operation.by_value(layout);
    assert!(outcome.is_ok(), "{layout} {operation:?}: {outcome:?}");
    check_operation(layout, operation);
}

fn axes(rank: usize) -> Vec<i64> {
    (0..i64::try_from(rank).unwrap()).rev().collect()
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| Vec::<u8>::with_capacity(16)), 1);
    assert!(allocations(|| StridedLayout::new(&[1; 9], None, 4)) > 0);
}

#[test]
fn constructors() {
    for rank in 0..=8 {
        let (shape, strides) = (&SHAPE[8 - rank..], &STRIDES[8 - rank..]);
        let bytes: Vec<i64> = strides.iter().map(|stride| stride * 4).collect();
        let order = axes(rank);
        let none = |what: &str, count: u64| assert_eq!(count, 0, "{what} of rank {rank}");
        none("new", allocations(|| StridedLayout::new(shape, Some(strides), 4).unwrap()));
        none("new, implicit", allocations(|| StridedLayout::new(shape, None, 4).unwrap()));
        let offset = || StridedLayout::with_offset(shape, Some(strides), 4, 7).unwrap();
        none("with_offset", allocations(offset));
        let from_bytes = || StridedLayout::from_byte_strides(shape, &bytes, 4, 7).unwrap();
        none("from_byte_strides", allocations(from_bytes));
        for order in [StrideOrder::C, StrideOrder::F, StrideOrder::Axes(&order)] {
            none("dense", allocations(|| StridedLayout::dense(shape, 4, order).unwrap()));
        }
        none("a refusal", allocations(|| StridedLayout::new(shape, Some(strides), 0)));
        let layout = offset();
        none("clone", allocations(|| layout.clone()));
        none("dense_like", allocations(|| StridedLayout::dense_like(&layout, StrideOrder::K)));
    }
}

#[test]
fn transforms_of_axes() {
    for layout in layouts(8) {
        let order = axes(layout.rank());
        check_success(&layout, &Operation::Permute(order.clone()));
        check_success(&layout, &Operation::ReverseAxes);
        check_success(&layout, &Operation::Sub(order.clone()));
        check_success(&layout, &Operation::Coalesce);
        check_success(&layout, &Operation::Squeeze(None));
        check_success(&layout, &Operation::Flatten(0, -1, None));
        check_success(&layout, &Operation::Flatten(0, -1, Some(0b1010)));
        check_success(&layout, &Operation::Unbroadcast);
        for wanted in [Order::C, Order::F, Order::K, Order::Axes(order.clone())] {
            check_success(&layout, &Operation::MakeDense(wanted));
        }
        check_operation(&layout, &Operation::Permute(vec![9; layout.rank()]));
        if layout.rank() > 0 {
            check_success(&layout, &Operation::Transpose(0, -1));
            check_success(&layout, &Operation::MoveAxis(0, -1));
        }
        check_operation(&layout, &Operation::Transpose(0, 99));
        check_operation(&layout, &Operation::MoveAxis(-99, 0));
        check_operation(&layout, &Operation::Squeeze(Some(vec![0])));
    }
}

#[test]
fn transforms_of_extents() {
    for layout in layouts(8) {
        let shape = layout.shape().to_vec();
        check_success(&layout, &Operation::Reshape(shape.clone()));
        check_success(&layout, &Operation::BroadcastTo(shape.clone()));
        check_operation(&layout, &Operation::Reshape(vec![-1]));
        check_operation(&layout, &Operation::Reshape(vec![7, 7]));
        check_operation(&layout, &Operation::BroadcastTo(vec![7; 8]));
        if layout.rank() > 0 {
            let repack =
                |itemsize| Operation::Repack { itemsize, data_ptr: 0, axis: -1, keep_dim: true };
            check_success(&layout, &repack(2));
            check_success(&layout, &repack(8));
            check_operation(&layout, &repack(5));
        }
        if layout.rank() > 1 {
            check_success(&layout, &Operation::Diagonal(0, -1, 0));
        }
        let whole = vec![Slice::Range { start: None, stop: None, step: -1 }; layout.rank()];
        check_success(&layout, &Operation::Slice(whole));
        check_success(&layout, &Operation::Slice(vec![Slice::Ellipsis]));
        check_operation(&layout, &Operation::Slice(vec![Slice::Index(99)]));
    }
}

/// Transforms that add axes, up to rank 8.
#[test]
fn transforms_that_add_axes() {
    for layout in layouts(7) {
        check_success(&layout, &Operation::Unsqueeze(vec![-1]));
        check_success(&layout, &Operation::Slice(vec![Slice::NewAxis]));
        let mut wider = layout.shape().to_vec();
        wider.insert(0, 3);
        check_success(&layout, &Operation::BroadcastTo(wider));
        let vector = StridedLayout::new(&[3], Some(&[1000]), 4).unwrap();
        check_success(&layout, &Operation::Extend(vector, -1));
        if layout.rank() > 0 {
            check_success(&layout, &Operation::Windows(-1, 2, 1));
            check_success(&layout, &Operation::SplitAxis(-1, 2));
        }
    }
}

#[test]
fn properties() {
    for layout in layouts(8) {
        let none = |what: &str, count: u64| assert_eq!(count, 0, "{what} of {layout}");
        none("bounds", allocations(|| layout.offset_bounds()));
        none("size", allocations(|| layout.required_size_in_bytes()));
        none("strides in bytes", allocations(|| layout.strides_in_bytes()));
        none("order", allocations(|| layout.stride_order()));
        none("C", allocations(|| layout.is_contiguous_c()));
        none("any order", allocations(|| layout.is_contiguous_any()));
        none("exhaustive", allocations(|| layout.is_exhaustive()));
        none("uniqueness", allocations(|| layout.uniqueness()));
        none("mask", allocations(|| layout.flattened_axis_mask()));
        none("itemsize", allocations(|| layout.max_compatible_itemsize(16, 0, -1)));
        none("offsets", allocations(|| layout.offsets().sum::<i64>()));
        none("runs", allocations(|| layout.runs().count()));
        none("index", allocations(|| layout.index_of(1)));
        none("map", allocations(|| layout.maps_like(&layout)));
        none("equality", allocations(|| layout == layout.clone()));
    }
}
