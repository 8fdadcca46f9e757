//! The short list against `Vec`, with every operation, below and above its size on the stack.

use std::hash::{BuildHasher, RandomState};

use strideview_layout::ShortVec;
use strideview_testkit::Random;

type Short = ShortVec<i64, 4>;

fn check_same(short: &Short, long: &[i64]) {
    assert_eq!(short.as_slice(), long);
    assert_eq!((short.len(), short.is_empty()), (long.len(), long.is_empty()));
    assert_eq!(short.iter().sum::<i64>(), long.iter().sum::<i64>());
    assert_eq!(format!("{short:?}"), format!("{long:?}"));
    let fresh = Short::from_slice(long);
    assert_eq!(*short, fresh, "equal wherever the values live");
    assert_eq!(fresh, long.iter().copied().collect::<Short>());
    assert_eq!(fresh.is_on_heap(), long.len() > 4);
    let state = RandomState::new();
    assert_eq!(state.hash_one(short), state.hash_one(long), "{short:?}");
    assert_eq!(short.clone(), *short);
}

/// Does one operation on both.
fn change(random: &mut Random, short: &mut Short, long: &mut Vec<i64>) {
    let value = random.between(-9, 9);
    let position = random.below(long.len() + 1);
    match random.below(6) {
        0 => {
            short.push(value);
            long.push(value);
        }
        1 => {
            short.insert(position, value);
            long.insert(position, value);
        }
        2 => {
            let values = vec![value; random.below(4)];
            short.insert_from_slice(position, &values);
            long.splice(position..position, values);
        }
        3 | 4 if position < long.len() => {
            short.remove(position);
            long.remove(position);
        }
        _ => {
            short.truncate(position);
            long.truncate(position);
        }
    }
}

#[test]
fn the_same_as_a_vec() {
    let mut random = Random::new(70);
    for _ in 0..300 {
        let (mut short, mut long) = (Short::new(), Vec::new());
        for _ in 0..30 {
            change(&mut random, &mut short, &mut long);
            check_same(&short, &long);
        }
    }
}

#[test]
fn lists_that_differ() {
    let list = Short::from_slice(&[1, 2, 3]);
    for other in [&[][..], &[1, 2], &[1, 2, 4], &[0, 2, 3], &[1, 2, 3, 0], &[1, 2, 3, 4, 5]] {
        assert_ne!(list, Short::from_slice(other));
    }
    assert_eq!(Short::from_elem(7, 6), [7; 6]);
    assert_eq!(Short::from_elem(7, 2), [7; 2]);
    assert_eq!(Short::default(), []);
}

#[test]
fn values_can_be_changed_in_place() {
    for len in [3, 7] {
        let mut list = Short::from_elem(1, len);
        for value in &mut list {
            *value += 1;
        }
        list[0] = 5;
        assert_eq!(list.iter().sum::<i64>(), i64::try_from(2 * len + 3).unwrap());
    }
}
