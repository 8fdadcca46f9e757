"""Cases of the areas zero-size and zero-dim."""

import gc

import dlhelp as d
import numpy as np
import pytest
from interfaces import SaysOfDevice
from strideview import StridedLayout, StridedMemoryView, copy
from view_of import view_of


def test_zs_01(case):
    entries = case["input"]["cai"]
    views = [
        StridedMemoryView.from_cuda_array_interface(SaysOfDevice(entries | {"shape": (0,), "data": (0, False)}), -1),
        view_of(d.P(data=None, shape=(0,), dtype=(0, 64, 1))),
    ]
    for view in views:
        assert (view.shape, view.size, view.ptr) == ((0,), 0, 0)
        assert view.dtype == np.int64


def test_zs_03():
    view = view_of(np.arange(3)[0:1:-1])
    assert view.shape == (0,)
    exported = d.read(view.__dlpack__(max_version=(1, 0)))
    assert (exported["data"], exported["byte_offset"]) == (None, 0)
    odd = d.P(data=12345, shape=(0, 2), strides=(9, 9))
    assert np.from_dlpack(view_of(odd)).shape == (0, 2)


def test_zs_04():
    view = view_of(np.zeros((2, 3, 0, 4), np.float32))
    assert (view.shape, view.size) == ((2, 3, 0, 4), 0)
    assert view.layout.is_contiguous_c
    assert view.layout.is_contiguous_f


def test_zs_06():
    source, target = np.zeros((2, 0)), np.zeros((2, 0))
    copy(dst=view_of(target), src=view_of(source))


def test_zs_07(case):
    source, target = (
        d.P(np.ones(1, "f4"), shape=shape["shape"], strides=shape["strides"])
        for shape in (case["input"]["src"], case["input"]["dst"])
    )
    view_of(target).copy_from(view_of(source))
    assert target.arr == 1


def test_zs_09():
    view = view_of(np.zeros((3, 5, 4))[::2, 1:1, ::3])
    assert (view.layout.is_contiguous_c, view.layout.is_contiguous_f, view.size) == (True, True, 0)


def test_zs_10():
    layout = StridedLayout.dense((18, 0), 8, "C")
    assert (layout.required_size_in_bytes(), layout.is_contiguous_c) == (0, True)
    assert StridedLayout(layout.shape, layout.strides, 8) == layout
    exported = d.read(view_of(np.empty((18, 0))).__dlpack__())
    again = view_of(d.P(data=None, shape=exported["shape"], strides=exported["strides"], dtype=exported["dtype"]))
    assert (again.shape, again.size) == ((18, 0), 0)


def test_zs_12(case):
    layout = StridedLayout(**case["input"])
    assert (layout.required_size_in_bytes(), layout.offset_bounds) == (0, (0, -1))


def test_zs_13():
    producer = d.P(data=None, shape=(0, 3), strides=(3, 1))
    gc.collect()
    before = len(d.calls)
    view = view_of(producer)
    assert view.size == 0
    del view
    gc.collect()
    assert len(d.calls) - before == 1


def test_zs_15(case):
    for entry in case["input"]["layouts"]:
        with pytest.raises(ValueError, match="infer"):
            StridedLayout(entry["shape"], None, 8).reshaped(entry["reshape"])


def test_zs_16(case):
    assert StridedLayout(case["input"]["shape"], None, 8).reshaped(case["input"]["reshape"]).shape == (0, 4)


def test_zd_01():
    view = view_of(np.array(3.0))
    assert (view.shape, view.strides, view.size) == ((), (), 1)
    assert (view.layout.is_contiguous_c, view.layout.is_contiguous_f) == (True, True)
    assert np.from_dlpack(view) == 3.0


def test_zd_03():
    view = view_of(d.P(np.array([7.0], "f4"), shape=(), strides=None))
    assert view.shape == ()
    assert np.from_dlpack(view) == 7.0


def test_zd_04():
    a = np.arange(4, dtype="f4")
    view = view_of(d.P(a, shape=(), byte_offset=8))
    assert view.ptr - a.ctypes.data == 8
    assert np.from_dlpack(view) == 2.0
