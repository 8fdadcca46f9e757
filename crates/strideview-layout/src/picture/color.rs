//! Colours: of axes, and of the indices from first to last.

use alloc::format;
use alloc::string::String;

/// The colours of the axes from the slowest to the fastest, dark enough to write with.
const AXES: [&str; 6] = ["#6d1a7e", "#1446a0", "#00707a", "#b3470b", "#a8123e", "#4a4a4a"];

/// What the colour of an index runs through, light enough to write on.
const INDICES: [[i64; 3]; 4] = [[255, 244, 196], [186, 232, 190], [160, 206, 245], [214, 182, 240]];

/// The colour of the axis that stands there in the stride order.
pub(super) fn axis(place: usize) -> &'static str {
    AXES[place.min(AXES.len() - 1)]
}

/// The colour of the index at a place, in C order, among `count`.
pub(super) fn index(place: i64, count: i64) -> String {
    // In thousandths of a band, so that the products fit.
    let bands = i128::try_from(INDICES.len()).unwrap_or(1) - 1;
    let at = i128::from(place) * bands * 1000 / i128::from((count - 1).max(1));
    let at = i64::try_from(at).unwrap_or(0);
    let band = usize::try_from(at / 1000).unwrap_or(0).min(INDICES.len() - 2);
    let within = at - 1000 * i64::try_from(band).unwrap_or(0);
    let mix = |channel: usize| {
        let (from, to) = (INDICES[band][channel], INDICES[band + 1][channel]);
        from + (to - from) * within / 1000
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
