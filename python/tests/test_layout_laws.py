"""Each property and transform of a layout against the enumeration of its map."""

import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import bytes_of_layout, layouts, numbered, same_map
from strideview import LayoutError, StridedLayout


def strides_of(layout):
    return StridedLayout.dense(layout.shape, layout.itemsize).strides if layout.strides is None else layout.strides


def enumerated(layout):
    """The offsets in C order, by the definition."""
    strides = strides_of(layout)
    return [layout.slice_offset + sum(map(operator.mul, index, strides)) for index in np.ndindex(*layout.shape)]


@given(layouts())
def test_the_map(layout):
    offsets = enumerated(layout)
    assert list(layout.offsets()) == offsets
    assert layout.volume == len(offsets) == math.prod(layout.shape)
    assert layout.nbytes == layout.volume * layout.itemsize
    assert layout.offset_bounds == (layout.min_offset, layout.max_offset)
    assert layout.offset_bounds == ((min(offsets), max(offsets)) if offsets else (0, -1))
    assert layout.slice_offset_in_bytes == layout.slice_offset * layout.itemsize
    assert (layout.strides is None) == (layout.strides_in_bytes is None)
    if layout.strides is not None:
        assert layout.strides_in_bytes == tuple(stride * layout.itemsize for stride in layout.strides)


@given(layouts())
def test_required_size(layout):
    if layout.min_offset < 0:
        with pytest.raises(ValueError, match=str(layout.min_offset)):
            layout.required_size_in_bytes()
    else:
        assert layout.required_size_in_bytes() == max(bytes_of_layout(layout), default=-1) + 1


@given(layouts())
def test_questions(layout):
    offsets = enumerated(layout)
    unique = len(set(offsets)) == len(offsets)
    assert layout.is_unique == unique
    assert layout.uniqueness == ("unique" if unique else "overlapping")
    assert layout.is_exhaustive == (set(offsets) == set(range(layout.min_offset, layout.max_offset + 1)))
    assert layout.is_contiguous_any == layout.permuted(layout.stride_order).is_contiguous_c
    assert layout.is_dense == (layout.is_contiguous_any and layout.slice_offset == 0)


@given(layouts())
def test_stride_order(layout):
    def key(axis):
        return -abs(layout.strides[axis]), -layout.shape[axis], axis

    axes = range(layout.ndim)
    assert layout.stride_order == (tuple(axes) if layout.strides is None else tuple(sorted(axes, key=key)))


@given(st.data(), layouts())
def test_dense_layouts(data, layout):
    order = data.draw(st.sampled_from(["C", "F", "K"]) | st.permutations(range(layout.ndim)).map(tuple))
    dense = layout.to_dense(order)
    assert (dense.shape, dense.itemsize, dense.slice_offset) == (layout.shape, layout.itemsize, 0)
    assert StridedLayout.dense_like(layout, order) == dense
    assert dense.is_dense
    assert dense.is_unique
    assert sorted(dense.offsets()) == list(range(layout.volume))
    assert dense.required_size_in_bytes() == layout.nbytes
    axes = {"C": range(layout.ndim), "F": range(layout.ndim)[::-1], "K": layout.stride_order}.get(order, order)
    assert dense.permuted(axes).is_contiguous_c
    assert (dense is layout) == (layout.strides == dense.strides and layout.slice_offset == 0)


def mergeable(layout, axis):
    """True iff the axis can be merged into what lies left of it."""
    strides = strides_of(layout)
    if layout.volume == 0 or layout.shape[axis] == 1:
        return True
    left = [other for other in range(axis) if layout.shape[other] != 1]
    return not left or strides[left[-1]] == strides[axis] * layout.shape[axis]


@given(layouts())
def test_flattened_axis_mask(layout):
    assert layout.flattened_axis_mask() == sum(1 << axis for axis in range(1, layout.ndim) if mergeable(layout, axis))


@given(st.data(), layouts())
def test_flattening(data, layout):
    flat = layout.flattened()
    assert list(flat.offsets()) == list(layout.offsets())
    assert flat.ndim == max(1, layout.ndim - layout.flattened_axis_mask().bit_count())
    if layout.ndim == 0:
        return
    start = data.draw(st.integers(0, layout.ndim - 1))
    end = data.draw(st.integers(start, layout.ndim - 1))
    part = layout.flattened(start, end - data.draw(st.sampled_from([0, layout.ndim])))
    assert list(part.offsets()) == list(layout.offsets())
    assert part.shape[:start] == layout.shape[:start]
    assert part.shape[part.ndim - (layout.ndim - 1 - end) :] == layout.shape[end + 1 :]
    masked = layout.flattened(start, end, data.draw(st.integers(0, 2**64 - 1)))
    assert list(masked.offsets()) == list(layout.offsets())
    assert masked.ndim >= part.ndim
    assert layout.flattened(mask=0).shape == layout.shape


@given(st.data(), layouts())
def test_masks_flatten_two_layouts_alike(data, layout):
    strides = [data.draw(st.sampled_from([stride, 2 * stride, 1])) for stride in strides_of(layout)]
    other = StridedLayout(layout.shape, strides, 4)
    mask = layout.flattened_axis_mask() & other.flattened_axis_mask()
    first, second = layout.flattened(mask=mask), other.flattened(mask=mask)
    assert first.shape == second.shape
    assert list(first.offsets()) == list(layout.offsets())
    assert list(second.offsets()) == list(other.offsets())


@given(st.data(), layouts())
def test_coalescing(data, layout):
    canonical = layout.coalesced()
    if layout.volume == 0:
        assert (canonical.shape, canonical.strides) == ((0,), (0,))
        return
    assert list(canonical.offsets()) == list(layout.offsets())
    assert 1 not in canonical.shape
    assert canonical.flattened_axis_mask() == 0
    assert canonical.coalesced() == canonical
    axis = data.draw(st.integers(0, layout.ndim))
    assert layout.unsqueezed(axis).coalesced() == canonical
    assert layout.flattened().coalesced() == canonical


@given(layouts())
def test_undoing_a_broadcast(layout):
    small = layout.unbroadcast()
    if layout.volume == 0:
        assert small.volume == 0
        return
    assert set(small.offsets()) == set(layout.offsets())
    assert all(stride for extent, stride in zip(small.shape, strides_of(small), strict=True) if extent > 1)
    assert small.broadcast_to(layout.shape).maps_like(layout)


@given(st.data(), layouts(minimum=1))
def test_some_axes(data, layout):
    axes = data.draw(st.lists(st.integers(0, max(layout.ndim - 1, 0)), unique=True, max_size=layout.ndim))
    index = tuple(slice(None) if axis in axes else 0 for axis in range(layout.ndim))
    kept = sorted(axes)
    wanted = numbered(layout)[index].transpose([kept.index(axis) for axis in axes])
    assert same_map(layout.sub(axes), wanted)
    assert layout.sub([axis - layout.ndim for axis in axes]) == layout.sub(axes)


@given(st.data(), layouts(3), layouts(2))
def test_extending(data, layout, other):
    axis = data.draw(st.integers(-1, layout.ndim))
    other = StridedLayout(other.shape, other.strides, layout.itemsize, slice_offset=other.slice_offset)
    longer = layout.extended(other, axis)
    place = layout.ndim if axis == -1 else axis
    assert longer.shape == layout.shape[:place] + other.shape + layout.shape[place:]
    axes = (*range(place), *range(place + other.ndim, longer.ndim), *range(place, place + other.ndim))
    sums = [a + b for a, b in itertools.product(layout.offsets(), other.offsets())]
    assert list(longer.permuted(axes).offsets()) == sums


@given(st.data(), layouts())
def test_repacking_keeps_the_bytes(data, layout):
    itemsize = data.draw(st.integers(1, 48))
    axis = data.draw(st.integers(-1, max(layout.ndim - 1, 0)))
    try:
        other = layout.repacked(itemsize, axis=axis)
    except LayoutError:
        return
    assert other.itemsize == itemsize
    assert other.volume * other.itemsize == layout.volume * layout.itemsize
    assert sorted(bytes_of_layout(other)) == sorted(bytes_of_layout(layout))
    if axis in {-1, layout.ndim - 1}:
        assert bytes_of_layout(other) == bytes_of_layout(layout)
    narrow = layout.repacked(itemsize, axis=axis, keep_dim=False)
    assert list(narrow.offsets()) == list(other.offsets())
    if layout.itemsize != itemsize and layout.ndim:
        dropped = itemsize > layout.itemsize and other.shape[axis] == 1
        assert narrow.ndim == layout.ndim - dropped
        assert other.repacked(layout.itemsize, axis=axis).maps_like(layout)


@given(st.data(), layouts(minimum=1), st.integers(0, 64))
def test_max_compatible_itemsize(data, layout, data_ptr):
    assume(layout.ndim)
    axis = data.draw(st.integers(-layout.ndim, layout.ndim - 1))
    largest = data.draw(st.integers(layout.itemsize, 64))

    def taken(itemsize):
        try:
            return layout.repacked(itemsize, data_ptr, axis).itemsize == itemsize
        except LayoutError:
            return False

    candidates = [k for k in range(layout.itemsize, largest + 1, layout.itemsize) if largest % k == 0 and taken(k)]
    assert layout.max_compatible_itemsize(largest, data_ptr, axis) == max(candidates, default=layout.itemsize)


@given(st.data(), layouts())
def test_index_of_an_offset(data, layout):
    first = {}
    for index, offset in zip(np.ndindex(*layout.shape), layout.offsets(), strict=True):
        first.setdefault(offset, index)
        assert layout.offset_of(index) == offset
        assert layout.offset_of([place - extent for place, extent in zip(index, layout.shape, strict=True)]) == offset
    for offset in range(layout.min_offset - 1, layout.max_offset + 2):
        assert layout.index_of(offset) == first.get(offset)


@given(st.data(), layouts(3), layouts(3))
def test_overlapping(data, layout, other):
    address, other_address = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 40))
    base = 10_000  # far enough from 0 that no address is negative
    ours = {address + byte for byte in bytes_of_layout(layout)}
    theirs = {other_address + byte for byte in bytes_of_layout(other)}
    shared = layout.overlaps(other, address=base + address, other_address=base + other_address)
    assert shared == bool(ours & theirs)


@given(layouts(3, minimum=1), layouts(3, minimum=1))
def test_like_maps(layout, other):
    other = StridedLayout(other.shape, other.strides, layout.itemsize, slice_offset=other.slice_offset)
    extents = [[extent for extent in each.shape if extent != 1] for each in (layout, other)]
    same = extents[0] == extents[1] and list(layout.offsets()) == list(other.offsets())
    assert layout.maps_like(other) == same
    assert layout.maps_like(layout.unsqueezed((0, -1)))
    assert layout.maps_like(layout.squeezed())


def joined(layout):
    """The runs: neighbours in C order that lie one behind the other."""
    runs = []
    for offset in layout.offsets():
        start = offset * layout.itemsize
        if runs and sum(runs[-1]) == start:
            runs[-1] = (runs[-1][0], runs[-1][1] + layout.itemsize)
        else:
            runs.append((start, layout.itemsize))
    return runs


@given(layouts())
def test_runs(layout):
    assert list(layout.runs()) == joined(layout)


@given(layouts(), layouts())
def test_equality(layout, other):
    parts = [(each.shape, strides_of(each), each.itemsize, each.slice_offset) for each in (layout, other)]
    assert (layout == other) == (parts[0] == parts[1])
    assert (layout != other) == (parts[0] != parts[1])
    twin = StridedLayout(layout.shape, strides_of(layout), layout.itemsize, slice_offset=layout.slice_offset)
    assert (layout == twin, hash(layout) == hash(twin)) == (True, True)
