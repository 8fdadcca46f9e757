"""Layouts without elements, without axes, and with axes of extent 1."""

import pytest
from refusal import refused
from strideview import StridedLayout

EMPTY = StridedLayout((0, 4), (7, 3), 4, slice_offset=5)
SCALAR = StridedLayout((), None, 8)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4), (0, 0)])
def test_empty_layouts(shape):
    for layout in (
        StridedLayout(shape, None, 4),
        StridedLayout(shape, range(5, 5 + len(shape)), 4),
        StridedLayout.dense(shape, 4, "F"),
    ):
        assert (layout.volume, layout.nbytes, layout.required_size_in_bytes()) == (0, 0, 0)
        assert (layout.offset_bounds, layout.min_offset, layout.max_offset) == ((0, -1), 0, -1)
        assert (layout.is_contiguous_c, layout.is_contiguous_f, layout.is_contiguous_any) == (True, True, True)
        assert (layout.is_unique, layout.is_exhaustive, layout.uniqueness) == (True, True, "unique")
        assert (list(layout.offsets()), list(layout.runs()), layout.index_of(0)) == ([], [], None)
        assert layout.flattened().shape == (0,)
        assert layout.flattened_axis_mask() == sum(1 << axis for axis in range(1, len(shape)))
        assert layout.max_compatible_itemsize() == 4
        assert not layout.overlaps(layout)
        assert layout.to_dense() == StridedLayout.dense(shape, 4)


def test_dense_empty_layouts_have_strides_of_zero():
    assert StridedLayout.dense((2, 0, 3), 4).strides == (0, 0, 0)
    assert StridedLayout.dense((2, 0, 3), 4, (1, 0, 2)).strides == (0, 0, 0)
    assert StridedLayout((2, 0, 3), None, 4) == StridedLayout((2, 0, 3), (0, 0, 0), 4)
    assert EMPTY.to_dense().strides == (0, 0)
    assert EMPTY.to_dense().slice_offset == 0


def test_an_empty_slice_keeps_the_offset():
    """What the axes that are not empty add to it included."""
    layout = StridedLayout((4, 5), (5, 1), 4, slice_offset=3)
    for index, offset in (
        (slice(2, 2), 3),
        (slice(4, None), 3),
        (slice(3, 1), 3),
        ((slice(None), slice(5, None)), 3),
        ((1, slice(2, 2)), 8),
        ((slice(2, 2), 4), 7),
    ):
        empty = layout[index]
        assert empty.strides == (0,) * empty.ndim
        assert (empty.volume, empty.slice_offset) == (0, offset)


def test_indexing_an_empty_axis():
    for index in (0, -1):
        with refused("layout.index_out_of_range", IndexError):
            EMPTY[index]
    assert EMPTY[:, 2].shape == (0,)
    with refused("layout.index_out_of_range", IndexError):
        EMPTY[:, 4]


def test_transforms_of_empty_layouts():
    assert EMPTY.squeezed() == StridedLayout((0,), (0,), 4, slice_offset=5)
    assert EMPTY.coalesced().shape == (0,)
    assert EMPTY.reshaped((3, 0, 7)).shape == (3, 0, 7)
    assert EMPTY.reshaped((-1, 4)).shape == (0, 4)
    assert EMPTY.broadcast_to((2, 0, 4)).shape == (2, 0, 4)
    assert EMPTY.windows(1, 2).shape == (0, 3, 2)
    assert EMPTY.split_axis(0, 3).shape == (0, 3, 4)
    assert EMPTY.diagonal().shape == (0,)
    assert EMPTY.repacked(4) is EMPTY
    with refused("layout.repack_empty", ValueError):
        EMPTY.repacked(2)
    for shape in ((0, -1), (-1, 0)):
        with refused("layout.cannot_infer_extent", ValueError):
            EMPTY.reshaped(shape)
    with refused("layout.volume_mismatch", ValueError):
        EMPTY.reshaped((1,))


def test_rank_zero():
    assert (SCALAR.ndim, SCALAR.shape, SCALAR.volume, SCALAR.nbytes) == (0, (), 1, 8)
    assert (SCALAR.stride_order, SCALAR.flattened_axis_mask(), SCALAR.offset_bounds) == ((), 0, (0, 0))
    assert (list(SCALAR.offsets()), list(SCALAR.runs())) == ([0], [(0, 8)])
    assert (SCALAR.offset_of(()), SCALAR.index_of(0), SCALAR.index_of(1)) == (0, (), None)
    assert (SCALAR.is_contiguous_c, SCALAR.is_contiguous_f, SCALAR.is_dense, SCALAR.is_unique) == (True,) * 4
    assert StridedLayout((), (), 8) == SCALAR


def test_transforms_of_rank_zero():
    assert SCALAR.flattened().shape == SCALAR.flattened(0, -1).shape == SCALAR.flattened(mask=7).shape == (1,)
    assert SCALAR.coalesced().shape == SCALAR.squeezed().shape == SCALAR.permuted(()).shape == ()
    assert (SCALAR[()], SCALAR[...], SCALAR.sub(())) == (SCALAR, SCALAR, SCALAR)
    assert SCALAR[None].shape == SCALAR.reshaped(1).shape == SCALAR.unsqueezed(0).shape == (1,)
    assert SCALAR.reshaped((1, 1, -1)).shape == (1, 1, 1)
    assert SCALAR.broadcast_to((2, 3)).strides == (0, 0)
    assert SCALAR.repacked(8) is SCALAR
    for call in (
        lambda: SCALAR.flattened(0, 0),
        lambda: SCALAR.flattened(-1),
        lambda: SCALAR.repacked(4),
        lambda: SCALAR.repacked(16),
        lambda: SCALAR.max_compatible_itemsize(),
        lambda: SCALAR.diagonal(),
        lambda: SCALAR.transposed(0, 0),
        lambda: SCALAR[0],
        lambda: SCALAR.reshaped((2,)),
    ):
        with pytest.raises(ValueError, match=r"0|2"):
            call()


def test_axes_of_extent_one():
    layout = StridedLayout((1, 3, 1, 4, 1), (99, 4, -7, 1, 0), 8)
    assert (layout.is_contiguous_c, layout.is_dense, layout.is_unique) == (True, True, True)
    assert layout.flattened_axis_mask() == 0b11110
    assert (layout.flattened().shape, layout.coalesced().shape, layout.squeezed().shape) == ((12,), (12,), (3, 4))
    assert layout.reshaped((2, 6)).strides == (6, 1)
    assert layout.maps_like(StridedLayout((3, 4), None, 8))
    assert layout != StridedLayout((1, 3, 1, 4, 1), None, 8)
    assert StridedLayout((1, 1, 1), (5, 6, 7), 8).coalesced().shape == ()


@pytest.mark.parametrize("itemsize", [1, 2, 3, 5, 7, 12, 100, 2**40])
def test_any_item_size(itemsize):
    layout = StridedLayout((2, 3), (3, 1), itemsize, slice_offset=1)
    assert (layout.nbytes, layout.required_size_in_bytes()) == (6 * itemsize, 7 * itemsize)
    assert layout.strides_in_bytes == (3 * itemsize, itemsize)
    assert StridedLayout((2, 3), layout.strides_in_bytes, itemsize, divide_strides=True).strides == (3, 1)
    assert layout.slice_offset_in_bytes == itemsize


def test_repacking_to_the_same_size_looks_at_nothing_else():
    layout = StridedLayout((3,), (5,), 4)
    assert layout.repacked(4, 3, 77, False) is layout


def test_dense_layouts_are_returned_as_they_are():
    dense = StridedLayout((2, 3), (3, 1), 4)
    assert dense.to_dense() is dense
    assert dense.to_dense("C") is dense
    assert dense.to_dense((0, 1)) is dense
    assert dense.to_dense("F").strides == (1, 2)
    implicit = StridedLayout((2, 3), None, 4)
    assert implicit.to_dense() == implicit
    assert implicit.to_dense().strides == (3, 1)  # spelled out, so it is another object
    for other in (StridedLayout((2, 3), (3, 1), 4, slice_offset=1), StridedLayout((2, 3), (-3, 1), 4)):
        assert other.to_dense() == dense
        assert other.to_dense() is not other
    odd_unit = StridedLayout((1, 3), (77, 1), 4)
    assert odd_unit.to_dense() is not odd_unit
    assert odd_unit.to_dense().strides == (3, 1)


def test_to_dense_of_odd_layouts():
    for layout, wanted in (
        (StridedLayout((3, 4), (0, 1), 8), (1, 3)),
        (StridedLayout((3, 4), (1, 0), 8), (4, 1)),
        (StridedLayout((3, 4), (0, 0), 8), (1, 3)),
        (StridedLayout((3, 4, 5), (0, 0, 0), 8), (1, 3, 12)),
        (StridedLayout((3, 4), (-10, -2), 8), (4, 1)),
        (StridedLayout((3, 4), (2, 10), 8), (1, 3)),
        (StridedLayout((2, 2), (1, 1), 8), (2, 1)),
        (StridedLayout((2,), (-(2**63),), 1), (1,)),
    ):
        assert layout.to_dense().strides == wanted
