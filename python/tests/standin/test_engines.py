"""Views of a device for MPI and Dask: who waits, and what travels.

The memory of this driver is the host's, so any MPI reads it; its kernels do nothing, so what has gaps is packed on a GPU alone.
"""

import ctypes

import numpy as np
import pytest
from interfaces import SaysOfDevice
from strideview import Buffer, StridedLayout, StridedMemoryView

WAIT = "cuStreamSynchronize"
SIZE = 64


def there(device, x, stream=None):
    """A view of the device with these elements side by side, which is used on a stream."""
    memory = device.allocate(x.nbytes)
    ctypes.memmove(memory.handle, np.ascontiguousarray(x).ctypes.data, x.nbytes)
    view = StridedMemoryView.from_buffer(memory, x.shape, dtype=x.dtype)
    return view if stream is None else StridedMemoryView.from_dlpack(view, stream)


def elements(view):
    """What the memory of a device holds, which only this driver lets the host read."""
    assert not view.is_host_accessible
    dense = view.to_host()
    return np.array(np.asarray(dense))


@pytest.fixture
def mpi():
    from with_mpi import MPI

    from strideview import mpi

    return MPI.COMM_SELF, mpi


@pytest.fixture
def dask(driver):
    pytest.importorskip("distributed")
    import strideview.dask  # noqa: F401
    from distributed.protocol import deserialize, serialize

    return serialize, deserialize


def test_check_87_strided_views_of_a_device(driver, device, mpi):
    comm, mpi = mpi
    x = np.arange(24, dtype="i4").reshape(4, 6)
    source, target = there(device, x), there(device, np.zeros_like(x))
    comm.Sendrecv(mpi.sendbuf(source[::-1, ::-2]), dest=0, recvbuf=mpi.recvbuf(target[:, 1::2]), source=0)
    assert np.array_equal(elements(target)[:, 1::2], x[::-1, ::-2])
    assert not elements(target)[:, ::2].any()


@pytest.mark.parametrize("road", ["the view", "CUDA Array Interface"])
def test_check_87_contiguous_views_of_a_device(driver, device, mpi, road):
    comm, _ = mpi
    x = np.arange(24.0).reshape(4, 6)
    source, target = there(device, x), there(device, np.zeros_like(x))

    def given(view):
        return view if road == "the view" else SaysOfDevice(view.__cuda_array_interface__)

    comm.Sendrecv(given(source), dest=0, recvbuf=given(target), source=0)
    assert np.array_equal(elements(target), x)
    with pytest.raises((BufferError, ValueError)):
        comm.Sendrecv(given(source[:, ::2]), dest=0, recvbuf=np.zeros(12), source=0)


def test_check_87_what_is_pending_is_done_first(driver, device, mpi):
    _, mpi = mpi
    x = np.arange(6.0)
    for make in (mpi.sendbuf, mpi.recvbuf):
        stream = device.create_stream()
        for view, waits in [(there(device, x, stream), 1), (there(device, x, stream)[::-2], 1), (there(device, x, -1), 0), (there(device, x), 0)]:
            driver.reset()
            message = make(view)
            assert driver.calls(WAIT) == waits
            message.free()


def test_check_87_memory_that_the_host_reaches_too(driver, device, memory, mpi):
    """It is waited for, and goes as it is."""
    comm, mpi = mpi
    for kind in ("pinned", "managed"):
        view = StridedMemoryView.from_buffer(Buffer.from_handle(memory(kind), SIZE), (8, 8), dtype="uint8")
        view.copy_from(np.arange(64, dtype="u1").reshape(8, 8))
        stream = device.create_stream()
        view = StridedMemoryView.from_dlpack(view, stream)
        driver.reset()
        message, received = mpi.sendbuf(view.T), np.zeros((8, 8), "u1")
        assert driver.calls(WAIT) >= 1
        comm.Sendrecv(message, dest=0, recvbuf=received, source=0)
        assert np.array_equal(received, np.arange(64).reshape(8, 8).T)


ROUTES = {"cuda": ["cuda", "dask"], "dask": ["dask", "pickle"]}


def same(view, sent, x):
    return (view.shape, view.dtype, view.readonly, view.device_id) == (x.shape, x.dtype, sent.readonly, sent.device_id) and np.array_equal(
        elements(view), x
    )


@pytest.mark.parametrize("family", ROUTES)
def test_check_90_views_of_a_device(driver, device, dask, family):
    serialize, deserialize = dask
    x = np.arange(24, dtype="f4").reshape(2, 3, 4)
    dense = there(device, x)
    readonly = StridedMemoryView.from_buffer(dense.exporting_obj, dense.layout, "float32", is_readonly=True)
    cases = [
        (dense, x),
        (dense.permute((2, 0, 1)), x.transpose(2, 0, 1)),
        (dense[1], x[1]),
        (dense[0].broadcast_to((5, 3, 4)), np.broadcast_to(x[0], (5, 3, 4))),
        (dense.reshape((24, 1)).broadcast_to((24, 7)), np.broadcast_to(x.reshape((24, 1)), (24, 7))),
        (dense[1, 2, 3], x[1, 2, 3]),
        (dense[:0], x[:0]),
        (readonly, x),
    ]
    for view, wanted in cases:
        header, frames = serialize(view, serializers=ROUTES[family], on_error="raise")
        assert header["serializer"] == family
        (frame,) = frames
        distinct = view.layout.unbroadcast().nbytes
        if family == "cuda":
            assert frame.nbytes == distinct and frame.shape == (distinct,) and frame.__cuda_array_interface__["strides"] is None
        else:
            assert memoryview(frame).nbytes == distinct
        again = deserialize(header, frames)
        assert same(again, view, np.asarray(wanted))
        assert [stride == 0 for stride in again.strides] == [stride == 0 for stride in view.strides] or wanted.size == 0


def test_check_90_memory_without_gaps_is_not_copied(driver, device, dask):
    serialize, deserialize = dask
    view = there(device, np.arange(24.0).reshape(2, 3, 4)).permute((2, 0, 1))
    header, frames = serialize(view, serializers=["cuda"])
    assert deserialize(header, frames).ptr == view.ptr


@pytest.mark.parametrize("family", ROUTES)
def test_check_90_frames_are_complete(driver, device, dask, family):
    serialize, _ = dask
    stream = device.create_stream()
    view = there(device, np.arange(6.0), stream)
    for sent in (view, view[::2]):
        driver.reset()
        serialize(sent, serializers=ROUTES[family], on_error="raise")
        assert driver.calls(WAIT) >= 1


def test_check_90_memory_goes_to_the_device_of_its_number(driver, device, dask):
    serialize, deserialize = dask
    header, frames = serialize(there(device, np.arange(6.0)), serializers=["dask"])
    header["sub-header"]["device_id"] = 1
    assert deserialize(header, frames).device_id == 1


def test_an_untyped_view_of_a_device(driver, device, dask):
    serialize, deserialize = dask
    view = StridedMemoryView.from_buffer(device.allocate(24), StridedLayout((2, 2), (2, 1), 6))
    for serializers in ROUTES.values():
        again = deserialize(*serialize(view, serializers=serializers, on_error="raise"))
        assert (again.layout, again.dtype) == (view.layout, None)
