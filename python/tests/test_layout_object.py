"""A layout as a Python object: it cannot change, and it compares, hashes, prints, pickles and copies by value."""

import copy
import pickle

import pytest
from hypothesis import given
from strategies import layouts
from strideview import StridedLayout

IMPLICIT = StridedLayout((2, 3, 4), None, 4)
EXPLICIT = StridedLayout((2, 3, 4), (12, 4, 1), 4)
SHIFTED = StridedLayout((2, 3), (-3, 1), 16, slice_offset=3)


def test_calling_init_again_changes_nothing():
    layout = StridedLayout((2, 3), (3, 1), 4)
    layout.__init__((5,), None, 8)
    assert (layout.shape, layout.strides, layout.itemsize) == ((2, 3), (3, 1), 4)


def test_no_attribute_can_be_set_or_deleted():
    names = [name for name in dir(StridedLayout) if not name.startswith("__")]
    for name in [*names, "anything"]:
        with pytest.raises(AttributeError):
            setattr(SHIFTED, name, 1)
        with pytest.raises(AttributeError):
            delattr(SHIFTED, name)
    assert repr(SHIFTED) == "StridedLayout(shape=(2, 3), strides=(-3, 1), itemsize=16, slice_offset=3)"


def test_the_class_is_closed():
    with pytest.raises(TypeError):
        StridedLayout.anything = 1
    with pytest.raises(TypeError):
        type("Derived", (StridedLayout,), {})
    with pytest.raises(TypeError):
        object.__new__(StridedLayout)
    with pytest.raises(TypeError):
        StridedLayout.__new__(StridedLayout)
    assert StridedLayout.__new__(StridedLayout, (2,), None, 4) == StridedLayout((2,), None, 4)


def test_the_class_names_its_module():
    assert (StridedLayout.__module__, StridedLayout.__qualname__) == ("strideview", "StridedLayout")


def test_tuples_are_made_once():
    for name in ("shape", "strides", "strides_in_bytes", "stride_order"):
        assert type(getattr(SHIFTED, name)) is tuple
        assert getattr(SHIFTED, name) is getattr(SHIFTED, name)


def test_types_of_properties():
    for name in ("is_contiguous_c", "is_contiguous_f", "is_contiguous_any", "is_dense", "is_exhaustive", "is_unique"):
        assert type(getattr(SHIFTED, name)) is bool
    for name in ("ndim", "volume", "nbytes", "itemsize", "slice_offset", "min_offset"):
        assert type(getattr(SHIFTED, name)) is int
    assert SHIFTED.uniqueness == "unique"
    assert SHIFTED.offset_bounds == (0, 5)


def test_implicit_and_explicit_strides_are_equal():
    assert (IMPLICIT.strides, IMPLICIT.strides_in_bytes) == (None, None)
    assert EXPLICIT.strides == (12, 4, 1)
    assert IMPLICIT == EXPLICIT
    assert hash(IMPLICIT) == hash(EXPLICIT)
    assert {IMPLICIT: "found"}[EXPLICIT] == "found"
    empty = StridedLayout((0, 3), None, 4)
    assert (empty == StridedLayout((0, 3), (0, 0), 4), hash(empty) == hash(StridedLayout((0, 3), (0, 0), 4))) == (
        True,
        True,
    )


def test_equality_is_literal():
    different = [
        StridedLayout((2, 4, 3), None, 4),
        StridedLayout((2, 3, 4), None, 8),
        StridedLayout((2, 3, 4), None, 4, slice_offset=1),
        StridedLayout((2, 3, 4), (12, 4, 2), 4),
        StridedLayout((24,), None, 4),
        IMPLICIT.unsqueezed(0),
    ]
    for other in different:
        assert IMPLICIT != other
        assert not IMPLICIT == other
    assert len({IMPLICIT, EXPLICIT, *different}) == 1 + len(different)
    assert StridedLayout((1, 3), (5, 1), 4) != StridedLayout((1, 3), (3, 1), 4)


def test_other_objects_are_not_equal():
    for other in (None, 1, (2, 3, 4), "layout", object()):
        assert IMPLICIT != other
        assert not IMPLICIT == other
    with pytest.raises(TypeError):
        assert IMPLICIT < EXPLICIT


def test_a_layout_is_no_sequence():
    for use in (len, iter, list):
        with pytest.raises(TypeError):
            use(IMPLICIT)
    assert bool(StridedLayout((0,), None, 4))


def test_hashes_are_spread():
    hashes = {
        hash(StridedLayout((n, m), None, itemsize)) for n in range(20) for m in range(20) for itemsize in (1, 2, 4)
    }
    assert len(hashes) == 1200


@given(layouts())
def test_pickling(layout):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(layout, protocol))
        assert (again, again.strides, hash(again)) == (layout, layout.strides, hash(layout))


@given(layouts())
def test_copying_gives_the_layout_itself(layout):
    assert copy.copy(layout) is layout
    assert copy.deepcopy(layout) is layout
    assert copy.deepcopy([layout])[0] is layout


@given(layouts())
def test_repr_evaluates(layout):
    again = eval(repr(layout), {"StridedLayout": StridedLayout})
    assert (again, again.strides) == (layout, layout.strides)


def test_printed_forms():
    assert str(IMPLICIT) == str(EXPLICIT) == "(2, 3, 4):(12, 4, 1) x4"
    assert str(StridedLayout((2, 3), (3, 1), 4)) == "(2, 3):(3, 1) x4"
    assert repr(IMPLICIT) == "StridedLayout(shape=(2, 3, 4), strides=None, itemsize=4)"
    assert repr(StridedLayout((), (), 8)) == "StridedLayout(shape=(), strides=(), itemsize=8)"
    assert repr(StridedLayout((5,), (2,), 1)) == "StridedLayout(shape=(5,), strides=(2,), itemsize=1)"
    assert f"{SHIFTED}".startswith("(2, 3):(-3, 1) x16")


def test_iterators():
    for iterator, wanted in ((SHIFTED.offsets(), [3, 4, 5, 0, 1, 2]), (SHIFTED.runs(), [(48, 48), (0, 48)])):
        assert iter(iterator) is iterator
        assert next(iterator) == wanted[0]
        assert list(iterator) == wanted[1:]
        assert list(iterator) == []
        with pytest.raises(StopIteration):
            next(iterator)


def test_an_iterator_outlives_its_layout():
    layout = StridedLayout((1000,), (2,), 4)
    offsets = layout.offsets()
    del layout
    assert list(offsets) == list(range(0, 2000, 2))


def test_an_iterator_over_a_huge_layout_costs_nothing():
    huge = StridedLayout((2**40, 2**20), None, 4)
    offsets = huge.offsets()
    assert [next(offsets) for _ in range(3)] == [0, 1, 2]
    assert next(huge.runs()) == (0, 2**62)
