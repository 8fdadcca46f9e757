"""Layouts for hypothesis, and the array that shows what a layout maps to.

``numbered(layout)`` is the NumPy array with the shape and strides of the layout over the numbers of its own element
offsets: the value at an index is the offset that the layout gives it. So an operation on layouts is compared with the
operation of NumPy by values, which is to compare the maps.
"""

import numpy as np
from hypothesis import strategies as st
from strideview import StridedLayout

ITEMSIZES = st.sampled_from([1, 2, 3, 4, 8, 12, 16])


def extents(minimum=0, maximum=5):
    """Extents, of which few are 0 or 1."""
    return st.one_of(st.integers(max(minimum, 2), maximum), st.integers(minimum, maximum))


def shapes(max_rank=4, minimum=0):
    return st.lists(extents(minimum), max_size=max_rank).map(tuple)


@st.composite
def odd_layouts(draw, max_rank=4, minimum=0):
    """Any strides and any offset."""
    shape = draw(shapes(max_rank, minimum))
    strides = tuple(draw(st.integers(-9, 9)) for _ in shape)
    return StridedLayout(shape, strides, draw(ITEMSIZES), slice_offset=draw(st.integers(-20, 20)))


@st.composite
def slices_of(draw, extent, wild=False):
    """A slice; any bounds and steps when wild, otherwise one that keeps something where it can."""
    if wild or extent == 0:
        bound = st.none() | st.integers(-extent - 3, extent + 3)
        step = st.none() | st.integers(-4, 4).filter(bool)
        return slice(draw(bound), draw(bound), draw(step))
    start = draw(st.integers(0, extent - 1))
    step = draw(st.sampled_from([1, 1, -1, 2, -2]))
    return slice(start, None, step)


@st.composite
def sliced_layouts(draw, max_rank=4, minimum=0):
    """Dense in some order, then sliced, stretched, and with odd strides on axes of extent 1."""
    shape = draw(shapes(max_rank, minimum))
    layout = StridedLayout.dense(shape, draw(ITEMSIZES), draw(st.permutations(range(len(shape)))))
    if draw(st.booleans()):
        layout = layout.sliced(tuple(draw(slices_of(extent)) for extent in layout.shape))
    if layout.ndim < max_rank and draw(st.booleans()):
        axis = draw(st.integers(0, layout.ndim))
        layout = layout.unsqueezed(axis)
        shape = list(layout.shape)
        shape[axis] = draw(st.sampled_from([1, 2, 3]))
        layout = layout.broadcast_to(shape)
    odd = st.integers(-30, 30)
    strides = [
        draw(odd) if extent == 1 else stride for extent, stride in zip(layout.shape, layout.strides, strict=True)
    ]
    return StridedLayout(layout.shape, strides, layout.itemsize, slice_offset=layout.slice_offset)


@st.composite
def implicit_layouts(draw, max_rank=4, minimum=0):
    return StridedLayout(draw(shapes(max_rank, minimum)), None, draw(ITEMSIZES))


def layouts(max_rank=4, minimum=0):
    """Layouts of every kind; without empty ones when the minimum is 1."""
    return st.one_of(
        sliced_layouts(max_rank, minimum),
        sliced_layouts(max_rank, minimum),
        odd_layouts(max_rank, minimum),
        implicit_layouts(max_rank, minimum),
    )


def numbered(layout):
    low, high = layout.offset_bounds
    numbers = np.arange(low, high + 1) if layout.volume else np.arange(1)
    first = numbers[layout.slice_offset - low :] if layout.volume else numbers
    strides = StridedLayout.dense(layout.shape, 8).strides if layout.strides is None else layout.strides
    return np.lib.stride_tricks.as_strided(first, layout.shape, [8 * stride for stride in strides], writeable=False)


def same_map(layout, array):
    """True iff the layout maps each index to the number that the array has there."""
    return layout.shape == array.shape and list(layout.offsets()) == array.ravel().tolist()


def bytes_of_layout(layout):
    """The byte offsets of the elements, in C order."""
    return [offset * layout.itemsize + byte for offset in layout.offsets() for byte in range(layout.itemsize)]
