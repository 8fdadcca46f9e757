//! What a description says of memory, and what the driver says.

use strideview::interop::{Described, Foreign, ForeignStrides};
use strideview::{Access, DType, Error, ErrorKind};

use crate::{buffer, standin};

/// What the driver makes of a description of 8 bytes.
fn verified(address: usize, access: Access) -> Result<Described, Error> {
    let foreign = Foreign {
        address: std::ptr::with_exposed_provenance_mut(address),
        shape: &[8],
        strides: ForeignStrides::Implicit,
        itemsize: 1,
        dtype: Some(DType::U8),
        access,
        readonly: false,
    };
    let mut described = foreign.describe()?;
    described.verify()?;
    Ok(described)
}

#[test]
fn memory_that_the_driver_knows() {
    let standin = standin();
    for kind in ["pinned", "managed", "device"] {
        let memory = buffer(kind, 64);
        for claimed in
            [Access::device(0), Access::device(99), Access::pinned(0), Access::managed(0)]
        {
            standin.reset();
            let found = verified(memory.address() + 8, claimed).unwrap();
            assert_eq!(found.access(), memory.access(), "{kind}, claimed {claimed:?}");
            assert!(standin.calls("cuPointerGetAttributes") <= 2, "{kind}");
        }
    }
}

#[test]
fn memory_that_was_freed() {
    let _standin = standin();
    let address = buffer("device", 64).address();
    let error = verified(address, Access::device(0)).unwrap_err();
    assert_eq!((error.code(), error.kind()), ("cuda.unknown_pointer", ErrorKind::Interop));
    for claimed in [Access::pinned(0), Access::managed(0)] {
        let found = verified(address, claimed).unwrap();
        assert_eq!(found.access(), Access::host());
    }
}

#[test]
fn memory_of_the_host_is_not_asked_about() {
    let standin = standin();
    let bytes = [0_u8; 8];
    let found = verified(bytes.as_ptr().addr(), Access::host()).unwrap();
    assert_eq!((found.access(), standin.all_calls()), (Access::host(), 0));
}
