"""Which error each fault of a layout is: its classes, its stable code, and the numbers in its message."""

import pickle
import random

import pytest
import strideview
from refusal import refused
from strideview import StridedLayout, exceptions

L = StridedLayout((2, 3, 4), None, 4)

VALUES = [
    ("layout.rank_too_large", lambda: StridedLayout((1,) * 65, None, 1), ["65", "64"]),
    ("layout.rank_too_large", lambda: StridedLayout((1,) * 64, None, 1).unsqueezed(0), ["65", "64"]),
    ("layout.negative_extent", lambda: StridedLayout((2, -3), None, 1), ["-3", "1"]),
    ("layout.negative_extent", lambda: L.reshaped((-2, -12)), ["-2"]),
    ("layout.invalid_itemsize", lambda: StridedLayout((2,), None, 0), ["0"]),
    ("layout.invalid_itemsize", lambda: StridedLayout((0,), None, -4), ["-4"]),
    ("layout.stride_count", lambda: StridedLayout((2, 3), (1,), 4), ["2", "1"]),
    ("layout.stride_count", lambda: StridedLayout((), (1,), 4), ["0", "1"]),
    ("layout.stride_not_divisible", lambda: StridedLayout((2, 3), (13, 4), 4, divide_strides=True), ["13", "4"]),
    ("layout.duplicate_axis", lambda: L.permuted((0, 1, -2)), ["1"]),
    ("layout.duplicate_axis", lambda: L.sub((0, 0)), ["0"]),
    ("layout.duplicate_axis", lambda: L.unsqueezed((0, 0)), ["0"]),
    ("layout.duplicate_axis", lambda: L.diagonal(1, 1), ["1"]),
    ("layout.axis_count", lambda: L.permuted((0, 1)), ["3", "2"]),
    ("layout.axis_count", lambda: StridedLayout.dense((2,), 4, (0, 1)), ["1", "2"]),
    ("layout.no_order_to_keep", lambda: StridedLayout.dense((2,), 4, "K"), ["K"]),
    ("layout.volume_mismatch", lambda: L.reshaped((5, 5)), ["24", "25"]),
    ("layout.second_inferred_extent", lambda: L.reshaped((-1, 2, -1)), ["-1"]),
    ("layout.cannot_infer_extent", lambda: L.reshaped((-1, 5)), ["5", "24"]),
    ("layout.cannot_infer_extent", lambda: L.reshaped((-1, 0)), ["0", "24"]),
    ("layout.reshape_needs_copy", lambda: L.reversed_axes().reshaped((24,)), []),
    ("layout.axis_range", lambda: L.flattened(2, 0), ["2", "0"]),
    ("layout.axis_range", lambda: L.flattened(2, 0, mask=0), ["2", "0"]),
    ("layout.not_unit_extent", lambda: L.squeezed(1), ["3", "1"]),
    ("layout.broadcast_extent", lambda: L.broadcast_to((2, 5, 4)), ["3", "5"]),
    ("layout.broadcast_rank", lambda: L.broadcast_to((4,)), ["3", "1"]),
    ("layout.itemsize_ratio", lambda: StridedLayout((5,), None, 4).repacked(5), ["5", "4"]),
    ("layout.itemsize_ratio", lambda: StridedLayout((4,), None, 6).repacked(4), ["4", "6"]),
    ("layout.repack_empty", lambda: StridedLayout((0, 4), None, 4).repacked(8), ["4", "8"]),
    ("layout.repack_stride", lambda: StridedLayout((4,), (2,), 4).repacked(8), ["2"]),
    ("layout.not_divisible", lambda: StridedLayout((3,), None, 4).repacked(8), ["3", "2"]),
    ("layout.not_divisible", lambda: StridedLayout((2, 4), (5, 1), 4).repacked(8), ["5", "2"]),
    ("layout.not_divisible", lambda: StridedLayout((4,), None, 4, slice_offset=1).repacked(8), ["1", "2"]),
    ("layout.not_divisible", lambda: L.repacked(8, 4), ["4", "8"]),
    ("layout.max_itemsize_too_small", lambda: L.max_compatible_itemsize(3), ["3", "4"]),
    ("layout.zero_step", lambda: L[::0], ["0"]),
    ("layout.second_ellipsis", lambda: L[..., 0, ...], []),
    ("layout.window_size", lambda: L.windows(0, 3), ["3", "2"]),
    ("layout.window_step", lambda: L.windows(0, 1, 0), ["0"]),
    ("layout.split_extent", lambda: L.split_axis(1, 2), ["3", "2"]),
    ("layout.split_extent", lambda: L.split_axis(1, 0), ["3", "0"]),
    ("layout.itemsize_mismatch", lambda: L.extended(StridedLayout((2,), None, 8)), ["4", "8"]),
    ("layout.negative_min_offset", lambda: StridedLayout((3,), (-1,), 4).required_size_in_bytes(), ["-2"]),
    ("layout.index_count", lambda: L.offset_of((0, 0)), ["3", "2"]),
]
AXES = [
    ("layout.axis_out_of_range", lambda: L.permuted((0, 1, 3)), ["3"]),
    ("layout.axis_out_of_range", lambda: L.transposed(0, -4), ["-4", "3"]),
    ("layout.axis_out_of_range", lambda: L.moved_axis(3, 0), ["3"]),
    ("layout.axis_out_of_range", lambda: L.flattened(3), ["3"]),
    ("layout.axis_out_of_range", lambda: L.flattened(0, 3, mask=1), ["3"]),
    ("layout.axis_out_of_range", lambda: StridedLayout((), None, 4).flattened(0, 0), ["0"]),
    ("layout.axis_out_of_range", lambda: L.squeezed(7), ["7", "3"]),
    ("layout.axis_out_of_range", lambda: L.unsqueezed(4), ["4"]),
    ("layout.axis_out_of_range", lambda: L.windows(-4, 1), ["-4", "3"]),
    ("layout.axis_out_of_range", lambda: L.split_axis(3, 1), ["3"]),
    ("layout.axis_out_of_range", lambda: L.diagonal(0, 3), ["3"]),
    ("layout.axis_out_of_range", lambda: L.sub((3,)), ["3"]),
    ("layout.axis_out_of_range", lambda: L.repacked(8, 0, 3), ["3"]),
    ("layout.axis_out_of_range", lambda: StridedLayout((), None, 4).repacked(8), ["0"]),
    ("layout.axis_out_of_range", lambda: StridedLayout((), None, 4).max_compatible_itemsize(), ["0"]),
    ("layout.axis_out_of_range", lambda: L.to_dense((0, 1, 3)), ["3"]),
    ("layout.position_out_of_range", lambda: L.extended(L, 4), ["4", "3"]),
]
INDICES = [
    ("layout.index_out_of_range", lambda: L[2], ["2", "0"]),
    ("layout.index_out_of_range", lambda: L[0, -4], ["-4", "3"]),
    ("layout.index_out_of_range", lambda: L.offset_of((0, 0, 4)), ["4"]),
    ("layout.index_out_of_range", lambda: StridedLayout((0,), None, 4)[0], ["0"]),
    ("layout.too_many_indices", lambda: L[0, 0, 0, 0], ["3", "4"]),
    ("layout.too_many_indices", lambda: StridedLayout((), None, 4)[0], ["0", "1"]),
]
OVERFLOWS = [
    lambda: StridedLayout((2**62, 4), None, 1),
    lambda: StridedLayout((2**61,), None, 8),
    lambda: StridedLayout((2**62,), (4,), 1),
    lambda: StridedLayout((2,), (2**62,), 4),
    lambda: StridedLayout((4,), (2**61,), 1).broadcast_to((2**62, 4)),
    lambda: StridedLayout((2,), None, 1, slice_offset=2**63 - 1),
    lambda: StridedLayout((4,), (2**62,), 1),
    lambda: StridedLayout.dense((2**40, 2**40), 1),
]


def each(table):
    return pytest.mark.parametrize(("code", "call", "numbers"), table)


@each(VALUES)
def test_value_errors(code, call, numbers):
    with refused(code, exceptions.LayoutError, ValueError) as caught:
        call()
    assert not isinstance(caught.value, IndexError)
    assert all(number in str(caught.value) for number in numbers)


@each(AXES)
def test_axes_out_of_range(code, call, numbers):
    with refused(code, exceptions.AxisError, exceptions.LayoutError, ValueError, IndexError) as caught:
        call()
    assert all(number in str(caught.value) for number in numbers)


@each(INDICES)
def test_indices_out_of_range(code, call, numbers):
    with refused(code, exceptions.LayoutIndexError, exceptions.LayoutError, ValueError, IndexError) as caught:
        call()
    assert all(number in str(caught.value) for number in numbers)


@pytest.mark.parametrize("call", OVERFLOWS)
def test_overflows(call):
    with refused("layout.overflow", exceptions.LayoutOverflowError, OverflowError) as caught:
        call()
    assert not isinstance(caught.value, ValueError)


def test_letters_of_stride_orders():
    for letter in ("A", "c", "f", "", "CF"):
        with pytest.raises(ValueError, match="'C'"):
            L.to_dense(letter)
    with pytest.raises(TypeError):
        L.to_dense(None)


def test_a_search_that_hits_its_bound():
    """Whether two indices of so many odd strides share an offset is a subset sum, which no bounded search decides."""
    strides = [random.Random(axis).randrange(2**53, 2**56) for axis in range(25)]
    layout = StridedLayout((3,) * 25, strides, 1)
    assert layout.uniqueness == "undecided"
    assert layout.is_unique is False
    with refused("layout.work_bound"):
        layout.index_of(sum(strides) // 2)
    assert layout.overlaps(layout, address=0, other_address=1)


def test_every_error_is_one_of_strideview():
    classes = [getattr(exceptions, name) for name in exceptions.__all__]
    assert all(issubclass(it, exceptions.StrideviewError) for it in classes)
    assert all(getattr(strideview, it.__name__) is it for it in classes)
    assert [it.__module__ for it in classes] == ["strideview.exceptions"] * len(classes)


def test_errors_pickle_with_their_codes():
    with pytest.raises(exceptions.AxisError) as caught:
        L.squeezed(7)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.code) == (
        exceptions.AxisError,
        str(caught.value),
        "layout.axis_out_of_range",
    )


def test_a_refused_call_leaves_the_layout_as_it_was():
    before = repr(L)
    for _, call, _ in VALUES + AXES + INDICES:
        with pytest.raises(exceptions.StrideviewError):
            call()
    assert repr(L) == before
