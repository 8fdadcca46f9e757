//! Drives any copy over cases, alignments and guard bytes, and compares all of memory.

use strideview_copy::CopyPlan;

use crate::oracle::{Case, copied};

/// A copy under test: does what the plan says, to two sides that lie apart.
pub(crate) type Implementation<'a> = &'a dyn Fn(&CopyPlan, *mut u8, *const u8);

/// Bytes before and after each side, beyond those of the misalignment.
const GUARD: usize = 40;
/// How far from an aligned address (destination, source) the first byte of a side lies.
const MISALIGNMENTS: [(usize, usize); 4] = [(0, 0), (1, 3), (3, 0), (0, 1)];

/// Memory for one side of a case.
pub(crate) struct Memory {
    pub(crate) bytes: Vec<u8>,
    /// Where element `[0, …, 0]` lies.
    pub(crate) at: usize,
}

impl Memory {
    /// Room for a span, with guard bytes around it, filled from `seed`.
    pub(crate) fn new(span: (i128, i128), misalignment: usize, seed: u64) -> Self {
        Self::between(GUARD, span, misalignment, seed)
    }

    /// Room that ends with the span, so that a checker of memory sees an access beyond.
    fn without_guards(span: (i128, i128), misalignment: usize, seed: u64) -> Self {
        Self::between(0, span, misalignment, seed)
    }

    fn between(guard: usize, span: (i128, i128), misalignment: usize, seed: u64) -> Self {
        let lead = guard + misalignment;
        let len = usize::try_from(span.1 - span.0).expect("small");
        let at = usize::try_from(lead as i128 - span.0).expect("small");
        Self { bytes: noise(lead + len + guard, seed), at }
    }
}

/// Bytes that differ from their neighbours, and between seeds.
pub(crate) fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    // So that a checker of memory sees an access beyond the last.
    bytes.shrink_to_fit();
    bytes
}

/// Checks one case with every misalignment: the bytes that the copy says, and no other.
pub(crate) fn check(case: &Case, implementation: Implementation<'_>) {
    check_each(case, &[implementation]);
}

/// As [`check`], for several implementations.
pub(crate) fn check_each(case: &Case, implementations: &[Implementation<'_>]) {
    let plan = CopyPlan::new(&case.shape, &case.dst_strides, &case.src_strides, case.itemsize)
        .expect("a copy that fits in memory");
    let elements = case.elements();
    for (seed, (dst_by, src_by)) in (1..).zip(MISALIGNMENTS) {
        let untouched = Memory::new(case.dst_span(), dst_by, seed);
        let src = Memory::without_guards(case.src_span(), src_by, !seed);
        let before = src.bytes.clone();
        let sides = ((&untouched.bytes[..], untouched.at), (&src.bytes[..], src.at));
        let expected = copied(&elements, case.itemsize, sides.0, sides.1);
        for (which, implementation) in implementations.iter().enumerate() {
            let mut dst = untouched.bytes.clone();
            implementation(
                &plan,
                dst.as_mut_ptr().wrapping_add(untouched.at),
                src.bytes.as_ptr().wrapping_add(src.at),
            );
            let place = format!("implementation {which}, misaligned by {dst_by}, {src_by}");
            assert!(dst == expected, "{place}: {case:?}\n{plan}");
            assert!(src.bytes == before, "the source has changed, {place}: {case:?}\n{plan}");
        }
    }
}
