"""NumPy's array interface, in both directions."""

import array
import gc
import mmap
import sys
import weakref

import numpy as np
import pytest
from arrays import DTYPES, KINDS, array_views, described
from hypothesis import given
from refusal import refused
from strideview import Device, ExchangeError, LayoutError, StridedMemoryView, ViewError
from view_of import view_of

ml_dtypes = pytest.importorskip("ml_dtypes")

NATIVE = "<" if sys.byteorder == "little" else ">"
SWAPPED = ">" if sys.byteorder == "little" else "<"
from_array_interface = StridedMemoryView.from_array_interface


class Says:
    """An object whose array interface says whatever it is told to."""

    def __init__(self, **entries):
        self.__array_interface__ = entries


BYTES = np.arange(64, dtype="u1")


def says(**changes):
    """A description of six numbers in BYTES, changed; ``...`` leaves an entry out."""
    entries = {"version": 3, "shape": (6,), "typestr": NATIVE + "u2", "data": (BYTES.ctypes.data, False)} | changes
    return Says(**{name: value for name, value in entries.items() if value is not ...})


@pytest.mark.parametrize("kind", KINDS)
def test_import_of_numpy_arrays(kind):
    x = KINDS[kind]
    view = from_array_interface(x)
    assert (view.shape, view.dtype, view.itemsize, view.readonly) == (x.shape, x.dtype, x.itemsize, not x.flags.writeable)
    assert (view.device_id, view.is_host_accessible, view.is_device_accessible) == (-1, True, False)
    assert view.exporting_obj is x
    if x.size:
        assert view.ptr == x.ctypes.data
        moves = [(extent, stride) for extent, stride in zip(x.shape, x.strides, strict=True) if extent > 1]
        assert moves == [(e, s * x.itemsize) for e, s in zip(view.shape, view.strides, strict=True) if e > 1]
    assert np.array_equal(np.asarray(view), x)


@pytest.mark.parametrize("kind", KINDS)
def test_export_says_what_numpy_says(kind):
    x = KINDS[kind]
    ours, theirs = view_of(x).__array_interface__, x.__array_interface__
    assert ours.keys() == theirs.keys() == {"version", "shape", "strides", "typestr", "descr", "data"}
    for key in ("version", "shape", "typestr", "descr"):
        assert ours[key] == theirs[key]
    assert (ours["strides"] is None) == x.flags.c_contiguous
    assert ours["data"][1] is not x.flags.writeable
    if x.size:
        assert ours["data"][0] == x.ctypes.data
    else:
        assert ours["data"][0] != 0
    again = np.asarray(Says(**ours))
    assert np.array_equal(again, x)
    assert again.flags.writeable == x.flags.writeable


@given(array_views())
def test_any_array_there_and_back(x):
    view = from_array_interface(x)
    assert described(np.asarray(Says(**view.__array_interface__))) == described(x)
    assert described(np.asarray(view)) == described(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_there_and_back(dtype):
    x = np.zeros((3, 2), dtype)
    view = from_array_interface(x)
    assert view.dtype == x.dtype
    assert view.__array_interface__["typestr"] == x.__array_interface__["typestr"]


EXTENSIONS = [
    "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4", "uint4", "int2",
    "uint2", "int1", "uint1", "complex32",
]  # fmt: skip


@pytest.mark.parametrize("name", EXTENSIONS)
def test_dtypes_that_numpy_has_from_ml_dtypes(name):
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"ml_dtypes has no {name}")
    x = np.zeros(4, getattr(ml_dtypes, name))
    for view in (from_array_interface(x), view_of(x), from_array_interface(from_array_interface(x))):
        assert view.dtype == x.dtype
        assert view.ptr == x.ctypes.data
    typestr = from_array_interface(x).__array_interface__["typestr"]
    assert typestr == {"bfloat16": NATIVE + "V2", "complex32": NATIVE + "c4"}.get(name, "|V1")


def test_a_typestr_of_raw_bytes_with_a_name_for_them():
    class Named(Says):
        def __init__(self, name, **entries):
            super().__init__(**entries)
            self.dtype = type("DType", (), {"name": name})()

    entries = says(shape=(3,)).__array_interface__
    assert str(from_array_interface(Named("float8_e5m2", **entries | {"typestr": NATIVE + "f1"})).dtype) == "float8_e5m2"
    assert str(from_array_interface(Named("bfloat16", **entries | {"typestr": "|V2"})).dtype) == "bfloat16"
    for name, typestr in (("bfloat16", "|V1"), ("float32", "|V4"), ("void16", NATIVE + "V2"), (None, "|V1"), (7, "|V1")):
        with refused("interface.typestr", BufferError, ValueError):
            from_array_interface(Named(name, **entries | {"typestr": typestr}))


def test_two_raw_bytes_are_bfloat16_by_convention():
    for descr in (..., None, [("", NATIVE + "V2")]):
        assert str(from_array_interface(says(typestr=NATIVE + "V2", descr=descr)).dtype) == "bfloat16"
    for changes in (
        {"typestr": "|V2"},
        {"typestr": SWAPPED + "V2"},
        {"typestr": NATIVE + "V2", "descr": [("a", "|u1"), ("b", "|u1")]},
        {"typestr": NATIVE + "V2", "descr": [("a", "|V2")]},
    ):
        with refused("interface.typestr", BufferError):
            from_array_interface(says(**changes))
    with pytest.raises(BufferError):
        from_array_interface(np.zeros(3, "V2"))


@pytest.mark.parametrize(
    "typestr",
    ["", NATIVE, "f", NATIVE + "f3", NATIVE + "f16", NATIVE + "c32", "|O8", "|S1", NATIVE + "U1", "|V1", "|V16", NATIVE + "M8[s]", NATIVE + "m8", "|t8", SWAPPED + "f4", SWAPPED + "i2", "nonsense", "\0"],
)  # fmt: skip
def test_typestrs_refused(typestr):
    with refused("interface.typestr", BufferError, ValueError):
        from_array_interface(says(typestr=typestr, shape=(1,)))


@pytest.mark.parametrize(
    ("typestr", "name"),
    [("|b1", "bool"), ("|i1", "int8"), (NATIVE + "i1", "int8"), (SWAPPED + "u1", "uint8"), ("i4", "int32"), ("=f8", "float64"), (NATIVE + "c16", "complex128")],
)  # fmt: skip
def test_typestrs_taken(typestr, name):
    assert str(from_array_interface(says(typestr=typestr, shape=(2,))).dtype) == name


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ns]", "S3", "U2", "O", "longdouble", "clongdouble", SWAPPED + "f4", [("a", "i4"), ("b", "f8")]])
def test_numpy_dtypes_refused(dtype):
    with refused("interface.typestr", BufferError):
        from_array_interface(np.zeros(3, dtype))


@pytest.mark.parametrize("key", ["version", "shape", "typestr", "data"])
def test_a_missing_entry(key):
    with refused("interface.missing_key", BufferError, ValueError) as caught:
        from_array_interface(says(**{key: ...}))
    assert repr(key)[1:-1] in str(caught.value)


@pytest.mark.parametrize("entries", [{}, {"typestr": "<f8"}, {"shape": (2,)}, {"shape": (2,), "typestr": "<f8"}])
def test_several_missing_entries(entries):
    with pytest.raises(ValueError, match="has no entry"):
        from_array_interface(Says(**entries))


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "3"},
        {"version": None},
        {"version": True},
        {"shape": None},
        {"shape": 6},
        {"shape": "6"},
        {"shape": (6.0,)},
        {"shape": (True,)},
        {"typestr": None},
        {"typestr": b"<u2"},
        {"strides": 2},
        {"strides": (2.0,)},
        {"data": (None, False)},
        {"data": ("0x10", False)},
        {"data": (1.5, False)},
    ],
)
def test_entries_of_a_wrong_type(changes):
    with pytest.raises(TypeError):
        from_array_interface(says(**changes))


@pytest.mark.parametrize("data", [7, "abc", (1, 2, 3), (), object()])
def test_data_that_is_neither_a_pair_nor_a_buffer(data):
    with pytest.raises((TypeError, BufferError)):
        from_array_interface(says(data=data))


@pytest.mark.parametrize("interface", [None, 7, "abc", [("version", 3)]])
def test_an_interface_that_is_no_dict(interface):
    class Broken:
        __array_interface__ = interface

    with pytest.raises(TypeError, match="expected a dict as __array_interface__"):
        from_array_interface(Broken())


def test_an_object_without_the_interface():
    with pytest.raises(AttributeError):
        from_array_interface(object())


def test_an_interface_that_raises():
    class Broken:
        @property
        def __array_interface__(self):
            raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        from_array_interface(Broken())
    with pytest.raises(RuntimeError, match="not today"):
        view_of(Broken())


def test_versions():
    for version in (0, 1, 2, -1):
        with refused("interface.version", BufferError) as caught:
            from_array_interface(says(version=version))
        assert str(version) in str(caught.value)
    for version in (3, 4, 99):
        assert from_array_interface(says(version=version)).size == 6


def test_masks():
    assert from_array_interface(says(mask=None)).size == 6
    for mask in (np.ones(6, bool), 0, says()):
        with refused("interface.mask", BufferError):
            from_array_interface(says(mask=mask))


def test_strides():
    assert from_array_interface(says(strides=None)).strides == (1,)
    assert from_array_interface(says(shape=(2, 3), strides=...)).layout.is_contiguous_c
    assert from_array_interface(says(strides=(0,))).strides == (0,)
    assert from_array_interface(says(strides=(4,))).strides == (2,)
    backwards = from_array_interface(says(data=(BYTES.ctypes.data + 10, True), strides=(-2,)))
    assert np.asarray(backwards).tolist() == BYTES[:12].view("u2")[::-1].tolist()


def test_strides_refused():
    for strides in ((), (2, 2), (2, 2, 2)):
        with refused("layout.stride_count", ValueError):
            from_array_interface(says(shape=(6,), strides=strides) if strides else says(strides=()))
    with pytest.raises(ValueError, match="multiple"):
        from_array_interface(says(strides=(3,)))
    with pytest.raises(LayoutError):
        from_array_interface(np.zeros(3, dtype=[("k", "i4"), ("w", "f8")])["w"])


def test_strides_without_a_meaning():
    x = np.ndarray((6, 4, 1), "f8", np.zeros(400, "u1"), 0, (8, 48, 4))
    assert from_array_interface(x).strides[:2] == (1, 6)
    empty = np.ndarray((0, 3), "f8", np.zeros(8, "u1"), 0, (5, 7))
    assert from_array_interface(empty).size == 0
    huge = from_array_interface(says(shape=(3, 1), strides=(2, 2**63 - 1)))
    assert huge.layout.is_contiguous_c
    assert huge.layout.required_size_in_bytes() == 6


def test_shapes_refused():
    for shape in ((-1,), (2**31, 2**31, 2**31), (1,) * 65):
        with pytest.raises((ValueError, OverflowError)):
            from_array_interface(says(shape=shape))
    with pytest.raises(OverflowError):
        from_array_interface(says(shape=(2**70,)))
    assert from_array_interface(says(shape=(1,) * 64)).ndim == 64
    assert from_array_interface(says(shape=())).shape == ()


def test_null():
    assert from_array_interface(says(shape=(0,), data=(0, False))).ptr == 0
    for shape in ((6,), ()):
        with refused("interop.null_address", BufferError):
            from_array_interface(says(shape=shape, data=(0, False)))
    assert from_array_interface(says(shape=(2, 0), data=(0xDEAD, False))).size == 0
    for address in (-1, 2**64):
        with pytest.raises(OverflowError):
            from_array_interface(says(data=(address, False)))
    with refused("interop.address_range", BufferError):
        from_array_interface(says(data=(2**64 - 4, False)))


@pytest.mark.parametrize(("flag", "readonly"), [(True, True), (False, False), (1, True), (0, False)])
def test_the_read_only_flag(flag, readonly):
    assert from_array_interface(says(data=(BYTES.ctypes.data, flag))).readonly is readonly


def test_data_of_a_buffer():
    data = bytearray(range(16))
    view = from_array_interface(says(data=data, offset=4))
    assert np.asarray(view).tolist() == np.frombuffer(data, "u2", offset=4).tolist()
    assert not view.readonly
    np.asarray(view)[0] = 0xFFFF
    assert data[4:6] == b"\xff\xff"
    assert from_array_interface(says(data=bytes(data))).readonly
    assert from_array_interface(says(data=data, offset=14, shape=(8,), strides=(-2,))).size == 8
    assert from_array_interface(says(data=data, offset=16, shape=(0,))).size == 0
    assert from_array_interface(says(data=data, offset=3, shape=(2,), typestr="u1")).ptr == from_array_interface(says(data=data)).ptr + 3
    assert from_array_interface(says(data=array.array("d", [1, 2]), shape=(2,), typestr="f8")).size == 2
    assert from_array_interface(says(data=mmap.mmap(-1, 64))).size == 6


def test_data_of_a_buffer_is_checked():
    for changes in ({"shape": (9,)}, {"offset": 6}, {"strides": (-2,)}, {"strides": (4,)}, {"offset": 5}, {"shape": (2**60,), "typestr": "u1"}):
        with pytest.raises(ViewError):
            from_array_interface(says(**{"data": bytearray(16)} | changes))
    for offset in (-1, 17, 2**62):
        with refused("interface.offset", ValueError):
            from_array_interface(says(data=bytearray(16), offset=offset))
    with pytest.raises(TypeError):
        from_array_interface(says(data=bytearray(16), offset=1.0))
    with pytest.raises(ValueError, match="contiguous"):
        from_array_interface(says(data=memoryview(bytearray(32))[::2]))


def test_the_offset_is_for_buffers_only():
    assert from_array_interface(says(offset=4)).ptr == BYTES.ctypes.data


def test_data_of_a_buffer_is_held():
    data = bytearray(16)
    view = from_array_interface(says(data=data))
    with pytest.raises(BufferError):
        data.append(0)
    part = view[1:]
    del view
    with pytest.raises(BufferError):
        data.append(0)
    del part
    data.append(0)


def test_data_none_is_the_buffer_of_the_object():
    class Own(bytearray):
        __array_interface__ = {"version": 3, "shape": (2, 2), "typestr": "|u1", "data": None, "offset": 1}

    owner = Own(b"abcde")
    view = from_array_interface(owner)
    assert np.asarray(view).tobytes() == b"bcde"
    assert view.exporting_obj is owner
    with pytest.raises((TypeError, BufferError)):
        from_array_interface(says(data=None))


def test_the_object_is_kept_and_the_dict_is_not():
    class Array:
        @property
        def __array_interface__(self):
            return {"version": 3, "shape": (4,), "typestr": "u1", "data": (BYTES.ctypes.data, False)}

    owner = Array()
    alive = weakref.ref(owner)
    part = from_array_interface(owner)[1:]
    array_of_part = np.from_dlpack(part)
    del owner
    gc.collect()
    assert alive() is part.exporting_obj
    del part
    gc.collect()
    assert alive() is not None
    del array_of_part
    gc.collect()
    assert alive() is None


def test_failures_keep_nothing():
    owner = says(strides=(3,))
    before = sys.getrefcount(owner)
    for _ in range(10):
        with pytest.raises(ValueError, match="multiple"):
            from_array_interface(owner)
    assert sys.getrefcount(owner) == before


def test_any_interface():
    assert view_of(says()).ptr == BYTES.ctypes.data
    with refused("interface.version", BufferError):
        view_of(says(version=1))
    for thing in (object(), 7, None, "abc"):
        with pytest.raises(BufferError, match="array interface"):
            view_of(thing)


def test_a_buffer_comes_before_an_array_interface():
    class Both(bytearray):
        __array_interface__ = {"version": 3, "shape": (1,), "typestr": "|i1", "data": None}

    assert view_of(Both(b"abc")).shape == (3,)


def test_the_first_error_is_told():
    with pytest.raises(BufferError) as caught:
        view_of(np.zeros(3, SWAPPED + "f4"))
    assert not isinstance(caught.value, ExchangeError)


def test_numpy_shares_the_memory():
    x = np.arange(12.0).reshape(3, 4)
    for view in (view_of(x), view_of(x).T, view_of(x)[:, ::-2]):
        assert np.shares_memory(np.asarray(view), x)
    for name in EXTENSIONS[:3]:
        y = np.zeros(4, getattr(ml_dtypes, name))
        raw = np.asarray(view_of(y))
        assert np.shares_memory(raw, y)
        assert np.array_equal(raw.view(y.dtype), y)


def test_numpy_keeps_the_view():
    view = view_of(np.ones(4, ml_dtypes.bfloat16))  # has no format as a buffer
    alive = weakref.ref(view)
    raw = np.asarray(view)
    del view
    gc.collect()
    assert alive() is not None
    assert raw.view(ml_dtypes.bfloat16).tolist() == [1, 1, 1, 1]
    del raw
    gc.collect()
    assert alive() is None


def test_a_closed_view():
    buffer = Device("cpu").allocate(16)
    view = StridedMemoryView.from_buffer(buffer, (4,), dtype="i4")
    assert view.__array_interface__["shape"] == (4,)
    buffer.close()
    with refused("memory.closed", BufferError):
        view.__array_interface__


def test_an_untyped_view():
    view = StridedMemoryView.from_buffer(Device("cpu").allocate(16), (4,), itemsize=4)
    with refused("interface.untyped", BufferError):
        view.__array_interface__


def test_read_only_comes_through():
    x = np.arange(3.0)
    x.flags.writeable = False
    assert view_of(x).__array_interface__["data"][1] is True
    assert from_array_interface(view_of(x)).readonly
