//! Another shape over the same offsets in the same order.

use crate::checked::{product, saturating_volume, stride_of};
use crate::contiguity::nests;
use crate::{Dims, LayoutError, MAX_RANK, Result, StridedLayout};

impl StridedLayout {
    /// The layout of another shape that visits the same offsets in C order. O(rank).
    ///
    /// Succeeds **iff** there is one; strides of axes of extent 1 are never in the way. One extent
    /// may be -1 and is inferred from the volume.
    ///
    /// Law: the offsets in C order are the same.
    ///
    /// # Errors
    /// Another volume, an extent below -1, a second -1, a -1 that no single extent satisfies, or
    /// strides that would need a copy.
    ///
    /// ```
    /// # use strideview_layout::StridedLayout;
    /// let layout = StridedLayout::new(&[2, 4, 3], Some(&[12, 1, 4]), 8)?;
    /// assert_eq!(layout.reshaped(&[2, 2, -1, 3])?.strides(), [12, 2, 1, 4]);
    /// assert_eq!(layout.reshaped(&[2, 12]).unwrap_err().code(), "layout.reshape_needs_copy");
    /// # Ok::<(), strideview_layout::LayoutError>(())
    /// ```
    #[inline]
    pub fn reshaped(&self, shape: &[i64]) -> Result<Self> {
        let mut layout = self.clone();
        layout.reshape(shape)?;
        Ok(layout)
    }

    /// Another shape over the same offsets; see [`reshaped`](Self::reshaped).
    ///
    /// In place; the layout stays as it was when this fails. Allocates only beyond rank 8.
    ///
    /// # Errors
    /// As [`reshaped`](Self::reshaped).
    #[inline]
    pub fn reshape(&mut self, shape: &[i64]) -> Result<()> {
        if shape.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: shape.len(), limit: MAX_RANK });
        }
        if self.reshape_contiguous(shape) {
            return Ok(());
        }
        let volume = self.volume();
        let inferred = inferred_extent(shape, volume)?;
        let mut new_shape = Dims::from_slice(shape);
        for extent in &mut new_shape {
            *extent = if *extent == -1 { inferred } else { *extent };
        }
        if volume == 0 {
            *self = self.emptied(new_shape, self.slice_offset())?;
            return Ok(());
        }
        let strides = self.strides_for(&new_shape)?;
        self.assign(new_shape, strides, self.slice_offset());
        Ok(())
    }

    /// The common case in one pass: a C-contiguous layout takes the strides of C order. False, and
    /// nothing changed, where there is more to look at.
    #[inline]
    fn reshape_contiguous(&mut self, shape: &[i64]) -> bool {
        let (mut volume, mut contiguous) = (1_i64, true);
        for (&extent, &stride) in self.shape().iter().zip(self.strides()).rev() {
            contiguous &= extent == 1 || stride == volume;
            volume = volume.wrapping_mul(extent); // fits, or is 0 in the end
        }
        let mut strides = Dims::from_elem(1, shape.len());
        let (mut new_volume, mut usual) = (1_i64, contiguous);
        for (&extent, stride) in shape.iter().zip(&mut strides).rev() {
            *stride = new_volume;
            let (product, too_large) = new_volume.overflowing_mul(extent);
            usual &= extent > 0 && !too_large;
            new_volume = product;
        }
        if !usual || new_volume != volume {
            return false;
        }
        self.assign(Dims::from_slice(shape), strides, self.slice_offset());
        true
    }

    /// The strides that make `shape`, of the same volume and not empty, visit the same offsets.
    ///
    /// The coalesced layout has axes that cannot be merged any further, so the new axes must
    /// multiply up to the extent of each of them in turn: walk both from the fast end.
    #[inline]
    fn strides_for(&self, shape: &[i64]) -> Result<Dims> {
        let mut old_axes = MergedAxes { layout: self, end: self.rank() };
        let (mut whole, mut used) = (1_i64, 1_i64); // extent of the old axis, and what is used of it
        let mut stride = 1_i64;
        let mut list = Dims::from_elem(1, shape.len());
        let strides = &mut *list;
        for (axis, &extent) in shape.iter().enumerate().rev() {
            if used == whole && extent != 1 {
                // The volumes agree, so there is an old axis for each new one that is not unit.
                (whole, stride) = old_axes.next().unwrap_or((extent, 1));
                used = 1;
            }
            strides[axis] = stride;
            used *= extent; // at most the volume
            if used > whole {
                return Err(LayoutError::ReshapeNeedsCopy { axis });
            }
            if used < whole && extent != 1 {
                stride = stride_of(2, product(stride, extent), self.itemsize())?;
            }
        }
        Ok(list)
    }
}

/// The axes of the coalesced layout, from the last to the first, without building it.
struct MergedAxes<'a> {
    layout: &'a StridedLayout,
    /// Axes from here on have been visited.
    end: usize,
}

impl Iterator for MergedAxes<'_> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        let (shape, strides) = (self.layout.shape(), self.layout.strides());
        let (mut merged, mut stride) = (1, 1);
        while let Some(axis) = self.end.checked_sub(1) {
            if shape[axis] != 1 {
                if merged == 1 {
                    stride = strides[axis];
                } else if !nests(strides[axis], merged, stride) {
                    break;
                }
                merged *= shape[axis]; // at most the volume
            }
            self.end = axis;
        }
        (merged != 1).then_some((merged, stride))
    }
}

/// The extent that a -1 of the shape stands for; any number when there is no -1.
#[inline]
fn inferred_extent(shape: &[i64], volume: i64) -> Result<i64> {
    let (mut known, mut overflow, mut inferred) = (1_i64, false, None);
    for (axis, &extent) in shape.iter().enumerate() {
        if extent >= 0 {
            let (product, too_large) = known.overflowing_mul(extent);
            (known, overflow) = (product, overflow | too_large);
        } else if extent < -1 {
            return Err(LayoutError::NegativeExtent { axis, extent });
        } else if inferred.replace(axis).is_some() {
            return Err(LayoutError::SecondInferredExtent { axis });
        }
    }
    let has_zero = shape.contains(&0);
    match inferred {
        // Whatever the others are, only 0 makes the volume 0.
        Some(_) if volume == 0 && !has_zero => Ok(0),
        Some(_) if !has_zero && !overflow && volume % known == 0 => Ok(volume / known),
        None if volume == 0 && has_zero => Ok(1),
        None if known == volume && !overflow => Ok(1),
        _ => Err(mismatch(shape, volume, inferred.is_some())),
    }
}

#[cold]
fn mismatch(shape: &[i64], volume: i64, infer: bool) -> LayoutError {
    let known: Dims = shape.iter().copied().filter(|&extent| extent != -1).collect();
    let known = saturating_volume(&known);
    if infer {
        LayoutError::CannotInferExtent { known, volume }
    } else {
        LayoutError::VolumeMismatch { volume: known, expected: volume }
    }
}
