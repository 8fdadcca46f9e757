"""Buffers: who keeps the memory, and when it is let go."""

import ctypes
import gc
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest
from refusal import refused
from strideview import Buffer, ClosedError, Device, StridedMemoryView


class Memory:
    """Some bytes that can be watched while they live."""

    def __init__(self, size):
        self.bytes = (ctypes.c_uint8 * size)(*(n % 251 for n in range(size)))
        self.address = ctypes.addressof(self.bytes)


@pytest.fixture
def memory():
    return Memory(64)


@pytest.fixture
def owned(memory):
    return Buffer.from_handle(memory.address, 64, owner=memory)


def test_what_a_buffer_says(memory, owned):
    assert (owned.handle, owned.size, owned.owner) == (memory.address, 64, memory)
    assert (owned.device_id, owned.is_host_accessible, owned.is_device_accessible) == (-1, True, False)
    assert (owned.is_managed, owned.is_closed) == (False, False)
    assert hex(memory.address) in repr(owned)
    assert "64" in repr(owned)


def test_the_owner_lives_until_the_buffer_is_closed():
    memory = Memory(64)
    alive = weakref.ref(memory)
    buffer = Buffer.from_handle(memory.address, 64, owner=memory)
    del memory
    gc.collect()
    assert alive() is buffer.owner
    buffer.close()
    assert alive() is None
    assert buffer.owner is None
    buffer.close()


def test_the_owner_is_released_once():
    released = []

    class Owner:
        def __del__(self):
            released.append(self)

    buffer = Buffer.from_handle(0, 0, owner=Owner())
    buffer.close()
    assert len(released) == 1
    buffer.close()
    del buffer
    gc.collect()
    assert len(released) == 1


def test_the_owner_goes_with_the_buffer():
    memory = Memory(64)
    alive = weakref.ref(memory)
    buffer = Buffer.from_handle(memory.address, 64, owner=memory)
    del memory
    assert alive() is not None
    del buffer
    assert alive() is None


def test_a_view_keeps_the_owner():
    memory = Memory(64)
    alive = weakref.ref(memory)
    buffer = Buffer.from_handle(memory.address, 64, owner=memory)
    view = StridedMemoryView.from_buffer(buffer, (8, 8), dtype="uint8")[2:, 1]
    del memory, buffer
    gc.collect()
    assert np.asarray(view).tolist() == [17, 25, 33, 41, 49, 57]
    assert alive() is not None
    del view
    gc.collect()
    assert alive() is None


def test_an_alias_owns_nothing(memory):
    buffer = Buffer.from_handle(memory.address, 64)
    assert buffer.owner is None
    with buffer:
        memoryview(buffer)[0] = 99
    assert memory.bytes[0] == 99


def test_an_owner_that_raises_when_it_dies(monkeypatch):
    """Nobody but the hook can be told; the buffer is closed and the interpreter goes on."""
    reports = []
    monkeypatch.setattr(sys, "unraisablehook", reports.append)

    class Owner:
        def __del__(self):
            raise RuntimeError("dying")

    buffer = Buffer.from_handle(0, 0, owner=Owner())
    buffer.close()
    assert buffer.is_closed
    assert [str(report.exc_value) for report in reports] == ["dying"]


def test_closed(owned):
    view = StridedMemoryView.from_buffer(owned, (4, 4), dtype="uint8")
    owned.close()
    assert (owned.is_closed, owned.handle, owned.size, owned.owner) == (True, 0, 0, None)
    assert "closed" in repr(owned)
    assert "closed" in repr(view)
    assert (view.shape, view.ptr) == ((4, 4), 0)
    target = np.zeros((4, 4), "u1")
    uses = [
        lambda: owned.__dlpack__(),
        lambda: memoryview(owned),
        lambda: np.from_dlpack(owned),
        lambda: StridedMemoryView.from_buffer(owned, (4,), itemsize=1),
        lambda: StridedMemoryView.from_buffer(owned, (0,), itemsize=1),
        lambda: StridedMemoryView(owned, -1),
        lambda: view.__dlpack__(),
        lambda: memoryview(view),
        lambda: view.copy_to(target),
        lambda: view.copy_from(target),
        lambda: view.view(dtype="int8"),
        lambda: view.bytes_view(),
    ]
    for use in uses:
        with refused("memory.closed", ClosedError, BufferError, ValueError):
            use()


def python_buffer(exporter):
    return memoryview(exporter)


def dlpack_consumer(exporter):
    return np.from_dlpack(exporter)


def dlpack_capsule(exporter):
    return exporter.__dlpack__()


def view_of_python_buffer(exporter):
    return StridedMemoryView.from_buffer_protocol(exporter)


@pytest.mark.parametrize("take", [python_buffer, dlpack_consumer, dlpack_capsule, view_of_python_buffer])
@pytest.mark.parametrize("through_a_view", [False, True])
def test_close_is_refused_under_a_consumer(owned, take, through_a_view):
    exporter = StridedMemoryView.from_buffer(owned, (8, 8), dtype="uint8") if through_a_view else owned
    consumers = [take(exporter), take(exporter)]
    for _ in range(2):
        with refused("memory.in_use", BufferError):
            owned.close()
        assert not owned.is_closed
        consumers.pop()
    owned.close()
    assert owned.is_closed


def test_a_consumer_keeps_the_memory_of_a_dropped_buffer():
    memory = Memory(64)
    alive = weakref.ref(memory)
    array = np.from_dlpack(Buffer.from_handle(memory.address, 64, owner=memory))
    wanted = bytes(memory.bytes)
    del memory
    gc.collect()
    assert array.tobytes() == wanted
    assert alive() is not None
    del array
    gc.collect()
    assert alive() is None


def test_as_a_context(memory):
    with Buffer.from_handle(memory.address, 64, owner=memory) as buffer:
        assert not buffer.is_closed
    assert buffer.is_closed
    with pytest.raises(KeyError), buffer_of(memory) as buffer:
        raise KeyError
    assert buffer.is_closed
    with buffer_of(memory) as buffer:
        buffer.close()
    with pytest.raises(BufferError), buffer_of(memory) as buffer:
        consumer = memoryview(buffer)
    assert not buffer.is_closed
    consumer.release()
    buffer.close()


def buffer_of(memory):
    return Buffer.from_handle(memory.address, 64, owner=memory)


def test_bytes_of_a_buffer(memory, owned):
    shown = memoryview(owned)
    assert (shown.format, shown.shape, shown.strides, shown.readonly) == ("B", (64,), (1,), False)
    assert shown.tobytes() == bytes(memory.bytes)
    array = np.from_dlpack(owned)
    assert (array.dtype, array.shape, array.ctypes.data) == (np.uint8, (64,), memory.address)
    assert owned.__dlpack_device__() == (1, 0)
    view = StridedMemoryView(owned, -1)
    assert (view.shape, view.ptr, view.exporting_obj) == ((64,), memory.address, owned)


def test_arguments(memory):
    address = memory.address
    assert Buffer.from_handle(ptr=address, size=64, mr=None, owner=memory, stream=None).size == 64
    assert Buffer.from_handle(np.uint64(address), np.int32(64)).handle == address
    assert Buffer.from_handle(0, 0).size == 0
    for call in (
        lambda: Buffer.from_handle(address, 64, object(), object()),
        lambda: Buffer.from_handle(address, 64, mr=object(), owner=memory),
        lambda: Buffer.from_handle(address, -1),
        lambda: Buffer.from_handle(0, 1),
        lambda: Buffer.from_handle(2**64 - 1, 2),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
    for call in (
        lambda: Buffer.from_handle(-1, 1),
        lambda: Buffer.from_handle(2**64, 1),
        lambda: Buffer.from_handle(address, 2**64),
    ):
        with pytest.raises(OverflowError):
            call()
    for call in (
        lambda: Buffer.from_handle(address),
        lambda: Buffer.from_handle(float(address), 64),
        lambda: Buffer.from_handle(address, 64.0),
        lambda: Buffer.from_handle("64", 64),
        lambda: Buffer.from_handle(address, True),
        lambda: Buffer.from_handle(address, 64, length=64),
        lambda: Buffer.from_handle(address, 64, None, memory, None),
        lambda: Buffer(),
        lambda: Buffer(address, 64),
        lambda: Buffer(owner=memory),
    ):
        with pytest.raises(TypeError):
            call()


def test_a_buffer_is_itself_only(owned, memory):
    other = buffer_of(memory)
    assert owned == owned
    assert owned != other
    assert len({owned, other}) == 2
    assert weakref.ref(owned)() is owned
    with pytest.raises(TypeError):
        pickle.dumps(owned)
    with pytest.raises(AttributeError):
        owned.size = 1
    with pytest.raises(TypeError):
        type("Derived", (Buffer,), {})


def test_consumers_that_come_and_go_in_threads():
    """The count of consumers is right at the end: the buffer can be closed."""
    buffer = Device("cpu").allocate(4096)
    view = StridedMemoryView.from_buffer(buffer, (64, 64), dtype="uint8")

    def consume():
        for _ in range(300):
            kept = memoryview(view), np.from_dlpack(view), view.__dlpack__(), memoryview(buffer)
            del kept

    threads = [threading.Thread(target=consume) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    buffer.close()
    assert buffer.is_closed


def test_closing_in_threads_releases_once():
    for _ in range(50):
        memory = Memory(8)
        alive = weakref.ref(memory)
        buffer = Buffer.from_handle(memory.address, 8, owner=memory)
        del memory
        start = threading.Barrier(4)

        def close(buffer=buffer, start=start):
            start.wait()
            buffer.close()

        threads = [threading.Thread(target=close) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert buffer.is_closed
        assert alive() is None
