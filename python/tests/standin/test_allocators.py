"""``allocator=`` of copies: a resource written in Python gives their temporaries, and gets them back."""

import gc

import numpy as np
import pytest
import strideview as sv
from strideview import Buffer, MemoryResource, StridedLayout, StridedMemoryView


class Counting(MemoryResource):
    """Memory of the stand-in, which is that of the host whatever it is called."""

    is_host_accessible = property(lambda self: self.host)
    is_device_accessible = property(lambda self: self.device)
    device_id = property(lambda self: 0 if self.device else -1)

    def __init__(self, host, device):
        self.host, self.device = host, device
        self.taken, self.streams, self.arrays = [], [], {}

    def allocate(self, size, stream=None):
        array = np.zeros(size + 256, np.uint8)
        address = (array.ctypes.data + 255) // 256 * 256
        self.arrays[address] = array
        self.taken.append(size)
        self.streams.append(stream)
        return Buffer.from_handle(address, size, mr=self)

    def deallocate(self, ptr, size, stream=None):
        del self.arrays[ptr]


def square(device):
    layout = StridedLayout((64, 64), None, 4)
    return StridedMemoryView.from_buffer(device.allocate(64 * 64 * 4), layout, "float32")


@pytest.mark.parametrize("blocking", [None, True, False])
def test_temporaries_of_a_device(device, blocking):
    resource, stream = Counting(False, True), device.create_stream()
    view = square(device)
    view.copy_from(view.T, stream=stream, allocator=resource, blocking=blocking)
    assert resource.taken == [64 * 64 * 4] and not resource.arrays
    assert [each.handle for each in resource.streams] == [stream.handle]
    plain = square(device)
    view.copy_from(plain, allocator=resource)
    assert len(resource.taken) == 1


@pytest.mark.parametrize("blocking", [None, False])
def test_slots_for_pageable_memory(device, blocking):
    resource, view = Counting(True, True), square(device)
    host = np.zeros((64, 64), "f4")
    view.copy_from(host, allocator=resource, blocking=blocking)
    view.copy_to(host, allocator=resource, blocking=blocking)
    sv.release_staging()  # waits for what queued copies keep
    assert resource.taken == [8 << 20] * 2 and not resource.arrays


def test_temporaries_of_the_host(driver):
    resource = Counting(True, False)
    array = np.arange(12.0).reshape(3, 4)[:, :3]
    expected = array.T.copy()
    sv.copy(array, array.T, allocator=resource)
    assert (array == expected).all()
    assert resource.taken == [72] and resource.streams == [None] and not resource.arrays


def test_what_it_raises_is_raised(device):
    class Empty(Counting):
        def allocate(self, size, stream=None):
            raise KeyError("nothing left")

    view = square(device)
    with pytest.raises(KeyError, match="nothing left"):
        view.copy_from(view.T, allocator=Empty(False, True))
    with pytest.raises(TypeError, match="expected a Buffer from allocate"):
        empty = Empty(False, True)
        Empty.allocate = lambda self, size, stream=None: 5
        view.copy_from(view.T, allocator=empty)
    with pytest.raises(TypeError, match="MemoryResource as allocator"):
        view.copy_from(view.T, allocator=5)
    gc.collect()
