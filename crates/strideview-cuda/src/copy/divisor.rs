//! Division by a number known beforehand, as a multiplication.
#![forbid(unsafe_code)]

/// A number from 1 to 2^31 - 1, and how a kernel divides numbers below 2^31 by it: multiply, take the
/// upper 32 bits, shift.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub(super) struct Divisor {
    pub(super) value: u32,
    multiplier: u32,
    shift: u32,
}

impl Divisor {
    /// With `bits` such that 2^bits is at least `value`, the multiplier is 2^(31 + bits) / `value`,
    /// rounded up: it is less than 2^32, and too large by so little that no quotient changes.
    pub(super) fn new(value: u32) -> Self {
        if value <= 1 {
            return Self { value: 1, multiplier: 0, shift: 0 };
        }
        let bits = u32::BITS - (value - 1).leading_zeros();
        let multiplier = (1_u64 << (31 + bits)).div_ceil(u64::from(value));
        Self { value, multiplier: multiplier as u32, shift: bits - 1 }
    }

    /// What a kernel computes.
    #[cfg(test)]
    fn divide(self, dividend: u32) -> u32 {
        if self.value == 1 {
            return dividend;
        }
        let product = u64::from(dividend) * u64::from(self.multiplier);
        (product >> 32) as u32 >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let most = (1_u32 << 31) - 1;
        let mut values: Vec<u32> = (1..300).collect();
        values.extend((2..31).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1]));
        values.extend([most, most - 1, 12_345_678, 1_000_000_007]);
        for value in values {
            let divisor = Divisor::new(value);
            let multiples = (0..200).map(|i| value.saturating_mul(i * 7919).min(most));
            for near in multiples.chain([0, 1, most, most / 2, value, most - value + 1]) {
                for dividend in [near.saturating_sub(1), near, (near + 1).min(most)] {
                    assert_eq!(divisor.divide(dividend), dividend / value, "{dividend} / {value}");
                }
            }
        }
    }
}
