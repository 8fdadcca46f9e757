"""Calls: each method by position and by name, and what is wrong with a call."""

import inspect

import pytest
from strideview import StridedLayout

LAYOUT = StridedLayout((2, 3, 4), None, 4)
OTHER = StridedLayout((5,), None, 4)

# Method, required arguments, optional ones in their order, those by name only.
METHODS = [
    ("dense", {"shape": (2, 3), "itemsize": 4}, {"stride_order": "F"}, {}),
    ("dense_like", {"other": LAYOUT}, {"stride_order": "F"}, {}),
    ("to_dense", {}, {"stride_order": "F"}, {}),
    ("reshaped", {"shape": (4, 6)}, {}, {}),
    ("permuted", {"axes": (2, 0, 1)}, {}, {}),
    ("transposed", {"axis1": 0, "axis2": 2}, {}, {}),
    ("moved_axis", {"source": 0, "destination": -1}, {}, {}),
    ("reversed_axes", {}, {}, {}),
    ("flattened", {}, {"start_axis": 0, "end_axis": 1, "mask": 7}, {}),
    ("coalesced", {}, {}, {}),
    ("squeezed", {}, {"axis": None}, {}),
    ("unsqueezed", {"axis": 1}, {}, {}),
    ("broadcast_to", {"shape": (5, 2, 3, 4)}, {}, {}),
    ("unbroadcast", {}, {}, {}),
    ("repacked", {"itemsize": 8}, {"data_ptr": 16, "axis": 2, "keep_dim": False}, {}),
    ("sliced", {"index": (0, ...)}, {}, {}),
    ("windows", {"axis": 2, "size": 2}, {"step": 2}, {}),
    ("split_axis", {"axis": 2, "inner": 2}, {}, {}),
    ("diagonal", {}, {"axis1": 1, "axis2": 2, "offset": 1}, {}),
    ("extended", {"other": OTHER}, {"axis": 0}, {}),
    ("sub", {"axes": (2, 0)}, {}, {}),
    ("required_size_in_bytes", {}, {}, {}),
    ("max_compatible_itemsize", {}, {"max_itemsize": 8, "data_ptr": 8, "axis": 2}, {}),
    ("offset_of", {"index": (1, 2, 3)}, {}, {}),
    ("index_of", {"offset": 5}, {}, {}),
    ("maps_like", {"other": OTHER}, {}, {}),
    ("overlaps", {"other": OTHER}, {}, {"address": 64, "other_address": 68}),
    ("offsets", {}, {}, {}),
    ("runs", {}, {}, {}),
    ("flattened_axis_mask", {}, {}, {}),
]
by_method = pytest.mark.parametrize(
    ("name", "required", "optional", "by_name"), METHODS, ids=[entry[0] for entry in METHODS]
)


def value(result):
    return list(result) if inspect.isgenerator(result) or hasattr(result, "__next__") else result


def call(name, *args, **kwargs):
    return value(getattr(LAYOUT, name)(*args, **kwargs))


def test_every_method_is_listed():
    public = {
        name for name in dir(StridedLayout) if not name.startswith("_") and callable(getattr(StridedLayout, name))
    }
    assert {entry[0] for entry in METHODS} <= public
    assert public - {entry[0] for entry in METHODS} <= {"diagram", "to_svg"}


@by_method
def test_positions_and_names_agree(name, required, optional, by_name):
    every = {**required, **optional}
    wanted = call(name, *every.values(), **by_name)
    assert call(name, **every, **by_name) == wanted
    for count in range(len(every) + 1):
        names = list(every)
        positional = [every[it] for it in names[:count]]
        rest = {it: every[it] for it in reversed(names[count:])}
        assert call(name, *positional, **rest, **by_name) == wanted


@by_method
def test_optional_arguments_may_be_left_out(name, required, optional, by_name):
    signature = inspect.signature(getattr(StridedLayout, name))
    defaults = {it: signature.parameters[it].default for it in {**optional, **by_name}}
    assert call(name, **required) == call(name, **required, **defaults)


@by_method
def test_signatures(name, required, optional, by_name):
    parameters = dict(inspect.signature(getattr(StridedLayout, name)).parameters)
    parameters.pop("self", None)
    assert list(parameters) == [*required, *optional, *by_name]
    for it, parameter in parameters.items():
        assert (parameter.default is parameter.empty) == (it in required)
        assert (parameter.kind is parameter.KEYWORD_ONLY) == (it in by_name)


@by_method
def test_too_many_arguments(name, required, optional, by_name):
    every = [*required.values(), *optional.values()]
    for more in ((None,), (0, 0, 0)):
        with pytest.raises(TypeError, match=name):
            call(name, *every, *more)


@by_method
def test_unknown_names(name, required, optional, by_name):
    for wrong in ("shapes", "", "größe", "self", "_"):
        with pytest.raises(TypeError, match=name):
            call(name, *required.values(), **{wrong: 1})


@by_method
def test_an_argument_given_twice(name, required, optional, by_name):
    for it in {**required, **optional}:
        with pytest.raises(TypeError, match=it):
            call(name, *required.values(), *optional.values(), **{it: 1})


@by_method
def test_missing_arguments(name, required, optional, by_name):
    for it in required:
        given = {other: item for other, item in required.items() if other != it}
        with pytest.raises(TypeError, match=it):
            call(name, **given)


def test_the_constructor():
    wanted = StridedLayout((2, 3), (12, 4), 4, True, slice_offset=1)
    assert StridedLayout(slice_offset=1, divide_strides=True, itemsize=4, strides=(12, 4), shape=(2, 3)) == wanted
    assert StridedLayout((2, 3), (12, 4), itemsize=4, divide_strides=True, slice_offset=1) == wanted
    names = list(inspect.signature(StridedLayout).parameters)
    assert names == ["shape", "strides", "itemsize", "divide_strides", "slice_offset"]
    wrong_calls = [
        lambda: StridedLayout(),
        lambda: StridedLayout((2,)),
        lambda: StridedLayout((2,), None),
        lambda: StridedLayout((2,), itemsize=4),
        lambda: StridedLayout((2,), None, 4, False, 0),
        lambda: StridedLayout((2,), None, 4, order="C"),
        lambda: StridedLayout((2,), None, 4, shape=(2,)),
        lambda: StridedLayout((2,), None, 4, divide_strides="yes"),
        lambda: StridedLayout((2,), None, 4, divide_strides=None),
    ]
    for call_it in wrong_calls:
        with pytest.raises(TypeError):
            call_it()


def test_names_that_are_not_interned():
    name = "".join(["sh", "ape"])
    assert LAYOUT.reshaped(**{name: (24,)}).shape == (24,)
    assert StridedLayout(**{name: (24,), "strides": None, "item" + "size": 4}).shape == (24,)


def test_static_methods_work_from_class_and_instance():
    assert LAYOUT.dense((2,), 4) == StridedLayout.dense((2,), 4)
    dense = LAYOUT.dense_like(OTHER)
    assert dense == OTHER and dense.strides is not None
    assert LAYOUT.dense_like(dense) is dense


def test_methods_refuse_other_objects():
    for name in ("reshaped", "offsets", "required_size_in_bytes"):
        with pytest.raises(TypeError):
            getattr(StridedLayout, name)((2, 3), (6,))
    with pytest.raises(TypeError):
        StridedLayout.shape.__get__((2, 3))
    for wrong in (None, 1, (2, 3), object()):
        for call_it in (LAYOUT.maps_like, LAYOUT.overlaps, LAYOUT.extended, StridedLayout.dense_like):
            with pytest.raises(TypeError, match="StridedLayout"):
                call_it(wrong)


@pytest.mark.parametrize("address", [-1, 2**64, -(2**70)])
def test_addresses_and_masks_have_64_bits(address):
    calls = [
        lambda: LAYOUT.overlaps(LAYOUT, address=address),
        lambda: LAYOUT.overlaps(LAYOUT, other_address=address),
        lambda: LAYOUT.repacked(8, address),
        lambda: LAYOUT.max_compatible_itemsize(16, address),
        lambda: LAYOUT.flattened(mask=address),
    ]
    for call_it in calls:
        with pytest.raises(OverflowError):
            call_it()


def test_the_largest_address_and_mask():
    assert LAYOUT.overlaps(LAYOUT, address=2**64 - 1) is False
    assert LAYOUT.flattened(mask=2**64 - 1).shape == (24,)
    assert LAYOUT.repacked(8, 2**64 - 8).itemsize == 8
