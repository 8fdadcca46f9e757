"""DLPack of memory that is not only the host's: which device it says, and what others make of it."""

import arrays_of as of
import driver
import numpy as np
import pytest
import strideview as sv

View = sv.StridedMemoryView
SIZE = 4096
HOST, CUDA, PINNED, MANAGED = 1, 2, 3, 13
COPIED = 2


def said(view, **asked) -> dict:
    """What the capsule says, looked at by itself."""
    import dlhelp

    return dlhelp.read(view.__dlpack__(max_version=(1, 3), **asked))


def bytes_at(address: int, size: int = SIZE):
    return View.from_buffer(sv.Buffer.from_handle(address, size), (size,), dtype="uint8")


@pytest.fixture(params=["pinned", "managed", "device"])
def memory(request, device):
    """A view of each kind, with its DLPack device type."""
    driver.use_primary()
    maker = {"pinned": driver.pinned, "managed": driver.managed, "device": driver.memory}[request.param]
    with maker(SIZE) as address:
        driver.call("cuMemsetD8_v2", address, driver.C.c_ubyte(5), SIZE)
        driver.synchronize()
        yield bytes_at(address), {"pinned": PINNED, "managed": MANAGED, "device": CUDA}[request.param]


def test_check_28_the_device(memory):
    view, kind = memory
    assert view.__dlpack_device__() == (kind, 0)
    assert said(view)["device"] == (kind, 0)


def test_check_13_its_own_device(memory):
    view, kind = memory
    for copy in (None, False):
        told = said(view, dl_device=(kind, 0), copy=copy)
        assert (told["data"], told["device"], told["flags"]) == (view.ptr, (kind, 0), 0)


def test_check_13_another_name_for_the_same_memory(memory):
    """torch refuses the device types of pinned and managed memory, so those names matter."""
    view, kind = memory
    names = [(CUDA, 0)] if kind == CUDA else [(HOST, 0), (CUDA, 0)]
    for name in names:
        for copy in (None, False):
            told = said(view, dl_device=name, copy=copy)
            assert (told["data"], told["device"], told["flags"]) == (view.ptr, name, 0)


def test_check_13_to_the_host(memory):
    view, kind = memory
    if kind != CUDA:
        pytest.skip("the host reaches this memory")
    with pytest.raises(BufferError):
        view.__dlpack__(dl_device=(HOST, 0), copy=False, max_version=(1, 3))
    told = said(view, dl_device=(HOST, 0))
    assert (told["device"], told["flags"] & COPIED) == ((HOST, 0), COPIED)
    assert set(np.from_dlpack(view, device="cpu").tolist()) == {5}


def test_check_13_devices_that_are_not_there(memory):
    view, _ = memory
    for name in ((99, 0), (HOST, 1), (CUDA, 99), (10, 0)):
        with pytest.raises(BufferError):
            view.__dlpack__(dl_device=name, max_version=(1, 3))


def test_check_12_copies(memory):
    view, kind = memory
    told = said(view, copy=True)
    assert told["device"] == (kind, 0)
    assert told["flags"] & COPIED
    assert told["data"] != view.ptr


def test_check_11_read_only(memory):
    view, _ = memory
    if not hasattr(view, "__cuda_array_interface__"):
        pytest.fail("every one of these is accessible from the device")
    entries = view.__cuda_array_interface__ | {"data": (view.ptr, True)}
    readonly = View.from_cuda_array_interface(of.Interface(view, **entries), -1)
    assert readonly.readonly
    assert said(readonly)["flags"] == 1
    with pytest.raises(BufferError):
        readonly.__dlpack__()


def test_numpy_shares_pinned_and_managed_memory(memory):
    view, kind = memory
    if kind == CUDA:
        with pytest.raises(BufferError):
            memoryview(view)
        return
    for shown in (np.from_dlpack(view), np.asarray(view), np.asarray(memoryview(view))):
        assert shown.ctypes.data == view.ptr
        assert set(shown.tolist()) == {5}


def test_torch_takes_each_as_memory_of_the_device(memory, torch):
    """torch knows neither pinned nor managed memory, and asks for another device only to copy: so it
    is given a capsule that says CUDA."""
    view, kind = memory
    if kind != CUDA:
        with pytest.raises(BufferError, match=str(kind)):
            torch.from_dlpack(view)
    tensor = torch.from_dlpack(view.__dlpack__(dl_device=(CUDA, 0), stream=1, max_version=(1, 0)))
    assert (tensor.data_ptr(), tensor.device.type) == (view.ptr, "cuda")
    assert set(tensor.cpu().tolist()) == {5}


def test_torch_takes_memory_that_the_host_reaches_as_memory_of_the_host(memory, torch):
    view, kind = memory
    if kind == CUDA:
        pytest.skip("the host does not reach this memory")
    tensor = torch.from_dlpack(view.__dlpack__(dl_device=(HOST, 0), max_version=(1, 0)))
    assert (tensor.data_ptr(), tensor.device.type) == (view.ptr, "cpu")
    assert set(tensor.tolist()) == {5}


def test_cupy_takes_each(memory, cupy):
    view, _ = memory
    array = cupy.asarray(view)
    assert array.data.ptr == view.ptr
    assert set(array.get().tolist()) == {5}


def test_pinned_tensors_of_torch(torch):
    """``__dlpack_device__`` says pinned, the capsule says host; the memory is what counts."""
    tensor = torch.arange(12, dtype=torch.int32).reshape(3, 4).pin_memory()
    view = View.from_any_interface(tensor, -1)
    assert (view.ptr, view.shape, view.is_host_accessible) == (tensor.data_ptr(), (3, 4), True)
    assert np.asarray(view).tolist() == tensor.tolist()


def test_check_20_closed_memory(device):
    buffer = device.allocate(64)
    view = View.from_buffer(buffer, (64,), dtype="uint8")
    buffer.close()
    assert buffer.is_closed
    with pytest.raises(BufferError):
        view.__dlpack__()
    assert "closed" in repr(view)


def test_check_78_close_while_a_consumer_lives(device, torch):
    buffer = device.allocate(64)
    tensor = torch.from_dlpack(View.from_buffer(buffer, (64,), dtype="uint8"))
    with pytest.raises(BufferError):
        buffer.close()
    del tensor
    buffer.close()


def test_memory_of_a_device(device):
    for size in (0, 1, 64, 1 << 20):
        buffer = device.allocate(size)
        assert buffer.size == size
        if size:
            assert (buffer.device_id, buffer.is_device_accessible, buffer.is_host_accessible) == (0, True, False)
            driver.call("cuMemsetD8_v2", buffer.handle, driver.C.c_ubyte(3), size)
            assert driver.read(buffer.handle, min(size, 64)) == bytes([3]) * min(size, 64)
        buffer.close()
        buffer.close()


def test_memory_in_the_order_of_a_stream(device):
    stream = device.create_stream()
    driver.warm()
    driver.spin(stream.handle)
    buffer = device.allocate(64, stream=stream)
    driver.fill(stream.handle, buffer.handle, 4, 64)
    assert driver.is_busy(stream.handle), "the host waited"
    stream.synchronize()
    assert driver.read(buffer.handle, 64) == bytes([4]) * 64
    buffer.close(stream)


def test_memory_resource(device):
    """The device gives its memory resource, and buffers name where they came from."""
    resource = device.memory_resource
    assert resource is not None
    assert device.allocate(64).memory_resource is not None


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_memory_that_both_sides_reach(device, cupy, kind):
    """Written by the host, read by a kernel, without a copy."""
    buffer = getattr(device, f"{kind}_memory_resource").allocate(64)
    view = sv.StridedMemoryView.from_buffer(buffer, sv.StridedLayout((8, 2), None, 4), "int32")
    np.from_dlpack(view)[:] = np.arange(16).reshape(8, 2)
    assert (cupy.asarray(view) + 1).sum() == 136
    del view
    buffer.close()


def test_more_memory_than_there_is(device):
    with pytest.raises(MemoryError):
        device.allocate(1 << 46)
    assert device.allocate(64).size == 64


def test_what_a_device_says(device):
    assert device.device_id == 0
    assert device.name
    assert device == sv.Device(0)
    with pytest.raises(sv.DeviceError):
        sv.Device(99)


def test_views_do_not_leak(device, torch):
    """A hundred thousand views leave the free memory of the GPU where it was."""
    tensor = torch.zeros(1 << 10, device="cuda")
    view = View.from_any_interface(tensor, -1)
    free, total = driver.C.c_size_t(), driver.C.c_size_t()

    def in_use() -> int:
        driver.synchronize()
        driver.call("cuMemGetInfo_v2", driver.C.byref(free), driver.C.byref(total))
        return total.value - free.value

    def work() -> None:
        for _ in range(2000):
            View.from_any_interface(tensor, 1)
            torch.from_dlpack(view)
            device.create_stream().record()
            device.allocate(1 << 12).close()

    work()
    before = in_use()
    for _ in range(5):
        work()
    assert in_use() - before < 64 << 20
