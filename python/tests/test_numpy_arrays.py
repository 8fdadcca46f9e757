"""NumPy arrays, which are read in place: what comes of them is what their own DLPack says."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
from strideview import StridedMemoryView


class OnlyDLPack:
    """An array that is not read in place."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


BASE = np.arange(120, dtype="i4").reshape(4, 5, 6)
FROZEN = BASE.copy()
FROZEN.flags.writeable = False
ARRAYS = {
    "C": BASE,
    "F": np.asfortranarray(BASE),
    "0-d": np.array(7.5),
    "empty": np.zeros((3, 0, 2)),
    "one": np.zeros((1, 1)),
    "steps": BASE[::2, 1::3, ::-2],
    "reversed": BASE[::-1, ::-1, ::-1],
    "broadcast": np.broadcast_to(np.arange(3.0), (4, 3)),
    "broadcast, written with a warning": np.broadcast_arrays(np.zeros(3), np.zeros((2, 3)))[0],
    "read-only": FROZEN,
    "windows": np.lib.stride_tricks.sliding_window_view(np.arange(9), 4),
    "misaligned": np.frombuffer(bytes(41), "u1")[1:].view("f8"),
    "64 axes": np.zeros((1,) * 64),
    "axes that are not there": np.lib.stride_tricks.as_strided(np.zeros(1), (1, 1), (8 * 5, 8 * 7)),
}
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "p", "q", "l"]


def facts(view):
    return view.ptr, view.shape, view.strides, view.dtype, view.readonly, view.device_id, view.is_host_accessible


def assert_same(array):
    view, wanted = StridedMemoryView.from_dlpack(array, -1), StridedMemoryView.from_dlpack(OnlyDLPack(array), -1)
    assert facts(view) == facts(wanted)
    for other in (StridedMemoryView(array, -1), StridedMemoryView.from_any_interface(array, None)):
        assert facts(other) == facts(wanted)
    assert view.exporting_obj is array
    assert StridedMemoryView.from_dlpack(array, -1, readonly=True).readonly


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name):
    assert_same(ARRAYS[name])


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    assert_same(np.ones((2, 3), dtype).T)


def test_more_dtypes_than_are_remembered():
    """Dtypes of the same meaning may be objects of their own."""
    for number in range(40):
        array = np.ones(3, np.dtype("f4", metadata={"number": number}))
        assert facts(StridedMemoryView(array, -1)) == facts(StridedMemoryView(OnlyDLPack(array), -1))


@pytest.mark.parametrize("dtype", [">f4", "O", "S3", "U2", "M8[s]", "m8[s]", "V4", "i4,f4", "g", "G"])
def test_what_has_no_dlpack_is_refused_by_numpy(dtype):
    array = np.zeros(3, dtype)
    with pytest.raises((BufferError, TypeError, ValueError)) as wanted:
        array.__dlpack__(max_version=(1, 3))
    with pytest.raises(type(wanted.value)) as caught:
        StridedMemoryView.from_dlpack(array, -1)
    assert str(caught.value) == str(wanted.value)


def test_an_array_lives_as_long_as_its_views():
    array = np.zeros(1000)
    alive, count = weakref.ref(array), sys.getrefcount(array)
    view = StridedMemoryView(array, -1)
    with pytest.raises(ValueError, match="resize"):
        array.resize(2000)
    part = view[10:]
    del view, array
    gc.collect()
    assert alive() is not None and part.size == 990
    del part
    assert alive() is None
    array = np.zeros(10)
    for _ in range(100):
        StridedMemoryView(array, -1)
    assert sys.getrefcount(array) == count


def test_subclasses_speak_for_themselves():
    class Shifted(np.ndarray):
        def __dlpack__(self, **keywords):
            return self.view(np.ndarray)[1:].__dlpack__(**keywords)

    array = np.arange(4).view(Shifted)
    assert StridedMemoryView.from_dlpack(array, -1).shape == (3,)
    record = np.zeros(3).view(np.recarray)
    assert StridedMemoryView(record, -1).shape == (3,)


OTHER_FIELDS = """
import numpy, types
from strideview import StridedMemoryView

class Lying:
    def __getattr__(self, name):
        return getattr(numpy, name)
    def arange(self, *_, **__):
        # What NumPy says of this array is not what is in the fields.
        return types.SimpleNamespace(reshape=lambda *_: {(slice(None), slice(None, None, -2)): Probe()})

class Probe:
    __array_interface__ = {"data": (4096, False)}
    dtype = None

import sys
sys.modules["numpy"] = Lying()
array = numpy.arange(6).reshape(2, 3)
view = StridedMemoryView(array, -1)
sys.modules["numpy"] = numpy
assert (view.ptr, view.shape) == (array.ctypes.data, (2, 3))
assert StridedMemoryView(array.T, -1).strides == (1, 3)
"""


def test_other_fields_are_not_read():
    """Where the fields are not what NumPy says, the protocols are asked."""
    subprocess.run([sys.executable, "-c", OTHER_FIELDS], check=True)
