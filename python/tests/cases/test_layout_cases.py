"""Cases of the areas ndim, overflow, bounds, contiguity and reshape-slice."""

import dlhelp as d
import numpy as np
import pytest
from refusal import refused
from strideview import Device, StridedLayout, StridedMemoryView, copy
from view_of import view_of


def layout_of(entry):
    return StridedLayout(entry["shape"], entry["strides"], entry["itemsize"])


def test_nd_01():
    assert StridedLayout((1,) * 64, None, 8).ndim == 64
    for rank in (65, 1000):
        with pytest.raises(ValueError, match=str(rank)):
            StridedLayout((1,) * rank, None, 8)
        with pytest.raises((ValueError, BufferError), match=str(rank)):
            view_of(d.P(np.zeros(4, "f4"), shape=(1,) * rank, strides=(1,) * rank))


def test_nd_03():
    with pytest.raises((ValueError, BufferError), match="-1"):
        view_of(d.P(np.zeros(4, "f4"), shape=(2,), strides=(1,), ndim=-1))


def test_nd_04(case):
    for entry in case["input"]["layouts"]:
        with pytest.raises(ValueError, match="-"):
            StridedLayout(entry["shape"], entry["strides"], 4)


def test_ov_01(case):
    with pytest.raises((ValueError, OverflowError)):
        layout_of(case["input"]).reshaped(*case["input"]["args"])


def test_ov_03(case):
    with pytest.raises((ValueError, OverflowError)):
        layout_of(case["input"]).sliced(slice(None, None, 2))


def test_ov_04(case):
    with pytest.raises((ValueError, OverflowError)):
        layout_of(case["input"]).sliced(2)


def test_ov_06(case):
    layout = layout_of(case["input"])
    assert layout.offset_bounds == (-(2**63), 0)
    assert layout.stride_order == (0,)
    assert (layout.is_unique, layout.is_contiguous_any) == (True, False)


def test_ov_07(case):
    buffer = Device("cpu").allocate(case["input"]["buffer_bytes"])
    with pytest.raises((ValueError, OverflowError)):
        StridedMemoryView.from_buffer(buffer, case["input"]["shape"], itemsize=1)


def test_rq_01(case):
    assert layout_of(case["input"]).required_size_in_bytes() == 192


def test_rq_03(case):
    layout = layout_of(case["input"])
    assert (layout.required_size_in_bytes(), layout.volume) == (1595, 900)


def test_rq_04():
    x, target = np.arange(24.0).reshape(4, 6)[::2, ::3], np.empty((2, 2))
    view = view_of(x)
    copy(dst=view_of(target), src=view)
    assert target.tolist() == [[0.0, 3.0], [12.0, 15.0]]
    assert view.layout.offset_bounds == (0, 15)


def test_rq_06():
    buffer = Device("cpu").allocate(40)
    fits = StridedLayout((3, 3), (3, 1), 4, slice_offset=1)
    assert fits.required_size_in_bytes() == 40
    assert StridedMemoryView.from_buffer(buffer, fits).ptr == buffer.handle + 4
    with pytest.raises(ValueError, match="44"):
        StridedMemoryView.from_buffer(buffer, StridedLayout((3, 3), (3, 1), 4, slice_offset=2))


def test_ct_01():
    view = view_of(np.arange(6).reshape(2, 3).T)
    assert view.strides == (1, 3)
    assert np.from_dlpack(view)[0, 1] == 3


def test_ct_03():
    view = view_of(d.P(np.arange(8.0), shape=(4,), strides=(2,), dtype=(2, 64, 1)))
    assert view.strides == (2,)
    assert not view.layout.is_contiguous_c
    assert StridedLayout((4,), (16,), 8, divide_strides=True).strides == (2,)


def test_ct_04(case):
    with refused("layout.reshape_needs_copy", ValueError):
        layout_of(case["input"]).reshaped(*case["input"]["args"])


def test_ct_06(case):
    for entry in case["input"]["layouts"]:
        assert StridedLayout(entry["shape"], entry["strides"], 1).is_contiguous_any == entry["any"]


def test_ct_07(case):
    for entry in case["input"]["layouts"]:
        layout = StridedLayout(entry["shape"], entry["strides"], 1)
        assert layout.is_unique == entry["unique"]
        assert list(layout.offsets()) == entry.get("offsets", list(layout.offsets()))
        assert layout.uniqueness == ("unique" if entry["unique"] else "overlapping")


def test_rs_01():
    layout = StridedLayout((2, 4, 3), (12, 1, 4), 8)
    assert layout.reshaped((2, 2, 2, 3)).strides == (12, 2, 1, 4)
    with refused("layout.reshape_needs_copy", ValueError):
        layout.reshaped((2, 12))


def test_rs_03(case):
    layout = StridedLayout((5,), None, 8)
    for parts in case["input"]["slices"]:
        index = slice(*(None if part == "None" else part for part in parts))
        wanted = list(range(5)[index])
        got = layout.sliced(index)
        assert (got.shape, list(got.offsets())) == ((len(wanted),), wanted)
    with pytest.raises(ValueError, match="step"):
        layout.sliced(slice(None, None, 0))
    for outside in (5, -6):
        with refused("layout.index_out_of_range", IndexError, ValueError):
            layout.sliced(outside)


def test_rs_04():
    source = view_of(np.zeros((1, 2, 4), "f4").T)
    target = view_of(np.zeros((1, 4, 2), "f4"))
    assert source.shape == (4, 2, 1)
    with refused("copy.shape_mismatch", ValueError):
        target.copy_from(source)
