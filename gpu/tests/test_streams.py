"""Streams: which numbers are legal, and that work is really ordered, shown by slow kernels.

Each proof has its counterpart: without ordering the consumer sees the old values, so the kernel was
slow enough to tell. And each says that the host did not wait.
"""

import arrays_of as of
import driver
import pytest
import strideview as sv

SIZE = 1024
OLD, NEW = 1, 7
View = sv.StridedMemoryView


class Scene:
    """An array of torch, a busy stream that will change it, and a place to copy it to."""

    def __init__(self, torch, producer: int, consumer: int, seen: int):
        self.torch, self.producer, self.consumer, self.seen = torch, producer, consumer, seen
        self.tensor = torch.full((SIZE,), OLD, dtype=torch.uint8, device="cuda")
        driver.synchronize()

    def write_slowly(self, stream: int | None = None) -> None:
        stream = self.producer if stream is None else stream
        driver.spin(stream)
        driver.fill(stream, self.tensor.data_ptr(), NEW, SIZE)

    def value_seen(self, stream: int | None = None) -> int:
        """What a copy that the consumer queues now comes to see."""
        stream = self.consumer if stream is None else stream
        driver.copy(stream, self.seen, self.tensor.data_ptr(), SIZE)
        driver.synchronize(stream)
        values = set(driver.read(self.seen, SIZE))
        assert len(values) == 1
        return values.pop()


@pytest.fixture
def scene(torch):
    driver.use_primary()
    driver.warm()
    with driver.new_stream() as producer, driver.new_stream() as consumer, driver.memory(SIZE) as seen:
        yield Scene(torch, producer, consumer, seen)
        driver.synchronize()


# Numbers


@pytest.mark.parametrize("stream", [None, -1, 1, 2])
def test_check_15_legal_numbers(scene, stream):
    view = View.from_any_interface(scene.tensor, -1)
    assert "dltensor" in repr(view.__dlpack__(stream=stream, max_version=(1, 3)))


def test_check_15_a_handle(scene):
    view = View.from_any_interface(scene.tensor, -1)
    assert "dltensor" in repr(view.__dlpack__(stream=scene.consumer))


@pytest.mark.parametrize("stream", [0, -2, -(2**40)])
def test_check_15_illegal_numbers(scene, stream):
    with pytest.raises(ValueError):
        View.from_any_interface(scene.tensor, -1).__dlpack__(stream=stream)


@pytest.mark.parametrize("stream", [1.0, "1", object()])
def test_check_15_other_types(scene, stream):
    with pytest.raises(TypeError):
        View.from_any_interface(scene.tensor, -1).__dlpack__(stream=stream)


def test_check_15_import_needs_a_stream(scene):
    for road in ("from_any_interface", "from_dlpack", "from_cuda_array_interface"):
        with pytest.raises(BufferError, match="-1"):
            getattr(View, road)(scene.tensor, None)
    for wrong in (-2, 1.5, "1"):
        with pytest.raises((ValueError, TypeError)):
            View.from_dlpack(scene.tensor, wrong)


@pytest.mark.parametrize(("given", "asked"), [(-1, -1), (0, 1), (1, 1)])
def test_check_49_what_the_producer_is_asked(scene, given, asked):
    producer = of.Recorder(scene.tensor)
    View.from_dlpack(producer, given)
    assert producer.asked == [asked]


def test_check_49_a_handle_is_passed_on(scene):
    producer = of.Recorder(scene.tensor)
    View.from_dlpack(producer, scene.consumer)
    assert producer.asked == [scene.consumer]


def streams(scene, device):
    """A stream object of each library, with its handle."""
    ours = sv.Stream.from_handle(scene.consumer)
    yield ours, scene.consumer
    made = device.create_stream()
    yield made, made.handle
    theirs = scene.torch.cuda.ExternalStream(scene.consumer)
    yield theirs, scene.consumer


def test_stream_objects(scene, device):
    for stream, handle in streams(scene, device):
        producer = of.Recorder(scene.tensor)
        View.from_dlpack(producer, stream)
        assert producer.asked == [handle]


def test_stream_objects_of_cupy(scene, cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    producer = of.Recorder(scene.tensor)
    View.from_dlpack(producer, stream)
    assert producer.asked == [stream.ptr]


def test_stream_objects_of_cuda_core(scene, cuda_core):
    stream = cuda_core.Device(0).create_stream()
    producer = of.Recorder(scene.tensor)
    View.from_dlpack(producer, stream)
    assert producer.asked == [int(stream.handle)]


def test_stream_objects_of_numba(scene, numba_cuda):
    stream = numba_cuda.external_stream(scene.consumer)
    producer = of.Recorder(scene.tensor)
    View.from_dlpack(producer, stream)
    assert producer.asked == [scene.consumer]


def test_our_streams_go_to_others(scene, device, cuda_core):
    stream = device.create_stream()
    assert stream.__cuda_stream__() == (0, stream.handle)
    theirs = cuda_core.Device(0).create_stream(stream)
    assert int(theirs.handle) == stream.handle


# Import: the view's stream waits for the producer


@pytest.mark.parametrize("road", ["from_any_interface", "from_dlpack"])
@pytest.mark.parametrize("which", ["own", "legacy", "per thread"])
def test_check_16_import_waits(scene, road, which):
    consumer = {"own": scene.consumer, "legacy": 1, "per thread": 2}[which]
    with scene.torch.cuda.stream(scene.torch.cuda.ExternalStream(scene.producer)):
        scene.write_slowly()
        view = getattr(View, road)(scene.tensor, consumer)
        assert driver.is_busy(scene.producer), "the host waited"
    assert view.ptr == scene.tensor.data_ptr()
    assert scene.value_seen(consumer) == NEW


@pytest.mark.parametrize("road", ["from_any_interface", "from_dlpack"])
def test_check_16_import_without_ordering(scene, road):
    with scene.torch.cuda.stream(scene.torch.cuda.ExternalStream(scene.producer)):
        scene.write_slowly()
        getattr(View, road)(scene.tensor, -1)
        assert scene.value_seen() == OLD


def test_check_49_a_producer_that_refuses_the_per_thread_stream(scene):
    """torch does; a stream of ours stands between."""
    producer = of.Recorder(scene.tensor, refused=(2,))
    with scene.torch.cuda.stream(scene.torch.cuda.ExternalStream(scene.producer)):
        scene.write_slowly()
        View.from_dlpack(producer, 2)
    assert scene.value_seen(2) == NEW


# Export: the consumer's stream waits for the view's


@pytest.mark.parametrize("which", ["own", "legacy", "per thread", "none given"])
def test_check_16_export_waits(scene, which):
    consumer = {"own": scene.consumer, "legacy": 1, "per thread": 2, "none given": None}[which]
    view = View.from_any_interface(scene.tensor, scene.producer)
    scene.write_slowly()
    capsule = view.__dlpack__(stream=consumer, max_version=(1, 3))
    assert driver.is_busy(scene.producer), "the host waited"
    assert scene.value_seen(consumer or 1) == NEW
    del capsule


def test_check_16_export_without_ordering(scene):
    view = View.from_any_interface(scene.tensor, scene.producer)
    scene.write_slowly()
    capsule = view.__dlpack__(stream=-1, max_version=(1, 3))
    assert scene.value_seen() == OLD
    del capsule


def test_check_16_a_part_of_a_view_waits_too(scene):
    view = View.from_any_interface(scene.tensor, scene.producer)[8:].reshape((2, -1))
    scene.write_slowly()
    capsule = view.__dlpack__(stream=scene.consumer, max_version=(1, 3))
    assert scene.value_seen() == NEW
    del capsule


def test_check_16_torch_reads_what_was_written(scene):
    """torch's own current stream, as users have it."""
    torch = scene.torch
    view = View.from_any_interface(scene.tensor, scene.producer)
    stream = torch.cuda.Stream()
    scene.write_slowly()
    with torch.cuda.stream(stream):
        copied = torch.from_dlpack(view).clone()
    stream.synchronize()
    assert set(copied.tolist()) == {NEW}


def test_check_17_the_same_stream(scene):
    view = View.from_any_interface(scene.tensor, scene.producer)
    scene.write_slowly()
    capsule = view.__dlpack__(stream=scene.producer, max_version=(1, 3))
    assert scene.value_seen(scene.producer) == NEW
    del capsule


def test_export_to_the_host_waits_for_all(scene):
    """With a device of the host asked for, the values are there on return."""
    import numpy as np

    with driver.pinned(SIZE) as address:
        buffer = sv.Buffer.from_handle(address, SIZE, owner=scene)
        pinned = View.from_buffer(buffer, (SIZE,), dtype="uint8")
        view = View.from_dlpack(of.Recorder(pinned), scene.producer)
        driver.fill(scene.producer, address, OLD, SIZE)
        driver.spin(scene.producer)
        driver.fill(scene.producer, address, NEW, SIZE)
        shown = np.from_dlpack(view)
        assert set(shown.tolist()) == {NEW}
        del shown, view, pinned
        buffer.close()


def shared_view(address: int, owner, stream: int):
    """A view of memory that both sides reach, used on a stream."""
    view = View.from_buffer(sv.Buffer.from_handle(address, SIZE, owner=owner), (SIZE,), dtype="uint8")
    return View.from_dlpack(of.Recorder(view), stream)


def read_on_the_host(view, road: str) -> set[int]:
    """The values that a consumer sees who reads at once."""
    import ctypes
    import pickle

    import numpy as np

    if road == "memoryview":
        return set(memoryview(view).tobytes())
    if road == "numpy":
        return set(np.asarray(view).tolist())
    if road == "interface":
        address, _ = view.__array_interface__["data"]
        return set(ctypes.string_at(address, SIZE))
    if road == "host tensor":
        return set(np.from_dlpack(view, device="cpu").tolist())
    return set(memoryview(pickle.loads(pickle.dumps(view))).tobytes())


HOST_ROADS = ["memoryview", "numpy", "interface", "host tensor", "pickle"]


@pytest.mark.parametrize("road", HOST_ROADS)
@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_the_host_waits_before_it_reads(scene, kind, road):
    with getattr(driver, kind)(SIZE) as address:
        driver.fill(scene.producer, address, OLD, SIZE)
        driver.synchronize()
        unordered = shared_view(address, scene, -1)
        driver.spin(scene.producer)
        driver.fill(scene.producer, address, NEW, SIZE)
        assert read_on_the_host(unordered, road) == {OLD}, "the kernel was not slow enough to tell"
        assert driver.is_busy(scene.producer)
        assert read_on_the_host(shared_view(address, scene, scene.producer), road) == {NEW}


def test_others_run_while_the_host_waits(scene):
    import threading
    import time

    with driver.pinned(SIZE) as address:
        view = shared_view(address, scene, scene.producer)
        steps, done = [], threading.Event()

        def count() -> None:
            while not done.is_set():
                steps.append(time.perf_counter())
                time.sleep(0.001)

        other = threading.Thread(target=count)
        other.start()
        try:
            driver.spin(scene.producer)
            start = time.perf_counter()
            memoryview(view).release()
            end = time.perf_counter()
        finally:
            done.set()
            other.join()
        assert end - start > driver.SLOW / 2, "the host did not wait"
        assert sum(start < step < end for step in steps) > 3


@pytest.mark.parametrize("which", ["own", "legacy", "per thread"])
def test_check_60_the_table_and_the_current_stream(scene, which, monkeypatch):
    """Through torch's table: its current stream is the one to wait for, without its Python method."""
    if not hasattr(scene.torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip(f"torch {scene.torch.__version__} has no table")
    monkeypatch.delattr(scene.torch.Tensor, "__dlpack__")
    consumer = {"own": scene.consumer, "legacy": 1, "per thread": 2}[which]
    with scene.torch.cuda.stream(scene.torch.cuda.ExternalStream(scene.producer)):
        scene.write_slowly()
        view = View.from_any_interface(scene.tensor, consumer)
        assert driver.is_busy(scene.producer), "the host waited"
    assert view.ptr == scene.tensor.data_ptr()
    assert scene.value_seen(consumer) == NEW


# Capture


class Capture:
    """A capture of a stream into a graph, in the strictest mode."""

    def __init__(self, stream: int):
        self.stream = stream

    def __enter__(self):
        driver.call("cuStreamBeginCapture_v2", self.stream, 0)
        return self

    def __exit__(self, *exception):
        self.graph = driver.C.c_uint64()
        self.status = driver.status("cuStreamEndCapture", self.stream, driver.C.byref(self.graph))

    def replay(self) -> None:
        executable = driver.answer("cuGraphInstantiateWithFlags", self.graph, 0)
        driver.call("cuGraphLaunch", executable, self.stream)
        driver.synchronize(self.stream)
        driver.call("cuGraphExecDestroy", executable)
        driver.call("cuGraphDestroy", self.graph)


def test_check_18_capture_goes_on(scene, cupy):
    array = cupy.zeros(SIZE, dtype="uint8")
    ready = View.from_any_interface(scene.tensor, -1)
    with Capture(scene.consumer) as capture:
        view = View.from_any_interface(scene.tensor, -1)
        View.from_any_interface(array, -1)
        View.from_cuda_array_interface(array, -1)
        capsule = ready.__dlpack__(stream=-1, max_version=(1, 3))
        driver.fill(scene.consumer, view.ptr, NEW, SIZE)
    assert capture.status == driver.SUCCESS
    assert set(driver.read(scene.tensor.data_ptr(), SIZE)) == {OLD}
    capture.replay()
    assert set(driver.read(scene.tensor.data_ptr(), SIZE)) == {NEW}
    del capsule


def test_check_18_the_capturing_stream_itself(scene):
    """A view on the capturing stream, exported to it, needs no event."""
    view = View.from_any_interface(scene.tensor, scene.consumer)
    with Capture(scene.consumer) as capture:
        capsule = view.__dlpack__(stream=scene.consumer, max_version=(1, 3))
        driver.fill(scene.consumer, view.ptr, NEW, SIZE)
    assert capture.status == driver.SUCCESS
    capture.replay()
    assert set(driver.read(scene.tensor.data_ptr(), SIZE)) == {NEW}
    del capsule


def test_check_18_torch_graphs(torch):
    """The same through torch.cuda.graph, whose pool and streams are its own."""
    source = torch.full((SIZE,), float(OLD), device="cuda")
    target = torch.zeros(SIZE, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        view = View.from_any_interface(source, -1)
        target.copy_(torch.as_tensor(source))
    assert view.ptr == source.data_ptr()
    source.fill_(NEW)
    graph.replay()
    torch.cuda.synchronize()
    assert set(target.tolist()) == {float(NEW)}


# The CUDA Array Interface orders in both directions


def busy_array(scene):
    entries = {"shape": (SIZE,), "typestr": "|u1", "data": (scene.tensor.data_ptr(), False), "version": 3}
    return of.Interface(scene.tensor, **entries, stream=scene.producer)


@pytest.mark.parametrize("road", ["from_any_interface", "from_cuda_array_interface"])
def test_check_71_import_waits(scene, road):
    scene.write_slowly()
    view = getattr(View, road)(busy_array(scene), scene.consumer)
    assert driver.is_busy(scene.producer), "the host waited"
    assert scene.value_seen() == NEW
    del view


def test_check_71_release_waits(scene):
    """After the release, the producer's stream sees what the view's stream wrote."""
    view = View.from_cuda_array_interface(busy_array(scene), scene.consumer)
    scene.write_slowly(scene.consumer)
    view.release_to_producer()
    assert driver.is_busy(scene.consumer), "the host waited"
    assert scene.value_seen(scene.producer) == NEW


def test_check_71_without_release_nothing_waits(scene):
    view = View.from_cuda_array_interface(busy_array(scene), scene.consumer)
    scene.write_slowly(scene.consumer)
    assert scene.value_seen(scene.producer) == OLD
    del view


def test_check_71_export(scene, cupy):
    """The interface names the view's stream, and CuPy waits for it; torch would not."""
    view = View.from_any_interface(scene.tensor, scene.producer)
    scene.write_slowly()
    assert view.__cuda_array_interface__["stream"] == scene.producer
    with cupy.cuda.Stream(non_blocking=True):
        assert set(cupy.asarray(view).get().tolist()) == {NEW}


# Streams and events of this package


def test_streams_and_events(scene, device):
    earlier, later = device.create_stream(), device.create_stream()
    scene.write_slowly(earlier.handle)
    event = earlier.record()
    later.wait(event)
    assert scene.value_seen(later.handle) == NEW
    scene.tensor.fill_(OLD)
    driver.synchronize()
    scene.write_slowly(earlier.handle)
    later.wait(earlier)
    assert driver.is_busy(earlier.handle), "the host waited"
    assert scene.value_seen(later.handle) == NEW
    event.synchronize()
    assert event.is_done
    assert device.default_stream.handle in (0, 1, 2)


def test_synchronizing(scene, device):
    stream = device.create_stream()
    for wait in (stream.synchronize, device.synchronize, lambda: stream.record().synchronize()):
        driver.spin(stream.handle)
        assert driver.is_busy(stream.handle)
        wait()
        assert not driver.is_busy(stream.handle)


def test_a_stream_dies_only_after_its_work(scene, device):
    stream = device.create_stream()
    scene.write_slowly(stream.handle)
    del stream
    driver.synchronize()
    assert scene.value_seen() == NEW
