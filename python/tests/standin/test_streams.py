"""Who waits for whom, and for what the driver is called."""

import copy
import pickle

import numpy as np
import pytest
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
    import ctypes

    import strideview

    strideview.Device(1).set_current()
    address = driver.answer("cuMemAllocManaged", SIZE, ctypes.c_uint(1))
    view = view_on(address, -1)
    assert view.device_id == 1
    driver.reset()
    memoryview(view)
    assert driver.calls("cuCtxSynchronize") == 1
