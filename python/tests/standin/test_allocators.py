"""``allocator=`` of copies: a resource written in Python gives their temporaries, and gets them back."""

import gc
import threading

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
        self.taken, self.streams, self.released, self.arrays = [], [], [], {}

    def allocate(self, size, stream=None):
        array = np.zeros(size + 256, np.uint8)
        address = (array.ctypes.data + 255) // 256 * 256
        self.arrays[address] = array
        self.taken.append(size)
        self.streams.append(stream)
        return Buffer.from_handle(address, size, mr=self)

    def deallocate(self, ptr, size, stream=None):
        self.released.append(stream)
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
    assert [each.handle for each in resource.streams + resource.released] == [stream.handle] * 2
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
    assert resource.taken == [64 * 64 * 4] * 2 and not resource.arrays


@pytest.mark.parametrize("blocking", [True, False])
def test_slots_are_written_within_their_bounds(device, blocking):
    class Guarded(Counting):
        def allocate(self, size, stream=None):
            array = np.full(size + 512, 0xA5, np.uint8)
            self.arrays[array.ctypes.data + 256] = array
            self.taken.append(size)
            return Buffer.from_handle(array.ctypes.data + 256, size, mr=self)

        def deallocate(self, ptr, size, stream=None):
            array = self.arrays.pop(ptr)
            self.released.append((array[:256] == 0xA5).all() and (array[-256:] == 0xA5).all())

    resource = Guarded(True, True)
    for count in (64, 1 << 20):
        layout = StridedLayout((count, 5), None, 4)
        view = StridedMemoryView.from_buffer(device.allocate(count * 5 * 4), layout, "float32")
        host = np.arange(count * 7, dtype="f4").reshape(count, 7)[:, 1:6]
        back = np.zeros((count, 5), "f4")
        view.copy_from(host, allocator=resource, blocking=blocking)
        view.copy_to(back, allocator=resource, blocking=blocking)
        sv.release_staging()
        assert (back == host).all()
    assert len(resource.released) == len(resource.taken) > 4 and all(resource.released)
    assert max(resource.taken) <= 8 << 20


class Foreign:
    """A stream of somebody else, which ends with its object."""

    def __init__(self, driver):
        self.driver, self.handle = driver, driver.answer("cuStreamCreate", 1)

    def __cuda_stream__(self):
        return 0, self.handle

    def __del__(self):
        self.driver.call("cuStreamDestroy", self.handle)


class Waiting(Counting):
    """Its ``deallocate`` waits until it is let go on."""

    def __init__(self):
        super().__init__(True, True)
        self.go_on = threading.Event()

    def deallocate(self, ptr, size, stream=None):
        assert self.go_on.wait(60)
        super().deallocate(ptr, size, stream)


def test_a_queued_copy_keeps_its_stream(device, driver):
    host, view, streams = np.zeros((64, 64), "f4"), square(device), [Foreign(driver) for _ in "ab"]
    handles, before = [each.handle for each in streams], driver.calls("cuStreamDestroy")
    first, second = Waiting(), Counting(True, True)
    # What is to be let go of waits behind the first one.
    view.copy_from(host, stream=device.create_stream(), allocator=first, blocking=False)
    pinned = driver.calls("cuMemHostAlloc")
    view.copy_from(host, stream=streams[0], allocator=device.pinned_memory_resource, blocking=False)
    view.copy_from(host, stream=streams[1], allocator=second, blocking=False)
    assert driver.calls("cuMemHostAlloc") == pinned + 1
    freed = driver.calls("cuMemFreeHost")
    streams.clear()
    gc.collect()
    assert driver.calls("cuStreamDestroy") == before
    first.go_on.set()
    sv.release_staging()
    assert driver.calls("cuMemFreeHost") == freed + 1
    told = second.streams + second.released
    assert [each.handle for each in told] == [handles[1]] * 2
    # Who holds what they were told holds the stream.
    told[1].synchronize()
    told.clear()
    second.streams.clear()
    second.released.clear()
    gc.collect()
    assert driver.calls("cuStreamDestroy") >= before + 2


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


class Giving(MemoryResource):
    """Memory of the host, as it says; what it gives is up to the test."""

    is_host_accessible, is_device_accessible, device_id = True, False, -1

    def __init__(self, give):
        self.give = give

    def allocate(self, size, stream=None):
        self.given = self.give(size)
        return self.given


def closed(size):
    buffer = sv.Device("cpu").allocate(size)
    buffer.close()
    return buffer


def managed(size):
    return sv.Device(0).managed_memory_resource.allocate(size)


REFUSED = [
    (lambda size: sv.Device("cpu").allocate(size - 1), "at least 72 bytes from allocate, got 71 bytes"),
    (closed, "wanted an open buffer, got a closed one"),
    (lambda size: sv.Device(0).allocate(size), "memory of the host from allocate.* got memory of device 0"),
    (managed, "memory of the host from allocate.* got managed memory of device 0"),
]


@pytest.mark.parametrize("give, message", REFUSED, ids=["short", "closed", "unreachable", "managed"])
def test_buffers_that_are_not_fit_are_refused(driver, give, message):
    array = np.arange(9.0).reshape(3, 3)
    expected = array.copy()
    with pytest.raises((ValueError, BufferError), match=message):
        sv.copy(array, array.T, allocator=Giving(give))
    assert (array == expected).all()


def test_a_buffer_that_is_reached_by_more_is_taken(device):
    array = np.arange(9.0).reshape(3, 3)
    expected = array.T.copy()
    sv.copy(array, array.T, allocator=Giving(device.pinned_memory_resource.allocate))
    assert (array == expected).all()


def test_the_same_memory_is_not_given_twice(device):
    kept = []

    def again(size):
        kept.append(kept[0] if kept else device.pinned_memory_resource.allocate(size))
        return kept[0]

    resource = Giving(again)
    resource.is_device_accessible, resource.device_id = True, 0
    layout = StridedLayout((8 << 20,), None, 4)
    view = StridedMemoryView.from_buffer(device.allocate(32 << 20), layout, "float32")
    with pytest.raises(ValueError, match="not in use"):
        view.copy_from(np.zeros(8 << 20, "f4"), allocator=resource)
    assert len(kept) == 2


def test_a_temporary_cannot_be_closed_under_a_copy(device):
    class Kept(Waiting):
        def allocate(self, size, stream=None):
            self.buffer = super().allocate(size, stream)
            return self.buffer

    resource, blocker, view = Kept(), Waiting(), square(device)
    # What is to be let go of waits behind the first one.
    for allocator in (blocker, resource):
        view.copy_from(np.zeros((64, 64), "f4"), allocator=allocator, blocking=False)
    with pytest.raises(BufferError, match="wanted no lease alive, got 1"):
        resource.buffer.close()
    assert not resource.buffer.is_closed and not resource.released
    resource.go_on.set()
    blocker.go_on.set()
    sv.release_staging()
    assert resource.buffer.is_closed and len(resource.released) == 1


def test_what_deallocate_raises_is_reported(device, monkeypatch):
    class Lost(Counting):
        def deallocate(self, ptr, size, stream=None):
            super().deallocate(ptr, size, stream)
            raise KeyError("lost")

    reported, resource, view = [], Lost(False, True), square(device)
    monkeypatch.setattr("sys.unraisablehook", lambda each: reported.append(str(each.exc_value)))
    view.copy_from(view.T, allocator=resource)
    assert reported == ["'lost'"] and not resource.arrays
