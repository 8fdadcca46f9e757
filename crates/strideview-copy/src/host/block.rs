//! A rectangle of items: what a kernel moves at once.
#![forbid(unsafe_code)]

/// Items along two axes, of a plan or part of one; `q` is the axis along which the destination is
/// densest. The item at (p, q) goes from `src + p · src_step + q · src_pitch` to `dst +
/// p · dst_pitch + q · dst_step`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) dst: *mut u8,
    pub(super) src: *const u8,
    /// Items along each axis; at least 1.
    pub(super) p: usize,
    pub(super) q: usize,
    pub(super) dst_pitch: isize,
    pub(super) dst_step: isize,
    pub(super) src_step: isize,
    pub(super) src_pitch: isize,
    pub(super) item_bytes: usize,
}

impl Block {
    /// The addresses of item (p, q) in a block of items of `W` bytes that lie together, those of
    /// the destination along `q` and those of the source along `p`.
    #[inline(always)]
    pub(super) fn addresses<const W: usize>(&self, p: usize, q: usize) -> (*mut u8, *const u8) {
        let dst = self.dst.wrapping_offset(self.dst_pitch.wrapping_mul(p as isize));
        let src = self.src.wrapping_offset(self.src_pitch.wrapping_mul(q as isize));
        (dst.wrapping_add(q * W), src.wrapping_add(p * W))
    }

    /// The addresses of the first item of line `p`.
    #[inline(always)]
    pub(super) fn line(&self, p: usize) -> (*mut u8, *const u8) {
        let dst = self.dst.wrapping_offset(self.dst_pitch.wrapping_mul(p as isize));
        (dst, self.src.wrapping_offset(self.src_step.wrapping_mul(p as isize)))
    }

    /// The block from item (p, q) on, of at most so many items.
    #[inline(always)]
    pub(super) fn part(&self, p: usize, q: usize, p_items: usize, q_items: usize) -> Self {
        let (dst, src) = self.line(p);
        Self {
            dst: dst.wrapping_offset(self.dst_step.wrapping_mul(q as isize)),
            src: src.wrapping_offset(self.src_pitch.wrapping_mul(q as isize)),
            p: p_items.min(self.p - p),
            q: q_items.min(self.q - q),
            ..*self
        }
    }
}
