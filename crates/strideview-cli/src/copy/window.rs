//! A part of a file, mapped for reading, as memory that a view can be made of.

use std::fs::File;
use std::io;
use std::sync::Arc;

use memmap2::MmapOptions;
use strideview::{Access, Buffer, Owner};

/// Maps `len` bytes of a file from `offset` on. With `whole`, they are all going to be read, so the
/// system is asked to get them now.
///
/// Dropping the buffer and all views of it unmaps them, so that they are resident no longer.
///
/// What others write to the file meanwhile is seen, in part or not; if they cut it short, reading
/// ends the process by a signal, before the output has its name.
pub(super) fn map(file: &File, offset: u64, len: usize, whole: bool) -> io::Result<Buffer> {
    // SAFETY: nobody has a reference to these bytes: they are read by a copy through pointers, as
    // bytes, of which every value is fine. That the file stays as long as it is, is what the
    // documentation asks of the caller.
    let map = unsafe { MmapOptions::new().offset(offset).len(len).map(file) }?;
    #[cfg(unix)]
    if whole {
        // It is no more than a hint.
        let _ = map.advise(memmap2::Advice::WillNeed);
    }
    #[cfg(not(unix))]
    let _ = whole;
    let address = map.as_ptr().cast_mut();
    let owner: Arc<dyn Owner> = Arc::new(map);
    // SAFETY: (1) the owner keeps the map, which does not move; views of it are read-only, as
    // `pipeline` makes them; (2) it is a map of `len` bytes.
    Ok(unsafe { Buffer::from_raw(address, len, Access::host(), Some(owner)) })
}
