"""The buffer protocol in both directions."""

import array
import ctypes
import gc
import sys
import weakref
from collections import abc

import numpy as np
import pytest
from arrays import DTYPES, KINDS, numbers, readonly
from strideview import Device, StridedMemoryView
from view_of import view_of

try:
    import _testbuffer
except ImportError:  # not every Python is installed with its own tests
    _testbuffer = None

needs_testbuffer = pytest.mark.skipif(_testbuffer is None, reason="this Python has no module _testbuffer")

FORMATS = {
    "?": "bool",
    "b": "int8",
    "B": "uint8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "l": "l",
    "L": "L",
    "q": "int64",
    "Q": "uint64",
    "n": "n",
    "N": "N",
    "e": "float16",
    "f": "float32",
    "d": "float64",
}


def imported(exporter):
    return StridedMemoryView.from_buffer_protocol(exporter)


@pytest.mark.parametrize("source", KINDS.values(), ids=KINDS)
def test_a_view_as_a_memoryview(source):
    shown, wanted = memoryview(view_of(source)), memoryview(source)
    assert (shown.shape, shown.ndim, shown.itemsize, shown.nbytes) == (
        wanted.shape,
        wanted.ndim,
        wanted.itemsize,
        wanted.nbytes,
    )
    assert (shown.readonly, shown.suboffsets) == (wanted.readonly, ())
    if source.shape != (0,):
        assert (shown.c_contiguous, shown.f_contiguous) == (source.flags.c_contiguous, source.flags.f_contiguous)
    assert np.asarray(shown).dtype == source.dtype
    assert shown.tobytes() == wanted.tobytes()
    if source.size and 1 not in source.shape:
        assert shown.strides == wanted.strides
    if source.dtype.kind != "c" and source.dtype != np.float16:
        assert shown.tolist() == wanted.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_formats_that_are_exported(dtype):
    shown = memoryview(view_of(np.zeros(2, dtype)))
    assert np.asarray(shown).dtype == np.dtype(dtype)
    assert shown.format[0] not in "<>=!"


def test_an_empty_vector_is_contiguous():
    shown = memoryview(view_of(np.zeros(0)))
    assert shown.contiguous
    assert shown.cast("B").nbytes == 0


@needs_testbuffer
@pytest.mark.parametrize("order", ["", "@"])
@pytest.mark.parametrize(("written", "meant"), FORMATS.items(), ids=FORMATS)
def test_native_formats(written, meant, order):
    view = imported(_testbuffer.ndarray([1, 0, 1], shape=[3], format=order + written))
    assert view.dtype == np.dtype(meant)
    assert np.asarray(view).tolist() == [1, 0, 1]


@needs_testbuffer
def test_standard_sizes():
    """The letters l and L have four bytes there."""
    native = "<" if sys.byteorder == "little" else ">"
    for order in ("=", native):
        for written, meant in {
            "l": "int32",
            "L": "uint32",
            "q": "int64",
            "i": "int32",
            "h": "int16",
            "d": "float64",
            "?": "bool",
        }.items():
            view = imported(_testbuffer.ndarray([1, 0, 1], shape=[3], format=order + written))
            assert (view.dtype, np.asarray(view).tolist()) == (np.dtype(meant), [1, 0, 1])


@needs_testbuffer
def test_swapped_bytes():
    swapped = ">" if sys.byteorder == "little" else "<"
    for written in "hHiIqQfd":
        with pytest.raises(BufferError):
            imported(_testbuffer.ndarray([1, 2], shape=[2], format=swapped + written))
    for written in "bB?":
        assert np.asarray(imported(_testbuffer.ndarray([1, 0], shape=[2], format=swapped + written))).tolist() == [1, 0]


@needs_testbuffer
def test_formats_that_no_view_can_carry():
    for written, items in (("3s", [b"abc"]), ("hh", [(1, 2)]), ("2i", [(1, 2)]), ("hd", [(1, 2.0)])):
        with pytest.raises(BufferError):
            imported(_testbuffer.ndarray(items, shape=[1], format=written))


@needs_testbuffer
def test_layouts_of_other_exporters():
    letters = list(range(12))
    for shape, strides, offset, wanted in (
        ([3, 4], [16, 4], 0, np.arange(12).reshape(3, 4)),
        ([4, 3], [4, 16], 0, np.arange(12).reshape(3, 4).T),
        ([3], [-8], 16, np.array([4, 2, 0])),
        ([2, 3], [0, 4], 0, np.array([[0, 1, 2], [0, 1, 2]])),
    ):
        view = imported(_testbuffer.ndarray(letters, shape=shape, strides=strides, offset=offset, format="i"))
        assert np.array_equal(np.asarray(view), wanted)


@needs_testbuffer
def test_pointers_in_memory_are_refused():
    for shape in ([6], [2, 3], [1, 2, 3]):
        with pytest.raises(BufferError, match="suboffset"):
            imported(_testbuffer.ndarray(list(range(6)), shape=shape, flags=_testbuffer.ND_PIL))


def test_arrays_of_ctypes():
    for exporter, shape, dtype in (
        ((ctypes.c_int * 3)(1, 2, 3), (3,), "int32"),
        ((ctypes.c_double * 2 * 3)(), (3, 2), "float64"),
        (ctypes.c_int16(7), (), "int16"),
        ((ctypes.c_bool * 4)(), (4,), "bool"),
        ((ctypes.c_float * 0)(), (0,), "float32"),
    ):
        view = imported(exporter)
        assert (view.shape, view.dtype, view.readonly) == (shape, np.dtype(dtype), False)
        assert view.ptr == ctypes.addressof(exporter) or not view.size


def test_simple_exporters():
    assert imported(b"abc").readonly
    assert not imported(bytearray(b"abc")).readonly
    assert imported(memoryview(b"abcdef")[::-2]).strides == (-2,)
    assert imported(memoryview(b"abcdef").cast("h")).dtype == np.int16
    assert imported(memoryview(b"abcdef").cast("B", (2, 3))).shape == (2, 3)
    assert imported(array.array("f", [1, 2])).dtype == np.float32


def test_many_views_of_one_bytes_object():
    """The structure of bytes points into itself, so it must not move."""
    source = b"abcdefgh"
    views = [imported(source) for _ in range(100)]
    assert [view.shape for view in views] == [(8,)] * 100
    assert all(bytes(memoryview(view)) == source for view in reversed(views))


@pytest.mark.parametrize("wrong", [1, None, "text", object(), [1]], ids=repr)
def test_objects_without_a_buffer(wrong):
    with pytest.raises((BufferError, TypeError)):
        imported(wrong)


def test_the_error_of_an_exporter_is_the_cause():
    released = memoryview(b"abc")
    released.release()
    with pytest.raises(BufferError) as caught:
        imported(released)
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(BufferError):
        imported(np.zeros(2, "M8[s]"))


def test_the_buffer_is_released_once():
    source = bytearray(16)
    view = imported(source)
    part, shown = view[4:], memoryview(view)
    for last in (view, part, shown):
        with pytest.raises(BufferError):
            source.append(1)
        del last
    del view, part
    with pytest.raises(BufferError):
        source.append(1)
    shown.release()
    source.append(1)


def test_the_exporter_lives_as_long_as_its_consumers():
    source = np.arange(10.0)
    alive = weakref.ref(source)
    shown = memoryview(imported(source)[2:5])
    del source
    gc.collect()
    assert shown.tolist() == [2, 3, 4]
    shown.release()
    gc.collect()
    assert alive() is None


# Names of the flags of a request, with their values in the C API.
SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 0x1, 0x4, 0x8, 0x18
C, F, ANY, INDIRECT = 0x38, 0x58, 0x98, 0x118

SOURCES = {
    "C": numbers((2, 3), "i4"),
    "F": numbers((2, 3), "i4").reshape(3, 2).T,
    "vector": numbers((4,), "i4"),
    "gaps": numbers((4, 6), "i4")[::2, ::3],
    "reversed": numbers((4,), "i4")[::-1],
    "read-only": readonly(numbers((2, 3), "i4")),
    "read-only gaps": readonly(numbers((4, 6), "i4"))[:, ::2],
    "scalar": np.array(7, "i4"),
    "empty": np.zeros((2, 0), "i4"),
    "one": numbers((1, 1), "i4"),
}


class Request(ctypes.Structure):
    """The C structure that a request fills."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]

    def __init__(self, exporter, flags):
        super().__init__()
        get = ctypes.pythonapi.PyObject_GetBuffer
        get.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
        get(exporter, ctypes.addressof(self), flags)

    def release(self):
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self))


def granted(source, flags):
    """True iff the request must succeed, by the rules of the protocol."""

    def asked(flag):
        return flags & flag == flag

    c, f = source.flags.c_contiguous, source.flags.f_contiguous
    return not (
        (asked(WRITABLE) and not source.flags.writeable)
        or (asked(C) and not c)
        or (asked(F) and not f)
        or (asked(ANY) and not (c or f))
        or (not asked(STRIDES) and not c)
    )


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_combination_of_flags(source):
    view = view_of(source)
    for shape_flags in (SIMPLE, ND, STRIDES, C, F, ANY, INDIRECT, C | F, ANY | INDIRECT):
        for more in (0, WRITABLE, FORMAT, WRITABLE | FORMAT):
            flags = shape_flags | more
            before = sys.getrefcount(view)
            if not granted(source, flags):
                with pytest.raises(BufferError):
                    Request(view, flags)
                assert sys.getrefcount(view) == before
                continue
            request = Request(view, flags)
            assert sys.getrefcount(view) == before + 1
            check_fields(request, source, flags)
            request.release()
            assert request.obj is None
            assert sys.getrefcount(view) == before


def check_fields(request, source, flags):
    assert request.len == source.nbytes
    assert request.itemsize == source.itemsize
    assert bool(request.readonly) == (not source.flags.writeable)
    assert request.buf == source.ctypes.data or (source.size == 0 and request.buf)
    assert request.format == (b"i" if flags & FORMAT else None)
    assert not request.suboffsets
    if flags & ND != ND:
        assert (request.ndim, bool(request.shape), bool(request.strides)) == (1, False, False)
        return
    assert request.ndim == source.ndim
    assert bool(request.shape) == (source.ndim > 0)
    assert [request.shape[axis] for axis in range(source.ndim)] == list(source.shape)
    if flags & STRIDES != STRIDES or source.ndim == 0:
        assert not request.strides
    else:
        pairs = zip(source.shape, source.strides, range(source.ndim), strict=True)
        assert all(extent <= 1 or source.size == 0 or request.strides[axis] == stride for extent, stride, axis in pairs)


def test_dtypes_without_a_format():
    """Their bytes can be had; only the format cannot."""
    view = StridedMemoryView.from_buffer(Device("cpu").allocate(64), (2, 3), dtype="bfloat16")
    with pytest.raises(BufferError, match="format"):
        memoryview(view)
    request = Request(view, STRIDES)
    assert (request.len, request.itemsize, request.format) == (12, 2, None)
    request.release()
    assert memoryview(view.bytes_view()).nbytes == 12


def test_untyped_memory_has_no_format():
    view = StridedMemoryView.from_buffer(Device("cpu").allocate(64), (2, 3), itemsize=4)
    with pytest.raises(BufferError):
        memoryview(view)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="collections.abc.Buffer is of Python 3.12")
def test_views_and_buffers_are_buffers():
    assert isinstance(view_of(np.zeros(3)), abc.Buffer)
    assert isinstance(Device("cpu").allocate(8), abc.Buffer)


def test_writing_through_the_buffer():
    source = np.zeros((2, 3))
    shown = memoryview(view_of(source))
    shown[1, 2] = 5.0
    assert source[1, 2] == 5
    with pytest.raises(TypeError):
        memoryview(view_of(readonly(np.zeros(2))))[0] = 1.0


def test_files_take_a_view(tmp_path):
    source = numbers((2, 3))
    path = tmp_path / "bytes"
    path.write_bytes(view_of(source))
    assert path.read_bytes() == source.tobytes()
    target = np.zeros((2, 3))
    with path.open("rb") as file:
        assert file.readinto(view_of(target)) == 48
    assert np.array_equal(target, source)
