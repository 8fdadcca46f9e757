//! Check 88: the check of tensors says what the driver says, over random ones.

use strideview_cuda::{
    TensorMapFill, TensorMapInterleave, TensorMapL2Promotion, TensorMapModes, TensorMapSwizzle,
    TensorMapType, TiledTensor,
};
use strideview_testkit::Random;

use crate::{gpu, note};

const CASES: usize = 50_000;

/// The numbers of a random tensor: mostly lawful, each now and then not.
struct Case {
    data_type: TensorMapType,
    address: u64,
    extents: Vec<i64>,
    strides_in_bytes: Vec<i64>,
    box_extents: Vec<i64>,
    element_strides: Vec<i64>,
    modes: TensorMapModes,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let data_type = random.pick(TensorMapType::ALL);
        let itemsize = data_type.itemsize_bytes();
        let interleave = if random.once_in(3) {
            random.pick(TensorMapInterleave::ALL)
        } else {
            TensorMapInterleave::None
        };
        let rank = if random.once_in(50) { random.pick(&[0, 6]) } else { random.between(1, 5) };
        let odd = |lawful: i64, others: &[i64], random: &mut Random| {
            if random.once_in(20) { random.pick(others) } else { lawful }
        };
        let extents: Vec<i64> = (0..rank)
            .map(|_| {
                let lawful = random.pick(&[1, 2, 3, 7, 16, 33, 64, 1000, 65_536]);
                odd(lawful, &[0, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) + 1], random)
            })
            .collect();
        let mut strides_in_bytes = Vec::new();
        let mut step = itemsize;
        for &extent in &extents {
            let others = [0, 4, 8, 24, 16, 48, 1 << 39, (1 << 40) - 32, 1 << 40, 1 << 41, -16, -32];
            let is_first = strides_in_bytes.is_empty();
            strides_in_bytes.push(if is_first { itemsize } else { odd(step, &others, random) });
            let pad = random.pick(&[16, 32, 64]);
            step = (step.saturating_mul(extent.max(1)).min(1 << 38) as u64).next_multiple_of(pad)
                as i64;
        }
        if rank > 2 && random.once_in(4) {
            strides_in_bytes.swap(1, 2);
        }
        let swizzle = random.pick(TensorMapSwizzle::ALL);
        let row = swizzle.row_bytes().unwrap_or(16) / itemsize;
        let mut box_extents: Vec<i64> = (0..rank)
            .map(|_| {
                let lawful = random.pick(&[1, 1, 2, 3, 4, 8, 16, 64]);
                odd(lawful, &[0, 128, 200, 255, 256, 257, 512], random)
            })
            .collect();
        if let Some(first) = box_extents.first_mut().filter(|_| !random.once_in(4)) {
            *first = row;
        }
        let element_strides = (0..rank).map(|_| odd(1, &[0, 2, 3, 7, 8, 9, 16], random)).collect();
        let aligned = 0x7f00_0000_0000 + 512;
        let address = match random.below(12) {
            0 => 0,
            1 => aligned + (1 << random.below(7)),
            2 => aligned | 1 << random.between(48, 63),
            _ => aligned,
        };
        let modes = TensorMapModes {
            interleave,
            swizzle: if random.once_in(2) { swizzle } else { TensorMapSwizzle::None },
            l2_promotion: random.pick(TensorMapL2Promotion::ALL),
            fill: if random.once_in(4) { TensorMapFill::Nan } else { TensorMapFill::Zero },
        };
        Self { data_type, address, extents, strides_in_bytes, box_extents, element_strides, modes }
    }

    fn tensor(&self) -> TiledTensor<'_> {
        TiledTensor {
            data_type: self.data_type,
            address: self.address,
            extents: &self.extents,
            strides_in_bytes: &self.strides_in_bytes,
            box_extents: &self.box_extents,
            element_strides: &self.element_strides,
            modes: self.modes,
        }
    }
}

fn places<T: Default + Copy>(list: &[i64], narrow: impl Fn(i64) -> T) -> [T; 8] {
    let mut all = [T::default(); 8];
    for (place, number) in all.iter_mut().zip(list) {
        *place = narrow(*number);
    }
    all
}

#[test]
fn the_check_agrees_with_the_driver() {
    let Some((device, raw, _turn)) = gpu() else { return };
    if device.compute_capability().unwrap() < (9, 0) {
        return note("skipped, tensor maps need compute capability 9.0");
    }
    let (mut taken, mut refused, mut stricter) = (0, 0, 0);
    let mut random = Random::new(88);
    device
        .with_context(|| {
            for _ in 0..CASES {
                let case = Case::new(&mut random);
                let tensor = case.tensor();
                let modes = tensor.modes;
                let verdict = raw.encode_tensor_map(
                    (tensor.data_type.number(), case.extents.len() as u32, case.address),
                    &places(&case.extents, i64::cast_unsigned),
                    &places(case.strides_in_bytes.get(1..).unwrap_or_default(), i64::cast_unsigned),
                    &places(&case.box_extents, |extent| extent as u32),
                    &places(&case.element_strides, |stride| stride as u32),
                    [
                        modes.interleave.number(),
                        modes.swizzle.number(),
                        modes.l2_promotion.number(),
                        modes.fill.number(),
                    ],
                );
                let outcome = tensor.check();
                if case.address == 0 || case.extents.iter().any(|extent| *extent > 1 << 31) {
                    assert!(outcome.is_err(), "{tensor:?}");
                    stricter += u64::from(verdict.is_ok());
                    continue;
                }
                assert_eq!(
                    outcome.is_ok(),
                    verdict.is_ok(),
                    "{outcome:?}, {verdict:?}: {tensor:?}"
                );
                *if outcome.is_ok() { &mut taken } else { &mut refused } += 1;
                if outcome.is_ok() {
                    let ours = tensor.encode(device).unwrap();
                    assert_eq!(ours.as_bytes()[..], verdict.unwrap()[..], "{tensor:?}");
                }
            }
        })
        .unwrap();
    note(&format!("tensor maps: {taken} taken, {refused} refused, {stricter} refused by us alone"));
    assert!(taken > 1000 && refused > 1000);
}
