"""Views through the serializers of Dask, and between worker processes."""

import doctest
import os

import numpy as np
import pytest
from arrays import DTYPES, KINDS, array_views
from hypothesis import given
from hypothesis import strategies as st
from strideview import Device, StridedLayout, StridedMemoryView
from view_of import view_of

distributed = pytest.importorskip("distributed")

import strideview.dask  # noqa: E402, after the skip
from dask.sizeof import sizeof  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402
from distributed.protocol.serialize import deserialize_bytes, serialize_bytelist  # noqa: E402


def same(view, x):
    return view.shape == x.shape and view.dtype == x.dtype and view.readonly == (not x.flags.writeable) and np.array_equal(np.asarray(view), x)


def round_trip(view):
    """As it goes over a network: one run of bytes, with a header in msgpack, which nobody can write to."""
    return deserialize_bytes(b"".join(map(bytes, serialize_bytelist(view))))


@pytest.mark.parametrize("kind", KINDS)
def test_check_90_kinds(kind):
    x = KINDS[kind]
    header, frames = serialize(view_of(x))
    assert header["serializer"] == "dask"
    assert same(deserialize(header, frames), x)
    assert same(round_trip(view_of(x)), x)


@given(array_views(), st.booleans(), st.booleans())
def test_check_90_any_view(x, repeated, readonly):
    if repeated:
        x = np.broadcast_to(x, (2, *x.shape))
    if readonly:
        x.flags.writeable = False
    assert same(round_trip(view_of(x)), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_check_90_dtypes(dtype):
    x = np.arange(6).astype(dtype).reshape(2, 3)
    assert same(round_trip(view_of(x.T)), x.T)


def test_check_90_dtypes_that_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        x = np.array([1, 2, 3], dtype)
        again = round_trip(view_of(x))
        assert again.dtype == x.dtype
        assert np.array_equal(np.asarray(again.view(dtype="uint8")), x.view("u1"))


def test_check_90_untyped():
    view = StridedMemoryView.from_buffer(Device("cpu").allocate(24), (2, 2), (1, 2), itemsize=6)
    again = round_trip(view)
    assert (again.shape, again.strides, again.itemsize, again.dtype) == ((2, 2), (1, 2), 6, None)


def test_check_90_contiguous_memory_is_not_copied():
    for x in (np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)):
        header, frames = serialize(view_of(x))
        assert [memoryview(frame).nbytes for frame in frames] == [x.nbytes]
        assert deserialize(header, frames).ptr == x.ctypes.data


def test_check_90_zero_strides_travel_once():
    x = np.broadcast_to(np.arange(3.0), (1000, 3))
    header, frames = serialize(view_of(x))
    assert [memoryview(frame).nbytes for frame in frames] == [24]
    assert deserialize(header, frames).strides == (0, 1)
    assert sizeof(view_of(x)) == 24


def test_check_90_a_writable_view_of_a_read_only_frame_is_a_copy():
    header, (frame,) = serialize(view_of(np.arange(3.0)))
    received = bytes(frame)
    view = deserialize(header, [received])
    view.copy_from(np.zeros(3))
    assert np.frombuffer(received).tolist() == [0, 1, 2]


def test_check_90_the_family_cuda_leaves_memory_of_the_host_to_others():
    header, _ = serialize(view_of(np.arange(3.0)), serializers=["cuda", "dask"])
    assert header["serializer"] == "dask"


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def workers(client):
    return list(client.scheduler_info()["workers"])


def made(kind):
    return view_of(KINDS[kind])


def facts(view):
    return os.getpid(), view.layout, view.readonly, np.array(np.asarray(view))


def doubled(view):
    view.copy_from(np.asarray(view) * 2)
    return view


@pytest.mark.parametrize("kind", ["transposed", "half reversed", "broadcast", "read-only", "empty", "scalar", "c8"])
def test_check_90_between_workers(client, kind):
    """From here to a worker, from there to the other, and back."""
    x, (first, second) = KINDS[kind], workers(client)
    sent = client.scatter(view_of(x), workers=[first], hash=False)
    there = client.submit(facts, sent, workers=[first], pure=False).result()
    beyond = client.submit(facts, sent, workers=[second], pure=False).result()
    assert len({os.getpid(), there[0], beyond[0]}) == 3
    for _, layout, readonly, values in (there, beyond):
        assert layout.shape == x.shape and readonly == (not x.flags.writeable)
        assert np.array_equal(values, x)
    assert same(sent.result(), x)


def test_check_90_made_by_a_worker(client):
    first, second = workers(client)
    future = client.submit(made, "sliced", workers=[first], pure=False)
    assert np.array_equal(np.asarray(client.submit(doubled, future, workers=[second], pure=False).result()), 2 * KINDS["sliced"])


def test_check_90_large_frames_are_joined(client):
    """Dask cuts frames of more than 64 MiB."""
    x = np.arange(9 << 20).reshape(3, -1)
    again = client.scatter(view_of(x.T), hash=False).result()
    assert again.layout == StridedLayout(x.T.shape, (1, 3 << 20), 8)
    assert np.array_equal(np.asarray(again), x.T)


def test_arguments_have_tokens(client):
    """Dask names a task by its arguments."""
    x = np.arange(6.0).reshape(2, 3)
    pid, layout, _, values = client.submit(facts, view_of(x)[:, ::-1]).result()
    assert pid != os.getpid() and np.array_equal(values, x[:, ::-1])


def test_the_docstring():
    result = doctest.testmod(strideview.dask)
    assert result.failed == 0 and result.attempted >= 5
