//! While a slice borrows bytes, no copy writes them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use strideview::{
    Access, Buffer, DType, Error, StreamToken, StridedMemoryView, copy_bytes, fill_bytes,
};

use crate::Outcome;

#[test]
fn a_copy_into_a_borrowed_slice_is_refused() -> Outcome {
    let view = StridedMemoryView::from_vec((0..8_u8).collect(), &[8])?;
    let part = |start: i64, end: i64| view.sliced(&[(start..end).into()]);
    let slice = part(2, 6)?.as_slice::<u8>()?;
    let other = StridedMemoryView::from_vec(vec![9_u8; 4], &[4])?;
    assert_eq!(part(0, 4)?.copy_from(&other), Err(Error::SliceAlive));
    assert_eq!(part(4, 8)?.copy_from(&other), Err(Error::SliceAlive));
    assert_eq!(slice[..], [2, 3, 4, 5]);
    // Reading it, and writing beside it, is nobody's concern.
    other.copy_from(&part(2, 6)?)?;
    part(6, 8)?.copy_from(&other.sliced(&[(0..2).into()])?)?;
    drop(slice);
    part(0, 4)?.copy_from(&other)?;
    assert_eq!(view.to_vec::<u8>()?, [2, 3, 4, 5, 4, 5, 2, 3]);
    Ok(())
}

#[test]
fn whole_buffers_are_not_written_while_a_slice_borrows_a_part() -> Outcome {
    let view = StridedMemoryView::from_vec((0..8_u8).collect(), &[8])?;
    let slice = view.sliced(&[(5..6).into()])?.as_slice::<u8>()?;
    let other = StridedMemoryView::from_vec(vec![9_u8; 8], &[8])?;
    let (dst, none) = (view.buffer(), StreamToken::NONE);
    assert_eq!(fill_bytes(dst, &[9], none), Err(Error::SliceAlive));
    assert_eq!(copy_bytes(dst, other.buffer(), none), Err(Error::SliceAlive));
    assert_eq!(slice[..], [5]);
    Ok(())
}

#[test]
fn a_read_only_buffer_has_read_only_views() -> Outcome {
    let bytes = *b"abcd";
    let address = bytes.as_ptr().cast_mut();
    // SAFETY: (1, 2) an array that lives longer.
    let buffer = unsafe { Buffer::from_raw(address, 4, Access::host(), None) };
    buffer.make_readonly();
    let other = StridedMemoryView::from_vec(vec![9_u8; 4], &[4])?;
    let (layout, dtype, none) = (other.layout(), Some(DType::U8), StreamToken::NONE);
    let writable = StridedMemoryView::from_buffer(&buffer, layout, dtype, false);
    assert_eq!(writable.err(), Some(Error::ReadOnly));
    let view = StridedMemoryView::from_buffer(&buffer, layout, dtype, true)?;
    assert_eq!(view.copy_from(&other), Err(Error::ReadOnly));
    assert_eq!(fill_bytes(&buffer, &[9], none), Err(Error::ReadOnly));
    assert_eq!(copy_bytes(&buffer, other.buffer(), none), Err(Error::ReadOnly));
    copy_bytes(other.buffer(), &buffer, none)?;
    assert_eq!((other.to_vec::<u8>()?, view.to_vec::<u8>()?), (bytes.to_vec(), bytes.to_vec()));
    Ok(())
}

#[test]
fn two_slices_may_share_bytes() -> Outcome {
    let view = StridedMemoryView::from_vec((0..4_u8).collect(), &[4])?;
    let (one, two) = (view.as_slice::<u8>()?, view.as_slice::<u8>()?);
    drop(one);
    assert_eq!(
        view.copy_from(&StridedMemoryView::from_vec(vec![0_u8; 4], &[4])?),
        Err(Error::SliceAlive)
    );
    assert_eq!(two[3], 3);
    Ok(())
}

/// Ends the copies of other threads, even when the test fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Copies keep filling a vector with one value or another, in two threads; a slice that is got in
/// between never changes while it lives.
#[test]
fn a_slice_does_not_change_while_it_lives() -> Outcome {
    const LEN: usize = 1 << 18;
    let view = StridedMemoryView::from_vec(vec![0_u8; LEN], &[LEN as i64])?;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for fill in [0_u8, 255] {
            let (view, done) = (&view, &done);
            scope.spawn(move || {
                let source = vec![fill; LEN];
                let source = StridedMemoryView::from_vec(source, &[LEN as i64]).expect("a view");
                while !done.load(Ordering::Relaxed) {
                    if let Err(error) = view.copy_from(&source) {
                        assert_eq!(error, Error::SliceAlive);
                    }
                    std::thread::sleep(Duration::from_micros(20));
                }
            });
        }
        let _done = Done(&done);
        let mut slices = 0;
        while slices < 200 {
            match view.as_slice::<u8>() {
                Ok(slice) => {
                    let first = slice.to_vec();
                    std::thread::yield_now();
                    assert!(slice[..] == first, "the slice has changed");
                    slices += 1;
                }
                Err(error) => assert_eq!(error, Error::BeingWritten),
            }
        }
    });
    Ok(())
}

#[test]
fn more_copies_at_once_than_there_are_slots() -> Outcome {
    let sources: Vec<u32> = (0..100).collect();
    std::thread::scope(|scope| {
        for &value in &sources {
            scope.spawn(move || -> Outcome {
                let source = StridedMemoryView::from_vec(vec![value; 64], &[64])?;
                let view = StridedMemoryView::from_vec(vec![0_u32; 64], &[64])?;
                for _ in 0..50 {
                    view.copy_from(&source)?;
                }
                assert_eq!(view.as_slice::<u32>()?[..], [value; 64]);
                Ok(())
            });
        }
    });
    Ok(())
}
