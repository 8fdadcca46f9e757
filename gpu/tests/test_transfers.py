"""Views copied between memory of every kind, byte for byte, with what lies around and between them."""

import contextlib
import gc
import random

import driver
import numpy as np
import pytest
import strideview as sv

View = sv.StridedMemoryView
KINDS = ["host", "pinned", "managed", "device"]
SIZE = 1 << 22
GUARD = 64


@pytest.fixture(scope="module")
def arenas():
    """Two spans of each kind of memory."""
    driver.use_primary()
    with contextlib.ExitStack() as stack:
        makers = {"pinned": driver.pinned, "managed": driver.managed, "device": driver.memory}
        found = {kind: [stack.enter_context(make(SIZE)) for _ in range(2)] for kind, make in makers.items()}
        hosts = [np.zeros(SIZE, np.uint8) for _ in range(2)]
        found["host"] = [host.ctypes.data for host in hosts]
        yield found, hosts


def write(address: int, content: np.ndarray) -> None:
    driver.call("cuMemcpy", address, content.ctypes.data, content.nbytes)


def read(address: int, size: int) -> np.ndarray:
    content = np.empty(size, np.uint8)
    driver.call("cuMemcpy", content.ctypes.data, address, size)
    return content


def view_at(address: int, shape, strides, itemsize: int, span) -> View:
    """A view of the bytes ``span`` around element [0, …, 0] at ``address``; strides in bytes."""
    low, high = span
    buffer = sv.Buffer.from_handle(address + low, high - low)
    layout = sv.StridedLayout(shape, strides, itemsize, divide_strides=True, slice_offset=-low // itemsize)
    return View.from_buffer(buffer, layout)


def reach(shape, strides, itemsize: int) -> tuple[int, int]:
    ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends) + itemsize


def random_strides(rng: random.Random, shape, itemsize: int, is_source: bool) -> list[int]:
    order = list(range(len(shape)))
    if rng.random() < 0.7:
        rng.shuffle(order)
    strides, step = [0] * len(shape), itemsize * rng.choice([1, 1, 1, 2, 3])
    for axis in reversed(order):
        strides[axis] = step
        step = step * shape[axis] + rng.choice([0, 0, 0, 1, 5, 16]) * itemsize
    for axis in range(len(shape)):
        if rng.random() < 0.1:
            strides[axis] = -strides[axis]
        if is_source and rng.random() < 0.08:
            strides[axis] = 0
    return strides


def random_case(rng: random.Random):
    itemsize = rng.choice([1, 1, 2, 4, 4, 8, 16, 3, 12])
    most = rng.choice([300, 20_000, 1_000_000]) // itemsize
    shape = []
    for _ in range(rng.choice([1, 2, 2, 3, 3, 4, 5])):
        extent = max(1, min(rng.choice([1, 2, 3, 7, 16, 33, 64, 100, 257, 1000]), most))
        shape.append(extent)
        most = max(1, most // extent)
    return shape, random_strides(rng, shape, itemsize, False), random_strides(rng, shape, itemsize, True), itemsize


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("start", KINDS)
def test_random_layouts(arenas, device, to, start):
    found, _ = arenas
    rng = random.Random(f"{to} {start}")
    noise = np.random.default_rng(1).integers(0, 256, (2, SIZE), np.uint8)
    stream = device.create_stream()
    done = 0
    while done < 60:
        shape, dst_strides, src_strides, itemsize = random_case(rng)
        to_span, from_span = reach(shape, dst_strides, itemsize), reach(shape, src_strides, itemsize)
        dst_at, src_at = GUARD - to_span[0], GUARD - from_span[0]
        dst_at, src_at = dst_at + rng.choice([0, 0, itemsize, 1]), src_at + rng.choice([0, 0, itemsize, 1])
        sizes = dst_at + to_span[1] + GUARD, src_at + from_span[1] + GUARD
        if max(sizes) > SIZE:
            continue  # gaps made it large
        done += 1
        write(found[to][0], noise[0][: sizes[0]])
        write(found[start][1], noise[1][: sizes[1]])
        driver.synchronize()
        expected = noise[0][: sizes[0]].copy()
        item = np.dtype(f"V{itemsize}")
        target = np.ndarray(shape, item, expected, dst_at, dst_strides)
        target[...] = np.ndarray(shape, item, noise[1], src_at, src_strides)
        dst = view_at(found[to][0] + dst_at, shape, dst_strides, itemsize, to_span)
        src = view_at(found[start][1] + src_at, shape, src_strides, itemsize, from_span)
        blocking = rng.choice([None, True, False])
        dst.copy_from(src, stream=stream, blocking=blocking)
        if blocking is not True:
            stream.synchronize()
        got = read(found[to][0], sizes[0])
        assert (got == expected).all(), (shape, dst_strides, src_strides, itemsize, blocking, sv.explain_copy(dst, src))


@pytest.mark.parametrize("blocking", [None, False])
@pytest.mark.parametrize("kind", ["host", "pinned"])
def test_many_chunks(device, torch, kind, blocking):
    """More bytes than all slots hold, both ways, transposed and with a step."""
    stream = device.create_stream()
    rows = torch.arange(3000 * 5000, dtype=torch.int32).reshape(3000, 5000)
    if kind == "pinned":
        rows = rows.pin_memory()
    there = torch.empty(5000, 3000, dtype=torch.int32, device="cuda")
    wide = torch.zeros(3000, 10000, dtype=torch.int32, device="cuda")
    back = torch.zeros(3000, 5000, dtype=torch.int32, pin_memory=kind == "pinned")
    again = torch.zeros(3000, 5000, dtype=torch.int32, pin_memory=kind == "pinned")
    torch.cuda.synchronize()
    sv.copy(there.T, rows, stream=stream, blocking=blocking)
    sv.copy(back, there.T, stream=stream, blocking=blocking)
    sv.copy(wide[:, ::2], rows, stream=stream, blocking=blocking)
    sv.copy(again, wide[:, ::2], stream=stream, blocking=blocking)
    stream.synchronize()
    assert torch.equal(there.cpu(), rows.T)
    assert torch.equal(back, rows) and torch.equal(again, rows)
    assert not wide[:, 1::2].any()


def test_sources_and_destinations_let_go_of_at_once(device):
    """What is queued keeps both sides; the memory would be used again at once."""
    driver.warm()
    stream = device.create_stream()
    count = 8 << 20
    resource = device.allocate(16).memory_resource

    def host(value):
        return np.full(count, value, np.uint8)

    there = View.from_buffer(resource.allocate(count), (count,), dtype="uint8")
    sv.copy(there, host(1), stream=stream)  # pins what it needs
    driver.spin(stream.handle, 0.5)
    sv.copy(there, host(7), stream=stream, blocking=False)
    gc.collect()
    others = [host(9) for _ in range(4)]
    assert driver.is_busy(stream.handle), "the host waited"
    back = np.zeros(count, np.uint8)
    address, weak = back.ctypes.data, View(back, -1)
    sv.copy(weak, there, stream=stream, blocking=False)
    assert driver.is_busy(stream.handle), "the host waited"
    stream.synchronize()
    assert set(np.unique(back)) == {7} and address == back.ctypes.data
    assert all(set(np.unique(other)) == {9} for other in others)


def test_a_close_under_way_is_refused(device):
    driver.warm()
    stream = device.create_stream()
    buffer = device.allocate(1 << 20)
    there = View.from_buffer(buffer, (1 << 20,), dtype="uint8")
    driver.spin(stream.handle, 0.5)
    sv.copy(there, np.zeros(1 << 20, np.uint8), stream=stream, blocking=False)
    with pytest.raises(BufferError):
        buffer.close()
    stream.synchronize()


def test_more_than_2_gib(device, torch):
    size = (2 << 30) + 12345
    source = torch.arange(size // 8 + 1, dtype=torch.int64)[: size // 8 + 1].view(torch.uint8)[:size].numpy()
    there = sv.to_device(source, 0)
    assert there.device_id == 0
    back = sv.to_host(there)
    assert np.array_equal(np.asarray(back), source)


def test_new_views(device):
    stream = device.create_stream()
    columns = np.arange(12, dtype=np.float32).reshape(3, 4).T
    there = sv.to_device(columns, device, stream=stream)
    assert (there.shape, there.strides, there.device_id) == ((4, 3), (1, 4), 0)
    assert there.__cuda_array_interface__["stream"] == stream.handle
    on_device = there.to_device(0, stream=stream)
    assert on_device.ptr != there.ptr
    back = on_device.to_host(stream=stream)
    assert np.asarray(back).tolist() == columns.tolist() and back.strides == (1, 4)
    empty = sv.empty_like(columns, device=0)
    assert (empty.shape, empty.strides, empty.is_host_accessible) == ((4, 3), (1, 4), False)


def test_the_streams_of_views(device, torch):
    """The copy comes after what the view's stream holds, and what is next there comes after the copy."""
    driver.warm()
    side, other = device.create_stream(), device.create_stream()
    buffer = device.allocate(1 << 16)
    plain = View.from_buffer(buffer, (1 << 16,), dtype="uint8")
    pending = View(plain, side)
    driver.spin(side.handle)
    driver.fill(side.handle, buffer.handle, 5, 1 << 16)
    target = np.zeros(1 << 16, np.uint8)
    sv.copy(target, pending, stream=other)
    assert set(target) == {5}


def test_a_captured_copy(device):
    stream = device.create_stream()
    first, second = device.allocate(1 << 16), device.allocate(1 << 16)
    src = View.from_buffer(first, (256, 256), dtype="uint8")
    dst = View.from_buffer(second, (256, 256), dtype="uint8")
    dst.copy_from(src.T, stream=stream)  # loads the kernel
    stream.synchronize()
    driver.call("cuStreamBeginCapture_v2", stream.handle, driver.C.c_int(2))
    dst.copy_from(src.T, stream=stream)
    with pytest.raises(RuntimeError, match="captured"):
        dst.copy_from(np.zeros((256, 256), np.uint8), stream=stream)
    graph = driver.C.c_uint64()
    driver.call("cuStreamEndCapture", stream.handle, driver.C.byref(graph))
    ready = driver.C.c_uint64()
    driver.call("cuGraphInstantiateWithFlags", driver.C.byref(ready), graph.value, 0)
    numbers = np.random.default_rng(1).integers(0, 256, (256, 256), np.uint8)
    src.copy_from(numbers)
    driver.call("cuGraphLaunch", ready.value, stream.handle)
    stream.synchronize()
    assert np.array_equal(np.asarray(dst.to_host()), numbers.T)


def test_what_is_refused(device):
    there = sv.empty_like(np.zeros((3, 4), np.float32), device=0)
    for wrong in (np.zeros((4, 3), np.float32), np.zeros((3, 4), np.int32)):
        with pytest.raises(ValueError):
            there.copy_from(wrong)
        with pytest.raises(ValueError):
            there.copy_to(wrong)
    with pytest.raises(ValueError):
        there.broadcast_to((2, 3, 4)).copy_from(np.zeros((2, 3, 4), np.float32))
    frozen = np.zeros((3, 4), np.float32)
    frozen.setflags(write=False)
    with pytest.raises(ValueError):
        there.copy_to(frozen)
