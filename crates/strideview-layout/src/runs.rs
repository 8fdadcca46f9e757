//! Contiguous runs of bytes.

use core::iter::FusedIterator;

use crate::{Offsets, StridedLayout};

/// Bytes that lie one after the other, in the order in which a layout visits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// Where the run starts, in bytes from element offset 0.
    pub offset_in_bytes: i64,
    /// Its length in bytes, at least one item.
    pub len_in_bytes: i64,
}

impl StridedLayout {
    /// The maximal contiguous runs of bytes, in C order of the index.
    ///
    /// Law: the runs one after the other are the bytes of the elements in C order, and no run
    /// starts where the one before it ends. Lazy; the layout is coalesced first, so a contiguous
    /// one takes a single step.
    ///
    /// ```
    /// use strideview_layout::{Run, StridedLayout};
    /// let rows = StridedLayout::new(&[2, 3], Some(&[5, 1]), 4)?;
    /// let runs: Vec<Run> = rows.runs().collect();
    /// assert_eq!(runs[1], Run { offset_in_bytes: 20, len_in_bytes: 12 });
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn runs(&self) -> Runs {
        let mut starts = self.coalesced();
        let mut items = 1;
        if starts.strides().last() == Some(&1) {
            let axis = starts.rank() - 1;
            items = starts.shape()[axis];
            starts = starts.without_axis(axis);
        }
        Runs {
            starts: starts.offsets(),
            itemsize: self.itemsize(),
            len_in_bytes: items * self.itemsize(), // at most the size of the layout
            pending: None,
        }
    }
}

/// Iterator over the maximal contiguous runs of a layout; see [`StridedLayout::runs`].
#[derive(Clone, Debug)]
pub struct Runs {
    starts: Offsets,
    itemsize: i64,
    len_in_bytes: i64,
    pending: Option<Run>,
}

impl Runs {
    /// The next run of the innermost axis alone.
    fn next_piece(&mut self) -> Option<Run> {
        let offset_in_bytes = self.starts.next()? * self.itemsize;
        Some(Run { offset_in_bytes, len_in_bytes: self.len_in_bytes })
    }
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let mut run = match self.pending.take() {
            Some(run) => run,
            None => self.next_piece()?,
        };
        while let Some(piece) = self.next_piece() {
            if piece.offset_in_bytes != run.offset_in_bytes + run.len_in_bytes {
                self.pending = Some(piece);
                break;
            }
            run.len_in_bytes += piece.len_in_bytes;
        }
        Some(run)
    }
}

impl FusedIterator for Runs {}
