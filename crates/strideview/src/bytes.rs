//! Whole buffers, copied and filled.

use crate::{
    Buffer, DType, Error, Lease, Result, StreamToken, StridedLayout, StridedMemoryView, copy,
};

/// Copies all bytes of `src` to `dst`, in the order of `stream`.
///
/// Without a stream, work on memory of a device goes to its legacy default stream. Where the host can
/// reach one of the sides the copy is done on return; between memory of devices it is queued, and both
/// buffers must stay open until it is done: close them on the same stream. Both sides may share
/// bytes. Costs one call of the driver, or a copy on the host where that can reach both sides.
///
/// # Errors
///
/// [`Error::SizeMismatch`]; [`Error::ReadOnly`] for a buffer that may not be written
/// ([`Buffer::readonly`]); [`Error::Unreachable`] for memory that nobody can reach;
/// [`MemoryError::Closed`](crate::MemoryError); those of [`copy()`](crate::copy()) about memory that is
/// borrowed; a failed call of the driver.
///
/// ```
/// use strideview::{Device, Error, StreamToken, copy_bytes, fill_bytes};
///
/// let (dst, src) = (Device::cpu().allocate(8)?, Device::cpu().allocate(8)?);
/// fill_bytes(&src, &[7], StreamToken::NONE)?;
/// copy_bytes(&dst, &src, StreamToken::NONE)?;
/// let short = Device::cpu().allocate(4)?;
/// assert_eq!(copy_bytes(&dst, &short, StreamToken::NONE).unwrap_err().code(), "buffer.size_mismatch");
/// # Ok::<(), Error>(())
/// ```
pub fn copy_bytes(dst: &Buffer, src: &Buffer, stream: StreamToken) -> Result<()> {
    let (to, from) = (dst.lease()?, src.lease()?);
    check_writable(dst)?;
    let (dst_size_in_bytes, src_size_in_bytes) = (to.len_bytes(), from.len_bytes());
    if dst_size_in_bytes != src_size_in_bytes {
        return Err(Error::SizeMismatch { dst_size_in_bytes, src_size_in_bytes });
    }
    if dst_size_in_bytes == 0 || to.address() == from.address() {
        return Ok(());
    }
    if dst.access().host && src.access().host {
        device::settle(&to, stream)?;
        device::settle(&from, stream)?;
        return copy(&items_of(&to, 1)?, &items_of(&from, 1)?);
    }
    check_reachable(&to)?;
    check_reachable(&from)?;
    device::copy(&to, &from, stream)
}

/// Fills a buffer with a pattern of 1, 2, 4 or 8 bytes, in the order of `stream`.
///
/// Streams and waiting are as for [`copy_bytes`]. On a device it is one call of the driver, or a few
/// more for a pattern of 8 bytes or at an address that the pattern's length does not divide.
///
/// # Errors
///
/// [`Error::FillPattern`], also where the length of the pattern does not divide that of the buffer;
/// otherwise those of [`copy_bytes`].
///
/// ```
/// use strideview::{DType, Device, Error, StreamToken, StridedLayout, StridedMemoryView, fill_bytes};
///
/// let buffer = Device::cpu().allocate(6)?;
/// fill_bytes(&buffer, &[1, 2], StreamToken::NONE)?;
/// let layout = StridedLayout::new(&[6], None, 1)?;
/// let bytes = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::U8), false)?;
/// assert_eq!(bytes.to_vec::<u8>()?, [1, 2, 1, 2, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
pub fn fill_bytes(buffer: &Buffer, pattern: &[u8], stream: StreamToken) -> Result<()> {
    let lease = buffer.lease()?;
    check_writable(buffer)?;
    let (size_in_bytes, pattern_in_bytes) = (lease.len_bytes(), pattern.len());
    if !matches!(pattern_in_bytes, 1 | 2 | 4 | 8) || !size_in_bytes.is_multiple_of(pattern_in_bytes)
    {
        return Err(Error::FillPattern { size_in_bytes, pattern_in_bytes });
    }
    if size_in_bytes == 0 {
        return Ok(());
    }
    if !buffer.access().host {
        check_reachable(&lease)?;
        return device::fill(&lease, pattern, stream);
    }
    device::settle(&lease, stream)?;
    let all = items_of(&lease, pattern_in_bytes)?;
    let one = StridedMemoryView::from_vec(pattern.to_vec(), &[pattern_in_bytes as i64])?;
    let repeated = StridedLayout::new(all.shape(), Some(&[0]), pattern_in_bytes as i64)?;
    copy(&all, &StridedMemoryView::from_buffer(one.buffer(), &repeated, None, true)?)
}

/// A leased buffer as items of a size that divides its own.
fn items_of(lease: &Lease, itemsize: usize) -> Result<StridedMemoryView> {
    let count = (lease.len_bytes() / itemsize) as i64;
    let dtype = (itemsize == 1).then_some(DType::U8);
    let layout = StridedLayout::new(&[count], None, itemsize as i64)?;
    StridedMemoryView::from_buffer(lease.buffer(), &layout, dtype, lease.buffer().readonly())
}

/// The memory may be written by this buffer.
fn check_writable(buffer: &Buffer) -> Result<()> {
    if buffer.readonly() { Err(Error::ReadOnly) } else { Ok(()) }
}

/// Somebody can reach the memory.
fn check_reachable(lease: &Lease) -> Result<()> {
    let access = lease.buffer().access();
    if access.host || access.device { Ok(()) } else { Err(Error::Unreachable) }
}

/// Memory of devices, with CUDA in the build.
#[cfg(feature = "cuda")]
mod device {
    use strideview_cuda::{Device, Stream};

    use crate::view::writing_of;
    use crate::{Buffer, Lease, Result, StreamToken};

    /// The stream that a token names, of the device that the memory belongs to.
    fn stream_of(lease: &Lease, token: StreamToken) -> Result<Stream> {
        let device = Device::new(lease.buffer().access().device_id)?;
        // SAFETY: the contract of tokens: the stream is alive.
        Ok(unsafe { Stream::from_handle(token.raw(), Some(device), None) }?)
    }

    /// Waits for the stream before the host touches memory that a device can reach too. Without a
    /// driver there is no work to wait for.
    pub(super) fn settle(lease: &Lease, stream: StreamToken) -> Result<()> {
        if lease.buffer().access().device && strideview_cuda::is_available() {
            stream_of(lease, stream)?.synchronize()?;
        }
        Ok(())
    }

    /// Copies between memory of the same size, of which the host cannot reach one side at least.
    pub(super) fn copy(dst: &Lease, src: &Lease, stream: StreamToken) -> Result<()> {
        let (to, from) = (dst.buffer().access(), src.buffer().access());
        let stream = stream_of(if from.host { dst } else { src }, stream)?;
        let _writing = writing_of(dst)?;
        if dst.address().abs_diff(src.address()) < dst.len_bytes() {
            return copy_overlapping(dst, src, &stream);
        }
        // SAFETY: (1) both are leased, can be reached, and were found not to overlap; (2) who uses
        // them meanwhile names the same stream, as the documentation asks, and no reference into the
        // destination is alive, by `writing_of`.
        unsafe { stream.copy_bytes(dst.address(), src.address(), dst.len_bytes()) }?;
        if to.host || from.host {
            stream.synchronize()?;
        }
        Ok(())
    }

    /// Copies through memory of the device.
    fn copy_overlapping(dst: &Lease, src: &Lease, stream: &Stream) -> Result<()> {
        let size_in_bytes = dst.len_bytes();
        let device = crate::Device::Cuda(stream.device().ordinal());
        let between = Buffer::allocate(&device.memory_resource()?, size_in_bytes, stream.token())?;
        let place = between.lease()?;
        // SAFETY: (1) the source is leased, the place is new; (2) as in `copy`, and nobody else knows
        // of the place, which is released on the same stream.
        unsafe { stream.copy_bytes(place.address(), src.address(), size_in_bytes) }?;
        // SAFETY: as above.
        unsafe { stream.copy_bytes(dst.address(), place.address(), size_in_bytes) }?;
        drop(place);
        Ok(between.close(stream.token())?)
    }

    /// Fills memory that the host cannot reach. The length of the pattern divides that of the memory.
    pub(super) fn fill(lease: &Lease, pattern: &[u8], stream: StreamToken) -> Result<()> {
        let stream = stream_of(lease, stream)?;
        // SAFETY: (1) the memory is leased, and the device can reach it; who uses it meanwhile names
        // the same stream; (2) the caller says so.
        Ok(unsafe { stream.fill_bytes(lease.address(), lease.len_bytes(), pattern) }?)
    }
}

/// Memory of devices, without CUDA in the build.
#[cfg(not(feature = "cuda"))]
mod device {
    use crate::{Error, Lease, Result, StreamToken};

    /// Nothing here works on a device.
    pub(super) fn settle(_lease: &Lease, _stream: StreamToken) -> Result<()> {
        Ok(())
    }

    pub(super) fn copy(dst: &Lease, _src: &Lease, stream: StreamToken) -> Result<()> {
        fill(dst, &[], stream)
    }

    pub(super) fn fill(lease: &Lease, _pattern: &[u8], _stream: StreamToken) -> Result<()> {
        Err(Error::NoCuda { ordinal: lease.buffer().access().device_id })
    }
}
