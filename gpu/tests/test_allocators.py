"""``allocator=`` of copies on the driver itself: a resource that counts what another one gives."""

import numpy as np
import pytest
import strideview as sv
from strideview import Buffer, MemoryResource, StridedMemoryView


class Counting(MemoryResource):
    """What a resource of this package, or CuPy's pinned memory, gives, counted."""

    is_host_accessible = property(lambda self: self.host)
    is_device_accessible = True
    device_id = 0

    def __init__(self, give, host):
        self.give, self.kept, self.taken, self.host = give, {}, [], host

    def allocate(self, size, stream=None):
        memory, address = self.give(size, stream)
        self.kept[address] = memory
        self.taken.append(size)
        return Buffer.from_handle(address, size, mr=self, stream=stream)

    def deallocate(self, ptr, size, stream=None):
        memory = self.kept.pop(ptr)
        if isinstance(memory, Buffer):
            memory.close(stream)


@pytest.mark.parametrize("blocking", [None, True, False])
def test_temporaries_of_the_gpu(cupy, device, blocking):
    pool = device.allocate(16).memory_resource

    def give(size, stream):
        memory = pool.allocate(size, stream)
        return memory, memory.handle

    resource = Counting(give, False)
    array = cupy.random.random((300, 300), dtype="f4")
    expected = array.T.copy()
    stream = device.create_stream()
    cupy.cuda.runtime.deviceSynchronize()
    sv.copy(array, array.T, stream=stream, allocator=resource, blocking=blocking)
    stream.synchronize()
    assert (array == expected).all()
    assert resource.taken == [300 * 300 * 4] and not resource.kept


@pytest.mark.parametrize("blocking", [None, False])
def test_slots_for_pageable_memory(cupy, device, blocking):
    def give(size, stream):
        memory = cupy.cuda.alloc_pinned_memory(size)
        return memory, memory.ptr

    resource = Counting(give, True)
    host = np.random.default_rng(3).random((2000, 3000)).astype("f4")
    there = cupy.zeros((3000, 2000), "f4")
    stream = device.create_stream()
    cupy.cuda.runtime.deviceSynchronize()
    sv.copy(StridedMemoryView(there, -1), host.T, stream=stream, allocator=resource, blocking=blocking)
    stream.synchronize()
    sv.release_staging()  # waits for what queued copies keep
    assert (cupy.asnumpy(there) == host.T).all()
    assert resource.taken and not resource.kept
