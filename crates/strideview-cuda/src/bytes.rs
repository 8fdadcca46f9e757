//! Bytes copied and filled in the order of a stream.

use crate::driver::driver;
use crate::driver::sys::CUstream;
use crate::{CudaError, Stream};

impl Stream {
    /// Queues a copy of `size_in_bytes` bytes from the address `src` to `dst`: one call. The host
    /// does not wait, unless one side is memory of the host that is not pinned.
    ///
    /// # Safety
    ///
    /// 1. Both spans are memory that the device of this stream, or the host, can reach, until the
    ///    work is done; they do not overlap.
    /// 2. Nobody else writes the source, or touches the destination, until then.
    ///
    /// # Errors
    ///
    /// A failed call.
    pub unsafe fn copy_bytes(
        &self,
        dst: usize,
        src: usize,
        size_in_bytes: usize,
    ) -> Result<(), CudaError> {
        if size_in_bytes == 0 {
            return Ok(());
        }
        let _guard = self.enter()?;
        // SAFETY: the caller promises both spans (1, 2), and the stream is alive, its context
        // current.
        unsafe { driver()?.cuMemcpyAsync(dst as u64, src as u64, size_in_bytes, self.raw()) }
    }

    /// Queues a repetition of `pattern` over `size_in_bytes` bytes from the address `dst`. The host
    /// does not wait. One call for a pattern of 1 byte, or of 2 or 4 bytes at an address that is a
    /// multiple of these; otherwise one for each byte of the pattern and each doubling of it.
    ///
    /// # Safety
    ///
    /// 1. The span is memory that the device of this stream can reach, until the work is done, and
    ///    nobody else touches it until then.
    /// 2. The pattern has at least one byte, and its length divides `size_in_bytes`.
    ///
    /// # Errors
    ///
    /// A failed call; the span may be filled in part then.
    pub unsafe fn fill_bytes(
        &self,
        dst: usize,
        size_in_bytes: usize,
        pattern: &[u8],
    ) -> Result<(), CudaError> {
        if size_in_bytes == 0 {
            return Ok(());
        }
        let _guard = self.enter()?;
        let (driver, address, stream) = (driver()?, dst as u64, self.raw());
        match *shortest(pattern) {
            // SAFETY: the caller promises the span (1), which has this many bytes.
            [value] => unsafe { driver.cuMemsetD8Async(address, value, size_in_bytes, stream) },
            [a, b] if dst.is_multiple_of(2) => {
                let value = u16::from_ne_bytes([a, b]);
                // SAFETY: as above; the address is a multiple of 2, and so is the size (2).
                unsafe { driver.cuMemsetD16Async(address, value, size_in_bytes / 2, stream) }
            }
            [a, b, c, d] if dst.is_multiple_of(4) => {
                let value = u32::from_ne_bytes([a, b, c, d]);
                // SAFETY: as above; the address is a multiple of 4, and so is the size (2).
                unsafe { driver.cuMemsetD32Async(address, value, size_in_bytes / 4, stream) }
            }
            // SAFETY: the caller promises both (1, 2).
            ref pattern => unsafe { fill_by_doubling(dst, size_in_bytes, pattern, stream) },
        }
    }
}

/// The shortest pattern whose repetition is this one.
fn shortest(mut pattern: &[u8]) -> &[u8] {
    while pattern.len().is_multiple_of(2) {
        let (first, second) = pattern.split_at(pattern.len() / 2);
        if first != second || first.is_empty() {
            break;
        }
        pattern = first;
    }
    pattern
}

/// Writes the pattern once, byte by byte, and copies what is there until the span is full.
///
/// # Safety
///
/// As [`Stream::fill_bytes`], with the stream's context current.
unsafe fn fill_by_doubling(
    dst: usize,
    size_in_bytes: usize,
    pattern: &[u8],
    stream: CUstream,
) -> Result<(), CudaError> {
    let (driver, start) = (driver()?, dst as u64);
    for (place, &value) in (start..).zip(pattern) {
        // SAFETY: the caller promises the span, whose size the pattern's length divides.
        unsafe { driver.cuMemsetD8Async(place, value, 1, stream) }?;
    }
    let mut filled = pattern.len().max(1);
    while filled < size_in_bytes {
        let more = filled.min(size_in_bytes - filled);
        // SAFETY: `filled + more` is at most the size, and `more` at most `filled`, so both spans lie
        // inside and do not overlap.
        unsafe { driver.cuMemcpyAsync(start + filled as u64, start, more, stream) }?;
        filled += more;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn the_shortest_pattern() {
        for (pattern, wanted) in [
            (&[1, 1, 1, 1, 1, 1, 1, 1][..], &[1][..]),
            (&[1, 2, 1, 2], &[1, 2]),
            (&[1, 2, 3, 4, 1, 2, 3, 4], &[1, 2, 3, 4]),
            (&[1, 1, 1, 2], &[1, 1, 1, 2]),
            (&[7], &[7]),
            (&[], &[]),
        ] {
            assert_eq!(shortest(pattern), wanted);
        }
    }
}
