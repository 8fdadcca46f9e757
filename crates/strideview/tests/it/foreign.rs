//! Descriptions from outside: what is taken, and where the view then is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use strideview::interop::{Foreign, ForeignStrides};
use strideview::{Access, DType, Error, ErrorKind, StridedMemoryView};
use strideview_testkit::generated;

use crate::{Counted, Outcome};

const SIZE: usize = 1 << 18;

/// A description of memory at `address`.
fn described<'a>(
    address: usize,
    shape: &'a [i64],
    strides: ForeignStrides<'a>,
    itemsize: i64,
) -> Foreign<'a> {
    let address = std::ptr::without_provenance_mut(address);
    let access = Access::host();
    Foreign { address, shape, strides, itemsize, dtype: None, access, readonly: false }
}

/// Owned memory whose byte k is k modulo 251, and how often its owner was dropped.
fn memory() -> (*mut u8, Arc<Counted>, Arc<AtomicUsize>) {
    let bytes: Vec<u8> = (0..SIZE).map(|k| (k % 251) as u8).collect();
    let words = bytes.chunks_exact(8).map(|c| u64::from_ne_bytes(std::array::from_fn(|k| c[k])));
    let mut memory: Vec<u64> = words.collect();
    let drops = Arc::new(AtomicUsize::new(0));
    let address = memory.as_mut_ptr().cast();
    (address, Arc::new(Counted { _memory: memory, drops: Arc::clone(&drops) }), drops)
}

#[test]
fn the_buffer_of_a_read_only_description_is_read_only() -> Outcome {
    let bytes = [1_u8, 2, 3];
    for readonly in [true, false] {
        let foreign = Foreign {
            readonly,
            ..described(bytes.as_ptr().addr(), &[3], ForeignStrides::Implicit, 1)
        };
        // SAFETY: (1, 2) an array that lives longer and nobody writes; (3) nor do we.
        let view = unsafe { foreign.into_view(Arc::new(())) }?;
        assert_eq!((view.readonly(), view.buffer().readonly()), (readonly, readonly));
    }
    Ok(())
}

#[test]
fn the_buffer_spans_exactly_what_the_layout_covers() -> Outcome {
    let (address, owner, drops) = memory();
    for plain in generated(31, 800) {
        let itemsize = plain.itemsize;
        let bytes: Vec<i64> =
            plain.strides.iter().map(|stride| stride.wrapping_mul(itemsize)).collect();
        let first = SIZE / 2;
        let foreign = Foreign {
            address: address.wrapping_add(first),
            ..described(0, &plain.shape, ForeignStrides::Bytes(&bytes), itemsize)
        };
        // SAFETY: (1) generated layouts reach less than 2^17 bytes from their first element, which
        // lies in the middle of 2^18 that the owner keeps; (2, 3) they are a local vector.
        let view = unsafe { foreign.into_view(owner.clone()) }?;
        let offsets: Vec<i128> =
            plain.offsets().iter().map(|o| o - i128::from(plain.offset)).collect();
        check_places(&view, &offsets, address.addr() + first);
    }
    drop(owner);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

/// The view has its elements at these element offsets from `first`, and its buffer no other byte.
fn check_places(view: &StridedMemoryView, offsets: &[i128], first: usize) {
    let itemsize = i128::from(view.itemsize());
    let at = |offset: &i128| first as i128 + offset * itemsize;
    let got: Vec<i128> = view
        .layout()
        .offsets()
        .map(|offset| view.address() as i128 + i128::from(offset) * itemsize)
        .collect();
    assert_eq!(got, offsets.iter().map(at).collect::<Vec<_>>());
    let lowest = offsets.iter().map(at).min();
    let end = offsets.iter().map(|offset| at(offset) + itemsize).max();
    let span = lowest.zip(end).map_or(0, |(lowest, end)| end - lowest);
    assert_eq!(view.buffer().len_bytes() as i128, span);
    if let Some(lowest) = lowest {
        assert_eq!(view.buffer().address() as i128, lowest);
    }
}

#[test]
fn strides_in_every_unit_say_the_same() -> Outcome {
    let forms = [
        ForeignStrides::Implicit,
        ForeignStrides::Elements(&[3, 1]),
        ForeignStrides::Bytes(&[12, 4]),
    ];
    for strides in forms {
        let got = described(0x1000, &[2, 3], strides, 4).describe()?;
        assert_eq!(got.layout().strides(), [3, 1]);
        assert_eq!((got.address(), got.span_in_bytes()), (0x1000, 24));
        assert_eq!(got.layout().has_implicit_strides(), strides == ForeignStrides::Implicit);
    }
    // A byte stride that carries no meaning may be anything.
    let got = described(0x1000, &[6, 1], ForeignStrides::Bytes(&[8, 3]), 8).describe()?;
    assert_eq!(got.layout().strides(), [1, 0]);
    Ok(())
}

#[test]
fn broken_descriptions_are_refused() {
    use ForeignStrides::{Bytes, Elements, Implicit};
    const BIG: i64 = i64::MAX;
    let refused = [
        (described(8, &[-1], Implicit, 1), "interop.layout"),
        (described(8, &[2], Elements(&[1, 1]), 1), "interop.layout"),
        (described(8, &[2], Bytes(&[6]), 4), "interop.layout"),
        (described(8, &[2], Implicit, 0), "interop.layout"),
        (described(8, &[1 << 40, 1 << 40], Implicit, 1), "interop.layout"),
        (described(8, &[1; 65], Implicit, 1), "interop.layout"),
        (described(0, &[2], Implicit, 1), "interop.null_address"),
        (described(0, &[], Implicit, 1), "interop.null_address"),
        (described(8, &[3], Elements(&[-5]), 1), "interop.address_range"),
        (described(8, &[3], Elements(&[-4]), 1), "interop.address_range"), // would start at null
        (described(usize::MAX - 3, &[5], Implicit, 1), "interop.address_range"),
        (described(8, &[2, 2], Elements(&[BIG - 1, -BIG]), 1), "interop.address_range"),
        (
            described(usize::MAX / 2, &[2, 2], Elements(&[1 << 62, -(1 << 62)]), 1),
            "interop.address_range",
        ),
    ];
    for (foreign, code) in refused {
        let error = foreign.describe().unwrap_err();
        assert_eq!((error.code(), error.kind()), (code, ErrorKind::Interop), "{foreign:?}");
    }
    let typed = Foreign { dtype: Some(DType::F32), ..described(8, &[2], Implicit, 8) };
    let wanted = Error::ForeignItemsize { dtype_itemsize: 4, itemsize: 8 };
    assert_eq!(typed.describe().unwrap_err(), wanted);
}

#[test]
fn nothing_is_known_of_the_address_of_nothing() -> Outcome {
    for address in [0, 1, usize::MAX] {
        let got = described(address, &[2, 0], ForeignStrides::Elements(&[-9, 9]), 4).describe()?;
        assert_eq!((got.address(), got.span_in_bytes()), (address, 0));
        // SAFETY: (1 to 3) there are no bytes.
        let view = unsafe { got.into_view(Arc::new(())) };
        assert_eq!((view.nbytes(), view.address()), (0, address));
        view.copy_from(&view)?;
    }
    Ok(())
}

#[test]
fn the_owner_of_a_refused_description_is_dropped_once() {
    let (_, owner, drops) = memory();
    let foreign = described(0, &[2], ForeignStrides::Implicit, 1);
    // SAFETY: (1 to 3) the description is refused.
    let error = unsafe { foreign.into_view(owner) }.unwrap_err();
    assert_eq!(error, Error::NullAddress);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn access_may_be_found_out_later() -> Outcome {
    let got = described(8, &[2], ForeignStrides::Implicit, 1).describe()?;
    assert_eq!(got.access(), Access::host());
    assert_eq!(got.with_access(Access::pinned(1)).access(), Access::pinned(1));
    Ok(())
}
