//! A small deterministic generator of numbers.

/// Numbers above which layouts tend to overflow, and the ends of int64.
pub const EDGES: [i64; 12] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    1 << 62,
    -(1 << 62),
    (1 << 62) - 1,
    1 << 32,
    -(1 << 32),
    (1 << 31) - 1,
    3_037_000_500,
    6_148_914_691_236_517_204,
];

/// SplitMix64: the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number in `low ..= high`.
    ///
    /// # Panics
    /// When `low > high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = i128::from(high) - i128::from(low) + 1;
        assert!(span > 0, "an empty range: {low} to {high}");
        crate::index::narrow(i128::from(low) + i128::from(self.bits()) % span)
    }

    /// Returns a number below `count`, which must not be 0.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).expect("a count fits in 64 bits");
        usize::try_from(self.bits() % count).expect("the remainder is below the count")
    }

    /// Returns true once in `times` calls, on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the values.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Returns one of [`EDGES`].
    pub fn edge(&mut self) -> i64 {
        self.pick(&EDGES)
    }

    /// Returns the values in another order.
    pub fn shuffled<T>(&mut self, mut values: Vec<T>) -> Vec<T> {
        for end in (1..values.len()).rev() {
            let other = self.below(end + 1);
            values.swap(end, other);
        }
        values
    }
}
