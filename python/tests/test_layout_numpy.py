"""Operations on layouts against those of NumPy, by the maps that come out."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import (
    ITEMSIZES,
    bytes_of_layout,
    extents,
    layouts,
    numbered,
    odd_layouts,
    same_map,
    shapes,
    sliced_layouts,
    slices_of,
)
from strideview import LayoutError, StridedLayout


def agree(layout, ours, theirs, errors=ValueError):
    """Both succeed with the same map, or both refuse."""
    array = numbered(layout)
    try:
        wanted = theirs(array)
    except errors:
        wanted = None
    if wanted is None:
        with pytest.raises(errors):
            ours(layout)
        return
    assert same_map(ours(layout), wanted)


def axes_of(layout):
    """Axes, some of them out of range."""
    return st.integers(-layout.ndim - 1, layout.ndim)


@st.composite
def indices_of(draw, layout):
    """Entries for some of the axes, new axes and an ellipsis among them."""
    entries = []
    for extent in layout.shape[: draw(st.integers(0, layout.ndim))]:
        integer = st.integers(-extent - 1, extent) if draw(st.integers(0, 9)) == 0 else st.integers(-extent, extent - 1)
        entries.append(
            draw(st.one_of(slices_of(extent, wild=True), slices_of(extent), integer) if extent else slices_of(0))
        )
    for _ in range(draw(st.integers(0, 2))):
        entries.insert(draw(st.integers(0, len(entries))), None)
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), ...)
    return entries[0] if len(entries) == 1 and draw(st.booleans()) else tuple(entries)


@given(st.data(), layouts())
def test_slicing(data, layout):
    index = data.draw(indices_of(layout))
    for ours in (lambda it: it.sliced(index), lambda it: it[index]):
        agree(layout, ours, lambda array: array[index], (ValueError, IndexError))


@given(
    st.integers(0, 7), st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9)
)
def test_slices_of_one_axis(extent, start, stop, step):
    index = slice(start, stop, step)
    layout = StridedLayout((extent,), None, 4)
    if step == 0:
        with pytest.raises(ValueError, match="step"):
            layout[index]
        return
    assert list(layout[index].offsets()) == list(range(extent)[index])


@pytest.mark.parametrize("bound", [2**31, 2**63 - 1, 2**63, 2**70, -(2**63), -(2**63) - 1, -(2**70)])
def test_slices_with_huge_bounds(bound):
    layout = StridedLayout((5,), None, 4)
    for index in (
        slice(bound, None),
        slice(None, bound),
        slice(None, None, bound),
        slice(bound, None, -1),
        slice(3, bound, -2),
    ):
        assert list(layout[index].offsets()) == list(range(5)[index])


@given(st.data(), layouts())
def test_permuting(data, layout):
    axes = data.draw(st.permutations(range(layout.ndim)))
    axes = tuple(axis - data.draw(st.sampled_from([0, layout.ndim])) for axis in axes)
    agree(layout, lambda it: it.permuted(axes), lambda array: array.transpose(axes))


@given(st.data(), layouts())
def test_permuting_by_anything(data, layout):
    axes = tuple(data.draw(st.lists(axes_of(layout), max_size=layout.ndim + 1)))
    assume(axes or layout.ndim == 0)
    agree(layout, lambda it: it.permuted(axes), lambda array: array.transpose(axes) if axes else array)


@given(st.data(), layouts())
def test_moving_axes(data, layout):
    a, b = data.draw(axes_of(layout)), data.draw(axes_of(layout))
    agree(layout, lambda it: it.moved_axis(a, b), lambda array: np.moveaxis(array, a, b))
    agree(layout, lambda it: it.transposed(a, b), lambda array: np.swapaxes(array, a, b))
    agree(layout, lambda it: it.reversed_axes(), lambda array: array.T)


@st.composite
def factorings(draw, volume):
    """A shape of that volume, with axes of extent 1."""
    shape = []
    while volume > 1:
        factor = draw(st.sampled_from([n for n in range(2, volume + 1) if volume % n == 0]))
        shape.append(factor)
        volume //= factor
    for _ in range(draw(st.integers(0, 2))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return tuple(shape)


@given(st.data(), layouts(minimum=1))
def test_reshaping(data, layout):
    """Succeeds iff NumPy does without a copy."""
    shape = data.draw(factorings(layout.volume))
    agree(layout, lambda it: it.reshaped(shape), lambda array: array.reshape(shape, copy=False))


@given(st.data(), layouts())
def test_reshaping_with_an_inferred_extent(data, layout):
    shape = list(data.draw(factorings(layout.volume) if layout.volume else shapes(3)))
    shape.insert(data.draw(st.integers(0, len(shape))), -1)
    shape[data.draw(st.integers(0, len(shape) - 1))] = data.draw(st.sampled_from([-1, 0, 1, 2, 3]))
    agree(layout, lambda it: it.reshaped(shape), lambda array: array.reshape(shape, copy=False))


@given(shapes(3), shapes(3))
def test_reshaping_of_empty_layouts(old, new):
    layout = StridedLayout((*old, 0), None, 8)
    agree(layout, lambda it: it.reshaped(new), lambda array: array.reshape(new, copy=False))


@given(st.data(), layouts())
def test_broadcasting(data, layout):
    stretched = [data.draw(extents()) if extent == 1 else extent for extent in layout.shape]
    shape = (*data.draw(st.lists(extents(), max_size=2)), *stretched)
    agree(layout, lambda it: it.broadcast_to(shape), lambda array: np.broadcast_to(array, shape))
    other = data.draw(shapes())
    agree(layout, lambda it: it.broadcast_to(other), lambda array: np.broadcast_to(array, other))


@given(st.data(), layouts())
def test_squeezing(data, layout):
    axes = tuple(data.draw(st.lists(axes_of(layout), max_size=2)))
    agree(layout, lambda it: it.squeezed(axes), lambda array: np.squeeze(array, axes))
    units = tuple(axis for axis, extent in enumerate(layout.shape) if extent == 1)
    agree(layout, lambda it: it.squeezed(units), lambda array: np.squeeze(array, units))
    if layout.volume:
        agree(layout, lambda it: it.squeezed(), np.squeeze)
    else:
        assert layout.squeezed() == StridedLayout((0,), (0,), layout.itemsize, slice_offset=layout.slice_offset)


@given(st.data(), layouts())
def test_unsqueezing(data, layout):
    axes = tuple(data.draw(st.lists(st.integers(-layout.ndim - 3, layout.ndim + 2), max_size=2)))
    agree(layout, lambda it: it.unsqueezed(axes), lambda array: np.expand_dims(array, axes))
    axis = data.draw(st.integers(-layout.ndim - 1, layout.ndim))
    agree(layout, lambda it: it.unsqueezed(axis), lambda array: np.expand_dims(array, axis))


@given(st.data(), layouts())
def test_diagonals(data, layout):
    first, second, offset = data.draw(axes_of(layout)), data.draw(axes_of(layout)), data.draw(st.integers(-6, 6))
    agree(
        layout, lambda it: it.diagonal(first, second, offset), lambda array: np.diagonal(array, offset, first, second)
    )


@given(st.data(), layouts())
def test_windows(data, layout):
    axis, size, step = data.draw(axes_of(layout)), data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))

    def theirs(array):
        windows = np.lib.stride_tricks.sliding_window_view(array, size, axis)
        every = [slice(None)] * array.ndim
        every[axis] = slice(None, None, step)
        return windows[tuple(every)]

    agree(layout, lambda it: it.windows(axis, size, step), theirs)


@given(st.data(), layouts(minimum=1))
def test_splitting_an_axis(data, layout):
    assume(layout.ndim)
    axis = data.draw(st.integers(0, layout.ndim - 1))
    inner = data.draw(st.integers(1, 6))
    extent = layout.shape[axis]
    shape = (*layout.shape[:axis], extent // inner, inner, *layout.shape[axis + 1 :])
    agree(layout, lambda it: it.split_axis(axis, inner), lambda array: array.reshape(shape, copy=False))
    agree(layout, lambda it: it.split_axis(axis - layout.ndim, inner), lambda array: array.reshape(shape, copy=False))


@given(layouts())
def test_contiguity(layout):
    flags = numbered(layout).flags
    assert (layout.is_contiguous_c, layout.is_contiguous_f) == (flags.c_contiguous, flags.f_contiguous)


@given(sliced_layouts())
def test_dense_in_the_order_of_numpy(layout):
    array = numbered(layout)
    for order in ("C", "F"):
        dense, empty = layout.to_dense(order), np.empty_like(array, order=order)
        assert same_strides(dense, empty)
    strides = [abs(stride) for stride in layout.strides]
    if layout.volume and min(layout.shape, default=2) > 1 and len({*strides}) == len(strides):
        assert same_strides(layout.to_dense(), np.empty_like(array, order="K"))


def same_strides(layout, array):
    """Of the axes where a stride means something."""
    pairs = zip(layout.shape, layout.strides, array.strides, strict=True)
    return layout.volume == 0 or all(extent == 1 or 8 * ours == theirs for extent, ours, theirs in pairs)


@given(st.data(), shapes(4), ITEMSIZES)
def test_dense(data, shape, itemsize):
    order = data.draw(st.permutations(range(len(shape))))
    dense = StridedLayout.dense(shape, itemsize, order)
    array = np.arange(math.prod(shape)).reshape([shape[axis] for axis in order]).transpose(np.argsort(order))
    assert same_map(dense, array)
    assert same_map(StridedLayout.dense(shape, itemsize), np.arange(math.prod(shape)).reshape(shape))
    assert same_map(StridedLayout.dense(shape, itemsize, "F"), np.arange(math.prod(shape)).reshape(shape[::-1]).T)


def bytes_in_order(start, shape, strides, itemsize):
    """The byte offsets of the elements, in C order, by enumeration."""
    return [int(start + np.dot(index, strides) + byte) for index in np.ndindex(*shape) for byte in range(itemsize)]


@given(
    st.one_of(sliced_layouts(minimum=1), odd_layouts(minimum=1)),
    st.sampled_from([1, 2, 4, 8, 16]),
    st.sampled_from([1, 2, 4, 8, 16]),
)
def test_repacking_as_numpy_views_another_dtype(layout, old, new):
    """Where NumPy takes the dtype and whole items fit into the strides and the offset, so do we."""
    layout = StridedLayout(layout.shape, layout.strides, old, slice_offset=layout.slice_offset)
    low, high = layout.offset_bounds
    base = np.zeros((high - low + 1) * old, "u1").view(f"V{old}")
    strides = [stride * old for stride in layout.strides]
    array = np.lib.stride_tricks.as_strided(base[layout.slice_offset - low :], layout.shape, strides)
    try:
        theirs = array.view(f"V{new}")
    except ValueError:
        theirs = None
    ratio = max(new // old, 1)
    others = [stride for extent, stride in zip(layout.shape[:-1], layout.strides, strict=False) if extent != 1]
    fits = all(number % ratio == 0 for number in (layout.slice_offset, *others))
    if theirs is None or (old != new and not fits):
        # An axis of extent 1 may have any stride; NumPy wants it to be that of the item size.
        assume(layout.ndim == 0 or layout.shape[-1] != 1 or not fits)
        with pytest.raises(LayoutError):
            layout.repacked(new)
        return
    ours = layout.repacked(new)
    start = theirs.__array_interface__["data"][0] - base.__array_interface__["data"][0] + low * old
    assert ours.shape == theirs.shape
    assert bytes_of_layout(ours) == bytes_in_order(start, theirs.shape, theirs.strides, new)
