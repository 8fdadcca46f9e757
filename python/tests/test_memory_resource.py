"""Memory resources written in Python: who can reach their memory, and that it goes back once."""

import ctypes
import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from refusal import refused
from strideview import Buffer, ClosedError, Device, MemoryResource, StridedMemoryView


class Counting(MemoryResource):
    """Memory of the host that knows what is in use."""

    is_host_accessible = True
    is_device_accessible = False

    def __init__(self, label="", error=None):
        self.label, self.error = label, error
        self.live, self.calls = {}, []

    def allocate(self, size, stream=None):
        memory = (ctypes.c_uint8 * max(size, 1))()
        self.live[ctypes.addressof(memory)] = memory
        return Buffer.from_handle(ctypes.addressof(memory), size, mr=self, stream=stream)

    def deallocate(self, ptr, size, stream=None):
        self.calls.append((ptr, size, stream))
        if self.error is not None:
            raise self.error
        del self.live[ptr]


class Unraisable:
    """What goes to ``sys.unraisablehook``."""

    def __enter__(self):
        self.seen, self.before = [], sys.unraisablehook
        sys.unraisablehook = lambda told: self.seen.append((told.exc_type, str(told.exc_value), told.object))
        return self.seen

    def __exit__(self, *_):
        sys.unraisablehook = self.before


def test_a_buffer_of_a_resource():
    resource = Counting("mine")
    buffer = resource.allocate(16)
    assert (buffer.size, buffer.memory_resource, buffer.owner) == (16, resource, None)
    assert (buffer.is_host_accessible, buffer.is_device_accessible, buffer.device_id) == (True, False, -1)
    view = StridedMemoryView.from_buffer(buffer, (2, 8), dtype="uint8")
    np.asarray(view)[...] = 3
    assert bytes(next(iter(resource.live.values()))) == b"\3" * 16
    with pytest.raises(BufferError):
        kept = memoryview(buffer)
        buffer.close()
    assert resource.calls == []
    assert buffer.memory_resource is resource
    kept.release()
    address = buffer.handle
    buffer.close()
    buffer.close()
    assert resource.calls == [(address, 16, None)]
    assert resource.live == {}
    assert buffer.memory_resource is None
    with pytest.raises(ClosedError):
        memoryview(buffer)


def test_the_last_reference_gives_the_memory_back():
    resource = Counting()
    view = StridedMemoryView.from_buffer(resource.allocate(8), (8,), dtype="uint8")
    shown = np.from_dlpack(view)
    del view
    gc.collect()
    assert resource.calls == []
    del shown
    gc.collect()
    assert len(resource.calls) == 1
    assert resource.live == {}


def test_the_resource_lives_as_long_as_its_memory():
    resource = Counting()
    alive, buffer = weakref.ref(resource), resource.allocate(8)
    del resource
    gc.collect()
    assert buffer.memory_resource is alive()
    buffer.close()
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(("given", "named", "seen"), [("A", None, "A"), ("A", "B", "B"), (None, "B", "B"), (None, None, None)])
def test_the_stream_is_handed_on(given, named, seen):
    resource = Counting()
    resource.allocate(8, stream=given).close(named)
    assert [call[2] for call in resource.calls] == [seen]
    resource.allocate(8, stream=given)
    gc.collect()
    assert resource.calls[1][2] == given


def test_an_error_of_close_is_raised_once():
    error = RuntimeError("the pool is gone")
    resource = Counting(error=error)
    buffer = resource.allocate(8)
    with Unraisable() as unraisable, pytest.raises(RuntimeError) as caught:
        buffer.close()
    assert caught.value is error
    assert buffer.is_closed
    buffer.close()
    with Counting().allocate(8), pytest.raises(RuntimeError), resource.allocate(8):
        pass
    assert unraisable == []
    assert len(resource.calls) == 2


def test_an_error_without_a_caller_is_reported():
    resource = Counting(error=ValueError("twice"))
    with Unraisable() as unraisable:
        buffer = resource.allocate(8)
        del buffer
        gc.collect()
    assert unraisable == [(ValueError, "twice", resource)]
    assert len(resource.calls) == 1


def test_an_exception_on_its_way_stays_as_it_is():
    resource = Counting(error=ValueError("of the resource"))

    def fail():
        buffer = resource.allocate(8)
        assert buffer.size == 8
        raise KeyError("of the caller")

    with Unraisable() as unraisable:
        with pytest.raises(KeyError, match="of the caller"):
            fail()
        gc.collect()
    assert [kind for kind, *_ in unraisable] == [ValueError]


def test_what_a_resource_drops_while_it_is_called():
    """The errors of other buffers are not those of the one that is closed."""
    inner = Counting(error=ValueError("inner"))

    class Outer(Counting):
        def deallocate(self, ptr, size, stream=None):
            inner.allocate(4)
            super().deallocate(ptr, size, stream)

    with Unraisable() as unraisable:
        outer = Outer()
        outer.allocate(8).close()
    assert (len(outer.calls), len(inner.calls)) == (1, 1)
    assert unraisable == [(ValueError, "inner", inner)]


def test_memory_goes_back_in_another_thread():
    resource = Counting()
    kept = [resource.allocate(8) for _ in range(20)]
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    assert len(resource.calls) == 20
    assert resource.live == {}


def test_closing_in_threads_deallocates_once():
    resource = Counting()
    for count in range(1, 20):
        buffer, start = resource.allocate(8), threading.Barrier(4)

        def close(buffer=buffer, start=start):
            start.wait()
            buffer.close()

        threads = [threading.Thread(target=close) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(resource.calls) == count


@pytest.mark.parametrize(
    ("host", "device", "device_id", "wanted"),
    [
        (True, False, None, (True, False, -1)),
        (False, True, 1, (False, True, 1)),
        (True, True, 0, (True, True, 0)),
        (False, False, None, (False, False, -1)),
    ],
)
def test_who_can_reach_the_memory(host, device, device_id, wanted):
    class Some(MemoryResource):
        is_host_accessible, is_device_accessible = host, device

        def deallocate(self, ptr, size, stream=None):
            pass

    Some.device_id = device_id
    buffer = Buffer.from_handle(0x1000, 16, mr=Some())
    assert (buffer.is_host_accessible, buffer.is_device_accessible, buffer.device_id) == wanted


def test_what_a_resource_must_say():
    class Silent(MemoryResource):
        pass

    silent = Silent("any", arguments=1)
    for name in ("is_host_accessible", "is_device_accessible", "device_id"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(silent, name)
    for call in (lambda: silent.allocate(8), lambda: silent.deallocate(0, 0)):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(NotImplementedError):
        Buffer.from_handle(0x1000, 16, mr=silent)
    for wrong in (-1, 2**40):
        other = type("Other", (Silent,), {"is_host_accessible": True, "is_device_accessible": True, "device_id": wrong})
        with pytest.raises(ValueError, match="device_id"):
            Buffer.from_handle(0x1000, 16, mr=other())
    with pytest.raises(TypeError):
        MemoryResource()


def test_what_is_no_resource():
    memory = (ctypes.c_uint8 * 8)()
    address = ctypes.addressof(memory)
    for wrong in (object(), Counting, "cpu", Device("cpu")):
        with pytest.raises(TypeError, match="MemoryResource"):
            Buffer.from_handle(address, 8, mr=wrong)
    resource = Counting()
    with pytest.raises(ValueError, match="both"):
        Buffer.from_handle(address, 8, resource, object())
    with pytest.raises(ValueError, match="stream"):
        Buffer.from_handle(address, 8, stream=1)
    with pytest.raises(ValueError, match="address"):
        Buffer.from_handle(0, 8, mr=resource)
    assert resource.calls == []


def test_a_resource_of_the_package():
    resource = Device("cpu").memory_resource
    assert isinstance(resource, MemoryResource)
    assert Buffer.from_handle(0, 0, mr=resource).is_host_accessible
    with pytest.raises(NotImplementedError, match="close"):
        resource.deallocate(0x1000, 8)
    with pytest.raises(TypeError):
        type(resource)()


# Copies and fills


def contents(buffer):
    return bytes(memoryview(buffer))


def filled(text):
    buffer = Device("cpu").allocate(len(text))
    memoryview(buffer)[:] = text
    return buffer


def test_copies():
    src, dst = filled(b"abcdefgh"), Device("cpu").allocate(8)
    assert src.copy_to(dst) is dst
    assert contents(dst) == b"abcdefgh"
    assert dst.copy_from(filled(b"12345678")) is None
    assert contents(dst) == b"12345678"
    new = dst.copy_to()
    assert (contents(new), new.handle == dst.handle) == (b"12345678", False)
    assert dst.copy_to(dst=new, stream=None) is new


def test_a_copy_in_new_memory_of_the_same_resource():
    resource = Counting()
    buffer = resource.allocate(4)
    buffer.fill(9)
    copied = buffer.copy_to()
    assert (copied.memory_resource, contents(copied), len(resource.live)) == (resource, b"\t\t\t\t", 2)
    wrapped = Buffer.from_handle(buffer.handle, 4, owner=buffer)
    with pytest.raises(ValueError, match="memory resource"):
        wrapped.copy_to()

    class Broken(Counting):
        def allocate(self, size, stream=None):
            return super().allocate(size) if stream else object()

    with pytest.raises(TypeError, match="Buffer"):
        Broken().allocate(4, stream=1).copy_to()


def test_overlapping_copies():
    memory = np.arange(100, dtype="u1")
    for to, start in ((0, 7), (7, 0), (3, 3)):
        source = memory.copy()
        parts = [Buffer.from_handle(source.ctypes.data + at, 80, owner=source) for at in (to, start)]
        wanted = source.copy()
        wanted[to : to + 80] = memory[start : start + 80]
        parts[0].copy_from(parts[1])
        assert source.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (0, b"\0"),
        (255, b"\xff"),
        (np.uint16(7), b"\x07"),
        (b"x", b"x"),
        (b"ab", b"ab"),
        (bytearray(b"abcd"), b"abcd"),
        (memoryview(b"abcdefgh"), b"abcdefgh"),
        (np.array([1, 2], "<i4"), b"\1\0\0\0\2\0\0\0"),
    ],
)
def test_fills(value, wanted):
    buffer = Device("cpu").allocate(16)
    assert buffer.fill(value) is None
    assert contents(buffer) == wanted * (16 // len(wanted))
    large = Device("cpu").allocate(1 << 20)
    large.fill(value)
    assert contents(large) == wanted * ((1 << 20) // len(wanted))


def test_fills_and_copies_that_are_refused():
    buffer = Device("cpu").allocate(12)
    for wrong in (-1, 256, 2**70):
        with pytest.raises((ValueError, OverflowError)):
            buffer.fill(wrong)
    for wrong in (b"", b"abc", b"abcdefgh", b"0123456789abcdef"):
        with refused("buffer.fill_pattern", ValueError):
            buffer.fill(wrong)
    for wrong in (1.0, "a", None, True, [1]):
        with pytest.raises(TypeError):
            buffer.fill(wrong)
    with refused("buffer.size_mismatch", ValueError):
        buffer.copy_to(Device("cpu").allocate(8))
    for wrong in (bytearray(12), None, 5):
        with pytest.raises(TypeError):
            buffer.copy_from(wrong)
    other = Device("cpu").allocate(12)
    other.close()
    for call in (lambda: buffer.copy_to(other), lambda: buffer.copy_from(other), lambda: other.fill(1), other.copy_to):
        with pytest.raises(ClosedError):
            call()
    empty = Device("cpu").allocate(0)
    assert empty.copy_to(Device("cpu").allocate(0)).size == 0
    assert empty.fill(b"ab") is None
