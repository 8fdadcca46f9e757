"""The caller's current context is the same after every call, whatever it was."""

import threading
from concurrent.futures import ThreadPoolExecutor

import arrays_of as of
import driver
import pytest
import strideview as sv

View = sv.StridedMemoryView
SIZE = 256


def produced(address: int):
    """A producer that needs no context of its own."""
    import dlhelp

    return dlhelp.P(data=address, shape=(SIZE,), strides=(1,), dtype=(1, 8, 1), device=(2, 0), version=(1, 3))


def interface(address: int, stream: int):
    return of.Interface(shape=(SIZE,), typestr="|u1", data=(address, False), version=3, stream=stream)


def exported(address: int, stream: int) -> None:
    view = View.from_cuda_array_interface(interface(address, stream), stream)
    view.__dlpack__(stream=1, max_version=(1, 3))
    view.__dlpack__(stream=2)
    view.__dlpack_device__()
    view.__cuda_array_interface__  # noqa: B018


def released(address: int, stream: int) -> None:
    View.from_cuda_array_interface(interface(address, stream), 1).release_to_producer()


def streams(address: int, stream: int) -> None:
    made = sv.Device(0).create_stream()
    made.wait(sv.Stream.from_handle(stream))
    event = made.record()
    event.synchronize()
    made.wait(event)
    made.synchronize()


def buffers(address: int, stream: int) -> None:
    device = sv.Device(0)
    with device.allocate(1024):
        pass
    made = device.create_stream()
    device.allocate(1024, stream=made).close(made)
    sv.Buffer.from_handle(address, SIZE).close()
    del made


OPERATIONS = {
    "a device": lambda address, stream: (sv.Device(0).name, sv.Device(0).default_stream, sv.Device(0).memory_resource),
    "waiting for a device": lambda address, stream: sv.Device(0).synchronize(),
    "importing through DLPack": lambda address, stream: View.from_any_interface(produced(address), stream),
    "importing for the per-thread stream": lambda address, stream: View.from_dlpack(produced(address), 2),
    "importing through the interface": lambda address, stream: View.from_any_interface(interface(address, 1), stream),
    "exporting": exported,
    "releasing": released,
    "streams and events": streams,
    "buffers": buffers,
    "a refused import": lambda address, stream: pytest.raises(BufferError, View.from_dlpack, produced(address), None),
    "a refused allocation": lambda address, stream: pytest.raises(MemoryError, sv.Device(0).allocate, 1 << 46),
}


@pytest.fixture
def place(device):
    driver.use_primary()
    with driver.new_stream() as stream, driver.memory(SIZE) as address:
        yield address, stream


def in_new_thread(work) -> None:
    with ThreadPoolExecutor(1) as thread:
        thread.submit(work).result()


@pytest.mark.parametrize("name", OPERATIONS)
def test_check_82_without_a_current_context(place, name):
    def work():
        assert driver.current_context() == 0
        OPERATIONS[name](*place)
        assert driver.current_context() == 0

    in_new_thread(work)


@pytest.mark.parametrize("name", OPERATIONS)
def test_check_82_with_the_context_of_another(place, name):
    def work():
        with driver.another_context() as other, driver.with_context(other):
            OPERATIONS[name](*place)
            assert driver.current_context() == other

    in_new_thread(work)


@pytest.mark.parametrize("name", OPERATIONS)
def test_check_82_with_the_primary_context(place, name):
    primary = driver.use_primary()
    OPERATIONS[name](*place)
    assert driver.current_context() == primary


def test_set_current_is_the_one_that_changes_it(device):
    def work():
        assert driver.current_context() == 0
        sv.Device(0).set_current()
        assert driver.current_context() == driver.answer("cuDevicePrimaryCtxRetain", 0)

    in_new_thread(work)


def test_the_primary_context_is_shared_with_torch(torch, device):
    tensor = torch.zeros(4, device="cuda")
    assert driver.current_context() == driver.answer("cuDevicePrimaryCtxRetain", 0)
    del tensor


def test_check_48_views_die_in_threads_without_a_context(place):
    """Each thread drops views and buffers of the device that others made."""
    address, stream = place
    device = sv.Device(0)
    things = [[View.from_dlpack(produced(address), stream), device.allocate(4096), device.create_stream()] for _ in range(200)]
    errors = []

    def drop():
        try:
            while things:
                things.pop().clear()
                assert driver.current_context() == 0
        except IndexError:
            pass
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=drop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
