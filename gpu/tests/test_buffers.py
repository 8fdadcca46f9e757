"""Whole buffers: copied and filled between every two kinds of memory, and freed by resources written in Python."""

import driver
import pytest
import strideview as sv

SIZE = 1 << 16
KINDS = ["host", "pinned", "managed", "device"]
by_kind = pytest.mark.parametrize("kind", KINDS)


class Kind(sv.MemoryResource):
    """Memory of one kind, by calls of the driver."""

    def __init__(self, kind):
        self.kind, self.live, self.calls = kind, {}, []

    is_host_accessible = property(lambda self: self.kind != "device")
    is_device_accessible = property(lambda self: self.kind != "host")
    device_id = property(lambda self: -1 if self.kind == "host" else 0)

    def allocate(self, size, stream=None):
        if self.kind == "host":
            memory = driver.C.create_string_buffer(size)
            address = driver.C.addressof(memory)
        else:
            memory = {"pinned": driver.pinned, "managed": driver.managed, "device": driver.memory}[self.kind](size)
            address = memory.__enter__()
        self.live[address] = memory
        return sv.Buffer.from_handle(address, size, mr=self, stream=stream)

    def deallocate(self, ptr, size, stream=None):
        self.calls.append((ptr, size, stream))
        memory = self.live.pop(ptr)
        if self.kind != "host":
            memory.__exit__(None, None, None)


@pytest.fixture
def make(device):
    driver.use_primary()
    resources = {kind: Kind(kind) for kind in KINDS}
    yield lambda kind, size=SIZE: resources[kind].allocate(size)
    driver.synchronize()
    for resource in resources.values():
        assert resource.live == {}


def content(buffer) -> bytes:
    return driver.read(buffer.handle, buffer.size)


@by_kind
def test_who_can_reach_it_is_what_the_driver_says_too(make, kind):
    buffer = make(kind)
    asked = sv.Buffer.from_handle(buffer.handle, buffer.size, owner=buffer)
    assert buffer.is_host_accessible == asked.is_host_accessible
    assert buffer.is_device_accessible == (asked.is_device_accessible and kind != "host")


@by_kind
@pytest.mark.parametrize("pattern", [7, b"\1", b"ab", b"abcd", b"abcdefgh", b"aaaaaaab"])
@pytest.mark.parametrize("offset", [0, 1, 2, 4, 8])
def test_fills(make, kind, pattern, offset):
    whole = make(kind)
    whole.fill(0xEE)
    buffer = sv.Buffer.from_handle(whole.handle + offset, SIZE - 16, owner=whole)
    buffer.fill(pattern)
    pattern = bytes([pattern]) if type(pattern) is int else pattern
    filled = pattern * ((SIZE - 16) // len(pattern))
    assert content(whole) == b"\xee" * offset + filled + b"\xee" * (16 - offset)


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("start", KINDS)
@pytest.mark.parametrize("own", [False, True])
def test_copies(make, device, to, start, own):
    stream = device.create_stream() if own else None
    src, dst = make(start), make(to)
    src.fill(b"abcdefgh", stream)
    assert src.copy_to(dst, stream=stream) is dst
    assert content(dst) == b"abcdefgh" * (SIZE // 8)


@pytest.mark.parametrize("kind", ["pinned", "managed", "device"])
@pytest.mark.parametrize(("to", "start"), [(0, 100), (100, 0), (5, 5)])
def test_overlapping_copies(make, kind, to, start):
    whole = make(kind)
    host = make("host")
    numbers = bytes(n % 251 for n in range(SIZE))
    memoryview(host).cast("B")[:] = numbers
    whole.copy_from(host)
    parts = [sv.Buffer.from_handle(whole.handle + at, SIZE - 200, owner=whole) for at in (to, start)]
    parts[0].copy_from(parts[1])
    wanted = bytearray(numbers)
    wanted[to : to + SIZE - 200] = numbers[start : start + SIZE - 200]
    assert content(whole) == bytes(wanted)


def test_the_order_of_a_stream(make, device):
    """Between memory of the device nothing waits but the stream; for the host the copy is done on return."""
    driver.warm()
    stream = device.create_stream()
    src, dst, host = make("device"), make("device"), make("host")
    for buffer in (src, dst, host):
        buffer.fill(0)
    driver.synchronize()
    driver.spin(stream.handle)
    src.fill(b"ab", stream)
    dst.copy_from(src, stream=stream)
    assert driver.is_busy(stream.handle), "the host waited"
    host.copy_from(dst, stream=stream)
    assert bytes(memoryview(host)) == b"ab" * (SIZE // 2)


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_the_host_waits_for_the_stream_it_names(make, device, kind):
    driver.warm()
    stream = device.create_stream()
    shared, host = make(kind), make("host")
    shared.fill(1)
    driver.spin(stream.handle)
    driver.fill(stream.handle, shared.handle, 7, SIZE)
    host.copy_from(shared, stream=stream)
    assert set(bytes(memoryview(host))) == {7}


def test_a_buffer_of_the_pool(device):
    buffer = device.allocate(SIZE)
    buffer.fill(b"abcd")
    copied = buffer.copy_to()
    assert (copied.device_id, content(copied)) == (0, b"abcd" * (SIZE // 4))


def test_freed_once(make):
    buffer = make("device")
    resource, address = buffer.memory_resource, buffer.handle
    view = sv.StridedMemoryView.from_buffer(buffer, (SIZE,), dtype="uint8")
    capsule = view.__dlpack__(stream=-1, max_version=(1, 3))
    with pytest.raises(BufferError):
        buffer.close()
    assert resource.calls == []
    del capsule
    buffer.close(stream := object())
    assert resource.calls == [(address, SIZE, stream)]
