//! What a Python `StridedLayout` holds.

use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;
use strideview::StridedLayout;

use crate::errors::expected;
use crate::raw::cache::{FlagCache, ObjectCache};
use crate::raw::instance::{Class, Instance, TypeCell, value_of};

/// A layout and what has been derived from it so far. Lives in Python objects only.
pub(crate) struct LayoutObject {
    layout: StridedLayout,
    pub(super) caches: Caches,
}

#[derive(Default)]
pub(super) struct Caches {
    pub(super) shape: ObjectCache,
    pub(super) strides: ObjectCache,
    pub(super) strides_in_bytes: ObjectCache,
    pub(super) stride_order: ObjectCache,
    pub(super) volume: ObjectCache,
    pub(super) offset_bounds: ObjectCache,
    pub(super) flags: FlagCache,
}

impl Class for LayoutObject {
    #[inline]
    fn type_cell() -> &'static TypeCell {
        static TYPE: TypeCell = TypeCell::new();
        &TYPE
    }
}

impl LayoutObject {
    /// A new Python object that holds `layout`, which is moved once, to where it stays.
    #[inline]
    pub(super) fn allocate(layout: StridedLayout) -> PyResult<NonNull<ffi::PyObject>> {
        let write = |place: *mut Self| {
            // SAFETY: `allocate` gives a place for a value that is not initialised yet.
            let piece = unsafe { &raw mut (*place).layout };
            // SAFETY: as above.
            unsafe { piece.write(layout) };
            // SAFETY: as above.
            let piece = unsafe { &raw mut (*place).caches };
            // SAFETY: as above.
            unsafe { piece.write(Caches::default()) };
        };
        // SAFETY: (1) both fields are written.
        unsafe { Instance::allocate(write) }
    }

    /// The layout.
    #[inline]
    pub(crate) fn layout(&self) -> &StridedLayout {
        &self.layout
    }
}

/// The layout object that a Python object is, or a `TypeError`.
#[inline]
pub(super) fn object_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a LayoutObject> {
    value_of(object).ok_or_else(|| expected("a StridedLayout", object))
}

/// The layout that a Python object holds, or a `TypeError`.
#[inline]
pub(crate) fn layout_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a StridedLayout> {
    object_of(object).map(LayoutObject::layout)
}

/// The layout that a Python object holds, if it is a `StridedLayout`.
#[inline]
pub(crate) fn try_layout_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a StridedLayout> {
    value_of(object).map(LayoutObject::layout)
}

/// A new Python `StridedLayout`.
#[inline]
pub(crate) fn new_layout(py: Python<'_>, layout: StridedLayout) -> PyResult<Bound<'_, PyAny>> {
    let object = LayoutObject::allocate(layout)?;
    // SAFETY: the object is new and this is its only reference.
    Ok(unsafe { Bound::from_owned_ptr(py, object.as_ptr()) })
}
