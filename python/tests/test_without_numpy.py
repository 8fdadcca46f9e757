"""The package where NumPy is not installed: it works, and a dtype is a ``DType``."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
sys.modules["numpy"] = None
sys.modules["ml_dtypes"] = None
import array, ctypes
import strideview as sv
from strideview import Buffer, Device, DType, StridedLayout, StridedMemoryView


def raised(kind, call):
    try:
        call()
    except kind:
        return True
    raise AssertionError(f"{kind.__name__} was not raised")


def view_of(obj):
    return StridedMemoryView(obj, -1)

"""

PROGRAMS = {
    "layouts": """
layout = StridedLayout((2, 3, 4), None, 8)
assert layout[:, ::-1].strides == (12, -4, 1)
assert layout.permuted([2, 0, 1]).to_dense("C").strides == (6, 3, 1)
assert list(layout.sliced((1, 1)).offsets()) == [16, 17, 18, 19]
assert raised(ValueError, lambda: layout.reshaped((5, 5)))
""",
    "buffers": """
buffer = Device("cpu").allocate(24)
memoryview(buffer)[:] = bytes(range(24))
view = StridedMemoryView.from_buffer(buffer, (2, 3), (1, 2), dtype="int32")
assert view.dtype == DType("int32") and view.itemsize == 4
assert memoryview(view).tolist()[0][0] == int.from_bytes(bytes(range(4)), sys.byteorder)
assert StridedMemoryView.from_buffer(buffer, (2, 3), dtype=DType("float32")).dtype == DType("float32")
assert StridedMemoryView.from_buffer(buffer, (6,), itemsize=4).dtype is None
raised(TypeError, lambda: StridedMemoryView.from_buffer(buffer, (2, 3), dtype="f4"))
raised(TypeError, lambda: StridedMemoryView.from_buffer(buffer, (2, 3), dtype=float))
memory = (ctypes.c_uint8 * 8)()
with Buffer.from_handle(ctypes.addressof(memory), 8, owner=memory) as wrapped:
    view_of(wrapped).copy_from(b"abcdefgh")
assert bytes(memory) == b"abcdefgh"
""",
    "bytes and bytearrays": """
view = view_of(b"abcdef")
assert (view.shape, view.dtype, view.dtype.name, view.readonly) == ((6,), DType("uint8"), "uint8", True)
assert bytes(memoryview(view[::-2])) == b"fdb"
target = bytearray(6)
sv.copy(target, view[::-1])
assert target == b"fedcba"
raised(ValueError, lambda: sv.copy(b"abcdef", target))
""",
    "memoryviews": """
source = memoryview(bytearray(range(24))).cast("h", (3, 4))
view = view_of(source)
assert (view.shape, view.dtype) == ((3, 4), DType("int16"))
assert memoryview(view.T).tolist() == [list(column) for column in zip(*source.tolist())]
assert memoryview(view.view(dtype="uint8")).shape == (3, 8)
assert memoryview(view.reshape((2, -1))[1]).tolist() == sum(source.tolist(), [])[6:]
""",
    "arrays of the standard library": """
source = array.array("d", [1, 2, 3, 4])
target = array.array("d", [0, 0])
view_of(target).copy_from(view_of(source)[::2])
assert target.tolist() == [1, 3]
raised(ValueError, lambda: view_of(target).copy_from(array.array("f", [1, 2])))
""",
    "arrays of ctypes": """
source = (ctypes.c_int32 * 3 * 2)((1, 2, 3), (4, 5, 6))
view = view_of(source)
assert (view.shape, view.dtype, view.ptr) == ((2, 3), DType("int32"), ctypes.addressof(source))
target = (ctypes.c_int32 * 2 * 3)()
view_of(target).copy_from(view.T)
assert [list(row) for row in target] == [[1, 4], [2, 5], [3, 6]]
scalar = view_of(ctypes.c_double(2.5))
assert (scalar.shape, memoryview(scalar).tolist()) == ((), 2.5)
""",
    "DLPack": """
view = view_of(bytearray(b"abcdef"))[1:4]
again = StridedMemoryView.from_dlpack(view, -1)
assert (again.shape, again.ptr, again.dtype) == ((3,), view.ptr, DType("uint8"))
copied = view.__dlpack__(max_version=(1, 3), copy=True)
assert "dltensor_versioned" in repr(copied)
""",
    "dtypes": """
assert repr(view_of(array.array("f", [1])).dtype) == 'DType("float32")'
buffer = Device("cpu").allocate(64)
for name in ("bfloat16", "float8_e5m2", "int4", "complex64", "bool", "float32x4"):
    view = StridedMemoryView.from_buffer(buffer, (2,), dtype=name)
    assert view.dtype == DType(name) and view.dtype.itemsize == view.itemsize
""",
    "everything else": """
empty = sv.empty_like(view_of(memoryview(bytearray(24)).cast("i", (2, 3))).T)
assert (empty.shape, empty.strides, empty.dtype) == ((3, 2), (1, 3), DType("int32"))
assert "bytes" in str(sv.explain_copy(bytearray(4), b"abcd"))
assert "numpy" not in [name for name, module in sys.modules.items() if module is not None]
raised(BufferError, lambda: view_of([1, 2]))
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_without_numpy(program):
    run = subprocess.run([sys.executable, "-W", "error", "-c", BLOCKED + program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
