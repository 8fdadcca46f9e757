//! Which indices lie at a cell, and which cell is the next that is not a gap.

use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::{Dims, StridedLayout};

/// Steps after which the question about one cell is given up.
const WORK: u32 = 4000;

/// An axis that moves through memory, walked in the direction in which offsets grow.
struct Term {
    axis: usize,
    /// The absolute stride, above 0.
    step: i128,
    /// The largest index.
    limit: i128,
    is_reversed: bool,
}

/// Answers questions about the cells of one layout with elements.
pub(super) struct Search {
    terms: Vec<Term>,
    /// `reach[k]`: the largest sum of the terms from `k` on.
    reach: Vec<i128>,
    min_offset: i128,
    rank: usize,
}

/// The indices at a cell, broadcast axes held at 0: the first in C order, and how many others.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Holders {
    None,
    Some {
        first: Dims,
        others: usize,
    },
    /// The search was given up.
    Undecided,
}

impl Search {
    pub(super) fn new(layout: &StridedLayout) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        for (axis, (&extent, &stride)) in layout.shape().iter().zip(layout.strides()).enumerate() {
            if extent > 1 && stride != 0 {
                let (step, limit) = (i128::from(stride).abs(), i128::from(extent - 1));
                terms.push(Term { axis, step, limit, is_reversed: stride < 0 });
            }
        }
        terms.sort_by_key(|term| Reverse(term.step));
        let mut reach = Vec::from([0]);
        for term in terms.iter().rev() {
            reach.push(reach[reach.len() - 1] + term.step * term.limit);
        }
        reach.reverse();
        Self { terms, reach, min_offset: i128::from(layout.min_offset()), rank: layout.rank() }
    }

    /// The indices that lie at an offset. Bounded work.
    pub(super) fn holders(&self, offset: i128) -> Holders {
        let target = offset - self.min_offset;
        if target < 0 || target > self.reach[0] {
            return Holders::None;
        }
        let mut found = Found { first: None, count: 0, work: WORK };
        let mut index = Dims::from_elem(0, self.rank);
        match self.collect(0, target, &mut index, &mut found) {
            None => Holders::Undecided,
            Some(()) => found
                .first
                .map_or(Holders::None, |first| Holders::Some { first, others: found.count - 1 }),
        }
    }

    fn collect(&self, at: usize, target: i128, index: &mut Dims, found: &mut Found) -> Option<()> {
        found.work = found.work.checked_sub(1)?;
        let Some(term) = self.terms.get(at) else {
            // The ranges below leave a target of 0.
            found.add(index);
            return Some(());
        };
        let first = self.first(at, target);
        for x in first..=term.limit.min(target / term.step) {
            let entry = if term.is_reversed { term.limit - x } else { x };
            // An index of the layout, which fits.
            index[term.axis] = i64::try_from(entry).unwrap_or(0);
            self.collect(at + 1, target - x * term.step, index, found)?;
        }
        index[term.axis] = 0;
        Some(())
    }

    /// The least `x` of a term with which the others can still get to the target.
    fn first(&self, at: usize, target: i128) -> i128 {
        let (step, missing) = (self.terms[at].step, target - self.reach[at + 1]);
        if missing <= 0 { 0 } else { (missing + step - 1) / step }
    }

    /// The least offset, from `offset` on, that some index has; None when there is none, and
    /// `offset` itself when the search is given up.
    pub(super) fn next_used(&self, offset: i128) -> Option<i128> {
        let target = offset - self.min_offset;
        if target > self.reach[0] {
            return None;
        }
        let mut work = WORK;
        Some(self.least(0, target, &mut work).map_or(offset, |least| least + self.min_offset))
    }

    /// The least sum of the terms from `at` on that is `target` or more; `target` is no more than
    /// their reach. None when the search is given up.
    fn least(&self, at: usize, target: i128, work: &mut u32) -> Option<i128> {
        *work = work.checked_sub(1)?;
        if target <= 0 {
            return Some(0);
        }
        let step = self.terms[at].step;
        let mut best = i128::MAX;
        for x in self.first(at, target)..=self.terms[at].limit {
            let here = x * step;
            if here >= target {
                return Some(best.min(here));
            }
            best = best.min(here + self.least(at + 1, target - here, work)?);
            if best == target {
                break;
            }
        }
        Some(best)
    }
}

struct Found {
    first: Option<Dims>,
    count: usize,
    work: u32,
}

impl Found {
    fn add(&mut self, index: &Dims) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|first| index[..] < first[..]) {
            self.first = Some(index.clone());
        }
    }
}
