//! Checks 24 and 48: deleters are called once, from whatever thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use strideview::interop::dlpack::{Flags, Managed, export_versioned};
use strideview::{Access, DType, StridedLayout, StridedMemoryView};

use super::producer::{Made, Spec};
use crate::{Outcome, counted_buffer};

/// A tensor on its way to another thread.
struct Sent(Managed);

// SAFETY: the deleter of an exported tensor may be called from any thread.
unsafe impl Send for Sent {}

impl Sent {
    fn give_back(self) {
        // SAFETY: (1, 2) exported by the test, and given to nobody else.
        unsafe { self.0.give_back() };
    }
}

#[test]
fn check_24_a_thousand_deleters_in_eight_threads() -> Outcome {
    const THREADS: usize = 8;
    let (buffer, drops) = counted_buffer(8, Access::host());
    let layout = StridedLayout::new(&[8], None, 8)?;
    let view = StridedMemoryView::from_buffer(&buffer, &layout, Some(DType::F64), false)?;
    let barrier = Barrier::new(THREADS + 1);
    std::thread::scope(|scope| -> Outcome {
        for _ in 0..THREADS {
            let mut tensors = Vec::new();
            for _ in 0..125 {
                let tensor = export_versioned(&view, Flags::NONE)?;
                tensors.push(Sent(Managed::Versioned(tensor)));
            }
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                tensors.into_iter().for_each(Sent::give_back);
            });
        }
        assert_eq!(view.buffer().leases(), 125 * THREADS);
        drop((view, buffer));
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        barrier.wait();
        Ok(())
    })?;
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn check_48_the_last_of_many_clones_gives_back_in_its_own_thread() -> Outcome {
    let data = [1_f32, 2.0, 3.0];
    let made = Made::new(&Spec::floats(data.as_ptr(), &[3]));
    let view = made.import()?;
    let sum = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            let (view, sum) = (view.clone(), &sum);
            scope.spawn(move || {
                for value in view.values::<f32>().expect("readable") {
                    sum.fetch_add(value as usize, Ordering::Relaxed);
                }
            });
        }
        drop(view);
    });
    assert_eq!((made.deleted(), sum.into_inner()), (1, 16 * 6));
    Ok(())
}

#[test]
fn check_48_many_imports_in_many_threads() {
    let total = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let total = Arc::clone(&total);
            scope.spawn(move || {
                let data = [1_f32, 2.0, 3.0];
                for _ in 0..250 {
                    let made = Made::new(&Spec::floats(data.as_ptr(), &[3]));
                    drop(made.import());
                    total.fetch_add(made.deleted(), Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(total.load(Ordering::SeqCst), 1000);
}
