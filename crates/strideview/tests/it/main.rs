//! The tests of strideview, in one binary.

mod borrowing;
mod bounds;
mod codes;
mod copies;
mod device;
mod dlpack;
mod dtype;
mod foreign;
mod reinterpret;
mod transforms;
mod typed;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strideview::{Access, Buffer, DType, Device, Error, Owner, StridedLayout, StridedMemoryView};

/// A result of a test that has no value of its own.
type Outcome = Result<(), Error>;

/// An owner that counts how often it was dropped.
struct Counted {
    /// Kept alive.
    _memory: Vec<u64>,
    drops: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

/// A buffer of `words` times 8 bytes that can be reached as `access` says (a lie that tests make use
/// of), and how often it was released.
fn counted_buffer(words: usize, access: Access) -> (Buffer, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut memory: Vec<u64> = vec![0x0706_0504_0302_0100; words];
    let address = memory.as_mut_ptr().cast();
    let owner: Arc<dyn Owner> = Arc::new(Counted { _memory: memory, drops: Arc::clone(&drops) });
    // SAFETY: (1) the owner keeps the vector, and every kind of access includes what it allows, or
    // nothing is read; (2) it is a vector.
    let buffer = unsafe { Buffer::from_raw(address, words * 8, access, Some(owner)) };
    (buffer, drops)
}

/// An untyped view with items of one byte on all of a fresh buffer.
fn bytes_of(size_in_bytes: usize) -> Result<StridedMemoryView, Error> {
    let buffer = Device::cpu().allocate(size_in_bytes)?;
    let layout = StridedLayout::new(&[size_in_bytes as i64], None, 1)?;
    StridedMemoryView::from_buffer(&buffer, &layout, None, false)
}

/// All bytes of the buffer of a view.
fn content(view: &StridedMemoryView) -> Result<Vec<u8>, Error> {
    let layout = StridedLayout::new(&[view.buffer().len_bytes() as i64], None, 1)?;
    let all = StridedMemoryView::from_buffer(view.buffer(), &layout, Some(DType::U8), false)?;
    all.to_vec::<u8>()
}
