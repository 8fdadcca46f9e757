"""Which constructors of MPI make the derived datatype of a layout: arithmetic, which needs no MPI.

A derived datatype is a type map: a list of basic types with displacements in bytes, in the order in which they are sent. That of
a layout lists its elements in C order, so the nesting follows the axes, the last one innermost; sorting the axes by stride would
change the order.
"""

from dataclasses import dataclass
from typing import TypeAlias

from strideview._strideview import StridedLayout

__all__ = ["Basic", "Struct", "TypeMap", "Vector", "type_map"]


@dataclass(frozen=True, slots=True)
class Basic:
    """One basic type at displacement 0."""


@dataclass(frozen=True, slots=True)
class Vector:
    """``MPI_Type_create_hvector`` with blocks of length 1; ``MPI_Type_contiguous`` where the stride is the size of a basic type."""

    count: int
    stride: int
    of: "TypeMap"


@dataclass(frozen=True, slots=True)
class Struct:
    """``MPI_Type_create_struct``: one of each, at a displacement."""

    parts: "tuple[tuple[int, TypeMap], ...]"


TypeMap: TypeAlias = Basic | Vector | Struct
"""Constructors of MPI, nested; counts are numbers of things, strides and displacements are bytes."""


def type_map(layout: StridedLayout, size: int, most: int) -> TypeMap:
    """The constructors for a layout: a vector for each axis, one for the run of the innermost, and what longer axes take.

    Displacements count from the address that the layout does: where its slice offset is 0, that of the first element.

    Parameters
    ----------
    layout : StridedLayout
        Axes that can be merged are merged, and axes of extent 1 are dropped.
    size : int
        The bytes of a basic type; the item size is a multiple of it.
    most : int
        The largest count that a constructor takes; a longer axis is split.
    """
    axes = list(zip(*_coalesced(layout), strict=True))
    run = layout.itemsize
    if axes and axes[-1][1] == run:
        run *= axes.pop()[0]
    made = _repeated(Basic(), run // size, size, most)
    for extent, stride in reversed(axes):
        made = _repeated(made, extent, stride, most)
    offset = layout.slice_offset_in_bytes
    return Struct(((offset, made),)) if offset else made


def _coalesced(layout: StridedLayout) -> tuple[tuple[int, ...], tuple[int, ...]]:
    coalesced = layout.coalesced()
    strides = coalesced.strides_in_bytes
    assert strides is not None, "every transform gives explicit strides"
    return coalesced.shape, strides


def _repeated(item: TypeMap, count: int, stride: int, most: int) -> TypeMap:
    """An item ``count`` times, in one vector where that is possible, otherwise in rows and what is left over."""
    if count == 1:
        return item
    if count <= most and stride != -1:
        return Vector(count, stride, item)
    row, length = _row(item, stride, most)
    rows, left = divmod(count, length)
    whole = _repeated(row, rows, length * stride, most)
    if left == 0:
        return whole
    return Struct(((0, whole), (rows * length * stride, _repeated(item, left, stride, most))))


def _row(item: TypeMap, stride: int, most: int) -> tuple[TypeMap, int]:
    """What a longer axis is made of, and how many items that is.

    Pairs where the stride is one byte backwards: Open MPI (seen in 5.0.11) takes -1 for a stride that was not given, and makes
    a datatype that runs forwards.
    """
    if stride == -1:
        return Struct(((0, item), (-1, item))), 2
    return Vector(most, stride, item), most
