"""Cases of the areas capsule, byte-offset, read-only, lifetime, stream, device-id and memory-kind."""

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import dlhelp as d
import numpy as np
import pytest
from driverless import no_driver
from strideview import StridedMemoryView, copy
from view_of import view_of

TESTS = Path(__file__).parent.parent


def deleter_calls():
    gc.collect()
    return len(d.calls)


def test_bo_01():
    a = np.arange(9, dtype="f4")
    view = view_of(d.P(a, shape=(8,), strides=(1,), byte_offset=4))
    assert view.ptr - a.ctypes.data == 4
    assert np.from_dlpack(view)[0] == 1.0


def test_bo_03():
    a = np.arange(9, dtype="f4")
    capsule = d.read(view_of(a[3:]).__dlpack__())
    assert (capsule["data"] - a.ctypes.data, capsule["byte_offset"]) == (12, 0)


def test_bo_04():
    a = np.arange(9, dtype="f4")
    producer = d.P(a, shape=(2,), strides=(-1,), byte_offset=16)
    assert np.from_dlpack(view_of(producer)).tolist() == [4.0, 3.0]


def test_bo_07():
    a, target = np.arange(12.0).reshape(3, 4), np.empty((1, 4))
    copy(dst=view_of(target), src=view_of(a[1:2]))
    assert target.tolist() == [[4.0, 5.0, 6.0, 7.0]]


def test_ro_01():
    a = np.zeros(3)
    flags = [view_of(d.P(a, strides=(1,), dtype=(2, 64, 1), flags=flags)).readonly for flags in (0, 1)]
    assert flags == [False, True]


def test_ro_03():
    a = np.arange(3.0)
    a.flags.writeable = False
    assert view_of(a).readonly is True


def test_ro_04():
    a = np.arange(3.0)
    a.flags.writeable = False
    b = np.from_dlpack(view_of(a))
    assert not b.flags.writeable
    assert view_of(b).readonly


def test_ro_06():
    source, target = np.arange(3.0), np.zeros(3)
    target.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        copy(dst=view_of(target), src=view_of(source))
    assert target.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("versioned", [True, False])
def test_cp_01(versioned):
    capsule = d.make(np.zeros(3, "f4").ctypes.data, (3,), (1,), versioned=versioned)

    class Producer:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            return capsule

    before = deleter_calls()
    first = view_of(Producer())
    with pytest.raises((ValueError, BufferError), match="consumed"):
        view_of(Producer())
    assert deleter_calls() - before == 0
    del first
    assert deleter_calls() - before == 1


def test_cp_03():
    a = np.zeros(3)
    view = view_of(a)
    owner = weakref.ref(view)
    before = sys.getrefcount(a)
    for _ in range(1000):
        view.__dlpack__()
        view.__dlpack__(max_version=(1, 0))
    gc.collect()
    assert sys.getrefcount(a) - before == 0
    del view
    assert owner() is None
    assert sys.getrefcount(a) < before


def test_cp_04():
    producer = d.P(np.arange(3, dtype="f4"), strides=(1,), versioned=False)
    view = StridedMemoryView.from_dlpack(producer, -1, readonly=False)
    assert np.from_dlpack(view).tolist() == [0.0, 1.0, 2.0]
    assert np.from_dlpack(view_of(producer)).tolist() == [0.0, 1.0, 2.0]


def test_cp_06():
    producer = d.P(np.arange(3, dtype="f4"), strides=(1,), versioned=False, max_version_ok=False)
    assert view_of(producer).shape == (3,)
    first, second = producer.log
    assert "max_version" in first
    assert "max_version" not in second


def test_cp_07():
    broken = d.P(np.zeros(3, "f4"), raises=TypeError("real problem"))
    with pytest.raises(TypeError, match="real problem"):
        view_of(broken)
    refused = d.P(np.zeros(3, "f4"), raises=BufferError("cannot export"))
    with pytest.raises(BufferError, match="cannot export"):
        view_of(refused)
    assert len(refused.log) == 1


def test_cp_09():
    view = view_of(d.P(np.zeros(3, "f4"), strides=(1,), deleter=False))
    assert view.shape == (3,)
    del view
    gc.collect()


def test_cp_10():
    view = view_of(np.arange(3.0))
    capsule = view.__dlpack__(max_version=(1, 0))
    address, versioned = d.consume(capsule)
    del capsule, view
    gc.collect()
    assert d._struct(address, versioned).t.ndim == 1
    d.finish(address, versioned)


def test_cp_12():
    a = np.zeros(3)
    view = view_of(a)
    copied = d.read(view.__dlpack__(max_version=(1, 0), copy=True))
    assert copied["flags"] & 2
    assert copied["data"] != a.ctypes.data
    same = d.read(view.__dlpack__(max_version=(1, 0), copy=False))
    assert (same["data"], same["flags"] & 2) == (a.ctypes.data, 0)
    assert d.read(view.__dlpack__(dl_device=(1, 0)))["device"] == (1, 0)
    with pytest.raises(BufferError):
        view.__dlpack__(dl_device=(2, 0))


def test_lf_01():
    before = deleter_calls()
    for _ in range(1000):
        view_of(d.P(np.zeros(3, "f4"), strides=(1,)))
    assert deleter_calls() - before == 1000
    producer = d.P(np.zeros(3, "f4"), strides=(1,))
    alive = weakref.ref(producer)
    view = view_of(producer)
    del producer
    assert alive() is not None
    del view
    assert alive() is None


AFTER_THE_INTERPRETER = """
import ctypes as C, dlhelp as d, numpy as np, strideview as sv
capsule = sv.StridedMemoryView(np.arange(3.0), -1).__dlpack__(max_version=(1, 0))
address, versioned = d.consume(capsule)
deleter = d._struct(address, versioned).deleter
at_exit = C.CDLL(None).__cxa_atexit
at_exit.argtypes = [C.c_void_p] * 3
at_exit(deleter, address, None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="__cxa_atexit is looked up in the C library of Linux")
def test_lf_03():
    subprocess.run([sys.executable, "-c", AFTER_THE_INTERPRETER], cwd=TESTS, check=True)


def test_lf_04():
    view = view_of(np.zeros(2))
    before = sys.getrefcount(view)
    for _ in range(100):
        with pytest.raises(BufferError):
            view.__dlpack__(dl_device=(2, 0))
    gc.collect()
    assert sys.getrefcount(view) - before == 0


def test_lf_06():
    producer = d.P(np.arange(6, dtype="f4"), shape=(2, 3), strides=(3, 1))
    view = view_of(producer)
    del producer
    gc.collect()
    others = [list(range(50)) for _ in range(1000)]
    assert (view.shape, view.strides) == ((2, 3), (3, 1))
    assert len(others) == 1000


def test_lf_07():
    view = view_of(np.arange(6.0))
    first = d.consume(view.__dlpack__(max_version=(1, 0)))
    second = d.consume(view.__dlpack__(max_version=(1, 0)))
    assert first[0] != second[0]
    d.finish(*first)
    d.finish(*second)


def test_st_06():
    view = view_of(np.zeros(3))
    for stream in (object(), -2, "x", 1.5, True):
        with pytest.raises((TypeError, ValueError, BufferError)):
            view.__dlpack__(stream=stream)


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_st_07(stream):
    with pytest.raises(BufferError, match="10"):
        StridedMemoryView(d.P(np.zeros(3, "f4"), strides=(1,), device=(10, 0)), stream)


def test_dv_01():
    view = view_of(np.zeros(3))
    assert view.device_id == -1
    assert view.__dlpack_device__() == (1, 0)
    assert d.read(view.__dlpack__())["device"] == (1, 0)


@no_driver
def test_mk_03():
    view = view_of(d.P(np.arange(3, dtype="f4"), strides=(1,), device=(3, 0)))
    assert view.is_host_accessible
    assert view.is_device_accessible
    assert np.from_dlpack(view).tolist() == [0.0, 1.0, 2.0]


@no_driver
def test_mk_04():
    view = view_of(d.P(np.arange(3, dtype="f4"), strides=(1,), device=(13, 0)))
    assert view.is_device_accessible


@pytest.mark.parametrize("kind", [4, 7, 8, 10, 14, 0, 99, -1])
def test_mk_06(kind):
    producer = d.P(np.zeros(3, "f4"), strides=(1,), device=(kind, 0))
    d.drop()
    before = deleter_calls()
    with pytest.raises(BufferError, match=str(kind)):
        view_of(producer)
    d.drop()
    assert deleter_calls() - before == len(producer.log)
