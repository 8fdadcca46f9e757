"""Devices: the host, and what is said where there is no GPU."""

import itertools

import numpy as np
import pytest
from refusal import refused
from strideview import AllocationError, Device, DeviceError, Event, Stream, StridedMemoryView


def test_the_host():
    device = Device("cpu")
    assert device.device_id == -1
    assert device.set_current() is None
    assert eval(repr(device), {"Device": Device}) == device
    assert device == Device("cpu")
    assert hash(device) == hash(Device("cpu"))


@pytest.mark.parametrize("size", [0, 1, 7, 64, 100, 4096, 1 << 20, 5 << 20])
def test_allocating(size):
    buffer = Device("cpu").allocate(size)
    assert (buffer.size, buffer.device_id, buffer.owner) == (size, -1, None)
    assert (buffer.is_host_accessible, buffer.is_device_accessible, buffer.is_managed) == (True, False, False)
    assert buffer.handle % 64 == 0
    shown = np.asarray(memoryview(buffer))
    assert shown.size == size
    assert not shown.any()
    shown[...] = 255
    assert shown.all()


def test_sizes():
    device = Device("cpu")
    assert device.allocate(size=8, stream=None).size == 8
    assert device.allocate(np.int16(8)).size == 8
    with pytest.raises(ValueError, match="-1"):
        device.allocate(-1)
    for huge in (2**63, 2**64):
        with pytest.raises(OverflowError):
            device.allocate(huge)
    with refused("memory.out_of_memory", AllocationError, MemoryError):
        device.allocate(2**62)
    for wrong in (1.0, "8", None, True):
        with pytest.raises(TypeError):
            device.allocate(wrong)


def test_buffers_do_not_share_memory():
    device = Device("cpu")
    buffers = [device.allocate(256) for _ in range(20)]
    starts = sorted(buffer.handle for buffer in buffers)
    assert all(after - before >= 256 for before, after in itertools.pairwise(starts))


def test_a_gpu_that_is_not_there():
    """The largest ordinal is one that no machine has."""
    with pytest.raises(DeviceError) as caught:
        Device(2**31 - 1)
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.code.startswith("cuda.")


def test_names_and_ordinals():
    for wrong in ("gpu", "", "CPU", "cpu:0", -1, 2**31):
        with pytest.raises(ValueError, match="expected"):
            Device(wrong)
    for wrong in (None, 1.0, True, b"cpu", (0,)):
        with pytest.raises(TypeError):
            Device(wrong)
    with pytest.raises(TypeError):
        Device()
    with pytest.raises(OverflowError):
        Device(2**64)


def test_a_device_cannot_change():
    with pytest.raises(AttributeError):
        Device("cpu").device_id = 0
    with pytest.raises(AttributeError):
        Device("cpu").anything = 0


def test_a_view_of_new_memory():
    buffer = Device("cpu").allocate(6 * 8)
    view = StridedMemoryView.from_buffer(buffer, (2, 3), dtype="float64")
    view.copy_from(np.arange(6.0).reshape(2, 3))
    assert np.asarray(view).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert memoryview(buffer).cast("d").tolist() == [0, 1, 2, 3, 4, 5]


def test_the_host_has_no_streams():
    device = Device("cpu")
    assert device.synchronize() is None
    assert device.sync() is None
    assert isinstance(device.name, str)
    assert Device.count() >= 0
    for call in (device.create_stream, lambda: device.default_stream):
        with pytest.raises(ValueError, match="GPU"):
            call()
    with pytest.raises(TypeError):
        device.allocate(8, stream=1)


def test_streams_and_events_are_made_by_devices():
    for cls in (Stream, Event):
        with pytest.raises(TypeError):
            cls()
        with pytest.raises(TypeError):
            type("Derived", (cls,), {})
    for wrong in ("1", 1.0, None, True):
        with pytest.raises(TypeError):
            Stream.from_handle(wrong)
    with pytest.raises(ValueError, match="-1"):
        Stream.from_handle(-1)
