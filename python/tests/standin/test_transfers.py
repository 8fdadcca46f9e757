"""Views copied to and from memory of a device: who waits, what is ordered, what is kept, what is refused."""

import numpy as np
import pytest
import strideview as sv
from strideview import DeviceError, StridedMemoryView

SIZE = 4096


def there(device, **options):
    return StridedMemoryView.from_buffer(device.allocate(SIZE, **options), (64, 64), dtype="uint8")


def numbers():
    return np.arange(SIZE, dtype=np.uint32).astype(np.uint8).reshape(64, 64)


@pytest.mark.parametrize("blocking", [None, True, False])
def test_there_and_back(driver, device, blocking):
    stream, view, back = device.create_stream(), there(device), np.zeros((64, 64), np.uint8)
    driver.reset()
    assert view.copy_from(numbers(), stream=stream, blocking=blocking) is None
    view.copy_to(back, stream=stream, blocking=blocking)
    assert (driver.calls("cuStreamSynchronize") > 0) == (blocking is not False)
    assert np.array_equal(back, numbers())
    assert driver.calls("cuMemcpyAsync") == 2


def test_between_memory_of_a_device_nothing_waits(driver, device):
    one, two = there(device), there(device)
    driver.reset()
    sv.copy(one, two, stream=device.create_stream())
    assert driver.calls("cuStreamSynchronize") == 0
    sv.copy(one, two, blocking=True)
    assert driver.calls("cuStreamSynchronize") == 1


def test_streams_of_views_are_ordered(driver, device):
    ours, theirs = device.create_stream(), device.create_stream()
    pending, plain = StridedMemoryView(there(device), theirs), there(device)
    driver.reset()
    sv.copy(plain, pending, stream=ours)
    assert driver.calls("cuStreamWaitEvent") == 2, "before and after"
    driver.reset()
    sv.copy(plain, pending, stream=-1)
    sv.copy(plain, there(device), stream=ours)
    assert driver.calls("cuStreamWaitEvent") == 0


def test_new_views(driver, device):
    stream = device.create_stream()
    view = sv.to_device(numbers().T, device, stream=stream)
    assert (view.device_id, view.strides, view.is_host_accessible) == (0, (1, 64), False)
    assert view.__cuda_array_interface__["stream"] == stream.handle
    back = view.to_host(stream=stream)
    assert np.array_equal(np.asarray(back), numbers().T)
    assert sv.empty_like(view, 0, stream).is_device_accessible
    for wrong in ("gpu", -1, 1.5, None):
        with pytest.raises((ValueError, TypeError)):
            sv.to_device(view, wrong)


def test_exports_that_copy(driver, device):
    import dlhelp

    view = there(device)
    told = dlhelp.read(view.__dlpack__(copy=True, max_version=(1, 3)))
    assert (told["device"], told["flags"] & 2) == ((2, 0), 2) and told["data"] != view.ptr
    told = dlhelp.read(view.__dlpack__(dl_device=(1, 0), max_version=(1, 3)))
    assert (told["device"], told["flags"] & 2) == ((1, 0), 2)
    with pytest.raises(BufferError):
        view.__dlpack__(dl_device=(1, 0), copy=False, max_version=(1, 3))


def test_what_is_refused(driver, device):
    view = there(device)
    for arguments in ({"stream": 1.5}, {"allocator": 1}, {"blocking": "no"}, {"stream": -2}):
        with pytest.raises((TypeError, ValueError)):
            view.copy_from(numbers(), **arguments)
    view.copy_from(numbers(), allocator=device.memory_resource)
    for nth in range(1, 40):
        driver.fail(nth)
        try:
            view.copy_from(numbers())
        except DeviceError:
            pass
    driver.fail(0)
    view.copy_from(numbers())
