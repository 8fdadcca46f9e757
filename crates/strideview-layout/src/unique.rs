//! Whether two indices can share an offset.

use crate::solver::{Term, Terms, Work, greatest_common_divisor, has_solution};
use crate::{Result, ShortVec, StridedLayout};

/// Whether each element of a layout has an offset of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uniqueness {
    /// No two indices share an offset.
    Unique,
    /// Two indices share an offset.
    Overlapping,
    /// The exact search was given up at its work bound.
    Undecided,
}

/// An axis with at least two elements: |stride| and extent - 1.
#[derive(Clone, Copy, Default)]
struct Walk {
    stride: i128,
    steps: i128,
}

type Walks = ShortVec<Walk>;

impl StridedLayout {
    /// Whether no two indices share an offset: exact, unless the search hits its work bound.
    ///
    /// Sorted strides that nest are decided in O(rank²); others by an exact search over differences
    /// of indices, whose work is bounded (2^17 steps).
    ///
    /// ```
    /// use strideview_layout::{StridedLayout, Uniqueness};
    /// // Offsets 0 2 4 3 5 7: the rows interleave, and no element is shared.
    /// let layout = StridedLayout::new(&[2, 3], Some(&[3, 2]), 8)?;
    /// assert_eq!(layout.uniqueness(), Uniqueness::Unique);
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn uniqueness(&self) -> Uniqueness {
        if self.has_implicit_strides() || self.is_empty() {
            return Uniqueness::Unique;
        }
        let walks = self.sorted_walks();
        if walks.first().is_some_and(|walk| walk.stride == 0) {
            return Uniqueness::Overlapping;
        }
        if walks_nest(&walks) {
            return Uniqueness::Unique;
        }
        if some_pair_meets(&walks) || more_elements_than_places(&walks) {
            return Uniqueness::Overlapping;
        }
        match some_difference_is_zero(&walks) {
            Ok(false) => Uniqueness::Unique,
            Ok(true) => Uniqueness::Overlapping,
            Err(_) => Uniqueness::Undecided,
        }
    }

    /// True iff [`uniqueness`](Self::uniqueness) is [`Uniqueness::Unique`]: an undecided layout is
    /// not said to be unique.
    ///
    /// ```
    /// use strideview_layout::StridedLayout;
    /// assert!(!StridedLayout::new(&[3, 3], Some(&[0, 1]), 8)?.is_unique());
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.uniqueness() == Uniqueness::Unique
    }

    /// The axes with at least two elements, smallest |stride| first.
    fn sorted_walks(&self) -> Walks {
        let mut walks: Walks = self
            .wide_axes()
            .map(|(extent, stride)| Walk {
                stride: i128::from(stride.unsigned_abs()),
                steps: i128::from(extent - 1),
            })
            .collect();
        walks.sort_unstable_by_key(|walk| walk.stride);
        walks
    }
}

/// True if each stride is larger than what all smaller ones reach: then offsets are unique.
fn walks_nest(walks: &[Walk]) -> bool {
    let mut reach = 0_i128;
    walks.iter().all(|walk| {
        let clear = walk.stride > reach;
        reach += walk.stride * walk.steps;
        clear
    })
}

/// True if steps along two axes alone can cancel: a·s = b·t with a, b within the extents.
fn some_pair_meets(walks: &[Walk]) -> bool {
    walks.iter().enumerate().any(|(position, b)| {
        walks[..position].iter().any(|a| {
            let divisor = greatest_common_divisor(a.stride, b.stride);
            b.stride / divisor <= a.steps && a.stride / divisor <= b.steps
        })
    })
}

/// True if there are more elements than multiples of the common divisor between the bounds.
fn more_elements_than_places(walks: &[Walk]) -> bool {
    let divisor = walks.iter().fold(0, |divisor, w| greatest_common_divisor(divisor, w.stride));
    let places = walks.iter().map(|w| w.stride * w.steps).sum::<i128>() / divisor + 1;
    let volume = walks.iter().map(|w| w.steps + 1).product::<i128>(); // a volume: fits in i64
    volume > places
}

/// True iff a difference of two distinct indices has offset 0.
///
/// With the largest stride that the difference uses at position k, and its sign chosen so that it
/// steps forward there: `s[k]·d[k] + Σ_{j<k} s[j]·d[j] = 0` with `1 <= d[k] <= steps[k]` and
/// `|d[j]| <= steps[j]`. The solver takes `x[k] = d[k] - 1` and `x[j] = d[j] + steps[j]`.
fn some_difference_is_zero(walks: &[Walk]) -> Result<bool> {
    let mut work = Work::new();
    for (position, walk) in walks.iter().enumerate() {
        let mut terms = Terms::new();
        let mut target = -walk.stride;
        for smaller in &walks[..position] {
            terms.push(Term { coefficient: smaller.stride, limit: 2 * smaller.steps });
            target += smaller.stride * smaller.steps;
        }
        terms.push(Term { coefficient: walk.stride, limit: walk.steps - 1 });
        if has_solution(&terms, target, &mut work)? {
            return Ok(true);
        }
    }
    Ok(false)
}
