"""Who waits for whom, and for what the driver is called."""

import copy
import ctypes
import gc
import pickle
import sys
import weakref

import dlhelp
import numpy as np
import pytest
import strideview as sv
from strideview import Buffer, DeviceError, StridedMemoryView

SIZE = 64
SHARED = ["pinned", "managed"]
WAIT = "cuStreamSynchronize"
ROADS = {
    "memoryview": memoryview,
    "numpy": np.asarray,
    "interface": lambda view: view.__array_interface__,
    "host tensor": lambda view: view.__dlpack__(dl_device=(1, 0), max_version=(1, 3)),
    "host tensor on a stream": lambda view: view.__dlpack__(dl_device=(1, 0), stream=1, max_version=(1, 3)),
    "tensor without a stream": lambda view: view.__dlpack__(max_version=(1, 3)),
    "pickle": pickle.dumps,
    "copy": copy.deepcopy,
}
by_road = pytest.mark.parametrize("road", ROADS)
by_kind = pytest.mark.parametrize("kind", SHARED)


def view_on(address, stream):
    view = StridedMemoryView.from_buffer(Buffer.from_handle(address, SIZE), (SIZE,), dtype="uint8")
    return StridedMemoryView.from_dlpack(view, stream)


@by_road
@by_kind
def test_the_host_waits_for_the_stream_of_the_view(driver, device, memory, kind, road):
    stream = device.create_stream()
    for view in (view_on(memory(kind), stream), view_on(memory(kind), stream)[8:].reshape((2, -1))):
        driver.reset()
        ROADS[road](view)
        assert driver.calls(WAIT) == 1
    for ended in (view_on(memory(kind), -1), StridedMemoryView.from_buffer(Buffer.from_handle(memory(kind), SIZE), (SIZE,), dtype="uint8")):
        driver.reset()
        ROADS[road](ended)
        assert driver.calls(WAIT) == 0


@pytest.mark.parametrize("road", ["memoryview", "interface", "host tensor", "pickle"])
@by_kind
def test_a_wait_that_fails(driver, device, memory, kind, road):
    """The error comes out, and nothing was given out: the buffer can be closed."""
    buffer = Buffer.from_handle(memory(kind), SIZE)
    view = StridedMemoryView.from_buffer(buffer, (SIZE,), dtype="uint8")
    stream = device.create_stream()
    view = StridedMemoryView.from_dlpack(view, stream)
    raised = []
    for nth in range(1, 12):
        driver.reset()
        driver.fail(nth)
        try:
            ROADS[road](view)
        except DeviceError as error:
            raised.append(str(error))
    driver.reset()
    assert any(WAIT in message for message in raised), raised
    ROADS[road](view)
    del view
    buffer.close()


@by_kind
def test_nothing_waits_without_ordering(driver, device, memory, kind):
    view = view_on(memory(kind), device.create_stream())
    driver.reset()
    for name in (None, (1, 0), (2, 0)):
        assert view.__dlpack__(stream=-1, dl_device=name, max_version=(1, 3))
    assert driver.calls(WAIT) == driver.calls("cuEventRecord") == 0


@by_kind
def test_a_device_asked_for_is_ordered_and_the_host_does_not_wait(driver, device, memory, kind):
    stream, consumer = device.create_stream(), device.create_stream()
    view = view_on(memory(kind), stream)
    driver.reset()
    assert view.__dlpack__(stream=consumer.handle, dl_device=(2, 0), max_version=(1, 3))
    assert (driver.calls(WAIT), driver.waits(consumer.handle)) == (0, 1)


def test_managed_memory_of_a_device_that_must_be_idle(driver):
    """Device 1 of the stand-in shares no managed memory with the host while it works."""
    import strideview

    strideview.Device(1).set_current()
    address = driver.answer("cuMemAllocManaged", SIZE, ctypes.c_uint(1))
    view = view_on(address, -1)
    assert view.device_id == 1
    driver.reset()
    memoryview(view)
    assert driver.calls("cuCtxSynchronize") == 1


# A library with a table of C functions, as torch is


TENSOR_FROM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
CURRENT_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("allocator", ctypes.c_void_p), ("tensor_from", TENSOR_FROM), ("object_from", ctypes.c_void_p),
        ("borrowed_from", ctypes.c_void_p), ("current_stream", CURRENT_STREAM),
    ]  # fmt: skip


class Library:
    """Arrays of device memory at one address, and the stream that the library works on."""

    address = current = 0
    fails = False
    asked: list[tuple[int, int]] = []

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **keywords):
        raise BufferError(f"by the method, {keywords['stream']}")


@TENSOR_FROM
def tensor_from(_, out):
    capsule = dlhelp.make(Library.address, (SIZE,), (1,), dtype=(1, 8, 1), device=(2, 0), hold=False)
    out[0], _ = dlhelp.consume(capsule)
    return 0


@CURRENT_STREAM
def current_stream(kind, device_id, out):
    Library.asked.append((kind, device_id))
    out[0] = Library.current
    return -1 if Library.fails else 0


NAME = b"dlpack_exchange_api"  # a capsule keeps the address of its name, so the name is kept too
TABLE = Table(1, 3, None, None, tensor_from, None, None, current_stream)
Library.__dlpack_c_exchange_api__ = dlhelp.api.PyCapsule_New(ctypes.addressof(TABLE), NAME, None)


@pytest.fixture
def library(driver, memory):
    Library.address, Library.current, Library.fails, Library.asked = memory("device"), 0, False, []
    yield Library
    assert dlhelp._keep == {}, "a tensor was not given back"


def test_the_consumer_waits_for_the_current_stream_of_a_library(driver, device, library):
    stream, consumer = device.create_stream(), device.create_stream()
    library.current = stream.handle
    driver.reset()
    view = StridedMemoryView(library(), consumer)
    assert (view.ptr, view.__cuda_array_interface__["stream"]) == (library.address, consumer.handle)
    assert library.asked == [(2, 0)]
    assert (driver.calls("cuEventRecord"), driver.waits(consumer.handle), driver.calls(WAIT)) == (1, 1, 0)


def test_nothing_waits_for_the_same_stream_or_without_ordering(driver, device, library):
    stream = device.create_stream()
    # NULL is the legacy default stream.
    for current, consumer in ((stream.handle, stream), (0, 1), (0, 0), (stream.handle, -1)):
        library.current = current
        driver.reset()
        assert StridedMemoryView(library(), consumer).ptr == library.address
        assert driver.calls("cuEventRecord") == driver.calls("cuEventCreate") == 0


def test_a_table_that_does_not_say_the_stream(driver, device, library):
    library.fails = True
    with pytest.raises(BufferError, match="by the method, 1"):
        StridedMemoryView(library(), 1)
    with pytest.raises(BufferError, match="-1 for no ordering"):
        StridedMemoryView(library(), None)
    assert StridedMemoryView(library(), -1).ptr == library.address


def test_an_order_that_fails_gives_the_tensor_back(driver, device, library):
    stream = device.create_stream()
    library.current = stream.handle
    driver.reset()
    raised = 0
    for nth in range(1, 20):
        driver.fail(nth)
        try:
            StridedMemoryView(library(), 1)
        except DeviceError:
            raised += 1
    driver.reset()
    assert raised > 2


class Foreign:
    """A stream of another library, which ends with the object."""

    def __init__(self, driver):
        self.driver, self.handle = driver, driver.answer("cuStreamCreate", 1)

    def __cuda_stream__(self):
        return (0, self.handle)

    def __del__(self):
        self.driver.call("cuStreamDestroy", self.handle)


def allocated(device, stream):
    return device.allocate(SIZE, stream=stream)


def empty(device, stream):
    return sv.empty_like(np.zeros(SIZE, "u1"), device, stream)


def moved(device, stream):
    return sv.to_device(np.zeros(SIZE, "u1"), device, stream)


def of_resource(device, stream):
    return device.memory_resource.allocate(SIZE, stream)


@pytest.mark.parametrize("make", [allocated, empty, moved, of_resource])
def test_memory_keeps_the_stream_that_it_was_allocated_on(driver, device, make):
    """It goes back in the order of that stream, however long that is."""
    stream = Foreign(driver)
    alive = weakref.ref(stream)
    made = make(device, stream)
    del stream
    gc.collect()
    assert alive() is not None
    del made
    gc.collect()
    assert alive() is None


def test_a_view_keeps_the_stream_that_it_is_used_on(driver, device, memory):
    stream = Foreign(driver)
    alive = weakref.ref(stream)
    view = view_on(memory("pinned"), stream)[8:].reshape((2, -1))
    del stream
    assert alive() is not None
    driver.reset()
    memoryview(view)
    assert driver.calls(WAIT) == 1
    # Not where there is nothing to wait for.
    host = StridedMemoryView(np.zeros(4), alive())
    del view
    gc.collect()
    assert alive() is None and host.shape == (4,)


def test_many_allocations_on_one_stream_keep_it_once_each(driver, device):
    stream = Foreign(driver)
    count = sys.getrefcount(stream)
    buffer = None
    for _ in range(50):
        buffer = allocated(device, stream)
    assert sys.getrefcount(stream) == count + 1
    del buffer
    assert sys.getrefcount(stream) == count


def test_the_default_streams_of_another_device_are_waited_for(driver, device, monkeypatch):
    """Their numbers say nothing of the device, and the current one is another."""
    from strideview import _completion

    asked = []

    def of(number):
        asked.append(number)
        return sv.Device(number)

    monkeypatch.setattr(_completion, "Device", of)
    device.set_current()
    buffer = sv.Device(1).allocate(SIZE)
    whole = StridedMemoryView.from_buffer(buffer, (SIZE,), dtype="uint8")
    for stream, call in ((1, WAIT), (2, "cuCtxSynchronize"), (sv.Device(1).create_stream(), WAIT)):
        view = StridedMemoryView.from_dlpack(whole, stream)
        driver.reset()
        _completion.complete(view)
        assert driver.calls(call) == 1
    assert asked == [1, 1]
