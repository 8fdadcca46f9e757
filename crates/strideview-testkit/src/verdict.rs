//! Whether the checked constructor may take a layout.

use crate::index::volume;

/// What a constructor must do with integers that are well formed (itemsize above 0, no negative extent).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every quantity of the layout fits in int64.
    Accept,
    /// One of volume, byte size, offset bounds or their bytes does not fit.
    Refuse,
    /// All of these fit, but the bytes of a stride do not; or the layout is empty and the bytes of its
    /// offset, which carries no meaning there, do not.
    Either,
}

/// Returns whether a quantity fits in int64.
pub fn fits(value: i128) -> bool {
    i64::try_from(value).is_ok()
}

/// Returns the lowest and the highest offset, saturating; both are the offset when the layout is empty.
///
/// ```
/// assert_eq!(strideview_testkit::verdict::span(&[3, 2], &[-2, 1], 0), (-4, 1));
/// ```
pub fn span(shape: &[i64], strides: &[i128], offset: i128) -> (i128, i128) {
    let (mut low, mut high) = (offset, offset);
    if shape.contains(&0) {
        return (low, high);
    }
    for (&extent, &stride) in shape.iter().zip(strides) {
        let reach = stride.saturating_mul(i128::from(extent) - 1);
        low = low.saturating_add(reach.min(0));
        high = high.saturating_add(reach.max(0));
    }
    (low, high)
}

/// Returns what a constructor must do with this layout.
///
/// Strides of axes of extent 1 and of empty layouts carry no meaning and are not looked at.
///
/// ```
/// use strideview_testkit::{Verdict, verdict};
/// assert_eq!(verdict(&[4], &[1 << 62], 1, 0), Verdict::Refuse);
/// assert_eq!(verdict(&[1 << 62, 4, 0], &[0, 0, 0], 8, 0), Verdict::Accept);
/// ```
pub fn verdict(shape: &[i64], strides: &[i128], itemsize: i64, offset: i128) -> Verdict {
    let itemsize = i128::from(itemsize);
    let bytes = |elements: i128| elements.saturating_mul(itemsize);
    if shape.contains(&0) {
        return if fits(bytes(offset)) { Verdict::Accept } else { Verdict::Either };
    }
    let used = || shape.iter().zip(strides).filter(|&(&extent, _)| extent > 1);
    let (low, high) = span(shape, strides, offset);
    let needed =
        [volume(shape), bytes(volume(shape)), low, high, bytes(low), bytes(high.saturating_add(1))];
    if !needed.into_iter().all(fits) || !used().all(|(_, &stride)| fits(stride)) {
        return Verdict::Refuse;
    }
    if used().all(|(_, &stride)| fits(bytes(stride))) { Verdict::Accept } else { Verdict::Either }
}
