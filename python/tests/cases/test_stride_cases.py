"""Cases of the areas negative-strides, strides-none, size-1 and byte-strides."""

import dlhelp as d
import numpy as np
import pytest
from interfaces import Says, SaysOfDevice
from strideview import Device, StridedLayout, StridedMemoryView, copy
from view_of import view_of


def test_ng_01():
    x = np.flip(np.ones((2, 5), "i4"), axis=1).T
    assert d.read(view_of(x).__dlpack__())["strides"] == (-1, 5)


def test_ng_03():
    layout = StridedLayout((4,), (1,), 8).sliced(slice(None, None, -1))
    assert (layout.shape, layout.strides, layout.slice_offset) == ((4,), (-1,), 3)


def test_ng_04():
    a = np.arange(12.0).reshape(3, 4)[::-1]
    view = view_of(a)
    assert view.ptr == a.ctypes.data
    exported = d.read(view.__dlpack__())
    assert exported["data"] + exported["byte_offset"] == a.base.ctypes.data + 8 * 8
    assert np.array_equal(np.from_dlpack(view), a)


def test_ng_06():
    source, target = np.arange(4.0)[::-1], np.empty(4)
    copy(dst=view_of(target), src=view_of(source))
    assert target.tolist() == [3.0, 2.0, 1.0, 0.0]


def test_ng_07():
    buffer = Device("cpu").allocate(6 * 4)
    layout = StridedLayout((3, 2), (-2, 1), 4)
    assert layout.min_offset == -4
    with pytest.raises(ValueError, match="-16"):
        StridedMemoryView.from_buffer(buffer, layout)
    with pytest.raises(ValueError, match="-4"):
        layout.required_size_in_bytes()
    shifted = StridedLayout((3, 2), (-2, 1), 4, slice_offset=4)
    assert shifted.offset_bounds == (0, 5)
    assert StridedMemoryView.from_buffer(buffer, shifted).ptr == buffer.handle + 4 * 4


def test_ng_09():
    layout = StridedLayout((1,), (-1,), 2).repacked(1)
    assert (layout.shape, layout.strides) == ((2,), (1,))


def test_ng_10(case):
    empty = StridedLayout(case["input"]["shape"], case["input"]["strides"], case["input"]["itemsize"])
    assert (empty.is_contiguous_c, empty.is_contiguous_f) == (True, True)
    assert not StridedLayout((2, 2, 3), (6, 3, -1), 1).is_contiguous_c


def test_sn_01():
    a = np.arange(12, dtype="f4")
    view = view_of(d.P(a, shape=(3, 4), strides=None, versioned=False))
    assert view.strides == (4, 1)
    assert view.layout.is_contiguous_c
    assert np.array_equal(np.from_dlpack(view), a.reshape(3, 4))


def test_sn_03(case):
    for entry in case["input"]["layouts"]:
        layout = StridedLayout(entry["shape"], entry["strides"], 8)
        assert (layout.is_contiguous_c, layout.is_contiguous_f) == (entry["c"], entry["f"])


def test_sn_04():
    x = np.zeros((2, 4))
    entries = {"shape": (2, 4), "typestr": x.dtype.str, "data": (x.ctypes.data, False), "version": 3}
    for interface in (entries, entries | {"strides": None}):
        view = StridedMemoryView.from_array_interface(Says(interface))
        assert view.strides == (4, 1)
        assert view.layout.is_contiguous_c


def test_sn_06():
    capsule = view_of(np.zeros((3, 4), "f4")).__dlpack__(max_version=(1, 2))
    assert d.read(capsule)["strides"] == (4, 1)


def test_sn_07():
    x = np.zeros((2, 4))
    entries = {"shape": (2, 4), "typestr": x.dtype.str, "data": (x.ctypes.data, False), "version": 3, "strides": (8,)}
    with pytest.raises(ValueError, match="2"):
        StridedMemoryView.from_array_interface(Says(entries))
    with pytest.raises(ValueError, match="2"):
        StridedLayout((2, 4), (8,), 8, divide_strides=True)


def test_s1_01(case):
    for entry in case["input"]["layouts"]:
        layout = StridedLayout(entry["shape"], entry["strides"], 4)
        assert layout.is_contiguous_c
        assert layout.is_contiguous_f


def test_s1_03():
    x = np.ndarray((6, 4, 1), "f8", np.zeros(400, "u1"), 0, (8, 48, 4))
    for view in (StridedMemoryView.from_array_interface(x), StridedMemoryView.from_buffer_protocol(x), view_of(x)):
        assert view.strides[:2] == (1, 6)
        assert d.read(view.__dlpack__())["strides"][:2] == (1, 6)


def test_s1_04(case):
    shape, strides = case["input"]["shape"], case["input"]["byte_strides"]
    layout = StridedLayout(shape, strides, 8, divide_strides=True)
    assert layout.is_contiguous_c
    assert layout.required_size_in_bytes() == 72
    assert layout.strides[::2] == (3, 1)


def test_s1_06(case):
    for entry in case["input"]["layouts"]:
        assert StridedLayout(entry["shape"], entry["strides"], 4).is_contiguous_c == entry["c"]


def test_s1_07():
    layout = StridedLayout((6,), (2,), 8).reshaped((6, 1, 1))
    assert (layout.shape, layout.strides[0]) == ((6, 1, 1), 2)
    assert list(layout.offsets()) == [0, 2, 4, 6, 8, 10]


def test_bs_01():
    x = np.zeros(3, dtype=[("k", "i4"), ("w", "f8")])["w"]
    with pytest.raises(ValueError, match="12"):
        StridedMemoryView.from_array_interface(x)
    for make in (StridedMemoryView.from_buffer_protocol, view_of):
        with pytest.raises((ValueError, BufferError), match="multiple"):
            make(x)


def test_bs_03():
    entries = {"shape": (2,), "typestr": "<f8", "strides": (12,), "data": (64, False), "version": 3}
    with pytest.raises(ValueError, match="12"):
        StridedMemoryView.from_cuda_array_interface(SaysOfDevice(entries), -1)


def test_bs_04():
    x = np.ndarray((0, 3), "f8", np.zeros(8, "u1"), 0, (5, 7))
    for make in (StridedMemoryView.from_array_interface, StridedMemoryView.from_buffer_protocol, view_of):
        assert make(x).size == 0
