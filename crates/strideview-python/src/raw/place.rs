//! A place for a value that is made elsewhere.

use std::mem::MaybeUninit;

/// A place that a value is put into, which spares the moves of handing it from function to function:
/// a view takes about as long to move as to make. Empty at first; a value in it is dropped with the
/// place, unless it is kept.
///
/// # Invariants
///
/// 1. When `is_filled`, `slot` holds a value that is this place's to drop.
pub(crate) struct Place<'a, T> {
    slot: &'a mut MaybeUninit<T>,
    is_filled: bool,
}

impl<'a, T> Place<'a, T> {
    /// An empty place.
    #[inline]
    pub(crate) fn new(slot: &'a mut MaybeUninit<T>) -> Self {
        Self { slot, is_filled: false }
    }

    /// Puts a value in, in place of one that is there.
    #[inline]
    pub(crate) fn put(&mut self, value: T) {
        self.clear();
        self.slot.write(value);
        self.is_filled = true;
    }

    /// Drops the value, if there is one.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.is_filled) {
            // SAFETY: the place was filled (1), and is marked as empty now.
            unsafe { self.slot.assume_init_drop() };
        }
    }

    /// The value, if there is one.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        // SAFETY: the place is filled (1).
        self.is_filled.then(|| unsafe { self.slot.assume_init_ref() })
    }

    /// The value, taken out.
    pub(crate) fn take(mut self) -> Option<T> {
        // SAFETY: the place was filled (1), and is marked as empty now.
        std::mem::take(&mut self.is_filled).then(|| unsafe { self.slot.assume_init_read() })
    }

    /// Leaves the value in its slot, which is whose owner's from now on; true iff there is one.
    #[inline]
    pub(crate) fn keep(mut self) -> bool {
        std::mem::take(&mut self.is_filled)
    }
}

impl<T> Drop for Place<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::rc::Rc;

    use super::Place;

    #[test]
    fn a_value_is_dropped_once_or_kept() {
        let counted = Rc::new(());
        let mut slot = MaybeUninit::uninit();
        let mut place = Place::new(&mut slot);
        assert!(place.get().is_none());
        place.put(Rc::clone(&counted));
        place.put(Rc::clone(&counted));
        assert_eq!(Rc::strong_count(&counted), 2);
        drop(place);
        assert_eq!(Rc::strong_count(&counted), 1);
        let mut place = Place::new(&mut slot);
        place.put(Rc::clone(&counted));
        assert!(place.take().is_some());
        assert_eq!(Rc::strong_count(&counted), 1);
        let mut place = Place::new(&mut slot);
        place.put(Rc::clone(&counted));
        assert!(place.keep());
        // SAFETY: kept.
        drop(unsafe { slot.assume_init_read() });
        assert_eq!(Rc::strong_count(&counted), 1);
        assert!(!Place::new(&mut slot).keep());
    }
}
