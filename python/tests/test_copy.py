"""Copies against NumPy's ``dst[...] = src``: the elements, the gaps, overlaps, and what is refused."""

import random

import numpy as np
import pytest
import strideview
from arrays import DTYPES, KINDS, array_views, numbers, readonly
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from strideview import Buffer, Device, StridedLayout, StridedMemoryView, copy
from view_of import view_of

ITEMSIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 64, 100]


def whole(array):
    """The array that owns the memory."""
    while array.base is not None:
        array = array.base
    return array


def by_numpy(target, source):
    """The bytes of the memory behind ``target`` as NumPy would leave them, with the source copied first."""
    memory = whole(target)
    expected = memory.copy(order="K")
    offset = target.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    if target.size:
        twin = np.ndarray(target.shape, target.dtype, expected, offset, target.strides)
        twin[...] = source.copy()
    return expected


def check(target, source):
    expected = by_numpy(target, source)
    copy(target, source)
    assert whole(target).tobytes() == expected.tobytes()


@st.composite
def like(draw, array):
    """Another array of that shape and dtype: gaps, reversed axes, another order, or stretched."""
    order = draw(st.permutations(range(array.ndim)))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -2, 3])) for _ in order]
    base = numbers([array.shape[axis] * abs(step) for axis, step in zip(order, steps, strict=True)], array.dtype)
    view = base[(*(slice(None, None, step) for step in steps), ...)].transpose(np.argsort(order))
    stretched = [axis for axis in range(array.ndim) if draw(st.integers(0, 9)) == 0]
    if stretched and array.size:
        one = view[(*(slice(0, 1) if axis in stretched else slice(None) for axis in range(array.ndim)), ...)]
        view = np.broadcast_to(one, array.shape)
    return view


@given(st.data(), array_views())
def test_copying(data, target):
    check(target, data.draw(like(target)))


@given(st.data(), array_views(max_rank=2, max_extent=40))
def test_copying_longer_axes(data, target):
    check(target, data.draw(like(target)))


@given(st.data(), array_views(max_rank=6, max_extent=2))
def test_copying_more_axes(data, target):
    check(target, data.draw(like(target)))


@pytest.mark.parametrize("source", KINDS.values(), ids=KINDS)
def test_every_kind_of_source(source):
    for order in "CF":
        target = np.zeros(source.shape, source.dtype, order=order)
        copy(target, source)
        assert target.tobytes() == source.tobytes()
        reversed_target = np.zeros(source.shape, source.dtype, order=order)[(slice(None, None, -1),) * source.ndim]
        check(np.asarray(reversed_target), source)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    check(np.zeros((5, 7), dtype), numbers((7, 5), dtype).T)


@st.composite
def unique_layouts(draw, shape, itemsize):
    """A layout of the shape, in which no two indices share an element: some order, some gaps, some axes reversed."""
    order = draw(st.permutations(range(len(shape))))
    strides, pitch = [0] * len(shape), 1
    for axis in order:
        pitch *= draw(st.sampled_from([1, 1, 2, 3]))
        strides[axis] = pitch * draw(st.sampled_from([1, -1]))
        pitch *= max(shape[axis], 1)
    return StridedLayout(shape, strides, itemsize)


@st.composite
def any_layouts(draw, shape, itemsize):
    return StridedLayout(shape, [draw(st.integers(-6, 6)) for _ in shape], itemsize)


def elements(layout, shift):
    """The offsets after the first, moved so that the smallest is ``shift``."""
    return [offset - layout.min_offset + shift for offset in layout.offsets()]


def placed(memory, layout, shift):
    """The view of the memory whose smallest element is at ``shift``."""
    at = StridedLayout(layout.shape, layout.strides, layout.itemsize, slice_offset=shift - layout.min_offset)
    return StridedMemoryView.from_buffer(memory, at)


@given(st.data(), st.lists(st.integers(1, 4), max_size=3), st.sampled_from(ITEMSIZES))
def test_overlaps_are_as_through_a_temporary(data, shape, itemsize):
    target, source = (
        data.draw(unique_layouts(shape, itemsize)),
        data.draw(unique_layouts(shape, itemsize) | any_layouts(shape, itemsize)),
    )
    shifts = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 6))
    size = 8 + max(layout.max_offset - layout.min_offset for layout in (target, source))
    items = np.random.default_rng(0).integers(0, 256, (size, itemsize), np.uint8)
    memory = Device("cpu").allocate(items.nbytes)
    memoryview(memory)[:] = items.tobytes()
    placed(memory, target, shifts[0]).copy_from(placed(memory, source, shifts[1]))
    items[elements(target, shifts[0])] = items[elements(source, shifts[1])]
    assert bytes(memory) == items.tobytes()


@given(st.data(), st.lists(st.integers(1, 4), max_size=3), st.sampled_from(ITEMSIZES))
def test_gaps_are_not_written(data, shape, itemsize):
    target, source = data.draw(unique_layouts(shape, itemsize)), data.draw(any_layouts(shape, itemsize))
    shift = data.draw(st.integers(0, 3))
    items = np.full((target.max_offset - target.min_offset + 5, itemsize), 255, np.uint8)
    other = np.random.default_rng(1).integers(0, 255, (source.max_offset - source.min_offset + 1, itemsize), np.uint8)
    memory, from_memory = Device("cpu").allocate(items.nbytes), Device("cpu").allocate(other.nbytes)
    memoryview(memory)[:], memoryview(from_memory)[:] = items.tobytes(), other.tobytes()
    placed(memory, target, shift).copy_from(placed(from_memory, source, 0))
    items[elements(target, shift)] = other[elements(source, 0)]
    assert bytes(memory) == items.tobytes()


@pytest.mark.parametrize("itemsize", ITEMSIZES)
@pytest.mark.parametrize("size", [1, 2, 3, 15, 16, 17, 31, 63, 64, 65, 127, 1000])
def test_item_sizes(itemsize, size):
    """Dense, reversed, every second one, and a narrow transpose, against NumPy's opaque items."""
    source = np.random.default_rng(size).integers(0, 256, (size, 3, itemsize), np.uint8)
    items = source.view(f"V{itemsize}")[..., 0]
    buffer = Device("cpu").allocate(source.nbytes)
    memoryview(buffer)[:] = source.tobytes()
    view = StridedMemoryView.from_buffer(buffer, (size, 3), itemsize=itemsize)
    for part in (np.s_[:], np.s_[::-1], np.s_[::2, ::-1], np.s_[:, 1], np.s_[:, ::2]):
        for ours, theirs in ((view[part], items[part]), (view[part].T, items[part].T)):
            target = Device("cpu").allocate(theirs.nbytes + 1)
            StridedMemoryView.from_buffer(target, theirs.shape, itemsize=itemsize).copy_from(ours)
            assert bytes(target) == theirs.tobytes() + b"\0"


@pytest.mark.parametrize("offset", range(1, 9))
def test_misaligned(offset):
    raw = np.arange(200, dtype="u1")
    source = np.ndarray((4, 5), "f8", raw, offset)
    target = np.ndarray((4, 5), "f8", np.zeros(200, "u1"), 9 - offset)
    check(target, source)
    check(target.T, source.T[:, ::-1])


@pytest.mark.parametrize("shape", [(300, 500), (7, 90, 110), (64, 64, 64), (100_003,), (2, 3, 4, 5, 6, 7, 8)])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16"])
def test_larger_arrays(shape, dtype):
    source = numbers(shape, dtype)
    check(np.zeros(shape, dtype), source)
    check(np.zeros(shape[::-1], dtype), source.T)
    check(np.zeros(shape, dtype, order="F"), source)
    check(np.zeros(shape, dtype)[::-1], source[::-1])
    check(np.zeros((*shape, 2), dtype)[..., 0], source)
    half = source[..., ::2]
    check(np.zeros(half.shape, dtype), half)


def test_larger_overlaps():
    for step in (1, 7, 1000, 50_000):
        a = np.arange(100_000.0)
        for target, source in ((a[step:], a[:-step]), (a[:-step], a[step:]), (a[::-1][step:], a[step:]), (a, a[::-1])):
            check(target, source)
    square = np.arange(250_000.0).reshape(500, 500)
    check(square, square.T)
    check(square[1:, :-1], square[:-1, 1:])


def test_many_axes():
    source = numbers((2,) * 12).transpose(5, 3, 11, 0, 7, 2, 9, 1, 10, 4, 8, 6)
    check(np.zeros((2,) * 12), source)
    check(np.zeros((1,) * 64), np.ones((1,) * 64))
    check(np.zeros((1,) * 60 + (2, 3, 2, 3)), numbers((1,) * 60 + (3, 2, 3, 2)).transpose(*range(60), 61, 60, 63, 62))


def test_broadcast_sources():
    for source in (
        np.broadcast_to(np.float64(7), (40, 50)),
        np.broadcast_to(numbers((50,)), (40, 50)),
        np.broadcast_to(numbers((40, 1)), (40, 50)),
    ):
        check(np.zeros((40, 50)), source)
        check(np.zeros((50, 40)).T, source)


def test_empty_copies_do_nothing():
    for shape in ((0,), (3, 0), (0, 2, 2)):
        copy(np.zeros(shape), np.zeros(shape))
        copy(np.zeros(shape), np.zeros(shape[::-1]).T)
    copy(readonly(np.zeros(3))[:0].copy(), np.zeros(0))
    empty = StridedMemoryView.from_buffer(Device("cpu").allocate(0), (0, 2**40), dtype="f8")
    empty.copy_from(empty)


def test_onto_itself():
    a = numbers((3, 4))
    view = view_of(a)
    view.copy_from(view)
    view.T.copy_from(view_of(a).T)
    view[::-1].copy_to(a[::-1])
    assert np.array_equal(a, numbers((3, 4)))


def test_every_way_to_ask():
    source = numbers((2, 3))
    ways = [
        lambda target: copy(target, source),
        lambda target: copy(dst=target, src=source),
        lambda target: copy(view_of(target), view_of(source)),
        lambda target: copy(target, source, None, None, None),
        lambda target: copy(src=source, dst=target, stream=None, allocator=None, blocking=True),
        lambda target: view_of(target).copy_from(source),
        lambda target: view_of(target).copy_from(src=view_of(source), blocking=False),
        lambda target: view_of(source).copy_to(target),
        lambda target: view_of(source).copy_to(dst=view_of(target), stream=None),
        lambda target: strideview.copy(memoryview(target), memoryview(source)),
    ]
    for way in ways:
        target = np.zeros((2, 3))
        assert way(target) is None
        assert np.array_equal(target, source)
    target = bytearray(3)
    copy(target, b"abc")
    assert target == b"abc"


def test_calls_that_are_wrong():
    a = np.zeros(3)
    for call in (
        lambda: copy(),
        lambda: copy(a),
        lambda: copy(a, a, None, None, None, None),
        lambda: copy(a, a, wrong=1),
        lambda: view_of(a).copy_from(),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (lambda: copy(a, 1), lambda: copy(None, a), lambda: view_of(a).copy_to([1, 2, 3])):
        with pytest.raises((BufferError, TypeError)):
            call()


MISMATCHES = {
    "other rank": ("copy.rank_mismatch", (2, 3), (6,), "f8"),
    "more axes": ("copy.rank_mismatch", (3,), (1, 3), "f8"),
    "other extent": ("copy.shape_mismatch", (2, 3), (2, 4), "f8"),
    "transposed": ("copy.shape_mismatch", (2, 3), (3, 2), "f8"),
    "would broadcast": ("copy.shape_mismatch", (2, 3), (1, 3), "f8"),
    "empty source": ("copy.shape_mismatch", (2, 3), (0, 3), "f8"),
    "empty target": ("copy.shape_mismatch", (0, 3), (2, 3), "f8"),
    "other item size": ("view.dtype_mismatch", (2, 3), (2, 3), "f4"),
    "other kind": ("view.dtype_mismatch", (2, 3), (2, 3), "i8"),
    "complex": ("view.dtype_mismatch", (2, 3), (2, 3), "c8"),
}


@pytest.mark.parametrize(("code", "shape", "other", "dtype"), MISMATCHES.values(), ids=MISMATCHES)
def test_mismatches(code, shape, other, dtype):
    target, source = np.full(shape, 7.0), np.ones(other, dtype)
    with refused(code, ValueError):
        copy(target, source)
    assert (target == 7).all()


def test_read_only_targets():
    target = readonly(np.full((2, 3), 7.0))
    for source in (numbers((2, 3)), target):
        with refused("view.read_only", ValueError):
            copy(target, source)
    with refused("view.read_only", ValueError):
        copy(b"abc", b"xyz")
    assert (target == 7).all()


def test_targets_with_several_indices_for_an_element():
    memory = Device("cpu").allocate(64)
    for shape, strides in (((3,), (0,)), ((2, 2), (1, 1)), ((4, 2), (1, -1)), ((3, 4), (3, 2))):
        layout = StridedLayout(shape, strides, 1, slice_offset=10)
        target = StridedMemoryView.from_buffer(memory, layout, "u1")
        assert not target.readonly
        with refused("view.not_unique", ValueError):
            target.copy_from(np.ones(shape, "u1"))
    assert bytes(memory) == bytes(64)
    odd = StridedMemoryView.from_buffer(memory, (2, 3), (3, 2), itemsize=1, dtype="u1")
    odd.copy_from(np.array([[1, 2, 3], [4, 5, 6]], "u1"))
    assert bytes(memory)[:8] == bytes([1, 0, 2, 4, 3, 5, 0, 6])


def test_a_target_that_cannot_be_decided():
    """Refused before anything is written, so the buffer may well claim more than there is."""
    strides = [random.Random(axis).randrange(2**27, 2**30) for axis in range(20)]
    layout = StridedLayout((3,) * 20, strides, 1)
    assert layout.uniqueness == "undecided"
    memory = Device("cpu").allocate(16)
    claimed = Buffer.from_handle(memory.handle, layout.required_size_in_bytes(), owner=memory)
    target = StridedMemoryView.from_buffer(claimed, layout, "u1")
    with refused("view.uniqueness_undecided", ValueError):
        target.copy_from(np.broadcast_to(np.uint8(1), (3,) * 20))
    assert bytes(memory) == bytes(16)


def test_empty_like():
    for source in KINDS.values():
        empty = strideview.empty_like(source)
        assert (empty.shape, empty.dtype, empty.readonly) == (source.shape, source.dtype, False)
        assert empty.layout == view_of(source).layout.to_dense()
        assert isinstance(empty.exporting_obj, Buffer)
        empty.copy_from(source)
        assert np.array_equal(np.asarray(empty), source)
        assert source.size == 0 or not np.shares_memory(np.asarray(empty), source)
    untyped = StridedMemoryView.from_buffer(Device("cpu").allocate(64), (2, 3), itemsize=4)
    assert (strideview.empty_like(untyped).dtype, strideview.empty_like(view=untyped).itemsize) == (None, 4)
    assert strideview.empty_like(np.broadcast_to(np.zeros(3), (1000, 3))).exporting_obj.size == 24_000


def test_explaining_a_copy():
    a = numbers((20, 30))
    plans = [strideview.explain_copy(np.zeros_like(a), a), strideview.explain_copy(dst=np.zeros((30, 20)), src=a.T)]
    assert all(str(a.nbytes) in str(plan) for plan in plans)
    assert [plan.kernel for plan in plans] == ["contiguous", "transposed"]
    assert [(plan.bytes, plan.run_bytes) for plan in plans] == [(4800, 4800), (4800, 8)]
    assert sorted(plans[1].axes) == [(20, 8, 240), (30, 160, 8)]
    assert repr(plans[0]) == "<CopyExplanation contiguous, 4800 bytes, from (20, 30):(30, 1) x8 to (20, 30):(30, 1) x8>"
    with pytest.raises(TypeError):
        strideview.CopyExplanation()
    with refused("copy.rank_mismatch", ValueError):
        strideview.explain_copy(a, a[0])
    with pytest.raises(TypeError):
        strideview.explain_copy(a)


def test_the_host_takes_any_stream():
    """It has none, so nothing is asked about it; without a driver as well."""
    array = np.arange(3)
    for stream in (0, 7):
        assert strideview.to_host(array, stream=stream).size == 3
        assert strideview.empty_like(array, "cpu", stream).size == 3
