"""Views of a device in messages of MPI and between workers of Dask."""

import ctypes
import os

import driver
import numpy as np
import pytest
import strideview as sv
from conftest import library

View = sv.StridedMemoryView
SIZE = 64
OLD, NEW = 1, 7


@pytest.fixture
def mpi(device):
    from with_mpi import MPI

    from strideview import mpi

    return MPI.COMM_SELF, mpi


@pytest.fixture
def shared():
    """Memory that the host and the device reach, as 8 rows of 8 bytes, and how to use it on a stream."""
    driver.use_primary()
    driver.warm()
    with driver.pinned(SIZE) as pinned, driver.managed(SIZE) as managed, driver.new_stream() as stream:
        yield {"pinned": pinned, "managed": managed}, stream


def square(address, stream=-1):
    view = View.from_buffer(sv.Buffer.from_handle(address, SIZE), (8, 8), dtype="uint8")
    return View.from_dlpack(view, stream)


class OnlyCudaArrayInterface:
    def __init__(self, view):
        self.view = view

    @property
    def __cuda_array_interface__(self):
        return self.view.__cuda_array_interface__


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_check_87_contiguous_views_by_the_cuda_array_interface(mpi, shared, kind):
    """Any MPI reads and writes memory that the host reaches, so mpi4py may learn of it by this interface."""
    comm, _ = mpi
    view, sent, received = square(shared[0][kind]), np.arange(64, dtype="u1"), np.zeros((8, 8), "u1")
    comm.Sendrecv(sent, dest=0, recvbuf=OnlyCudaArrayInterface(view), source=0)
    comm.Sendrecv(OnlyCudaArrayInterface(view), dest=0, recvbuf=received, source=0)
    assert np.array_equal(received.ravel(), sent)
    with pytest.raises((BufferError, ValueError)):
        comm.Sendrecv(OnlyCudaArrayInterface(view[:, ::2]), dest=0, recvbuf=np.zeros(32, "u1"), source=0)


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_check_87_strided_views_wait_for_their_stream(mpi, shared, kind):
    comm, mpi = mpi
    address, stream = shared[0][kind], shared[1]
    view, received = square(address, stream)[::-1, ::-3], np.zeros((8, 3), "u1")
    ctypes.memset(address, OLD, SIZE)
    driver.spin(stream)
    driver.fill(stream, address, NEW, SIZE)
    assert driver.is_busy(stream)
    comm.Sendrecv(mpi.sendbuf(view), dest=0, recvbuf=received, source=0)
    assert (received == NEW).all()


def reads_memory_of_devices():
    """Whether this MPI is built for CUDA; another one reads the address as one of the host, and the process ends."""
    from mpi4py import MPI

    try:
        return bool(ctypes.CDLL(MPI.__file__).MPIX_Query_cuda_support())
    except (AttributeError, OSError):
        return False


def test_check_87_strided_views_of_a_device(mpi, device):
    comm, mpi = mpi
    if not reads_memory_of_devices():
        pytest.skip("this MPI is not built for CUDA")
    x = np.arange(24, dtype="i4").reshape(4, 6)
    source, target = sv.to_device(x, device), sv.to_device(np.zeros_like(x), device)
    comm.Sendrecv(mpi.sendbuf(source[::-1, ::-2]), dest=0, recvbuf=mpi.recvbuf(target[:, 1::2]), source=0)
    assert np.array_equal(np.asarray(target.to_host())[:, 1::2], x[::-1, ::-2])
    comm.Sendrecv(OnlyCudaArrayInterface(source), dest=0, recvbuf=OnlyCudaArrayInterface(target), source=0)
    assert np.array_equal(np.asarray(target.to_host()), x)


FAMILIES = {"cuda": ["cuda", "dask"], "dask": ["dask", "pickle"]}

VIEWS = {
    "C": lambda v: v,
    "transposed": lambda v: v.permute((2, 0, 1)),
    "sliced": lambda v: v[1::2, ::3, 1:4],
    "reversed": lambda v: v[::-1, :, ::-2],
    "broadcast": lambda v: v[0].broadcast_to((7, 6, 5)),
    "broadcast, with gaps": lambda v: v[:, ::2, :1].broadcast_to((4, 3, 9)),
    "scalar": lambda v: v[1, 2, 3],
    "empty": lambda v: v[:, 3:3],
}


def numbers(device, stream=None):
    return sv.to_device(np.arange(120, dtype="f4").reshape(4, 6, 5), device, stream=stream)


def values(view):
    assert not view.is_host_accessible
    return np.array(np.asarray(view.to_host()))


@pytest.fixture
def serializers(device):
    library("distributed")
    import strideview.dask  # noqa: F401
    from distributed.protocol import deserialize, serialize

    return serialize, deserialize


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("family", FAMILIES)
def test_check_90_families(serializers, device, family, kind):
    serialize, deserialize = serializers
    view = VIEWS[kind](numbers(device))
    header, (frame,) = serialize(view, serializers=FAMILIES[family], on_error="raise")
    assert header["serializer"] == family
    assert hasattr(frame, "__cuda_array_interface__") == (family == "cuda")
    again = deserialize(header, [frame])
    assert (again.shape, again.dtype, again.device_id, again.readonly) == (view.shape, view.dtype, 0, False)
    assert np.array_equal(values(again), values(view))
    if view.size:
        assert [stride == 0 for stride in again.strides] == [stride == 0 for stride in view.strides]


@pytest.mark.parametrize("library_of_frames", ["cupy", "torch"])
def test_check_90_frames_of_other_libraries(serializers, device, library_of_frames, request):
    """What receives them allocates the frames: CuPy, RMM, Numba, or another."""
    serialize, deserialize = serializers
    other = request.getfixturevalue(library_of_frames)
    view = numbers(device)[:, 1].T
    header, (frame,) = serialize(view, serializers=["cuda"], on_error="raise")
    copied = other.asarray(frame).copy() if library_of_frames == "cupy" else other.as_tensor(frame, device="cuda").clone()
    driver.synchronize()
    assert np.array_equal(values(deserialize(header, [copied])), values(view))


@pytest.mark.parametrize("kind", ["C", "sliced"])
@pytest.mark.parametrize("family", FAMILIES)
def test_check_90_frames_are_complete(serializers, device, family, kind):
    """A slow kernel writes what is sent."""
    serialize, _ = serializers
    driver.use_primary()
    driver.warm()
    with driver.new_stream() as stream:
        memory = device.allocate(480)
        view = View.from_dlpack(View.from_buffer(memory, (4, 6, 5), dtype="float32"), stream)
        driver.fill(stream, memory.handle, OLD, 480)
        driver.synchronize()
        driver.spin(stream)
        driver.fill(stream, memory.handle, NEW, 480)
        assert driver.is_busy(stream)
        _, (frame,) = serialize(VIEWS[kind](view), serializers=FAMILIES[family], on_error="raise")
        assert not driver.is_busy(stream)
        content = driver.read(frame.ptr, frame.nbytes) if family == "cuda" else bytes(frame)
        assert set(content) == {NEW}


def reversed_rows(view):
    assert not view.is_host_accessible
    return view[:, ::-1]


def facts(view):
    return os.getpid(), view.device_id, view.is_host_accessible, view.layout, np.array(np.asarray(view.to_host()))


def test_check_90_between_workers(serializers, device):
    """Two processes with contexts of their own: from here to one, from there to the other, and back."""
    from distributed import Client, LocalCluster

    x = np.arange(120, dtype="f4").reshape(4, 6, 5)
    with (
        LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        first, second = client.scheduler_info()["workers"]
        sent = client.scatter(numbers(device)[:, :, ::2], workers=[first], hash=False)
        turned = client.submit(reversed_rows, sent, workers=[first], pure=False)
        pid, device_id, on_host, layout, content = client.submit(facts, turned, workers=[second], pure=False).result()
        assert (device_id, on_host, layout.shape, pid != os.getpid()) == (0, False, (4, 6, 3), True)
        assert np.array_equal(content, x[:, ::-1, ::2])
        assert np.array_equal(values(turned.result()), x[:, ::-1, ::2])
