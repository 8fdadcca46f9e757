"""Views of a buffer: both forms of the call, and that nothing outside the buffer is ever reached."""

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from strategies import bytes_of_layout, layouts
from strideview import Buffer, Device, StridedLayout, StridedMemoryView
from view_of import view_of

LAYOUT = StridedLayout((2, 3), (3, 1), 4)


@pytest.fixture
def buffer():
    return Device("cpu").allocate(64)


def test_with_a_layout(buffer):
    from_buffer = StridedMemoryView.from_buffer
    for view in (
        from_buffer(buffer, LAYOUT),
        from_buffer(buffer, LAYOUT, None),
        from_buffer(buffer, LAYOUT, None, False),
        from_buffer(buffer, LAYOUT, dtype=None, is_readonly=False),
        from_buffer(buffer, layout=LAYOUT),
        from_buffer(layout=LAYOUT, buffer=buffer),
    ):
        assert (view.layout, view.dtype, view.readonly, view.exporting_obj) == (LAYOUT, None, False, buffer)
    for view in (
        from_buffer(buffer, LAYOUT, "f4", True),
        from_buffer(buffer, LAYOUT, "f4", is_readonly=True),
        from_buffer(buffer, LAYOUT, dtype=np.float32, is_readonly=True),
        from_buffer(buffer, layout=LAYOUT, dtype=np.dtype("f4"), is_readonly=True),
    ):
        assert (view.layout, view.dtype, view.readonly) == (LAYOUT, np.float32, True)


def test_with_a_shape(buffer):
    from_buffer = StridedMemoryView.from_buffer
    for view in (
        from_buffer(buffer, (2, 3), itemsize=4),
        from_buffer(buffer, (2, 3), None, itemsize=4),
        from_buffer(buffer, (2, 3), (3, 1), itemsize=4),
        from_buffer(buffer, [2, 3], strides=np.array([3, 1]), itemsize=np.int8(4)),
        from_buffer(buffer, shape=(2, 3), strides=(3, 1), itemsize=4),
        from_buffer(buffer, shape=(2, 3), itemsize=4, dtype=None),
    ):
        assert (view.layout, view.dtype, view.readonly) == (LAYOUT, None, False)
    for view in (
        from_buffer(buffer, (2, 3), dtype="f4"),
        from_buffer(buffer, (2, 3), (3, 1), dtype="f4", itemsize=4),
        from_buffer(buffer, (2, 3), None, dtype=np.float32, itemsize=None, is_readonly=False),
    ):
        assert (view.layout, view.dtype, view.readonly) == (LAYOUT, np.float32, False)
    assert from_buffer(buffer, 16, itemsize=4).shape == (16,)
    assert from_buffer(buffer, (), itemsize=64).shape == ()
    assert from_buffer(buffer, (2, 3), (1, 2), dtype="f8", is_readonly=True).strides == (1, 2)


def test_calls_that_are_wrong(buffer):
    from_buffer = StridedMemoryView.from_buffer
    for call in (
        lambda: from_buffer(),
        lambda: from_buffer(buffer),
        lambda: from_buffer(buffer, LAYOUT, "f4", dtype="f4"),
        lambda: from_buffer(buffer, LAYOUT, "f4", True, is_readonly=True),
        lambda: from_buffer(buffer, LAYOUT, "f4", True, None),
        lambda: from_buffer(buffer, LAYOUT, layout=LAYOUT),
        lambda: from_buffer(buffer, LAYOUT, wrong=1),
        lambda: from_buffer(buffer, LAYOUT, "f4", "yes"),
        lambda: from_buffer(buffer, layout=(2, 3), itemsize=4),
        lambda: from_buffer(buffer, (2, 3), (3, 1), strides=(3, 1), itemsize=4),
        lambda: from_buffer(buffer, (2, 3), (3, 1), "f4"),
        lambda: from_buffer(buffer, (2, 3), "f4", itemsize=4),
        lambda: from_buffer(buffer, (2, 3), (3.0, 1), itemsize=4),
        lambda: from_buffer(buffer, (2.0, 3), itemsize=4),
        lambda: from_buffer(buffer, "23", itemsize=4),
        lambda: from_buffer(buffer, (2, 3), itemsize=4.0),
        lambda: from_buffer(buffer, (2, 3), itemsize=True),
        lambda: from_buffer(np.zeros(64, "u1"), LAYOUT),
        lambda: from_buffer(view_of(np.zeros(64, "u1")), LAYOUT),
        lambda: from_buffer(LAYOUT, LAYOUT),
        lambda: from_buffer(None, LAYOUT),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: from_buffer(buffer, LAYOUT, strides=(3, 1)),
        lambda: from_buffer(buffer, LAYOUT, itemsize=4),
        lambda: from_buffer(buffer, LAYOUT, shape=(2, 3)),
        lambda: from_buffer(buffer, (2, 3)),
        lambda: from_buffer(buffer, (2, 3), (3, 1)),
        lambda: from_buffer(buffer, (2, 3), dtype="O"),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()


def test_a_shape_given_twice(buffer):
    with pytest.raises(TypeError):
        StridedMemoryView.from_buffer(buffer, (2, 3), shape=(3, 2), itemsize=4)


def test_itemsize_and_dtype_must_agree(buffer):
    from_buffer = StridedMemoryView.from_buffer
    for call in (
        lambda: from_buffer(buffer, LAYOUT, "f8"),
        lambda: from_buffer(buffer, LAYOUT, dtype="i2"),
        lambda: from_buffer(buffer, (2, 3), itemsize=8, dtype="f4"),
        lambda: from_buffer(buffer, StridedLayout((2,), None, 3), "u1"),
    ):
        with refused("view.itemsize_mismatch", ValueError):
            call()
    with refused("layout.invalid_itemsize", ValueError):
        from_buffer(buffer, (2, 3), itemsize=0)
    with refused("layout.stride_count", ValueError):
        from_buffer(buffer, (2, 3), (1,), itemsize=4)


@pytest.mark.parametrize(
    ("shape", "strides", "itemsize"),
    [
        ((17,), None, 4),
        ((2,), (16,), 4),
        ((2,), (-1,), 4),
        ((4, 4), (4, -1), 4),
        ((4, 4), (5, 1), 4),
        ((), None, 65),
        ((1,), (2**60,), 65),
        ((2,), (2**50,), 4),
        ((2,), (-(2**50),), 4),
    ],
)
def test_outside_of_the_buffer(buffer, shape, strides, itemsize):
    with refused("view.out_of_bounds", ValueError) as caught:
        StridedMemoryView.from_buffer(buffer, shape, strides, itemsize=itemsize)
    assert "64" in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "strides"), [((2**32, 2**32), None), ((2,), (2**62,)), ((2**62,), (3,)), ((2**63,), None)]
)
def test_sizes_that_wrap(buffer, shape, strides):
    with pytest.raises(OverflowError):
        StridedMemoryView.from_buffer(buffer, shape, strides, itemsize=4)


def test_just_inside(buffer):
    from_buffer = StridedMemoryView.from_buffer
    assert from_buffer(buffer, (16,), itemsize=4).nbytes == 64
    assert from_buffer(buffer, (2,), (15,), itemsize=4).strides == (15,)
    assert from_buffer(buffer, (1,), (2**60,), itemsize=4).size == 1
    assert from_buffer(buffer, (1000, 1000), (0, 0), itemsize=64).size == 10**6
    reversed_all = from_buffer(buffer, StridedLayout((16,), (-1,), 4, slice_offset=15))
    assert reversed_all.ptr == buffer.handle + 60
    assert (reversed_all.layout.slice_offset, reversed_all.strides) == (0, (-1,))


def test_empty_views_reach_nothing(buffer):
    for shape, strides in (((0, 100), None), ((100, 0), (2**40, 1)), ((0,), (-5,))):
        assert StridedMemoryView.from_buffer(buffer, shape, strides, itemsize=4).size == 0
    for offset in (2**40, -5, 16):
        assert StridedMemoryView.from_buffer(buffer, StridedLayout((0, 3), None, 4, slice_offset=offset)).size == 0
    assert StridedMemoryView.from_buffer(Device("cpu").allocate(0), (0, 3), dtype="f8").nbytes == 0
    with refused("view.out_of_bounds", ValueError):
        StridedMemoryView.from_buffer(Device("cpu").allocate(0), (), itemsize=1)


@given(layouts(), st.integers(0, 300))
def test_bounds_by_enumeration(layout, size):
    buffer = Device("cpu").allocate(size)
    reached = bytes_of_layout(layout)
    if all(0 <= byte < size for byte in reached):
        view = StridedMemoryView.from_buffer(buffer, layout)
        assert view.layout.maps_like(StridedLayout(layout.shape, layout.strides, layout.itemsize))
        if reached:
            assert view.ptr == buffer.handle + layout.slice_offset * layout.itemsize
    else:
        with refused("view.out_of_bounds", ValueError):
            StridedMemoryView.from_buffer(buffer, layout)


@given(layouts(), layouts())
def test_bounds_of_a_view_of_a_view(layout, other):
    size = 400
    low = layout.min_offset
    shifted = StridedLayout(
        layout.shape, layout.strides, layout.itemsize, slice_offset=layout.slice_offset - min(low, 0)
    )
    if shifted.volume == 0 or shifted.required_size_in_bytes() > size:
        return
    buffer = Device("cpu").allocate(size)
    view = StridedMemoryView.from_buffer(buffer, shifted)
    start = view.ptr - buffer.handle
    if all(0 <= start + byte < size for byte in bytes_of_layout(other)):
        assert view.view(other).shape == other.shape
    else:
        with refused("view.out_of_bounds", ValueError):
            view.view(other)


def test_the_elements_of_a_strided_view():
    memory = (ctypes.c_int16 * 24)(*range(24))
    buffer = Buffer.from_handle(ctypes.addressof(memory), 48, owner=memory)
    view = StridedMemoryView.from_buffer(buffer, StridedLayout((2, 3), (-12, 2), 2, slice_offset=13), "int16")
    assert np.asarray(view).tolist() == [[13, 15, 17], [1, 3, 5]]
    np.asarray(view)[0, 0] = -1
    assert memory[13] == -1


def test_read_only_views():
    buffer = Device("cpu").allocate(64)
    view = StridedMemoryView.from_buffer(buffer, LAYOUT, "f4", is_readonly=True)
    assert view.readonly
    assert view[0].readonly
    assert view.view(dtype="i4").readonly
    assert not np.asarray(view).flags.writeable
    assert not np.from_dlpack(view).flags.writeable
    with refused("view.read_only", ValueError):
        view.copy_from(np.zeros((2, 3), "f4"))


def test_untyped_views():
    """They are copied by item size, and handed to nobody."""
    buffer, other = Device("cpu").allocate(64), Device("cpu").allocate(64)
    memoryview(other)[:] = bytes(range(64))
    target, source = StridedMemoryView.from_buffer(buffer, LAYOUT), StridedMemoryView.from_buffer(other, LAYOUT)
    target.copy_from(source)
    assert bytes(buffer) == bytes(range(24)) + bytes(40)
    assert target.view(dtype="f4").dtype == np.float32
    assert target.bytes_view().dtype == np.uint8
    for use in (lambda: target.__dlpack__(), lambda: np.from_dlpack(target), lambda: memoryview(target)):
        with pytest.raises(BufferError):
            use()
    with refused("copy.itemsize_mismatch", ValueError):
        target.copy_from(StridedMemoryView.from_buffer(other, (2, 3), itemsize=8))
