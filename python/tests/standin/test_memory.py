"""Memory of devices: what is said of it is asked about, and it is copied and filled."""

import dlhelp
import numpy as np
import pytest
from strideview import Buffer, Device, DeviceError, StridedLayout, StridedMemoryView

SIZE = 64
CLAIMS = {"device": 2, "pinned": 3, "managed": 13}
ASK = "cuPointerGetAttributes"


def claimed(address, kind, device_id=0):
    return dlhelp.P(data=address, shape=(SIZE,), strides=(1,), dtype=(1, 8, 1), device=(kind, device_id))


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("kind", CLAIMS)
def test_a_capsule_is_believed_no_more_than_the_driver(driver, memory, kind, claim):
    address = memory(kind)
    driver.reset()
    view = StridedMemoryView.from_dlpack(claimed(address, CLAIMS[claim]), -1)
    assert driver.calls(ASK) == 1
    assert view.__dlpack_device__() == (CLAIMS[kind], 0)
    assert (view.is_device_accessible, view.is_host_accessible) == (True, kind != "device")


def test_freed_memory_is_refused(driver, memory):
    address = memory("device")
    driver.call("cuMemFree", address)
    before = len(dlhelp.calls)
    with pytest.raises(BufferError) as caught:
        StridedMemoryView.from_dlpack(claimed(address, 2), -1)
    assert caught.value.code == "cuda.unknown_pointer"
    dlhelp.drop()
    assert len(dlhelp.calls) == before + 1
    for kind in (3, 13):
        view = StridedMemoryView.from_dlpack(claimed(address, kind), -1)
        assert (view.is_device_accessible, view.is_host_accessible) == (False, True)


def test_the_driver_knows_the_device(driver, memory):
    view = StridedMemoryView.from_dlpack(claimed(memory("device"), 2, 99), -1)
    assert view.device_id == 0


def test_memory_of_the_host_is_not_asked_about(driver):
    driver.reset()
    StridedMemoryView.from_dlpack(np.zeros(4), -1)
    StridedMemoryView(dlhelp.P(np.zeros(4, "f4"), strides=(1,)), -1)
    assert driver.calls(ASK) == 0


def test_copies_and_fills(driver, device):
    host = Buffer.from_handle(0, 0)
    source, target = device.allocate(SIZE), device.allocate(SIZE)
    stream = device.create_stream()
    for value, wanted in ((7, b"\7"), (b"ab", b"ab"), (b"abcd", b"abcd"), (b"abcdefgh", b"abcdefgh")):
        driver.reset()
        source.fill(value, stream)
        target.copy_from(source, stream=stream)
        assert driver.calls("cuStreamSynchronize") == 0, "nothing for the host to wait for"
        from strideview import Device

        host = target.copy_to(Device("cpu").allocate(SIZE), stream=stream)
        assert bytes(memoryview(host)) == wanted * (SIZE // len(wanted))
        assert driver.calls("cuStreamSynchronize") == 1
    again = target.copy_to(stream=stream)
    assert (again.size, again.device_id) == (SIZE, 0)
    driver.fail(1)
    with pytest.raises(DeviceError):
        target.copy_from(host)


def test_a_resource_of_the_package_takes_memory_over(driver, device):
    resource = device.memory_resource
    resource.allocate(8).close()
    address = driver.answer("cuMemAllocAsync", SIZE, 0)
    buffer = Buffer.from_handle(address, SIZE, mr=resource)
    assert (buffer.device_id, buffer.is_device_accessible, buffer.is_host_accessible) == (0, True, False)
    driver.reset()
    buffer.close()
    assert driver.calls("cuMemFreeAsync") == 1


def test_an_error_of_the_driver_without_a_caller_is_reported(driver, device):
    import sys

    seen, before = [], sys.unraisablehook
    sys.unraisablehook = lambda told: seen.append(told.exc_value)
    try:
        buffer = device.allocate(SIZE)
        driver.fail(2)
        del buffer
    finally:
        sys.unraisablehook = before
    assert [type(error) for error in seen] == [DeviceError]


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_memory_that_both_sides_reach(driver, device, kind):
    resource = getattr(device, f"{kind}_memory_resource")
    assert (resource.is_host_accessible, resource.is_device_accessible, resource.device_id) == (True, True, 0)
    live = driver.library.standin_live()
    buffer = resource.allocate(SIZE)
    assert buffer.__dlpack_device__() == (CLAIMS[kind], 0)
    array = np.from_dlpack(StridedMemoryView.from_buffer(buffer, StridedLayout((8, 2), None, 4), "int32"))
    array[:] = np.arange(16).reshape(8, 2)
    assert memoryview(buffer).cast("B")[4] == 1
    del array
    buffer.close()
    assert driver.library.standin_live() == live


def test_the_host_pins_nothing():
    for name in ("pinned_memory_resource", "managed_memory_resource"):
        with pytest.raises(DeviceError):
            getattr(Device("cpu"), name)
