"""The constructors of a layout's datatype list the bytes of the layout in C order; no MPI is needed here."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import odd_layouts, sliced_layouts
from strideview import StridedLayout
from strideview._type_map import Basic, Struct, Vector, type_map

INT_MAX = 2**31 - 1
layouts = odd_layouts() | sliced_layouts()


def bytes_of(layout):
    """Every byte, element by element in C order."""
    strides = layout.strides_in_bytes or StridedLayout.dense(layout.shape, layout.itemsize).strides_in_bytes
    for index in itertools.product(*map(range, layout.shape)):
        first = layout.slice_offset_in_bytes + sum(i * stride for i, stride in zip(index, strides, strict=True))
        yield from range(first, first + layout.itemsize)


def listed(made, size, at=0):
    """Every byte that MPI lists, as the standard defines the constructors."""
    if isinstance(made, Basic):
        yield from range(at, at + size)
    elif isinstance(made, Vector):
        for block in range(made.count):
            yield from listed(made.of, size, at + block * made.stride)
    else:
        for displacement, part in made.parts:
            yield from listed(part, size, at + displacement)


def counts(made):
    if isinstance(made, Vector):
        yield made.count
        yield from counts(made.of)
    elif isinstance(made, Struct):
        yield len(made.parts)
        for _, part in made.parts:
            yield from counts(part)


@given(layouts, st.booleans(), st.sampled_from([2, 3, 5, INT_MAX]))
def test_check_86_the_bytes_are_those_of_the_layout(layout, of_bytes, most):
    size = 1 if of_bytes else layout.itemsize
    made = type_map(layout, size, most)
    assert list(listed(made, size)) == list(bytes_of(layout))
    assert all(count <= most for count in counts(made))


@given(layouts)
def test_nothing_is_split_that_fits(layout):
    """One vector for each axis that is left, one for the run, and a displacement."""
    made = type_map(layout, 1, INT_MAX)
    if -1 not in layout.coalesced().strides_in_bytes:
        assert len(list(counts(made))) <= layout.coalesced().ndim + 2


ITEM = Basic()
SHAPES = {
    "contiguous": (StridedLayout((4, 5), None, 8), 8, Vector(20, 8, ITEM)),
    "contiguous, as bytes": (StridedLayout((4, 5), None, 8), 1, Vector(160, 1, ITEM)),
    "one element": (StridedLayout((1, 1), (7, 9), 8), 8, ITEM),
    "scalar": (StridedLayout((), None, 2), 1, Vector(2, 1, ITEM)),
    "empty": (StridedLayout((3, 0, 2), None, 8), 8, Vector(0, 0, ITEM)),
    "a column": (StridedLayout((3,), (4,), 8), 8, Vector(3, 32, ITEM)),
    "a block": (StridedLayout((3, 2), (4, 1), 8), 8, Vector(3, 32, Vector(2, 8, ITEM))),
    "reversed": (StridedLayout((3, 2), (-2, -1), 8), 8, Vector(6, -8, ITEM)),
    "transposed": (StridedLayout((2, 3), (1, 2), 8), 8, Vector(2, 8, Vector(3, 16, ITEM))),
    "broadcast": (StridedLayout((5, 3), (0, 1), 4), 4, Vector(5, 0, Vector(3, 4, ITEM))),
    "an offset": (StridedLayout((3,), (2,), 8, slice_offset=5), 8, Struct(((40, Vector(3, 16, ITEM)),))),
    "planes of pixels": (StridedLayout((3, 480, 640), (1, 2048, 3), 1), 1, Vector(3, 1, Vector(480, 2048, Vector(640, 3, ITEM)))),
}


@pytest.mark.parametrize(("layout", "size", "wanted"), SHAPES.values(), ids=SHAPES)
def test_constructors(layout, size, wanted):
    assert type_map(layout, size, INT_MAX) == wanted


def test_an_axis_of_more_than_a_c_int():
    long = 2**31 + 5
    rows = Vector(INT_MAX, 3, ITEM)
    left = Vector(6, 3, ITEM)
    assert type_map(StridedLayout((long,), (3,), 1), 1, INT_MAX) == Struct(((0, rows), (INT_MAX * 3, left)))
    assert type_map(StridedLayout((long,), (3,), 1), 1, 2**63 - 1) == Vector(long, 3, ITEM)


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("most", [2, 3, INT_MAX])
def test_no_stride_is_minus_one(count, most):
    """Open MPI takes it for one that was not given."""

    def strides(made):
        if isinstance(made, Vector):
            return [made.stride, *strides(made.of)]
        return [stride for _, part in made.parts for stride in strides(part)] if isinstance(made, Struct) else []

    made = type_map(StridedLayout((count,), (-1,), 1), 1, most)
    assert -1 not in strides(made)
    assert list(listed(made, 1)) == [-byte for byte in range(count)]


def test_many_axes_of_stride_minus_one():
    """What pairs are made of is made once, so that there are few parts, whatever the rank."""

    def parts(made, found):
        if id(made) not in found:
            found[id(made)] = made
            for part in [made.of] if isinstance(made, Vector) else [part for _, part in getattr(made, "parts", ())]:
                parts(part, found)
        return found

    assert len(parts(type_map(StridedLayout((2,) * 60, (-1,) * 60, 1), 1, INT_MAX), {})) == 61


@pytest.mark.parametrize("stride", [1, -1, 5])
@pytest.mark.parametrize("extent", [2**31, 2**33 + 7, 2**60])
def test_the_bounds_of_long_axes(extent, stride):
    """First and last displacement, and how many there are, where nothing can be enumerated."""
    layout = StridedLayout((extent,), (stride,), 1)

    def summary(made):
        if isinstance(made, Basic):
            return 1, 0, 0
        if isinstance(made, Vector):
            count, first, last = summary(made.of)
            return made.count * count, first, last + (made.count - 1) * made.stride
        parts = [(displacement, *summary(part)) for displacement, part in made.parts]
        return sum(count for _, count, *_ in parts), parts[0][0] + parts[0][2], parts[-1][0] + parts[-1][3]

    made = type_map(layout, 1, INT_MAX)
    assert summary(made) == (extent, 0, (extent - 1) * stride)
    assert max(counts(made)) <= INT_MAX
