"""Cases of the areas dtype and buffer-protocol."""

import sys

import dlhelp as d
import numpy as np
import pytest
from strideview import StridedLayout, StridedMemoryView
from view_of import view_of

try:
    import _testbuffer
except ImportError:  # not every Python is installed with its own tests
    _testbuffer = None

needs_testbuffer = pytest.mark.skipif(_testbuffer is None, reason="this Python has no module _testbuffer")


def tensor(dtype, **fields):
    return view_of(d.P(np.zeros(64, "u1"), shape=(3,), strides=(1,), dtype=dtype, **fields))


def test_dt_01():
    view = view_of(np.array([True, False, True]))
    assert np.from_dlpack(view).dtype == bool
    assert d.read(view.__dlpack__())["dtype"] == (6, 8, 1)


def test_dt_03():
    for bits in (1, 16, 32):
        with pytest.raises(BufferError, match=str(bits)):
            tensor((6, bits, 1))


def test_dt_04():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for bits in (8, 32, 64):
        with pytest.raises(BufferError, match=str(bits)):
            tensor((4, bits, 1))
    view = tensor((4, 16, 1))
    assert (view.dtype, view.itemsize) == (np.dtype(ml_dtypes.bfloat16), 2)


def test_dt_06():
    for packed in ((17, 4, 1), (15, 6, 1), (16, 6, 1), (0, 4, 1), (1, 4, 1), (0, 2, 1), (1, 1, 1)):
        with pytest.raises(BufferError):
            tensor(packed)
        view = tensor(packed, flags=4)
        assert (view.itemsize, view.nbytes) == (1, 3)
    assert tensor((17, 4, 2)).itemsize == 1


def test_dt_07():
    view = tensor((2, 32, 4))
    assert view.itemsize == 16
    with pytest.raises(BufferError):
        tensor((2, 32, 0))


def test_dt_09():
    x = np.arange(3, dtype=np.dtype("f4").newbyteorder("S"))
    with pytest.raises((BufferError, TypeError, ValueError)):
        view_of(x)
    with pytest.raises(BufferError):
        StridedMemoryView.from_buffer_protocol(x)


@needs_testbuffer
def test_dt_10(case):
    for written, meaning in case["input"]["formats"].items():
        exporter = _testbuffer.ndarray([1.0, 2.0], shape=[2], format=written)
        native = meaning == "f4 native" or sys.byteorder == "big"
        if native:
            assert StridedMemoryView.from_buffer_protocol(exporter).dtype == np.float32
        else:
            with pytest.raises(BufferError):
                StridedMemoryView.from_buffer_protocol(exporter)


def test_dt_12():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    try:
        view = view_of(np.zeros(2, ml_dtypes.bfloat16))
    except (BufferError, ValueError, TypeError):
        return
    assert (view.dtype, view.itemsize) == (np.dtype(ml_dtypes.bfloat16), 2)


def test_dt_13():
    rows = StridedLayout((4, 10), None, 4).sliced((slice(None), slice(4, None)))
    with pytest.raises(ValueError, match="6"):
        rows.repacked(24)
    pairs = rows.repacked(8)
    assert (pairs.shape, pairs.strides, pairs.slice_offset) == ((4, 3), (5, 1), 2)


def test_dt_15():
    layout = StridedLayout((5, 3), (1, 5), 8)
    with pytest.raises(ValueError, match="5"):
        layout.repacked(4)
    named = layout.repacked(4, axis=0)
    assert (named.shape, named.strides) == ((10, 3), (1, 10))


def test_dt_18():
    assert view_of(np.zeros(2, "c8")).dtype == np.complex64
    assert d.read(view_of(np.zeros(2, "c8")).__dlpack__())["dtype"] == (5, 64, 1)
    assert tensor((5, 128, 1)).dtype == np.complex128
    assert tensor((5, 32, 1)).itemsize == 4


def test_dt_19():
    for dtype in ("M8[s]", "V4", [("a", "i4"), ("b", "f8")], "S3", "O"):
        with pytest.raises((BufferError, TypeError, ValueError)):
            view_of(np.zeros(2, dtype)).__dlpack__()


def test_bp_01():
    x = np.arange(15.0).reshape(3, 5)[::2, ::2]
    view = StridedMemoryView.from_buffer_protocol(memoryview(x))
    assert (view.shape, view.strides) == ((2, 3), (10, 2))
    assert np.array_equal(np.asarray(view), x)


@needs_testbuffer
def test_bp_03():
    indirect = _testbuffer.ndarray([1, 2, 3, 4, 5, 6], shape=[2, 3], flags=_testbuffer.ND_PIL)
    assert max(memoryview(indirect).suboffsets) >= 0
    for make in (StridedMemoryView.from_buffer_protocol, view_of):
        with pytest.raises((BufferError, ValueError), match="suboffset"):
            make(indirect)
