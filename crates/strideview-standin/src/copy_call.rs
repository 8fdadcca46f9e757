//! What a copy of the driver was asked for.
#![forbid(unsafe_code)]

/// One call: `cuMemcpyAsync` and its kin, rows, or slices of rows. What a call does not have is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CopyCall {
    /// 1 for bytes, 2 for rows, 3 for slices of rows.
    pub axes: usize,
    /// The bytes of a row, or all bytes.
    pub width_in_bytes: usize,
    /// The rows of a slice.
    pub height: usize,
    /// The slices.
    pub depth: usize,
    /// How far rows of the destination are apart.
    pub dst_pitch: usize,
    /// How far rows of the source are apart.
    pub src_pitch: usize,
    /// How many rows slices of the destination are apart.
    pub dst_height: usize,
    /// How many rows slices of the source are apart.
    pub src_height: usize,
    /// The stream.
    pub stream: usize,
}

impl CopyCall {
    /// Whether every driver does with it what it says: bytes, rows and slices that are there, no pitch
    /// of 0, which would mean dense rows and not the same one again, none less than a row nor beyond
    /// the limit of the driver, no slice less than its rows, and a stream that is named.
    pub fn is_plain(&self) -> bool {
        let rows = |pitch: usize| (self.width_in_bytes..=i32::MAX as usize).contains(&pitch);
        let has_rows =
            self.axes < 2 || (self.height > 0 && rows(self.dst_pitch) && rows(self.src_pitch));
        let slices = |height: usize| height >= self.height;
        let has_slices =
            self.axes < 3 || (self.depth > 0 && slices(self.dst_height) && slices(self.src_height));
        self.width_in_bytes > 0 && has_rows && has_slices && self.stream != 0
    }
}
