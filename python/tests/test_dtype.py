"""Dtypes: what a view's dtype is, and what may name one."""

import pickle

import numpy as np
import pytest
from strideview import Device, DType, StridedMemoryView
from view_of import view_of

NUMPY = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
ML_DTYPES = {
    "bfloat16": (4, 16, 1),
    "float8_e3m4": (7, 8, 1),
    "float8_e4m3": (8, 8, 1),
    "float8_e4m3b11fnuz": (9, 8, 1),
    "float8_e4m3fn": (10, 8, 1),
    "float8_e4m3fnuz": (11, 8, 1),
    "float8_e5m2": (12, 8, 1),
    "float8_e5m2fnuz": (13, 8, 1),
    "float8_e8m0fnu": (14, 8, 1),
    "float6_e2m3fn": (15, 6, 1),
    "float6_e3m2fn": (16, 6, 1),
    "float4_e2m1fn": (17, 4, 1),
    "int4": (0, 4, 1),
    "uint4": (1, 4, 1),
    "int2": (0, 2, 1),
    "uint2": (1, 2, 1),
}
BUFFER = Device("cpu").allocate(1024)


def with_dtype(dtype, shape=(2, 3)):
    return StridedMemoryView.from_buffer(BUFFER, shape, dtype=dtype)


@pytest.mark.parametrize("name", NUMPY)
def test_dtypes_of_numpy(name):
    dtype = np.dtype(name)
    for view in (
        view_of(np.zeros((2, 3), name)),
        StridedMemoryView.from_buffer_protocol(np.zeros((2, 3), name)),
        with_dtype(name),
    ):
        assert type(view.dtype) is type(dtype)
        assert (view.dtype, view.itemsize) == (dtype, dtype.itemsize)
        assert view.dtype is view.dtype
    assert with_dtype(dtype).dtype == with_dtype(dtype.type).dtype == with_dtype(dtype.str).dtype == dtype
    assert with_dtype(DType(name)).dtype == dtype


@pytest.mark.parametrize(("name", "code"), ML_DTYPES.items(), ids=ML_DTYPES)
def test_dtypes_of_ml_dtypes(name, code):
    scalar = getattr(pytest.importorskip("ml_dtypes"), name)
    dtype = np.dtype(scalar)
    for view in (with_dtype(scalar), with_dtype(dtype), with_dtype(name), with_dtype(DType(name))):
        assert (view.dtype, view.itemsize) == (dtype, dtype.itemsize)
    assert DType(name).dlpack == code


@pytest.mark.parametrize(
    ("given", "meant"),
    [(float, "float64"), (bool, "bool"), (complex, "complex128"), ("f4", "float32"), ("=i2", "int16"), ("?", "bool")],
)
def test_what_numpy_takes(given, meant):
    assert with_dtype(given).dtype == np.dtype(meant)


@pytest.mark.parametrize("name", ["float32x4", "float4_e2m1fn_x2", "opaque_handle", "int32x2"])
def test_dtypes_that_numpy_has_not(name):
    view = with_dtype(name)
    assert type(view.dtype) is DType
    assert (view.dtype, view.itemsize) == (DType(name), DType(name).itemsize)


@pytest.mark.parametrize(
    "wrong",
    ["O", "S3", "U1", "V3", [("a", "i4")], "M8[s]", "m8[ns]", "longdouble", np.dtype("f4").newbyteorder("S")],
    ids=str,
)
def test_dtypes_that_no_view_can_carry(wrong):
    with pytest.raises(ValueError, match="expected"):
        with_dtype(wrong)


@pytest.mark.parametrize("wrong", ["nonsense", 1, 1.5, object(), "", "float32x1x2"], ids=str)
def test_no_dtypes(wrong):
    with pytest.raises((TypeError, ValueError)):
        with_dtype(wrong)


def test_without_a_dtype():
    view = StridedMemoryView.from_buffer(BUFFER, (2, 3), itemsize=4)
    assert (view.dtype, view.itemsize) == (None, 4)
    assert "untyped" in repr(view)


def test_our_own_dtype():
    dtype = DType("float32")
    assert (dtype.name, dtype.itemsize, dtype.dlpack) == ("float32", 4, (2, 32, 1))
    assert (str(dtype), repr(dtype)) == ("float32", 'DType("float32")')
    assert eval(repr(dtype), {"DType": DType}) == dtype
    assert (DType("float32x4").itemsize, DType("float32x4").dlpack) == (16, (2, 32, 4))
    assert (DType("float4_e2m1fn_x2").itemsize, DType("float4_e2m1fn_x2").dlpack) == (1, (17, 4, 2))
    assert dtype == DType("float32")
    assert dtype != DType("int32")
    assert dtype != "float32"
    assert len({DType(name) for name in [*NUMPY, *ML_DTYPES, *NUMPY]}) == len(NUMPY) + len(ML_DTYPES)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) == dtype
    with pytest.raises(AttributeError):
        dtype.name = "int32"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "f4",
        "nonsense",
        "int3",
        "uint128",
        "complex256",
        "float32x0",
        "float32x1",
        "float32x99999",
        "FLOAT32",
        " float32",
        "float32\0",
    ],
)
def test_names_that_are_none(wrong):
    with pytest.raises(ValueError, match="expected"):
        DType(wrong)


def test_a_name_is_a_string():
    for wrong in (1, None, b"float32", np.float32):
        with pytest.raises(TypeError):
            DType(wrong)
    with pytest.raises(TypeError):
        DType()
