"""Cases of the areas array-interface and cai, and those of other areas that name one of the two."""

import numpy as np
import pytest
from interfaces import Says, SaysOfDevice
from strideview import StridedMemoryView

FINE = {"shape": (2,), "typestr": "<f4", "data": (0x7F00_0000_0000, False), "version": 3}


def from_device(entries):
    return StridedMemoryView.from_cuda_array_interface(SaysOfDevice(entries), -1)


def test_ai_01(case):
    for entries in case["input"]["array_interface_variants"]:
        for version in ({}, {"version": 3}):
            with pytest.raises((ValueError, TypeError, KeyError)):
                StridedMemoryView.from_array_interface(Says({**entries, **version}))


def test_bo_06():
    b = np.arange(8.0)
    entries = {"shape": (2,), "typestr": b.dtype.str, "data": memoryview(b), "offset": 16, "version": 3}
    view = StridedMemoryView.from_array_interface(Says(entries))
    assert np.from_dlpack(view).tolist() == [2.0, 3.0]


def test_ro_07():
    x = np.zeros(3)
    entries = {"shape": (3,), "typestr": x.dtype.str, "data": (x.ctypes.data, True), "version": 3}
    assert StridedMemoryView.from_array_interface(Says(entries)).readonly


def test_dt_16(case):
    """As NumPy reads it, a clear error, or bfloat16 for the two raw bytes that stand for it."""
    memory = np.zeros(16, "u1")
    for typestr in case["input"]["typestrs"]:
        entries = {"shape": (1,), "typestr": typestr, "data": (memory.ctypes.data, False), "version": 3}
        try:
            view = StridedMemoryView.from_array_interface(Says(entries))
        except (TypeError, ValueError) as error:
            assert str(error)
            assert not isinstance(error, (KeyError, IndexError))
        else:
            assert view.dtype == np.dtype(typestr) or (typestr, str(view.dtype)) == ("<V2", "bfloat16")
    for typestr in ("", "<q9"):
        entries = {"shape": (1,), "typestr": typestr, "data": (memory.ctypes.data, False), "version": 3}
        with pytest.raises((TypeError, ValueError)):
            StridedMemoryView.from_array_interface(Says(entries))


def test_ca_01():
    with pytest.raises((NotImplementedError, BufferError, ValueError), match="mask"):
        from_device(FINE | {"mask": SaysOfDevice(FINE)})


def test_ca_03():
    for version in (0, 1):
        with pytest.raises((BufferError, ValueError), match=str(version)):
            from_device(FINE | {"version": version})
    with pytest.raises((BufferError, ValueError), match="version"):
        from_device({name: entry for name, entry in FINE.items() if name != "version"})


def test_ca_04():
    with pytest.raises((TypeError, ValueError)):
        from_device({"shape": (0,), "typestr": "<f8", "strides": (8,), "data": (None, False), "version": 3})


def test_st_01():
    with pytest.raises((ValueError, BufferError), match="0"):
        from_device(FINE | {"stream": 0})
