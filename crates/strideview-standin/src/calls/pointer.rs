//! What the driver says of addresses.

use crate::blocks::Kind;
use crate::out::Out;
use crate::state::{Answers, State, current, default_pool, primary};

/// What is known of an address, with the start and the size of its range.
fn lookup(state: &State, address: usize) -> Option<(Answers, usize, usize)> {
    let contains = |start: usize, size: usize| address >= start && address - start < size;
    let scripted =
        state.ranges.iter().rev().find(|range| contains(range.start, range.size_in_bytes));
    if let Some(range) = scripted {
        let answers = range.answers;
        return Some(match answers.range_start {
            0 => (answers, range.start, range.size_in_bytes),
            start => (answers, start, answers.range_size_in_bytes),
        });
    }
    let (start, block) = state.blocks.around(address)?;
    let (is_pool, is_managed) = (block.kind == Kind::Pool, block.kind == Kind::Managed);
    let answers = Answers {
        memory_type: if block.kind == Kind::Pinned { 1 } else { 2 },
        managed: i32::from(is_managed),
        ordinal: block.device,
        host: i32::from(is_managed || block.kind == Kind::Pinned),
        device: 1,
        access: 3,
        pool: if is_pool { default_pool(block.device) } else { 0 },
        context: if is_pool { 0 } else { primary(block.device) },
        ..Answers::default()
    };
    Some((answers, start, block.size_in_bytes))
}

/// The answer to one question of a batch: its value, and how many bytes it has.
fn answer(
    known: Option<&(Answers, usize, usize)>,
    attribute: i32,
    address: usize,
) -> Result<(u64, usize), i32> {
    let unknown = Answers { ordinal: -2, host: 1, ..Answers::default() };
    let (answers, start, size) = known.copied().unwrap_or((unknown, 0, 0));
    // Without a current context there is no device to have a pointer.
    let has_device = answers.device != 0 && current() != 0;
    let word = |value: usize| (value as u64, 8);
    let number = |value: i32| (u64::from(value.cast_unsigned()), 4);
    Ok(match attribute {
        1 => word(answers.context),
        2 => number(answers.memory_type),
        3 if has_device => word(address.wrapping_add_signed(answers.alias as isize)),
        3 => word(0),
        4 => word(if answers.host == 0 { 0 } else { address }),
        8 => (u64::from(answers.managed != 0), 1),
        9 => number(answers.ordinal),
        11 => word(start),
        12 => word(size),
        13 => (u64::from(known.is_some()), 1),
        16 => number(answers.access),
        17 => word(answers.pool),
        _ => return Err(1),
    })
}

calls! { state;
    fn cuPointerGetAttributes(
        count: u32,
        attributes: Out<i32>,
        places: Out<*mut u8>,
        address: usize,
    ) {
        let known = lookup(state, address);
        for index in 0..count as usize {
            // SAFETY: the caller promises `count` attributes.
            let attribute = unsafe { attributes.read_at(index) };
            // SAFETY: and as many places.
            let place = unsafe { places.read_at(index) };
            let (value, width) = answer(known.as_ref(), attribute, address)?;
            // SAFETY: each place is valid for the width of its attribute.
            unsafe { place.copy_from_nonoverlapping(value.to_le_bytes().as_ptr(), width) };
        }
        Ok(())
    }
    fn cuPointerGetAttribute(place: *mut u8, attribute: i32, address: usize) {
        let known = lookup(state, address).ok_or(1)?;
        if attribute == 3 && current() == 0 {
            return Err(201);
        }
        let (value, width) = answer(Some(&known), attribute, address)?;
        // SAFETY: the caller promises a place for the width of the attribute.
        unsafe { place.copy_from_nonoverlapping(value.to_le_bytes().as_ptr(), width) };
        Ok(())
    }
}
