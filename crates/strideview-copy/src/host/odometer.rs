//! Walking the outer axes of a plan.
#![forbid(unsafe_code)]

use super::offset;
use crate::plan::{MAX_RANK, PlanAxis};

/// The addresses of every index of some axes, the last axis fastest.
///
/// A step adds a stride to each pointer, a carry takes the way along its axis back; there is no
/// multiplication for each step, and no allocation. There are at most [`MAX_RANK`] axes, with
/// extents of at least 1; without axes there is one index.
pub(super) struct Odometer<'a> {
    axes: &'a [PlanAxis],
    counters: [i64; MAX_RANK],
    pub(super) dst: *mut u8,
    pub(super) src: *const u8,
}

impl<'a> Odometer<'a> {
    #[inline(always)]
    pub(super) fn new(axes: &'a [PlanAxis], dst: *mut u8, src: *const u8) -> Self {
        Self { axes, counters: [0; MAX_RANK], dst, src }
    }

    /// Goes to the next index; false after the last.
    #[inline(always)]
    pub(super) fn step(&mut self) -> bool {
        for (axis, counter) in self.axes.iter().rev().zip(&mut self.counters) {
            *counter += 1;
            if *counter < axis.extent {
                self.dst = self.dst.wrapping_offset(offset(axis.dst_stride));
                self.src = self.src.wrapping_offset(offset(axis.src_stride));
                return true;
            }
            let back = 1 - *counter;
            *counter = 0;
            self.dst = self.dst.wrapping_offset(offset(back.wrapping_mul(axis.dst_stride)));
            self.src = self.src.wrapping_offset(offset(back.wrapping_mul(axis.src_stride)));
        }
        false
    }
}
