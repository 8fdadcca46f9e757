//! Exact search for bounded integers `x[k]` with `Σ coefficient[k]·x[k] = target`.
//!
//! Whether two indices share an offset, whether two layouts share a byte and which index lies at an
//! offset are all this question. It is NP-hard in general, so every search counts its steps and
//! gives up at [`WORK_LIMIT`]; in practice ranges and common divisors leave a handful of them.

use crate::{Dims, LayoutError, Result, ShortVec};

/// Steps after which a search is given up.
pub(crate) const WORK_LIMIT: u64 = 1 << 17;

/// The term `coefficient · x` with `0 <= x <= limit`.
///
/// |coefficient| is at most 2^63 and |coefficient|·limit at most 2^65, so sums of up to 2^60 terms
/// fit in an `i128`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Term {
    pub(crate) coefficient: i128,
    pub(crate) limit: i128,
}

pub(crate) type Terms = ShortVec<Term, 16>;

/// Steps that are left to a search, or to several that share them.
pub(crate) struct Work(u64);

impl Work {
    pub(crate) fn new() -> Self {
        Self(WORK_LIMIT)
    }

    fn step(&mut self) -> Result<()> {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(LayoutError::WorkBound { limit: WORK_LIMIT }),
        }
    }
}

/// True iff some choice of the `x` makes the sum equal `target`.
pub(crate) fn has_solution(terms: &[Term], target: i128, work: &mut Work) -> Result<bool> {
    let (terms, target) = simplified(terms, target);
    let mut search = Search::new(&terms);
    search.descend(0, target, work)
}

/// The lexicographically first choice of the `x` (in the order of `terms`), if there is one.
pub(crate) fn first_solution(
    terms: &[Term],
    target: i128,
    work: &mut Work,
) -> Result<Option<Dims>> {
    let mut search = Search::new(terms);
    let found = search.descend(0, target, work)?;
    Ok(found.then_some(search.values))
}

/// An equation with a solution iff the given one has: positive coefficients in descending order,
/// and as few of them as merging allows.
///
/// * `a·x` with `a < 0` becomes `|a|·y` with `y = limit - x`; the target moves by `a·limit`.
/// * `b·y` with `y <= v` and `m·b·x` with `x <= u` reach together exactly the multiples `b·z` with
///   `z <= v + m·u`, provided that `m <= v + 1` leaves no hole.
fn simplified(terms: &[Term], mut target: i128) -> (Terms, i128) {
    let mut positive = Terms::new();
    for term in terms.iter().filter(|term| term.coefficient != 0 && term.limit != 0) {
        if term.coefficient < 0 {
            target -= term.coefficient * term.limit;
        }
        positive.push(Term { coefficient: term.coefficient.abs(), limit: term.limit });
    }
    positive.sort_unstable_by_key(|term| term.coefficient);
    let mut merged = Terms::new();
    for &term in &positive {
        let host = merged.iter_mut().find(|host| {
            term.coefficient % host.coefficient == 0
                && term.coefficient / host.coefficient <= host.limit + 1
        });
        match host {
            Some(host) => host.limit += term.coefficient / host.coefficient * term.limit,
            None => merged.push(term),
        }
    }
    merged.reverse();
    (merged, target)
}

/// What the terms from here on can reach.
#[derive(Clone, Copy, Default)]
struct Tail {
    min: i128,
    max: i128,
    /// Greatest common divisor of the coefficients; 0 when there are none.
    divisor: i128,
}

/// A depth-first search over the terms in their order, smallest values first.
struct Search<'a> {
    terms: &'a [Term],
    /// `tails[k]` describes `terms[k..]`.
    tails: ShortVec<Tail, 17>,
    values: Dims,
}

impl<'a> Search<'a> {
    fn new(terms: &'a [Term]) -> Self {
        let mut tail = Tail { min: 0, max: 0, divisor: 0 };
        let mut tails: ShortVec<Tail, 17> = ShortVec::from_elem(tail, terms.len() + 1);
        for (position, term) in terms.iter().enumerate().rev() {
            let reach = term.coefficient * term.limit;
            tail.min += reach.min(0);
            tail.max += reach.max(0);
            tail.divisor = greatest_common_divisor(tail.divisor, term.coefficient);
            tails[position] = tail;
        }
        Self { terms, tails, values: Dims::from_elem(0, terms.len()) }
    }

    /// Finds values for `terms[position..]` that sum to `target`.
    fn descend(&mut self, position: usize, target: i128, work: &mut Work) -> Result<bool> {
        work.step()?;
        let here = self.tails[position];
        if target < here.min || target > here.max || !divides(here.divisor, target) {
            return Ok(false);
        }
        let Some(&term) = self.terms.get(position) else {
            return Ok(true);
        };
        let candidates = Candidates::new(term, target, self.tails[position + 1]);
        for value in candidates {
            if self.descend(position + 1, target - term.coefficient * value, work)? {
                self.values[position] = value as i64; // a limit of the caller's that fits in i64
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The values of one term that leave a remainder which the terms after it may reach.
struct Candidates {
    next: i128,
    last: i128,
    step: i128,
}

impl Candidates {
    fn new(term: Term, target: i128, tail: Tail) -> Self {
        let Term { coefficient, limit } = term;
        if coefficient == 0 {
            return Self { next: 0, last: 0, step: 1 };
        }
        // coefficient·x must lie in target - tail.max ..= target - tail.min.
        let (low, high) = (target - tail.max, target - tail.min);
        let (first, last) = if coefficient > 0 {
            (div_ceil(low, coefficient), high.div_euclid(coefficient))
        } else {
            (div_ceil(-high, -coefficient), (-low).div_euclid(-coefficient))
        };
        let (first, last) = (first.max(0), last.min(limit));
        if tail.divisor == 0 {
            return Self { next: first, last, step: 1 };
        }
        let (residue, step) = congruence(coefficient, target, tail.divisor);
        Self { next: first + (residue - first).rem_euclid(step), last, step }
    }
}

impl Iterator for Candidates {
    type Item = i128;

    fn next(&mut self) -> Option<i128> {
        if self.next > self.last {
            return None;
        }
        let value = self.next;
        self.next += self.step;
        Some(value)
    }
}

/// All `x` with `a·x ≡ target (mod modulus)`, as (residue, step). The greatest common divisor of
/// `a` and `modulus` divides `target`.
fn congruence(a: i128, target: i128, modulus: i128) -> (i128, i128) {
    let (divisor, inverse) = extended_euclid(a.rem_euclid(modulus), modulus);
    let step = modulus / divisor;
    let residue = (target / divisor).rem_euclid(step) * inverse.rem_euclid(step);
    (residue.rem_euclid(step), step)
}

/// The greatest common divisor of `a` and `modulus`, and an `x` with `a·x ≡ divisor (mod modulus)`.
fn extended_euclid(a: i128, modulus: i128) -> (i128, i128) {
    let (mut r0, mut r1) = (modulus, a);
    let (mut x0, mut x1) = (0_i128, 1_i128);
    while r1 != 0 {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (x0, x1) = (x1, x0 - quotient * x1);
    }
    (r0, x0)
}

pub(crate) fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}

fn divides(divisor: i128, value: i128) -> bool {
    if divisor == 0 { value == 0 } else { value % divisor == 0 }
}

fn div_ceil(a: i128, b: i128) -> i128 {
    -((-a).div_euclid(b))
}
