//! A list that lives on the stack while it is short.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// A list of `Copy` values: on the stack up to `N` of them, on the heap beyond. Dereferences to a
/// slice.
///
/// The values are copied as one array of fixed size, without a call to `memcpy` of a length known
/// only at run time; for the four or five axes of a layout that is what most of the time goes to.
///
/// ```
/// use strideview_layout::Dims;
/// let dims: Dims = (1..=9).collect();
/// assert_eq!(dims[8], 9);
/// assert!(dims.is_on_heap());
/// ```
#[derive(Clone)]
pub struct ShortVec<T, const N: usize = 8>(Store<T, N>);

#[derive(Clone)]
enum Store<T, const N: usize> {
    /// `len` is at most N; the values from there on are the default, so that two lists are equal
    /// iff their arrays are.
    Stack { len: usize, values: [T; N] },
    /// Maybe short, too: a list does not move back.
    Heap(Vec<T>),
}

impl<T: Copy + Default, const N: usize> ShortVec<T, N> {
    /// An empty list.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self(Store::Stack { len: 0, values: [T::default(); N] })
    }

    /// The values of a slice.
    #[inline]
    #[must_use]
    pub fn from_slice(slice: &[T]) -> Self {
        let len = slice.len();
        if len > N {
            return Self(Store::Heap(slice.to_vec()));
        }
        // Written out for each place, this is neither a call to memcpy nor a move.
        let values = core::array::from_fn(|place| slice.get(place).copied().unwrap_or_default());
        Self(Store::Stack { len, values })
    }

    /// `len` times the same value.
    #[inline]
    #[must_use]
    pub fn from_elem(value: T, len: usize) -> Self {
        if len > N {
            return Self(Store::Heap(alloc::vec![value; len]));
        }
        let values = core::array::from_fn(|place| if place < len { value } else { T::default() });
        Self(Store::Stack { len, values })
    }

    /// True iff the values live on the heap.
    #[must_use]
    pub fn is_on_heap(&self) -> bool {
        matches!(self.0, Store::Heap(_))
    }

    /// The values.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self
    }

    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: T) {
        match &mut self.0 {
            Store::Stack { len, values } => {
                if let Some(place) = values.get_mut(*len) {
                    *place = value;
                    *len += 1;
                    return;
                }
                self.spill().push(value);
            }
            Store::Heap(values) => values.push(value),
        }
    }

    /// Inserts a value before `position`, which is at most the length.
    pub fn insert(&mut self, position: usize, value: T) {
        self.push(value);
        self[position..].rotate_right(1);
    }

    /// Inserts the values of a slice before `position`, which is at most the length.
    pub fn insert_from_slice(&mut self, position: usize, slice: &[T]) {
        self.extend(slice.iter().copied());
        self[position..].rotate_right(slice.len());
    }

    /// Removes the value at `position`, which is less than the length.
    pub fn remove(&mut self, position: usize) {
        match &mut self.0 {
            Store::Stack { len, values } => {
                values.copy_within(position + 1..*len, position);
                *len -= 1;
                values[*len] = T::default();
            }
            Store::Heap(values) => {
                values.remove(position);
            }
        }
    }

    /// Shortens the list to `len` values, which is at most its length.
    #[inline]
    pub fn truncate(&mut self, new_len: usize) {
        match &mut self.0 {
            Store::Stack { len, values } => {
                for value in values.iter_mut().take(*len).skip(new_len) {
                    *value = T::default();
                }
                *len = new_len.min(*len);
            }
            Store::Heap(values) => values.truncate(new_len),
        }
    }

    /// Moves the values to the heap.
    #[cold]
    fn spill(&mut self) -> &mut Vec<T> {
        let mut heap = Vec::with_capacity(2 * N + 1);
        heap.extend_from_slice(self);
        self.0 = Store::Heap(heap);
        match &mut self.0 {
            Store::Heap(values) => values,
            Store::Stack { .. } => unreachable!("stored on the heap one line above"),
        }
    }
}

impl<T, const N: usize> Deref for ShortVec<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            // `len` never exceeds N; the empty slice is not reached.
            Store::Stack { len, values } => values.get(..*len).unwrap_or_default(),
            Store::Heap(values) => values,
        }
    }
}

impl<T, const N: usize> DerefMut for ShortVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Store::Stack { len, values } => values.get_mut(..*len).unwrap_or_default(),
            Store::Heap(values) => values,
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for ShortVec<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for ShortVec<T, N> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for ShortVec<T, N> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut list = Self::new();
        list.extend(values);
        list
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a ShortVec<T, N> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a mut ShortVec<T, N> {
    type Item = &'a mut T;
    type IntoIter = core::slice::IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: PartialEq, const N: usize> PartialEq for ShortVec<T, N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Store::Stack { len, values }, Store::Stack { len: other_len, values: others }) => {
                // All places and without a way out, which takes a few vector instructions; `==`
                // of the arrays would be a call of memcmp.
                let same = values.iter().zip(others).fold(true, |same, (a, b)| same & (a == b));
                same & (len == other_len)
            }
            _ => **self == **other,
        }
    }
}

impl<T: Eq, const N: usize> Eq for ShortVec<T, N> {}

impl<T: PartialEq, const N: usize, const M: usize> PartialEq<[T; M]> for ShortVec<T, N> {
    fn eq(&self, other: &[T; M]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T]> for ShortVec<T, N> {
    fn eq(&self, other: &[T]) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a == b)
    }
}

impl<T: Hash, const N: usize> Hash for ShortVec<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for ShortVec<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
