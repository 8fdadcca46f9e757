"""The CUDA Array Interface, as far as no GPU is needed."""

import gc
import subprocess
import sys
import weakref
from types import SimpleNamespace

import dlhelp
import numpy as np
import pytest
from driverless import no_driver
from refusal import refused
from strideview import StridedMemoryView
from view_of import view_of

NATIVE = "<" if sys.byteorder == "little" else ">"
SWAPPED = ">" if sys.byteorder == "little" else "<"
from_cuda_array_interface = StridedMemoryView.from_cuda_array_interface


ADDRESS = 0x7F00_0000_0000


class Says:
    """An object whose interface says whatever it is told to."""

    def __init__(self, **entries):
        self.__cuda_array_interface__ = entries


def says(**changes):
    entries = {"version": 3, "shape": (2, 3), "typestr": NATIVE + "f4", "data": (ADDRESS, False)} | changes
    return Says(**{name: value for name, value in entries.items() if value is not ...})


@no_driver
def test_import():
    owner = says(data=(ADDRESS, True))
    view = from_cuda_array_interface(owner, -1)
    assert (view.ptr, view.shape, view.strides, str(view.dtype)) == (ADDRESS, (2, 3), (3, 1), "float32")
    assert (view.is_device_accessible, view.is_host_accessible, view.device_id, view.readonly) == (True, False, 0, True)
    assert view.exporting_obj is owner


@no_driver
@pytest.mark.parametrize("strides", [..., None, (12, 4), (24, -4), (0, 4), (4, 8)])
def test_strides(strides):
    view = from_cuda_array_interface(says(strides=strides), -1)
    assert view.strides == ((3, 1) if strides in (..., None) else tuple(s // 4 for s in strides))


def test_strides_refused():
    with refused("layout.stride_count", ValueError):
        from_cuda_array_interface(says(strides=(4,)), -1)
    with pytest.raises(ValueError, match="multiple"):
        from_cuda_array_interface(says(shape=(2,), typestr=NATIVE + "f8", strides=(12,)), -1)


def test_no_bytes_ask_nobody():
    for address in (0, ADDRESS):
        view = from_cuda_array_interface(says(shape=(0,), typestr=NATIVE + "i8", data=(address, False), strides=None), -1)
        assert (view.ptr, view.shape, view.size, view.is_device_accessible) == (address, (0,), 0, True)
        assert view.__cuda_array_interface__["data"] == (0, False)
    with pytest.raises(TypeError):
        from_cuda_array_interface(says(shape=(0,), data=(None, False)), -1)
    with refused("interop.null_address", BufferError):
        from_cuda_array_interface(says(data=(0, False)), -1)


@no_driver
def test_versions():
    for version in (2, 3, 4, 17):
        assert from_cuda_array_interface(says(version=version), -1).size == 6


def test_versions_refused():
    for version in (0, 1, -3):
        with refused("interface.version", BufferError) as caught:
            from_cuda_array_interface(says(version=version), -1)
        assert str(version) in str(caught.value)
    with refused("interface.missing_key", BufferError):
        from_cuda_array_interface(says(version=...), -1)


@pytest.mark.parametrize("key", ["version", "shape", "typestr", "data"])
def test_a_missing_entry(key):
    with refused("interface.missing_key", BufferError, ValueError):
        from_cuda_array_interface(says(**{key: ...}), -1)


def test_masks():
    with refused("interface.mask", BufferError):
        from_cuda_array_interface(says(mask=says()), -1)


@no_driver
def test_no_mask():
    assert from_cuda_array_interface(says(mask=None), -1).size == 6


@pytest.mark.parametrize("typestr", [SWAPPED + "f4", NATIVE + "f16", "|O8", NATIVE + "f3", "", "|V2", "|V1", NATIVE + "M8[s]"])
def test_typestrs_refused(typestr):
    with refused("interface.typestr", BufferError):
        from_cuda_array_interface(says(typestr=typestr), -1)
    for wrong in (None, b"<f4", 4):
        with pytest.raises(TypeError):
            from_cuda_array_interface(says(typestr=wrong), -1)


@no_driver
@pytest.mark.parametrize(("typestr", "name"), [("|b1", "bool"), (NATIVE + "V2", "bfloat16"), (NATIVE + "c16", "complex128")])
def test_typestrs(typestr, name):
    view = from_cuda_array_interface(says(typestr=typestr), -1)
    assert str(view.dtype) == name
    assert view.__cuda_array_interface__["typestr"] == typestr


def test_no_stream_named():
    with pytest.raises(BufferError, match="-1"):
        from_cuda_array_interface(says(), None)
    with pytest.raises(BufferError, match="-1"):
        StridedMemoryView(says(), None)
    with pytest.raises(TypeError):
        from_cuda_array_interface(says(), object())
    with pytest.raises(ValueError, match="stream"):
        from_cuda_array_interface(says(), -2)


@pytest.mark.parametrize("stream", [0, -1, -7])
@pytest.mark.parametrize("ours", [-1, 1])
def test_a_stream_that_the_protocol_forbids(stream, ours):
    with refused("interface.stream", BufferError):
        from_cuda_array_interface(says(stream=stream), ours)


@no_driver
@pytest.mark.parametrize(("theirs", "ours"), [(None, 0), (..., 1), (None, 0x1234), (1, 1), (1, 0), (2, 2), (0x1234, 0x1234), (1, -1), (0x1234, -1)])
def test_streams_that_need_no_ordering(theirs, ours):
    view = from_cuda_array_interface(says(stream=theirs), ours)
    assert view.__cuda_array_interface__["stream"] == {-1: None, 0: 1}.get(ours, ours)


@no_driver
@pytest.mark.parametrize(("theirs", "ours"), [(1, 2), (2, 0), (0x1234, 1)])
def test_streams_that_need_a_driver(theirs, ours):
    with pytest.raises((BufferError, RuntimeError)):
        from_cuda_array_interface(says(stream=theirs), ours)


@pytest.mark.parametrize("data", [None, 7, bytearray(24), (ADDRESS,), (ADDRESS, False, 1)])
def test_data_that_is_no_pair(data):
    with pytest.raises(TypeError):
        from_cuda_array_interface(says(data=data), -1)


def test_an_interface_that_raises():
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("requires grad")

    for make in (from_cuda_array_interface, StridedMemoryView):
        with pytest.raises(RuntimeError, match="requires grad"):
            make(Broken(), -1)
    with pytest.raises(AttributeError):
        from_cuda_array_interface(object(), -1)


@no_driver
def test_the_object_is_kept():
    owner = says()
    alive = weakref.ref(owner)
    part = from_cuda_array_interface(owner, -1)[1:]
    del owner
    gc.collect()
    assert alive() is part.exporting_obj
    del part
    gc.collect()
    assert alive() is None


@no_driver
def test_any_interface_reads_it_once():
    class Counts:
        reads = 0

        @property
        def __cuda_array_interface__(self):
            self.reads += 1
            return says().__cuda_array_interface__

    counts = Counts()
    assert view_of(counts).ptr == ADDRESS
    assert counts.reads == 1


class Both(Says):
    """DLPack and the interface, with different shapes."""

    def __dlpack__(self, **_):
        return dlhelp.make(ADDRESS, (7,), (1,), device=(2, 0))

    def __dlpack_device__(self):
        return (2, 0)


@no_driver
def test_arrays_of_cupy_come_through_the_interface():
    entries = says().__cuda_array_interface__
    assert view_of(Both(**entries)).shape == (7,)
    for module in ("cupy", "cupy._core.core"):
        cupy = type("ndarray", (Both,), {"__module__": module})
        assert view_of(cupy(**entries)).shape == (2, 3)
    other = type("ndarray", (Both,), {"__module__": "cupyish"})
    assert view_of(other(**entries)).shape == (7,)


class LikeCupy:
    """An array with both protocols, which notes the use of each."""

    shape, dtype = (2, 3), np.dtype("float32")

    def __init__(self, strides):
        self.strides, self.used = strides, []

    @property
    def data(self):
        self.used.append("data")
        return SimpleNamespace(ptr=ADDRESS, device_id=0)

    @property
    def __cuda_array_interface__(self):
        self.used.append("interface")
        return says(strides=self.strides).__cuda_array_interface__

    def __dlpack__(self, **_):
        raise AssertionError("DLPack of CuPy is wrong about negative strides")


LikeCupy.__module__ = "cupy._core.core"


@no_driver
@pytest.mark.parametrize("strides", [(12, 4), (24, 8), (12, -4), (-12, 4), (0, 4)])
def test_arrays_like_those_of_cupy_come_through_the_interface(strides):
    array = LikeCupy(strides)
    view = view_of(array)
    assert (view.ptr, view.shape, view.strides) == (ADDRESS, (2, 3), tuple(s // 4 for s in strides))
    assert view.exporting_obj is array
    assert array.used == ["interface"]


@no_driver
def test_arrays_of_cupy_come_through_the_interface_where_an_order_is_asked_for():
    array = LikeCupy((12, 4))
    assert StridedMemoryView(array, 1).__cuda_array_interface__["stream"] == 1
    with pytest.raises(BufferError, match="-1"):
        StridedMemoryView(array, None)
    assert array.used == ["interface"] * len(array.used)


# The class of CuPy's arrays is known by its name, and kept for good: so in a process of its own.
CUPY_BY_ATTRIBUTES = """
import sys
from types import SimpleNamespace
import numpy as np
from strideview import StridedMemoryView

from_any_interface = StridedMemoryView.from_any_interface

class ndarray:
    strides, shape, dtype = (12, -4), (2, 3), np.dtype("float32")
    data = SimpleNamespace(ptr=4096, device_id=3)

    @property
    def __cuda_array_interface__(self):
        used.append(1)
        return dict(version=3, shape=(2, 3), strides=(24, 8), typestr="<f4", data=(4096, False))

ndarray.__module__ = "cupy"
used, array = [], ndarray()
count = sys.getrefcount(array)
for _ in range(2):
    view = from_any_interface(array, -1)
    assert (view.ptr, view.shape, view.strides, str(view.dtype)) == (4096, (2, 3), (3, -1), "float32")
    assert view.exporting_obj is array and view.is_device_accessible and not view.readonly
    del view
assert not used and sys.getrefcount(array) == count

# An array in C order says so before its strides are made.
array.strides, array._c_contiguous = "not asked for", True
assert from_any_interface(array, -1).strides == (3, 1)
array._c_contiguous = False

# No bytes lie nowhere: the array says on which device.
array.shape, array.strides, array.data = (0, 3), (12, 4), SimpleNamespace(ptr=0, device_id=3)
assert from_any_interface(array, -1).device_id == 3
assert not used

# An order, a dtype that only the interface knows, and attributes of other kinds.
array.shape, array.strides, array.data = (2, 3), (12, 4), SimpleNamespace(ptr=4096)
assert from_any_interface(array, 1).strides == (6, 2)
array.dtype = np.dtype("V4")
assert from_any_interface(array, -1).strides == (6, 2)
array.dtype, array.shape = np.dtype("float32"), "two"
assert from_any_interface(array, -1).strides == (6, 2)
assert len(used) == 3
"""


@no_driver
def test_arrays_of_cupy_come_by_their_attributes():
    subprocess.run([sys.executable, "-c", CUPY_BY_ATTRIBUTES], check=True)


@no_driver
def test_export():
    view = from_cuda_array_interface(says(data=(ADDRESS, True)), -1)
    expected = {"version": 3, "shape": (2, 3), "strides": None, "typestr": NATIVE + "f4", "data": (ADDRESS, True), "stream": None}
    assert view.__cuda_array_interface__ == expected
    columns = view.T.__cuda_array_interface__
    assert (columns["shape"], columns["strides"]) == ((3, 2), (4, 12))
    assert view[0, 0].__cuda_array_interface__["shape"] == ()
    assert view[:, ::-1].__cuda_array_interface__["strides"] == (12, -4)
    again = from_cuda_array_interface(view[:, ::-1], -1)
    assert (again.ptr, again.strides) == (ADDRESS + 8, (3, -1))


def test_memory_that_only_one_side_can_reach():
    host = view_of(np.zeros(3))
    assert not hasattr(host, "__cuda_array_interface__")
    assert hasattr(host, "__array_interface__")


@no_driver
def test_memory_of_a_device_has_no_array_interface():
    device = from_cuda_array_interface(says(), -1)
    assert hasattr(device, "__cuda_array_interface__")
    assert not hasattr(device, "__array_interface__")
    with pytest.raises(AttributeError, match="device"):
        device.__array_interface__


@pytest.mark.parametrize("kind", [3, 13])
def test_memory_that_both_sides_can_reach(kind):
    x = np.zeros(3, "f4")
    view = view_of(dlhelp.P(x, strides=(1,), device=(kind, 0)))
    if view.is_device_accessible:
        assert view.__cuda_array_interface__["data"] == (x.ctypes.data, False)
        assert view.__array_interface__["data"] == (x.ctypes.data, False)
