"""Tensors of others: every field that may be odd, how the producer is called, and who frees the tensor."""

import gc
import threading
import weakref

import dlhelp as d
import numpy as np
import pytest
from driverless import no_driver
from refusal import refused
from strideview import StridedMemoryView
from view_of import view_of


@pytest.fixture(autouse=True)
def no_capsules_left():
    """Each producer of a test has had its deleter called exactly once at the end."""
    d.drop()
    gc.collect()
    before = set(d._keep)
    yield
    d.drop()
    gc.collect()
    assert set(d._keep) <= before


def tensor(count=8, **fields):
    """A producer of the numbers from 0 as float32, with these fields instead of the right ones."""
    return d.P(np.arange(count, dtype="f4"), **fields)


def values(producer, **keywords):
    return np.from_dlpack(StridedMemoryView.from_dlpack(producer, -1, **keywords)).tolist()


@pytest.mark.parametrize("versioned", [True, False])
def test_strides(versioned):
    for shape, strides, wanted in (
        ((2, 3), None, [[0, 1, 2], [3, 4, 5]]),
        ((2, 3), (3, 1), [[0, 1, 2], [3, 4, 5]]),
        ((2, 3), (1, 2), [[0, 2, 4], [1, 3, 5]]),
        ((2, 2), (4, 2), [[0, 2], [4, 6]]),
        ((2, 3), (0, 1), [[0, 1, 2], [0, 1, 2]]),
        ((), None, 0),
        ((), (), 0),
        ((1, 3), (99, 2), [[0, 2, 4]]),
    ):
        assert values(tensor(shape=shape, strides=strides, versioned=versioned)) == wanted
    assert values(tensor(shape=(3,), strides=(-2,), byte_offset=20, versioned=versioned)) == [5, 3, 1]


def test_versions():
    assert values(tensor(3, version=(1, 0))) == [0, 1, 2]
    assert values(tensor(3, version=(1, 99))) == [0, 1, 2]
    for major in (0, 2, 7):
        with refused("dlpack.major_version", BufferError):
            view_of(tensor(3, version=(major, 0)))


def test_flags():
    assert not view_of(tensor(3, flags=2)).readonly
    assert view_of(tensor(3, flags=1 | 2)).readonly
    assert view_of(tensor(3, flags=1 << 20, version=(1, 3))).shape == (3,)
    with refused("dlpack.unknown_flags", BufferError):
        view_of(tensor(3, flags=1 << 20, version=(1, 4)))


def test_read_only():
    for versioned, flags, asked, wanted in (
        (True, 0, None, False),
        (True, 1, None, True),
        (True, 0, True, True),
        (True, 1, False, True),
        (False, 0, None, True),
        (False, 0, False, False),
        (False, 0, True, True),
    ):
        producer = tensor(3, versioned=versioned, flags=flags)
        view = StridedMemoryView.from_dlpack(producer, -1, readonly=asked)
        assert view.readonly is wanted
    assert view_of(tensor(3, versioned=False)).readonly


@pytest.mark.parametrize(
    ("code", "dtype"),
    [
        ("dlpack.unknown_dtype", (200, 8, 1)),
        ("dlpack.unknown_dtype", (18, 4, 1)),
        ("dlpack.unsupported_bits", (2, 24, 1)),
        ("dlpack.unsupported_bits", (2, 0, 1)),
        ("dlpack.unsupported_bits", (0, 7, 1)),
        ("dlpack.unsupported_bits", (6, 1, 1)),
        ("dlpack.unsupported_bits", (4, 32, 1)),
        ("dlpack.unsupported_bits", (12, 16, 1)),
        ("dlpack.unsupported_bits", (15, 8, 1)),
        ("dlpack.unsupported_bits", (17, 8, 1)),
        ("dlpack.zero_lanes", (2, 32, 0)),
        ("dlpack.packed_subbyte", (17, 4, 1)),
        ("dlpack.packed_subbyte", (0, 4, 1)),
    ],
)
def test_dtypes_that_are_refused(code, dtype):
    with refused(code, BufferError):
        view_of(tensor(64, shape=(4,), dtype=dtype))


def test_vectors():
    view = view_of(tensor(12, shape=(3,), strides=(1,), dtype=(2, 32, 4)))
    assert (view.itemsize, view.nbytes) == (16, 48)
    assert view.view(dtype="float32").shape == (12,)


def test_shapes_that_are_refused():
    for fields in (
        {"shape": (-1,)},
        {"shape": (-2, -3)},
        {"shape": (2,), "ndim": -1},
        {"shape": (1,) * 65},
        {"shape": (2**40, 2**40)},
        {"shape": (2**62,), "strides": (4,)},
        {"shape": (2**32, 2**32), "strides": (0, 0)},
        {"shape": (2,), "strides": (2**62,)},
        {"shape": (2,), "strides": (-(2**63),)},
    ):
        with pytest.raises(BufferError):
            view_of(tensor(4, **fields))


def test_empty_tensors_are_never_read():
    for data in (None, 1, 12345, 2**63):
        for shape in ((0,), (3, 0), (0, 2**40, 2**40)):
            view = view_of(d.P(data=data, shape=shape))
            assert (view.shape, view.size, view.nbytes) == (shape, 0, 0)
            assert d.read(view.__dlpack__())["shape"] == shape
    with refused("interop.null_address", BufferError):
        view_of(d.P(data=None, shape=(3,)))


def test_devices():
    for device in ((1, 0), (1, 7), (3, 0), (3, 1)):
        assert view_of(tensor(3, device=device)).is_host_accessible
    for kind in (0, 4, 5, 7, 9, 10, 14, 18, 99, -1):
        with pytest.raises(BufferError):
            view_of(tensor(3, device=(kind, 0)))
    with refused("dlpack.negative_device_id", BufferError):
        view_of(tensor(3, device=(3, -1)))


@no_driver
def test_memory_of_other_kinds():
    for kind in (3, 13):
        view = view_of(tensor(3, device=(kind, 0)))
        assert view.__dlpack_device__() == (kind, 0)
        assert (view.is_host_accessible, view.is_device_accessible, view.device_id) == (True, True, 0)
        assert np.from_dlpack(view).tolist() == [0, 1, 2]


class Liar(d.P):
    def __dlpack_device__(self):
        return (1, 0)


@no_driver
def test_the_capsule_knows_the_device():
    view = view_of(Liar(np.zeros(3, "f4"), device=(3, 2)))
    assert view.__dlpack_device__()[0] == 3


class Old:
    """A producer of before the versions."""

    def __init__(self, array):
        self.array, self.calls = array, []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, stream=None):
        self.calls.append(stream)
        return self.array.__dlpack__()


class Older(Old):
    def __dlpack__(self):
        self.calls.append("none")
        return self.array.__dlpack__()


def test_old_producers():
    for kind in (Old, Older):
        producer = kind(np.arange(3.0))
        view = StridedMemoryView.from_dlpack(producer, -1, readonly=False)
        assert np.from_dlpack(view).tolist() == [0, 1, 2]
        assert len(producer.calls) == 1


def test_what_a_producer_is_asked():
    producer = tensor(3)
    assert view_of(producer).shape == (3,)
    assert producer.log == [{"max_version": (1, 3)}]


@pytest.mark.parametrize(
    "error",
    [BufferError("no"), RuntimeError("no"), ValueError("no"), KeyError("no"), TypeError("no"), MemoryError("no")],
    ids=repr,
)
def test_errors_of_a_producer_come_out_as_they_are(error):
    producer = tensor(3, raises=error)
    with pytest.raises(type(error)) as caught:
        view_of(producer)
    assert caught.value is error
    assert len(producer.log) == 1 or isinstance(error, TypeError)


class Odd:
    """Anything may come out of the two methods."""

    def __init__(self, capsule=None, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


def test_what_is_no_capsule():
    for wrong in (None, 1, object(), np.zeros(3)):
        with pytest.raises(BufferError):
            view_of(Odd(wrong))
    for wrong in (None, 1, (1,), ("cpu", 0), (2**40, 0), (1, 0, 0)):
        with pytest.raises((BufferError, TypeError, ValueError, OverflowError)):
            view_of(Odd(np.zeros(3).__dlpack__(), device=wrong))
    with pytest.raises((AttributeError, TypeError, BufferError)):
        StridedMemoryView.from_dlpack(b"bytes", -1)


def test_a_capsule_is_used_once():
    for versioned in (True, False):
        source = np.zeros(3, "f4")
        producer = Odd(d.make(source.ctypes.data, (3,), (1,), keep=source, versioned=versioned))
        view = view_of(producer)
        with pytest.raises(BufferError):
            view_of(producer)
        assert view.shape == (3,)


@pytest.mark.parametrize(
    "fields", [{"shape": (-1,)}, {"dtype": (200, 8, 1)}, {"version": (2, 0)}, {"device": (99, 0)}], ids=str
)
def test_a_refused_capsule_is_left_as_it_was(fields):
    source = np.zeros(3, "f4")
    capsule = d.make(source.ctypes.data, fields.pop("shape", (3,)), **fields)
    before = d.read(capsule)
    calls = len(d.calls)
    with pytest.raises(BufferError):
        view_of(Odd(capsule))
    assert d.read(capsule) == before
    assert len(d.calls) == calls


def test_a_refused_capsule_frees_its_tensor_when_it_dies():
    """The strict form: the capsule dies as soon as it is let go of, with the error on its way."""
    before = len(d.calls)
    with pytest.raises(BufferError):
        view_of(tensor(3, version=(2, 0), hold=False))
    gc.collect()
    assert len(d.calls) == before + 1


def test_the_deleter_is_called_once():
    for make in (lambda: tensor(3), lambda: tensor(3, versioned=False)):
        before = len(d.calls)
        view = view_of(make())
        parts = (
            [view[1:], view.T, view.bytes_view(), np.from_dlpack(StridedMemoryView.from_dlpack(view, -1))]
            if not view.readonly
            else [view[1:]]
        )
        del view
        gc.collect()
        assert len(d.calls) == before
        parts.clear()
        gc.collect()
        assert len(d.calls) == before + 1


def test_views_dropped_by_other_threads():
    before = len(d.calls)
    views = [view_of(tensor(3)) for _ in range(400)]

    def drop():
        while True:
            try:
                views.pop()
            except IndexError:
                return

    threads = [threading.Thread(target=drop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert len(d.calls) == before + 400


def test_a_producer_in_a_cycle_with_its_view():
    """The collector cannot see through a view; the cycle is broken by hand, and then everything goes."""
    producer = tensor(3)
    alive = weakref.ref(producer)
    producer.view = view_of(producer)
    del producer.view
    del producer
    gc.collect()
    assert alive() is None
