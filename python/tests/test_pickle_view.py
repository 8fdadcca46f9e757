"""Pickles and copies of views."""

import copy
import pickle

import numpy as np
import pytest
from arrays import DTYPES, KINDS, array_views
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from strideview import Device, StridedMemoryView
from view_of import view_of

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def same(view, x):
    return view.shape == x.shape and view.dtype == x.dtype and view.readonly == (not x.flags.writeable) and np.array_equal(np.asarray(view), x)


def out_of_band(view):
    """The pickle and the buffers beside it."""
    buffers = []
    return pickle.dumps(view, protocol=5, buffer_callback=buffers.append), buffers


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", KINDS)
def test_in_band(kind, protocol):
    x = KINDS[kind]
    view = view_of(x)
    again = pickle.loads(pickle.dumps(view, protocol=protocol))
    assert same(again, x)
    if x.size:
        assert again.ptr != view.ptr


@pytest.mark.parametrize("kind", KINDS)
def test_out_of_band(kind):
    x = KINDS[kind]
    view = view_of(x)
    data, buffers = out_of_band(view)
    assert len(buffers) == 1
    assert same(pickle.loads(data, buffers=buffers), x)
    assert len(data) < 300
    distinct = x[tuple(slice(1) if stride == 0 else slice(None) for stride in x.strides)] if x.size else x
    assert buffers[0].raw().nbytes == distinct.nbytes
    contiguous = view.layout.unbroadcast().is_contiguous_any
    if x.size and contiguous:
        assert pickle.loads(data, buffers=buffers).ptr == view.ptr


@given(array_views(), st.sampled_from(PROTOCOLS), st.booleans())
def test_any_view(x, protocol, repeated):
    if repeated:
        x = np.broadcast_to(x, (2, *x.shape))
    assert same(pickle.loads(pickle.dumps(view_of(x), protocol=protocol)), x)
    data, buffers = out_of_band(view_of(x))
    assert same(pickle.loads(data, buffers=buffers), x)
    assert same(copy.deepcopy(view_of(x)), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = np.arange(6).astype(dtype).reshape(2, 3)
    assert same(pickle.loads(pickle.dumps(view_of(x.T))), x.T)


def test_dtypes_without_a_format():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        x = np.array([1, 2, 3], dtype)
        again = pickle.loads(pickle.dumps(view_of(x)))
        assert again.dtype == x.dtype
        assert np.array_equal(np.asarray(again.view(dtype="uint8")), x.view("u1"))


def test_untyped():
    view = StridedMemoryView.from_buffer(Device("cpu").allocate(24), (2, 2), (1, 2), itemsize=6)
    for protocol in PROTOCOLS:
        again = pickle.loads(pickle.dumps(view, protocol=protocol))
        assert (again.dtype, again.itemsize, again.shape, again.strides) == (None, 6, (2, 2), (1, 2))


def test_axes_keep_their_order():
    x = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
    for y in (x, x[:, ::-1], x[::2]):
        again = pickle.loads(pickle.dumps(view_of(y)))
        assert again.layout.stride_order == view_of(y).layout.stride_order
        assert again.layout.is_contiguous_any


def test_a_repeated_element_is_sent_once():
    x = np.broadcast_to(np.arange(3), (1000, 3))
    data, buffers = out_of_band(view_of(x))
    assert buffers[0].raw().nbytes == 3 * x.itemsize
    again = pickle.loads(data, buffers=buffers)
    assert again.strides == (0, 1)
    assert len(pickle.dumps(view_of(x))) < 400
    gapped = np.broadcast_to(np.arange(6)[::2], (1000, 3))
    assert len(pickle.dumps(view_of(gapped), protocol=2)) < 400
    assert same(pickle.loads(pickle.dumps(view_of(gapped))), gapped)


def test_read_only():
    x = np.arange(3.0)
    x.flags.writeable = False
    for protocol in PROTOCOLS:
        assert pickle.loads(pickle.dumps(view_of(x), protocol=protocol)).readonly
    for gapped in (False, True):
        data, buffers = out_of_band(view_of(x[::2] if gapped else x))
        assert buffers[0].raw().readonly
        assert pickle.loads(data, buffers=[bytearray(buffers[0].raw())]).readonly


def test_a_read_only_buffer_is_not_written():
    data, buffers = out_of_band(view_of(np.arange(3.0)))
    raw = bytes(buffers[0].raw())
    view = pickle.loads(data, buffers=[raw])
    assert view.readonly
    with refused("view.read_only", ValueError):
        view.copy_from(np.zeros(3))


def test_what_comes_back_can_be_written():
    for protocol in PROTOCOLS:
        again = pickle.loads(pickle.dumps(view_of(np.arange(3.0)), protocol=protocol))
        again.copy_from(np.full(3, 7.0))
        assert np.asarray(again).tolist() == [7, 7, 7]


def test_the_memory_is_shared_out_of_band():
    x = np.arange(6).reshape(2, 3)
    data, buffers = out_of_band(view_of(x.T))
    again = np.asarray(pickle.loads(data, buffers=buffers))
    again[2, 1] = 99
    assert x[1, 2] == 99


def test_the_buffer_is_held():
    data, buffers = out_of_band(view_of(np.arange(3, dtype="u1")))
    held = bytearray(buffers[0].raw())
    view = pickle.loads(data, buffers=[held])
    with pytest.raises(BufferError):
        held.append(1)
    del view
    held.append(1)


def test_buffers_that_are_too_small():
    data, buffers = out_of_band(view_of(np.arange(6.0).reshape(2, 3)))
    for size in (0, 8, 47):
        with refused("view.out_of_bounds", ValueError):
            pickle.loads(data, buffers=[bytes(size)])
    del buffers


def test_parts_that_make_no_view():
    from strideview._strideview import _rebuild_view

    assert _rebuild_view("int16", 2, (2, 3), (3, 1), False, bytearray(12)).shape == (2, 3)
    wrong = [
        ("int16", 2, (2, 3), (-3, 1), False, bytearray(12)),
        ("int16", 4, (2,), (1,), False, bytearray(12)),
        ("int16", 2, (2, 3), (1,), False, bytearray(12)),
        ("int17", 2, (2,), (1,), False, bytearray(12)),
        ("int16", 2, (2**62,), (1,), False, bytearray(12)),
        ("int16", 0, (2,), (1,), False, bytearray(12)),
        ("int16", 2, (-2,), (1,), False, bytearray(12)),
        ("int16", 2, (2,), (1,), False, "text"),
        (None, 2, (2, 2.5), (1, 1), False, bytearray(12)),
    ]
    for arguments in wrong:
        with pytest.raises((ValueError, TypeError, OverflowError, BufferError)):
            _rebuild_view(*arguments)


def test_memory_of_a_device():
    class Array:
        __cuda_array_interface__ = {"version": 3, "shape": (0, 3), "typestr": "|u1", "data": (0, False)}

    view = StridedMemoryView.from_cuda_array_interface(Array(), -1)
    for refuse in (pickle.dumps, copy.deepcopy):
        with refused("view.not_host_accessible", BufferError):
            refuse(view)
    assert copy.copy(view).shape == (0, 3)


def test_a_closed_view():
    buffer = Device("cpu").allocate(16)
    view = StridedMemoryView.from_buffer(buffer, (4,), dtype="i4")
    buffer.close()
    for refuse in (pickle.dumps, copy.deepcopy):
        with refused("memory.closed", BufferError):
            refuse(view)


def test_a_pickle_buffer_keeps_its_memory_open():
    buffer = Device("cpu").allocate(16)
    view = StridedMemoryView.from_buffer(buffer, (4,), dtype="i4")
    data, buffers = out_of_band(view)
    with pytest.raises(BufferError):
        buffer.close()
    buffers[0].release()
    del buffers, data
    buffer.close()


def test_a_protocol_that_is_no_number():
    with pytest.raises(TypeError):
        view_of(np.zeros(3)).__reduce_ex__("5")


@pytest.mark.parametrize("kind", KINDS)
def test_copy(kind):
    x = KINDS[kind]
    view = view_of(x)
    shallow, deep = copy.copy(view), copy.deepcopy(view)
    assert shallow is not view
    assert (shallow.ptr, shallow.strides, shallow.exporting_obj) == (view.ptr, view.strides, x)
    assert same(deep, x)
    assert same(shallow, x)
    if x.size:
        assert deep.ptr != view.ptr


def test_deep_copies_share_nothing():
    x = np.arange(6.0)
    holder = [view_of(x), view_of(x)]
    deep = copy.deepcopy(holder)
    x[:] = 0
    assert [np.asarray(it).tolist() for it in deep] == [[0, 1, 2, 3, 4, 5]] * 2
    broadcast = copy.deepcopy(view_of(np.broadcast_to(np.arange(3), (10**9, 3))))
    assert broadcast.strides == (0, 1)
