"""What counts as an integer, a shape, a list of axes and an index."""

import array
import collections

import numpy as np
import pytest
from strideview import LayoutError, LayoutIndexError, LayoutOverflowError, StridedLayout

LAYOUT = StridedLayout((2, 3, 4), None, 4)
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)


class Index:
    """An integer to ``operator.index``."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Integer(int):
    pass


class Broken:
    def __index__(self):
        raise RuntimeError("no index today")


Pair = collections.namedtuple("Pair", "first second")

PAIRS = [
    (2, 3),
    [2, 3],
    range(2, 4),
    np.array([2, 3]),
    np.array([2, 3], "u1"),
    array.array("i", [2, 3]),
    collections.deque([2, 3]),
    Pair(2, 3),
    (np.int64(2), np.uint8(3)),
    (Index(2), Integer(3)),
]
INTEGERS = [5, np.int8(5), np.uint64(5), np.array(5), Index(5), Integer(5)]
NO_INTEGERS = [2.0, 2.5, np.float64(2), 1j, True, False, np.True_, "2", b"2", None, object(), {}, {2: 3}]


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_pairs(pair):
    assert StridedLayout(pair, None, 4).shape == (2, 3)
    assert StridedLayout((1, 1), pair, 4).strides == (2, 3)
    assert StridedLayout((1, 1), pair, 1, divide_strides=True).strides_in_bytes == (2, 3)
    assert StridedLayout.dense(pair, 4).shape == (2, 3)
    assert StridedLayout((6,), None, 4).reshaped(pair).shape == (2, 3)
    assert StridedLayout((1, 3), None, 4).broadcast_to(pair).shape == (2, 3)
    assert LAYOUT.unsqueezed(pair).shape == (2, 3, 1, 1, 4)
    assert StridedLayout((4, 4), None, 4).offset_of(pair) == 11
    assert StridedLayout((2, 2, 1, 1), None, 4).squeezed(pair).shape == (2, 2)
    assert StridedLayout((5, 6, 7, 8), None, 4).sub(pair).shape == (7, 8)


@pytest.mark.parametrize(
    "axes", [(1, 0, 2), [1, 0, 2], np.array([1, 0, 2]), (-2, -3, -1), (Index(1), np.int8(0), 2)], ids=repr
)
def test_lists_of_axes(axes):
    assert LAYOUT.permuted(axes).shape == (3, 2, 4)
    assert StridedLayout.dense((2, 3, 4), 4, axes).strides == (4, 8, 1)
    assert LAYOUT.to_dense(axes).strides == (4, 8, 1)


@pytest.mark.parametrize("number", INTEGERS, ids=repr)
def test_integers(number):
    assert StridedLayout(number, None, 4).shape == (5,)
    assert StridedLayout((2,), number, 4).strides == (5,)
    assert StridedLayout((2,), None, number).itemsize == 5
    assert StridedLayout((2,), None, 4, slice_offset=number).slice_offset == 5
    assert StridedLayout.dense(number, number).nbytes == 25
    assert StridedLayout((9,), None, 4)[number].slice_offset == 5
    assert StridedLayout((9,), None, 4)[number:].shape == (4,)
    assert StridedLayout((9,), None, 4).sliced((number,)).slice_offset == 5
    assert StridedLayout((9,), None, 4).windows(0, number).shape == (5, 5)
    assert StridedLayout((10,), None, 4).split_axis(0, number).shape == (2, 5)
    assert StridedLayout((10,), None, 1).repacked(number).shape == (2,)
    assert StridedLayout((9, 9), None, 4).diagonal(offset=number).shape == (4,)
    assert StridedLayout((9,), None, 4).offset_of(number) == 5
    assert StridedLayout((9,), None, 4).index_of(number) == (5,)


@pytest.mark.parametrize("wrong", NO_INTEGERS, ids=repr)
def test_no_integers(wrong):
    calls = [
        lambda: StridedLayout((wrong,), None, 4),
        lambda: StridedLayout([2, wrong], None, 4),
        lambda: StridedLayout((2,), (wrong,), 4),
        lambda: StridedLayout((2,), None, wrong),
        lambda: StridedLayout((2,), None, 4, slice_offset=wrong),
        lambda: StridedLayout(wrong, None, 4),
        lambda: StridedLayout.dense(wrong, 4),
        lambda: StridedLayout.dense((2,), wrong),
        lambda: LAYOUT.reshaped(wrong),
        lambda: LAYOUT.reshaped((wrong, 12)),
        lambda: LAYOUT.permuted((0, 1, wrong)),
        lambda: LAYOUT.permuted(wrong),
        lambda: LAYOUT.transposed(0, wrong),
        lambda: LAYOUT.moved_axis(wrong, 0),
        lambda: LAYOUT.flattened(wrong),
        lambda: LAYOUT.flattened(0, wrong),
        lambda: LAYOUT.squeezed((wrong,)),
        lambda: LAYOUT.unsqueezed(wrong),
        lambda: LAYOUT.broadcast_to((wrong, 2, 3, 4)),
        lambda: LAYOUT.repacked(wrong),
        lambda: LAYOUT.repacked(8, wrong),
        lambda: LAYOUT.repacked(8, 0, wrong),
        lambda: LAYOUT.max_compatible_itemsize(wrong),
        lambda: LAYOUT.windows(wrong, 1),
        lambda: LAYOUT.windows(0, wrong),
        lambda: LAYOUT.windows(0, 1, wrong),
        lambda: LAYOUT.split_axis(0, wrong),
        lambda: LAYOUT.diagonal(wrong),
        lambda: LAYOUT.extended(LAYOUT, wrong),
        lambda: LAYOUT.sub((wrong,)),
        lambda: LAYOUT.offset_of((0, 0, wrong)),
        lambda: LAYOUT.index_of(wrong),
        lambda: LAYOUT.overlaps(LAYOUT, address=wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()
    if wrong is not None:
        for call in (
            lambda: LAYOUT.squeezed(wrong),
            lambda: LAYOUT.flattened(mask=wrong),
            lambda: StridedLayout((2,), wrong, 4),
        ):
            with pytest.raises(TypeError):
                call()


@pytest.mark.parametrize(
    "wrong",
    [
        "23",
        b"23",
        {2: 3},
        {2, 3},
        frozenset([2]),
        iter([2]),
        [[2, 3]],
        np.array([[2, 3]]),
        np.array([2.0]),
        np.array([True]),
    ],
    ids=repr,
)
def test_no_shapes(wrong):
    for call in (
        lambda: StridedLayout(wrong, None, 4),
        lambda: StridedLayout((2, 3), wrong, 4),
        lambda: LAYOUT.reshaped(wrong),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    "wrong",
    [True, False, np.True_, 1.0, "1", b"1", [1], {}, object(), np.array([1]), (0, True), (0, [1]), ((0,),), (0, 1.0)],
    ids=repr,
)
def test_no_indices(wrong):
    for call in (lambda: LAYOUT[wrong], lambda: LAYOUT.sliced(wrong)):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    "wrong", [slice(1.0, None), slice(None, "a"), slice(None, None, 1.5), slice([1], None)], ids=repr
)
def test_no_slices(wrong):
    with pytest.raises(TypeError):
        LAYOUT[wrong]


def test_an_exception_of_an_index_comes_out_as_it_is():
    calls = [
        lambda: StridedLayout(Broken(), None, 4),
        lambda: StridedLayout((2, Broken()), None, 4),
        lambda: LAYOUT[Broken()],
        lambda: LAYOUT[Broken() :],
        lambda: LAYOUT.permuted((0, 1, Broken())),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="no index today"):
            call()


@pytest.mark.parametrize("huge", [2**63, 2**64, 2**65 + 1, 2**200, -(2**63) - 1, -(2**64), -(2**200), Index(2**64)])
def test_huge_quantities_overflow(huge):
    calls = [
        lambda: StridedLayout((huge,), None, 4),
        lambda: StridedLayout(huge, None, 4),
        lambda: StridedLayout([1, huge], None, 4),
        lambda: StridedLayout((2,), (huge,), 4),
        lambda: StridedLayout((2,), None, huge),
        lambda: StridedLayout((2,), None, 4, slice_offset=huge),
        lambda: StridedLayout.dense((huge, 0), 4),
        lambda: LAYOUT.reshaped((huge,)),
        lambda: LAYOUT.broadcast_to((huge, 2, 3, 4)),
        lambda: LAYOUT.repacked(huge),
    ]
    for call in calls:
        with pytest.raises(OverflowError):
            call()


@pytest.mark.parametrize(
    "huge", [2**31, 2**32, INT64_MAX, INT64_MIN, 2**63, 2**64, -(2**64), 2**64 + 1, np.uint64(2**63)]
)
def test_huge_axes_and_indices_are_out_of_range(huge):
    axes = [
        lambda: LAYOUT.transposed(0, huge),
        lambda: LAYOUT.moved_axis(huge, 0),
        lambda: LAYOUT.permuted((0, 1, huge)),
        lambda: LAYOUT.flattened(huge),
        lambda: LAYOUT.squeezed(huge),
        lambda: LAYOUT.unsqueezed(huge),
        lambda: LAYOUT.windows(huge, 1),
        lambda: LAYOUT.split_axis(huge, 1),
        lambda: LAYOUT.diagonal(0, huge),
        lambda: LAYOUT.sub((huge,)),
        lambda: LAYOUT.repacked(8, 0, huge),
        lambda: LAYOUT.to_dense((0, 1, huge)),
        lambda: LAYOUT.extended(LAYOUT, huge),
    ]
    for call in axes:
        with pytest.raises(LayoutError):
            call()
    for call in (lambda: LAYOUT[huge], lambda: LAYOUT[0, huge], lambda: LAYOUT.offset_of((0, 0, huge))):
        with pytest.raises(LayoutIndexError):
            call()
    assert LAYOUT.index_of(huge) is None
    assert LAYOUT.diagonal(offset=huge).volume == 0


@pytest.mark.parametrize("huge", [2**64, -(2**64)])
def test_a_huge_index_object_is_out_of_range(huge):
    with pytest.raises(LayoutIndexError):
        LAYOUT[Index(huge)]
    with pytest.raises(LayoutError):
        LAYOUT.transposed(0, Index(huge))


def test_largest_quantities():
    assert StridedLayout((INT64_MAX,), (0,), 1).volume == INT64_MAX
    assert StridedLayout((INT64_MAX,), None, 1).required_size_in_bytes() == INT64_MAX
    assert StridedLayout((2,), (INT64_MAX - 1,), 1).max_offset == INT64_MAX - 1
    assert StridedLayout((2,), (INT64_MIN,), 1).offset_bounds == (INT64_MIN, 0)
    assert StridedLayout((1,), (INT64_MIN,), 1).offset_bounds == (0, 0)
    assert StridedLayout((1,), None, INT64_MAX).nbytes == INT64_MAX
    assert StridedLayout((2**31, 2**31), None, 1).max_offset == 2**62 - 1
    for shape, strides, itemsize in [
        ((2,), (INT64_MAX,), 1),
        ((2**62, 2), None, 1),
        ((2**61,), None, 4),
        ((2,), (INT64_MIN,), 2),
        ((3,), (2**62,), 1),
    ]:
        with pytest.raises(LayoutOverflowError):
            StridedLayout(shape, strides, itemsize)


@pytest.mark.parametrize("shape", [(0, 2**62, 2**62), (2**62, 0, 2**62), (2**62, 2**62, 0)])
def test_empty_layouts_never_overflow(shape):
    for layout in (
        StridedLayout(shape, None, 2**40),
        StridedLayout(shape, (INT64_MAX, INT64_MIN, 1), 2**40),
        StridedLayout.dense(shape, 16),
    ):
        assert (layout.volume, layout.nbytes, layout.offset_bounds, layout.required_size_in_bytes()) == (
            0,
            0,
            (0, -1),
            0,
        )
        assert len(layout.strides_in_bytes or shape) == 3
        assert isinstance(layout.slice_offset_in_bytes, int)
        assert layout.coalesced().shape == (0,)


@pytest.mark.parametrize("shape", [(2**62, 2**62, 0), (2**40, 2**40, 0, 3)])
def test_empty_layouts_flatten_whatever_their_extents(shape):
    assert StridedLayout(shape, None, 1).flattened().shape == (0,)


def test_strides_without_meaning_are_taken():
    unit = StridedLayout((3, 1, 3), (24, INT64_MAX, 8), 8, divide_strides=True)
    assert (unit.is_contiguous_c, unit.strides[::2], unit.offset_bounds) == (True, (3, 1), (0, 8))
    assert isinstance(StridedLayout((1,), (INT64_MAX,), 8).strides_in_bytes[0], int)
    assert StridedLayout((0, 3), (5, 7), 8, divide_strides=True).volume == 0
    with pytest.raises(LayoutError):
        StridedLayout((2, 3), (5, 8), 8, divide_strides=True)


def test_negative_byte_strides():
    assert StridedLayout((3, 2), (-16, 8), 8, divide_strides=True).strides == (-2, 1)
    with pytest.raises(LayoutError):
        StridedLayout((3, 2), (-15, 8), 8, divide_strides=True)
    assert StridedLayout((3, 2), None, 8, divide_strides=True).strides is None
