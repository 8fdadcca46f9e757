"""Derived datatypes of MPI in one process: what they pack and unpack, and what a message owns."""

import doctest
import gc
import random

import numpy as np
import pytest
from arrays import DTYPES, KINDS, array_views
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from strategies import odd_layouts
from strideview import Buffer, Device, StridedLayout, StridedMemoryView
from view_of import view_of
from with_mpi import MPI

from strideview import mpi

SELF = MPI.COMM_SELF


def packed(message):
    """The bytes that MPI_Pack makes of a message of one datatype."""
    buffer, count, datatype = message
    out = bytearray(datatype.size * count)
    if out:
        assert datatype.Pack(buffer, out, 0, SELF) == len(out)
    return bytes(out)


def unpacked(message, data):
    buffer, _, datatype = message
    if data:
        assert datatype.Unpack(data, 0, buffer, SELF) == len(data)


def padded(layout):
    """An array of different bytes around a layout, and the address that the layout counts from."""
    low, high = layout.offset_bounds
    size = (high - low + 1) * layout.itemsize
    memory = np.arange(size + 32).astype("u1")
    return memory, 16 - low * layout.itemsize if layout.volume else 16


def shown(memory, layout, at):
    """The elements of a layout in memory, with NumPy."""
    elements = np.ndarray(
        layout.shape,
        f"V{layout.itemsize}",
        memory,
        at + layout.slice_offset_in_bytes if layout.volume else 0,
        layout.strides_in_bytes,
    )
    return np.ascontiguousarray(elements).reshape(-1).view("u1")


def buffer_at(memory, at):
    return MPI.buffer.fromaddress(memory.ctypes.data + at, memory.nbytes - at)


@pytest.mark.parametrize("kind", KINDS)
def test_check_86_kinds(kind):
    x = KINDS[kind]
    with mpi.sendbuf(view_of(x)) as message:
        assert packed(message) == x.tobytes()


@given(array_views())
def test_check_86_random_views(x):
    with mpi.sendbuf(view_of(x)) as message:
        assert packed(message) == x.tobytes()


@given(odd_layouts(minimum=1), st.integers(0, 40))
def test_check_86_random_layouts_three_in_a_row(layout, gap):
    """The third begins two extents after the first, whatever the layout and its item size."""
    low, high = layout.offset_bounds
    extent = (high - low + 1) * layout.itemsize + gap
    memory = np.arange(3 * extent + 16).astype("u1")
    first = -low * layout.itemsize
    datatype = mpi.datatype(layout, extent=extent)
    assert (datatype.lb, datatype.extent, datatype.size) == (-first, extent, layout.nbytes)
    out = bytearray(3 * layout.nbytes)
    datatype.Pack(MPI.buffer.fromaddress(memory.ctypes.data + first, 3 * extent), out, 0, SELF)
    datatype.Free()
    wanted = [shown(memory, layout, first + item * extent) for item in range(3)]
    assert bytes(out) == np.concatenate(wanted).tobytes()


@given(odd_layouts())
def test_check_86_the_extent_is_what_the_layout_spans(layout):
    datatype = mpi.datatype(layout)
    low, high = layout.offset_bounds
    assert datatype.size == layout.nbytes
    assert datatype.extent == (high - low + 1) * layout.itemsize
    if layout.volume:
        assert datatype.Get_true_extent() == (low * layout.itemsize, datatype.extent)
        memory, at = padded(layout)
        out = bytearray(datatype.size)
        datatype.Pack(MPI.buffer.fromaddress(memory.ctypes.data + at, datatype.extent), out, 0, SELF)
        assert bytes(out) == shown(memory, layout, at).tobytes()
    datatype.Free()


@given(array_views())
def test_check_86_unpacking_writes_the_elements_alone(x):
    memory = x.base if x.base is not None else x
    before = memory.copy()
    data = np.random.default_rng(1).integers(0, 255, x.nbytes, "u1").tobytes()
    with mpi.recvbuf(view_of(x)) as message:
        unpacked(message, data)
    assert x.tobytes() == data
    x[...] = 0
    untouched = memory.copy()
    memory[...] = before
    x[...] = 0
    assert memory.tobytes() == untouched.tobytes()


class OnlyDLPack:
    """A view that speaks no other protocol."""

    def __init__(self, view):
        self.view = view

    def __dlpack__(self, **keywords):
        return self.view.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.view.__dlpack_device__()


ROADS = {"buffer": lambda view: view, "DLPack": OnlyDLPack}


def exchanged(source, destination):
    SELF.Sendrecv(source, dest=0, recvbuf=destination, source=0)


def skip_without_type(dtype):
    """mpi4py names a type for an array, which the library of MPI need not have."""
    try:
        exchanged(np.zeros(1, dtype), np.zeros(1, dtype))
    except MPI.Exception as error:
        pytest.skip(f"this MPI sends no arrays of {dtype}: {error}")


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_check_87_contiguous_views(dtype, road):
    skip_without_type(dtype)
    x = np.arange(1, 7).astype(dtype).reshape(2, 3)
    for order in "CF":
        source, destination = np.array(x, order=order), np.zeros_like(x, order=order)
        exchanged(ROADS[road](view_of(source)), ROADS[road](view_of(destination)))
        assert np.array_equal(source, destination)


@pytest.mark.parametrize("road", ROADS)
def test_check_87_strided_views_are_refused_by_mpi4py(road):
    view = view_of(np.zeros((4, 6))[:, ::2])
    with pytest.raises((BufferError, ValueError)):
        exchanged(ROADS[road](view), np.zeros(12))


@pytest.mark.parametrize("dtype", DTYPES)
def test_check_87_strided_views_by_their_datatype(dtype):
    x = np.arange(48).astype(dtype).reshape(4, 12)
    source, destination = x[::-1, ::-3], np.zeros((2, 5, 8), dtype)[:, 1::3, ::2]
    exchanged(mpi.sendbuf(view_of(source)), mpi.recvbuf(view_of(destination)))
    assert np.array_equal(destination.reshape(4, 4), source)
    assert not destination.base[:, ::3].any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_receives_what_a_view_sends(dtype):
    """Both sides name the same basic type."""
    skip_without_type(dtype)
    x = np.arange(12).astype(dtype).reshape(3, 4).T
    received = np.zeros(x.shape, dtype)
    exchanged(mpi.sendbuf(view_of(x)), received)
    assert np.array_equal(received, x)
    destination = np.zeros((4, 6), dtype)[:, ::2]
    exchanged(np.ascontiguousarray(x), mpi.recvbuf(view_of(destination)))
    assert np.array_equal(destination, x)


def test_dtypes_that_mpi_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(12).astype(ml_dtypes.bfloat16).reshape(3, 4)
    received = np.zeros((4, 3), ml_dtypes.bfloat16)
    exchanged(mpi.sendbuf(view_of(x.T)), mpi.recvbuf(view_of(received)))
    assert np.array_equal(received, x.T)


def test_bytes_that_overlap_backwards():
    """Pairs of pairs of pairs: see ``_type_map``."""
    memory = np.arange(16, dtype="u1")
    x = np.lib.stride_tricks.as_strided(memory[15:], (2, 3, 2, 4, 2), (-1,) * 5)
    with mpi.sendbuf(view_of(x)) as message:
        assert packed(message) == x.tobytes()


def test_untyped_views():
    memory = np.arange(30).astype("u1")
    view = StridedMemoryView.from_buffer(Buffer.from_handle(memory.ctypes.data, 30, owner=memory), (2, 3), (1, 2), itemsize=5)
    with mpi.sendbuf(view) as message:
        assert packed(message) == memory.reshape(3, 2, 5).transpose(1, 0, 2).tobytes()


def test_views_with_no_elements():
    source, destination = view_of(np.zeros((3, 0, 2))), view_of(np.zeros((0, 5)))
    exchanged(mpi.sendbuf(source), mpi.recvbuf(destination))
    datatype = mpi.datatype(StridedLayout((3, 0), (7, 9), 8, slice_offset=5))
    assert (datatype.size, datatype.lb, datatype.extent) == (0, 0, 0)
    datatype.Free()


def test_the_message_is_the_bytes_that_the_view_spans():
    x = np.arange(24.0).reshape(4, 6)
    message = mpi.sendbuf(view_of(x[::-1, 1:4]))
    buffer, count, datatype = message
    assert (buffer.address, buffer.nbytes, buffer.readonly, count) == (x.ctypes.data + 8, (3 * 6 + 3) * 8, True, 1)
    assert (datatype.lb, datatype.extent, datatype.size) == (0, buffer.nbytes, 96)
    buffer = mpi.recvbuf(view_of(x[::-1, 1:4]))[0]
    assert not buffer.readonly


def test_nobody_receives_into_a_message_to_send():
    with pytest.raises(BufferError):
        exchanged(np.zeros(4), mpi.sendbuf(view_of(np.zeros(4))))


def test_a_message_owns_its_datatype():
    with mpi.sendbuf(view_of(np.zeros(3))) as message:
        datatype = message[2]
        assert datatype != MPI.DATATYPE_NULL
    assert datatype == MPI.DATATYPE_NULL
    message.free()
    message = mpi.sendbuf(view_of(np.zeros(3)))
    datatype = message[2]
    del message
    gc.collect()
    assert datatype == MPI.DATATYPE_NULL


def test_what_is_under_way_needs_neither_message_nor_view():
    x, received = np.arange(1 << 18).reshape(512, 512), np.zeros((512, 512), int)
    requests = [SELF.Isend(mpi.sendbuf(view_of(x.T)), dest=0), SELF.Irecv(mpi.recvbuf(view_of(received)), source=0)]
    gc.collect()
    MPI.Request.Waitall(requests)
    assert np.array_equal(received, x.T)


def test_memory_in_a_message_is_leased():
    buffer = Device("cpu").allocate(64)
    view = StridedMemoryView.from_buffer(buffer, (4, 4), dtype="int32")
    message = mpi.sendbuf(view[:, ::2])
    with refused("memory.in_use", BufferError):
        buffer.close()
    del message
    buffer.close()


def test_read_only_views_are_sent_and_not_received_into():
    view = view_of(b"abcdef")[::-2]
    with mpi.sendbuf(view) as message:
        assert packed(message) == b"fdb"
    with refused("view.read_only", ValueError):
        mpi.recvbuf(view)


def test_shared_elements_are_sent_and_not_received_into():
    memory = np.arange(5.0)
    for strides in [(0, 8), (8, 8)]:
        x = np.lib.stride_tricks.as_strided(memory, (3, 3), strides)
        with mpi.sendbuf(view_of(x)) as message:
            assert packed(message) == x.tobytes()
        with refused("view.not_unique", ValueError) as caught:
            mpi.recvbuf(view_of(x))
        assert "(3, 3)" in str(caught.value)


def test_undecided_views_are_not_received_into():
    """Refused before anything is made of it, so the buffer may well claim more than there is."""
    strides = [random.Random(axis).randrange(2**27, 2**30) for axis in range(20)]
    layout = StridedLayout((3,) * 20, strides, 1)
    assert layout.uniqueness == "undecided"
    memory = Device("cpu").allocate(16)
    claimed = Buffer.from_handle(memory.handle, layout.required_size_in_bytes(), owner=memory)
    with refused("view.uniqueness_undecided", ValueError):
        mpi.recvbuf(StridedMemoryView.from_buffer(claimed, layout, "u1"))


def test_elements_of_another_size_are_refused():
    layout = StridedLayout((3,), (2,), 8)
    for element in [MPI.FLOAT, MPI.C_DOUBLE_COMPLEX]:
        with refused("view.itemsize_mismatch", ValueError) as caught:
            mpi.datatype(layout, element)
        assert "8" in str(caught.value) and str(element.size) in str(caught.value)
    gapped = MPI.FLOAT.Create_resized(0, 8).Commit()
    with refused("view.itemsize_mismatch"):
        mpi.datatype(layout, gapped)
    gapped.Free()


def test_other_arguments_are_refused():
    with pytest.raises(TypeError, match="StridedLayout or a StridedMemoryView, got int"):
        mpi.datatype(3)
    with pytest.raises(TypeError):
        mpi.datatype(StridedLayout((3,), None, 1), extent=1.5)


def test_elements_may_be_derived():
    """Pairs of a float and an int, every second one."""
    pair = np.dtype([("value", "f4"), ("place", "i4")])
    x = np.array([(value, -value) for value in range(6)], pair)
    datatype = mpi.datatype(StridedLayout((3,), (2,), 8), MPI.FLOAT_INT, extent=48)
    out = bytearray(24)
    datatype.Pack(x, out, 0, SELF)
    datatype.Free()
    assert np.frombuffer(out, pair).tolist() == x[::2].tolist()


def test_the_docstrings():
    result = doctest.testmod(mpi)
    assert result.failed == 0 and result.attempted > 15
