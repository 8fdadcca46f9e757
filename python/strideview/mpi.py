"""Strided views in messages of MPI, without packing: a derived datatype for any layout.

It needs mpi4py, the extra ``strideview[mpi]``, and importing it starts MPI, as ``from mpi4py import MPI`` does. Contiguous views need
none of this: mpi4py takes a view as it takes an array.

>>> import numpy, strideview as sv
>>> from mpi4py import MPI
>>> from strideview import mpi
>>> columns = sv.StridedMemoryView(numpy.arange(12).reshape(3, 4), -1)[:, ::-2]
>>> received = numpy.empty(6, int)
>>> _ = MPI.COMM_SELF.Sendrecv(mpi.sendbuf(columns), dest=0, recvbuf=received)
>>> received.tolist()
[3, 1, 7, 5, 11, 9]
"""

import weakref
from contextlib import ExitStack
from operator import index
from types import TracebackType
from typing import Any, Self, SupportsIndex

from mpi4py import MPI

from strideview._completion import complete
from strideview._strideview import StridedLayout, StridedMemoryView
from strideview._type_map import Basic, Struct, TypeMap, Vector, type_map
from strideview.exceptions import ViewError

__all__ = ["Message", "datatype", "recvbuf", "sendbuf"]

# The dtypes that MPI has a basic type for, by mpi4py's codes, so that both sides of a message name the same type.
_CODES = {
    "bool": "?",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "uint8": "u1",
    "uint16": "u2",
    "uint32": "u4",
    "uint64": "u8",
    "float16": "f2",
    "float32": "f4",
    "float64": "f8",
    "complex64": "c8",
    "complex128": "c16",
}

# What the counts of a constructor are: a C int, and from MPI 4 on 64 bits.
_INT_MAX = 2**31 - 1
_COUNT_MAX = 2**63 - 1


class Message(list[Any]):
    """The buffer argument of a call of mpi4py: the bytes that a view spans, the count 1, and a datatype that picks the elements.

    A list, since mpi4py takes lists; it is made by ``sendbuf`` and ``recvbuf``. It owns the datatype, and frees it at the end of a
    ``with`` statement, by ``free()``, or when it is collected. That may be right after a call was started: MPI lets what is under way
    end, and the request of mpi4py keeps the memory. Whoever takes the parts out keeps the message meanwhile.
    """

    def __init__(self, memory: MPI.buffer, made: MPI.Datatype) -> None:
        super().__init__((memory, 1, made))
        self._freed = weakref.finalize(self, _free, made)

    def free(self) -> None:
        """Free the datatype; once more does nothing."""
        self._freed()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.free()


def sendbuf(view: StridedMemoryView) -> Message:
    """The argument that sends a view: ``comm.Send(mpi.sendbuf(view), dest=1)``.

    The elements are sent in C order, and what is received may have any layout of as many elements. Axes of stride 0 are sent as often
    as they repeat. Memory of a device is complete when this returns: the host waits for the stream that the view is used on.

    Raises
    ------
    MPI.Exception
        MPI refuses the datatype.

    Examples
    --------
    >>> import numpy, strideview as sv
    >>> from strideview import mpi
    >>> view = sv.StridedMemoryView(numpy.zeros((3, 4), "f4"), -1)[::-1, 1]
    >>> with mpi.sendbuf(view) as (buffer, count, datatype):
    ...     print(buffer.nbytes, count, datatype.size)
    36 1 12
    """
    return _message(view, readonly=True)


def recvbuf(view: StridedMemoryView) -> Message:
    """The argument that receives into a view, or sends and receives: ``comm.Recv(mpi.recvbuf(view), source=0)``.

    Bytes between the elements are not written. Before this returns, the host waits for the stream that the view is used on.

    Raises
    ------
    ViewError
        The view is read-only, or elements share memory, or whether they do could not be decided within bounded work.
    MPI.Exception
        MPI refuses the datatype.

    Examples
    --------
    >>> import numpy, strideview as sv
    >>> from strideview import mpi
    >>> mpi.recvbuf(sv.StridedMemoryView(numpy.broadcast_to(numpy.zeros(3), (2, 3)), -1))
    Traceback (most recent call last):
    strideview.exceptions.ViewError: wanted a writable view to receive into, got a read-only one
    """
    if view.readonly:
        raise ViewError("wanted a writable view to receive into, got a read-only one", "view.read_only")
    uniqueness = view.layout.uniqueness
    if uniqueness == "overlapping":
        raise ViewError(
            f"wanted a view to receive into whose elements share no byte, got {view.layout}, where two do", "view.not_unique"
        )
    if uniqueness == "undecided":
        raise ViewError(
            f"wanted a view to receive into whose elements share no byte, got {view.layout}: not decided within the bound on work",
            "view.uniqueness_undecided",
        )
    return _message(view, readonly=False)


def datatype(
    source: StridedLayout | StridedMemoryView, element: MPI.Datatype | None = None, *, extent: SupportsIndex | None = None
) -> MPI.Datatype:
    """The derived datatype of a layout, committed; its owner is the caller, who calls ``Free()``.

    Displacements count from the address that the layout does, for a view from ``view.ptr``; they are negative below it. The elements
    are listed in C order. Its lower bound is the lowest byte of the layout, and its extent the bytes from there to the highest one.

    Parameters
    ----------
    source : StridedLayout or StridedMemoryView
    element : MPI.Datatype, optional
        What one element is: a basic type, or a committed datatype of the item size. By default the type that mpi4py has for the dtype
        of a view, so that the other side may receive a plain array of that dtype; ``MPI.BYTE``, item size times, for a layout, and for
        dtypes that MPI lacks, such as bfloat16.
    extent : int, optional
        The bytes from one layout to the next where the count of a message is more than 1.

    Raises
    ------
    TypeError
        ``source`` is neither a layout nor a view.
    ViewError
        The size or extent of ``element`` is not the item size.
    MPI.Exception
        MPI refuses the numbers.

    Examples
    --------
    The columns of a 3 x 4 matrix, one to each of 4 ranks: the next one begins 8 bytes further.

    >>> import strideview as sv
    >>> from mpi4py import MPI
    >>> from strideview import mpi
    >>> column = mpi.datatype(sv.StridedLayout((3,), (4,), 8), MPI.DOUBLE, extent=8)
    >>> column.size, column.lb, column.extent, column.true_extent
    (24, 0, 8, 72)
    >>> column.Free()
    """
    layout, element = _layout_and_element(source, element)
    size = _element_size(element, layout)
    low, span = _bounds(layout)
    wanted = type_map(layout, size, _most())
    with ExitStack() as parts:
        made = _constructed(wanted, element, size, {}, parts)
        resized = made.Create_resized(low, span if extent is None else index(extent))
    return resized.Commit()


def _layout_and_element(
    source: StridedLayout | StridedMemoryView, element: MPI.Datatype | None
) -> tuple[StridedLayout, MPI.Datatype]:
    if isinstance(source, StridedMemoryView):
        return source.layout, _basic_type(source) if element is None else element
    if isinstance(source, StridedLayout):
        return source, MPI.BYTE if element is None else element
    raise TypeError(f"expected a StridedLayout or a StridedMemoryView, got {type(source).__name__}")


def _basic_type(view: StridedMemoryView) -> MPI.Datatype:
    """The type that mpi4py has for an array of this dtype; the library need not have every one that the standard names."""
    code = _CODES.get(str(view.dtype))
    found = MPI.Datatype.fromcode(code) if code else MPI.BYTE
    try:
        is_there = found != MPI.DATATYPE_NULL and found.size == view.itemsize
    except MPI.Exception:  # the library knows the name, and has no such type
        is_there = False
    return found if is_there else MPI.BYTE


def _element_size(element: MPI.Datatype, layout: StridedLayout) -> int:
    """The bytes of an element; the bytes of a layout without a dtype are elements of their own."""
    lower, extent = element.Get_extent()
    size = element.Get_size()
    if element != MPI.BYTE and not (lower == 0 and size == extent == layout.itemsize):
        raise ViewError(
            f"wanted an element of the item size {layout.itemsize} without gaps, "
            f"got {element.name or 'a datatype'} of size {size}, lower bound {lower}, extent {extent}",
            "view.itemsize_mismatch",
        )
    return size


def _bounds(layout: StridedLayout) -> tuple[int, int]:
    """The lowest byte, and how many there are up to the highest."""
    low, high = layout.offset_bounds
    return low * layout.itemsize if high >= low else 0, (high - low + 1) * layout.itemsize


def _most() -> int:
    return _COUNT_MAX if MPI.Get_version() >= (4, 0) else _INT_MAX


def _constructed(
    wanted: TypeMap, element: MPI.Datatype, size: int, made: dict[int, MPI.Datatype], parts: ExitStack
) -> MPI.Datatype:
    """The datatype, made once for each part; ``parts`` frees it and all that it is made of, and MPI keeps what others are made of."""
    if isinstance(wanted, Basic):
        return element
    if id(wanted) in made:
        return made[id(wanted)]
    if isinstance(wanted, Struct):
        displacements = [displacement for displacement, _ in wanted.parts]
        types = [_constructed(part, element, size, made, parts) for _, part in wanted.parts]
        found = MPI.Datatype.Create_struct([1] * len(types), displacements, types)
    else:
        found = _vector(wanted, _constructed(wanted.of, element, size, made, parts), size)
    parts.callback(found.Free)
    made[id(wanted)] = found
    return found


def _vector(wanted: Vector, item: MPI.Datatype, size: int) -> MPI.Datatype:
    if isinstance(wanted.of, Basic) and wanted.stride == size:
        return item.Create_contiguous(wanted.count)
    return item.Create_hvector(wanted.count, 1, wanted.stride)


def _message(view: StridedMemoryView, readonly: bool) -> Message:
    layout = view.layout
    low, span = _bounds(layout)
    memory = view.view(StridedLayout((span,), (1,), 1, slice_offset=low), "uint8")
    complete(memory)
    rebased = StridedLayout(layout.shape, layout.strides, layout.itemsize, slice_offset=-low // layout.itemsize)
    made = datatype(rebased, _basic_type(view))
    try:
        return Message(MPI.buffer.frombuffer(memory, readonly=readonly), made)
    except BaseException:
        made.Free()
        raise


def _free(made: MPI.Datatype) -> None:
    if not MPI.Is_finalized():
        made.Free()
