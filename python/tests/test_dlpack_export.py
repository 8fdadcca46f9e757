"""What ``__dlpack__`` gives: names, versions, flags, fields, and who frees the tensor."""

import enum
import gc
import subprocess
import sys
import threading
import weakref

import dlhelp as d
import numpy as np
import pytest
from arrays import DTYPES, KINDS, numbers, readonly, strides_in_elements
from refusal import refused
from strideview import Device, StridedMemoryView
from view_of import view_of

CODES = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}


def exported(source, **keywords):
    return d.read(view_of(source).__dlpack__(max_version=(1, 3), **keywords))


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({}, "dltensor"),
        ({"max_version": None}, "dltensor"),
        ({"max_version": (0, 8)}, "dltensor"),
        ({"max_version": (1, 0)}, "dltensor_versioned"),
        ({"max_version": (1, 3)}, "dltensor_versioned"),
        ({"max_version": (1, 99)}, "dltensor_versioned"),
        ({"max_version": (2, 0)}, "dltensor_versioned"),
        ({"max_version": (np.int64(1), 0)}, "dltensor_versioned"),
    ],
    ids=str,
)
def test_names_and_versions(asked, name):
    tensor = d.read(view_of(np.zeros(3)).__dlpack__(**asked))
    assert tensor["name"] == name
    assert tensor["version"] == ((1, 3) if "versioned" in name else None)


@pytest.mark.parametrize("wrong", [[1, 0], (1,), (1, 0, 0), ("1", "0"), 1, 1.0, "1.0", (1.0, 0)], ids=str)
def test_versions_that_are_none(wrong):
    with pytest.raises(TypeError):
        view_of(np.zeros(3)).__dlpack__(max_version=wrong)


@pytest.mark.parametrize("source", KINDS.values(), ids=KINDS)
def test_fields(source):
    tensor = exported(source)
    assert (tensor["ndim"], tensor["shape"]) == (source.ndim, source.shape)
    assert tensor["dtype"] == (CODES[source.dtype.kind], 8 * source.itemsize, 1)
    assert tensor["device"] == (1, 0)
    assert tensor["byte_offset"] == 0
    assert tensor["data"] == (source.ctypes.data if source.size else None)
    assert tensor["flags"] == (0 if source.flags.writeable else 1)
    assert tensor["deleter"]
    if source.ndim:
        assert tensor["strides"] is not None
    if source.size:
        pairs = zip(source.shape, tensor["strides"] or (), strides_in_elements(source), strict=True)
        assert all(extent == 1 or ours == theirs for extent, ours, theirs in pairs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_legacy_fields(dtype):
    tensor = d.read(view_of(numbers((2, 3), dtype).T).__dlpack__())
    assert (tensor["shape"], tensor["strides"], tensor["flags"]) == ((3, 2), (1, 3), None)
    assert tensor["dtype"] == (CODES[np.dtype(dtype).kind], 8 * np.dtype(dtype).itemsize, 1)


def test_padded_and_other_dtypes():
    buffer = Device("cpu").allocate(64)
    for name, code, flags in (
        ("bfloat16", (4, 16, 1), 0),
        ("float8_e5m2", (12, 8, 1), 0),
        ("float32x4", (2, 32, 4), 0),
        ("int4", (0, 4, 1), 4),
        ("float4_e2m1fn", (17, 4, 1), 4),
        ("float4_e2m1fn_x2", (17, 4, 2), 0),
    ):
        view = StridedMemoryView.from_buffer(buffer, (2, 2), dtype=name)
        tensor = d.read(view.__dlpack__(max_version=(1, 3)))
        assert (tensor["dtype"], tensor["flags"]) == (code, flags)
        back = view_of(view)
        assert (back.dtype, back.itemsize, back.ptr) == (view.dtype, view.itemsize, view.ptr)
        if flags:
            with refused("dlpack.legacy_padded", BufferError):
                view.__dlpack__()


def test_sixty_four_axes():
    source = np.zeros((1,) * 64)
    assert exported(source)["ndim"] == 64
    assert np.from_dlpack(view_of(source)).shape == source.shape


def test_read_only():
    view = view_of(readonly(np.zeros(3)))
    assert d.read(view.__dlpack__(max_version=(1, 0)))["flags"] == 1
    with refused("dlpack.legacy_read_only", BufferError):
        view.__dlpack__()


def test_copies():
    source = readonly(numbers((4, 6))[::2, ::-3])
    for copied in (exported(source, copy=True), exported(source.T, copy=True)):
        assert copied["flags"] == 2
        assert copied["data"] != source.ctypes.data
    view = view_of(source)
    array = np.from_dlpack(view, copy=True)
    assert np.array_equal(array, source)
    assert array.flags.writeable
    assert not np.shares_memory(array, source)
    assert exported(source, copy=False)["data"] == source.ctypes.data
    assert exported(source, copy=None)["data"] == source.ctypes.data
    assert d.read(view.__dlpack__(copy=True))["name"] == "dltensor"


def test_a_copy_is_a_snapshot():
    source = np.zeros(3)
    capsule = view_of(source).__dlpack__(max_version=(1, 0), copy=True)
    source[...] = 1

    class Producer:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            return capsule

    assert np.from_dlpack(Producer()).tolist() == [0, 0, 0]


class Kind(enum.IntEnum):
    CPU = 1


def test_devices():
    source = np.zeros(3)
    assert view_of(source).__dlpack_device__() == (1, 0)
    assert all(type(part) is int for part in view_of(source).__dlpack_device__())
    for own in ((1, 0), (Kind.CPU, 0), None):
        assert exported(source, dl_device=own)["data"] == source.ctypes.data
    for other in ((2, 0), (1, 1), (99, 0), (-1, 0), (13, 0)):
        for keywords in ({}, {"copy": True}, {"copy": False}):
            with pytest.raises(BufferError):
                view_of(source).__dlpack__(dl_device=other, **keywords)
    for wrong in ([1, 0], (1,), 1, "cpu", ("1", 0), (1.0, 0)):
        with pytest.raises(TypeError):
            view_of(source).__dlpack__(dl_device=wrong)


def test_streams_of_the_host():
    view = view_of(np.zeros(3))
    for fine in (None, -1):
        assert view.__dlpack__(stream=fine)
    for wrong in (0, 1, 2, -2, 1 << 40):
        with pytest.raises((ValueError, BufferError)):
            view.__dlpack__(stream=wrong)
    for wrong in (object(), "1", 1.0):
        with pytest.raises(TypeError):
            view.__dlpack__(stream=wrong)


def test_keywords():
    view = view_of(np.zeros(3))
    assert view.__dlpack__(stream=None, max_version=None, dl_device=None, copy=None)
    assert view.__dlpack__(copy=False, dl_device=(1, 0), max_version=(1, 1), stream=None)
    for call in (
        lambda: view.__dlpack__(None),
        lambda: view.__dlpack__(version=(1, 0)),
        lambda: view.__dlpack__(copy=1),
        lambda: view.__dlpack_device__(0),
    ):
        with pytest.raises(TypeError):
            call()


def test_a_dropped_capsule_gives_the_tensor_back():
    source = np.zeros(3)
    alive = weakref.ref(source)
    view = view_of(source)
    capsules = [view.__dlpack__(), view.__dlpack__(max_version=(1, 0)), view.__dlpack__(max_version=(1, 0), copy=True)]
    del view, source
    gc.collect()
    assert alive() is not None
    capsules.clear()
    assert alive() is None


@pytest.mark.parametrize("keywords", [{}, {"max_version": (1, 0)}], ids=["legacy", "versioned"])
def test_a_consumed_capsule_is_inert(keywords):
    source = np.arange(3.0)
    alive = weakref.ref(source)
    view = view_of(source)
    capsule = view.__dlpack__(**keywords)
    address, versioned = d.consume(capsule)
    del view, source, capsule
    gc.collect()
    assert alive() is not None
    assert d._struct(address, versioned).t.shape[0] == 3
    d.finish(address, versioned)
    assert alive() is None


def test_a_consumer_that_never_renames():
    """It keeps the fresh capsule as the owner, and drops it."""
    source = np.arange(3.0)
    alive = weakref.ref(source)
    capsule = view_of(source).__dlpack__(max_version=(1, 0))
    address = d.read(capsule)["data"]
    del source
    gc.collect()
    assert [(d.C.c_double * 3).from_address(address)[i] for i in range(3)] == [0, 1, 2]
    del capsule
    assert alive() is None


def test_a_capsule_that_dies_under_an_exception():
    def fail(capsule):
        assert capsule
        raise KeyError("kept")

    view = view_of(np.zeros(3))
    with pytest.raises(KeyError, match="kept") as caught:
        fail(view.__dlpack__())
    assert caught.value.__context__ is None
    with pytest.raises(ZeroDivisionError):
        [view.__dlpack__(max_version=(1, 0)), 1 / 0]


def test_deleters_called_from_other_threads():
    """The caller holds no GIL, as a C library would."""
    source = np.arange(3.0)
    alive = weakref.ref(source)
    view = view_of(source)
    tensors = [d.consume(view.__dlpack__(max_version=(1, 0))) for _ in range(1000)]
    assert len({address for address, _ in tensors}) == 1000
    del view, source
    parts = [tensors[part::8] for part in range(8)]
    threads = [threading.Thread(target=lambda part=part: [d.finish(*tensor) for tensor in part]) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert alive() is None


UNTIL_THE_END = """
import sys, strideview as sv
view = sv.StridedMemoryView(bytearray(8), -1)
kept = [view.__dlpack__(), view.__dlpack__(max_version=(1, 0))]
sys.kept = kept, memoryview(view)
"""


def test_capsules_that_live_until_the_end():
    """Capsules in a global and in a module are dropped while the interpreter shuts down."""
    subprocess.run([sys.executable, "-W", "error", "-c", UNTIL_THE_END], check=True)


def test_round_trips():
    for source in KINDS.values():
        first = np.from_dlpack(view_of(source))
        second = np.from_dlpack(view_of(view_of(first)))
        assert np.array_equal(second, source)
        assert second.dtype == source.dtype
        assert second.flags.writeable == source.flags.writeable
