//! Type objects from tables.

use std::ffi::{CStr, c_void};
use std::os::raw::{c_int, c_uint};
use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::instance::{Class, Instance, deallocate};

/// A getter with its name and docstring.
pub(crate) type Getter = (&'static CStr, &'static CStr, ffi::getter);

/// What a class consists of.
pub(crate) struct Specification {
    /// With the module, such as `strideview.StridedLayout`.
    pub(crate) name: &'static CStr,
    /// The signature, as `inspect` reads it, and the docstring.
    pub(crate) doc: &'static CStr,
    pub(crate) new: ffi::newfunc,
    pub(crate) getters: &'static [Getter],
    pub(crate) methods: Vec<ffi::PyMethodDef>,
    pub(crate) members: Vec<ffi::PyMemberDef>,
    /// Attributes of the class itself; a class without any cannot be given some later.
    pub(crate) attributes: Vec<(&'static str, Py<PyAny>)>,
    /// Slots beside those that follow from the fields above.
    pub(crate) slots: Vec<ffi::PyType_Slot>,
}

/// A slot of a type.
///
/// The value must be a function of the type that belongs to the number.
pub(crate) fn slot(number: c_int, value: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot: number, pfunc: value }
}

/// A static method.
pub(crate) fn static_method(
    name: &'static CStr,
    function: ffi::PyCFunctionFastWithKeywords,
    doc: &'static CStr,
) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: function },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS | ffi::METH_STATIC,
        ml_doc: doc.as_ptr(),
    }
}

/// Creates the type of `T` and adds it to the module under the last part of its name. The tables
/// live as long as the process, as the type does.
pub(crate) fn add<T: Class>(module: &Bound<'_, PyModule>, class: Specification) -> PyResult<()> {
    let mut slots = class.slots;
    slots.push(slot(ffi::Py_tp_doc, class.doc.as_ptr().cast_mut().cast()));
    slots.push(slot(ffi::Py_tp_new, class.new as *mut c_void));
    slots.push(slot(ffi::Py_tp_dealloc, deallocate::<T> as ffi::destructor as *mut c_void));
    slots.push(slot(ffi::Py_tp_getset, getters(class.getters).leak().as_mut_ptr().cast()));
    let mut methods = class.methods;
    methods.push(ffi::PyMethodDef::zeroed());
    slots.push(slot(ffi::Py_tp_methods, methods.leak().as_mut_ptr().cast()));
    if !class.members.is_empty() {
        let mut members = class.members;
        members.push(ffi::PyMemberDef::default());
        slots.push(slot(ffi::Py_tp_members, members.leak().as_mut_ptr().cast()));
    }
    slots.push(slot(0, null_mut()));
    let mut flags = ffi::Py_TPFLAGS_DEFAULT;
    if class.attributes.is_empty() {
        flags |= ffi::Py_TPFLAGS_IMMUTABLETYPE;
    }
    let mut specification = ffi::PyType_Spec {
        name: class.name.as_ptr(),
        basicsize: Instance::<T>::SIZE as c_int,
        itemsize: 0,
        flags: flags as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification is complete and ends with a zero slot; each slot's function has the
    // type its number says; name, docs and tables live as long as the process; the GIL is held.
    let object = unsafe { ffi::PyType_FromSpec(&raw mut specification) };
    // SAFETY: a new reference, or null with an exception.
    let object = unsafe { Bound::from_owned_ptr_or_err(module.py(), object) }?;
    let object = object.cast_into::<PyType>()?;
    for (name, value) in class.attributes {
        object.setattr(name, value)?;
    }
    module.add(object.name()?, &object)?;
    T::type_cell().set(object);
    Ok(())
}

/// The table of getters, ended by an empty entry.
fn getters(getters: &[Getter]) -> Vec<ffi::PyGetSetDef> {
    let entry = |&(name, doc, get): &Getter| ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        set: None,
        doc: doc.as_ptr(),
        closure: null_mut(),
    };
    getters.iter().map(entry).chain([ffi::PyGetSetDef::default()]).collect()
}
