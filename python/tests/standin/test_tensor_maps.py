"""Descriptors of views, which hold what the stand-in was asked for."""

import gc
import struct

import numpy as np
import pytest
import strideview as sv
from strideview import StridedLayout, StridedMemoryView, TensorMap


def view_of(device, shape, dtype="float32", **options):
    layout = StridedLayout(shape, None, np.dtype(dtype).itemsize)
    buffer = device.allocate(layout.required_size_in_bytes())
    return StridedMemoryView.from_buffer(buffer, layout, dtype, **options)


def asked(tensor_map):
    """Address, type, axes, modes, extents, strides, box extents and element strides."""
    content = bytes(tensor_map)
    (address,) = struct.unpack_from("<Q", content)
    kind, rank, *modes = struct.unpack_from("<6B", content, 8)
    extents, strides = struct.unpack_from("<5Q", content, 16), struct.unpack_from("<5Q", content, 56)
    boxes, steps = struct.unpack_from("<5H", content, 96), struct.unpack_from("<5H", content, 106)
    return address, kind, rank, modes, extents[:rank], strides[: rank - 1], boxes[:rank], steps[:rank]


def test_what_is_asked_for(device):
    view = view_of(device, (16, 8, 64))
    tensor_map = view.as_tensor_map((2, 4, 16))
    assert asked(tensor_map) == (view.ptr, 7, 3, [0, 0, 0, 0], (64, 8, 16), (256, 2048), (16, 4, 2), (1, 1, 1))
    assert (tensor_map.axes, tensor_map.box_dim, tensor_map.box_nbytes) == ((2, 1, 0), (16, 4, 2), 512)
    assert (tensor_map.data_type, tensor_map.device_id, type(tensor_map)) == ("float32", 0, TensorMap)
    assert repr(tensor_map) == "<TensorMap float32, boxes of [16, 4, 2], axes [2, 1, 0], device 0>"
    turned = view.permute((2, 0, 1)).as_tensor_map([16, 2, 4], element_strides=(1, 1, 2))
    assert turned.axes == (0, 2, 1) and asked(turned)[4:] == ((64, 8, 16), (256, 2048), (16, 4, 2), (1, 2, 1))


def test_options_are_names_or_numbers(device):
    view = view_of(device, (16, 64))
    names = {"interleave": "none", "swizzle": "64B", "l2_promotion": "256B", "oob_fill": "nan", "data_type": "tfloat32"}
    numbers = {"interleave": 0, "swizzle": 2, "l2_promotion": 3, "oob_fill": 1, "data_type": 11}
    one, other = view.as_tensor_map((4, 16), **names), view.as_tensor_map((4, 16), **numbers)
    assert bytes(one) == bytes(other)
    assert asked(one)[1:4] == (11, 2, [0, 2, 3, 1])
    for name, wrong in [("swizzle", "256B"), ("swizzle", 4), ("oob_fill", "one"), ("data_type", "int8")]:
        with pytest.raises(ValueError, match=f"expected {name} to be one of"):
            view.as_tensor_map((4, 16), **{name: wrong})
    with pytest.raises(TypeError):
        view.as_tensor_map((4, 16), swizzle=1.5)


def test_the_bytes(device):
    tensor_map = view_of(device, (16, 64)).as_tensor_map((4, 16))
    assert tensor_map.ptr % 64 == 0 and tensor_map.getPtr() == tensor_map.ptr
    array = np.frombuffer(tensor_map, "u1")
    assert array.ctypes.data == tensor_map.ptr and array.shape == (128,) and not array.flags.writeable
    address = tensor_map.ptr
    content = bytes(tensor_map)
    del tensor_map
    gc.collect()
    assert array.ctypes.data == address and array.tobytes() == content


def test_the_buffer_is_kept(device):
    layout = StridedLayout((16, 64), None, 4)
    buffer = device.allocate(layout.required_size_in_bytes())
    tensor_map = StridedMemoryView.from_buffer(buffer, layout, "float32").as_tensor_map((4, 16))
    with pytest.raises(BufferError):
        buffer.close()
    del tensor_map
    buffer.close()


def test_refusals(device):
    view = view_of(device, (16, 65))
    with pytest.raises(ValueError, match="tensor map: axis 0 wanted a stride .* multiple of 16, got 260") as caught:
        view.as_tensor_map((4, 16))
    assert caught.value.code == "cuda.tensor_map"
    with pytest.raises(ValueError, match="wanted 2 box extents, one for each axis, got 1"):
        view.as_tensor_map((4,))
    with pytest.raises(ValueError, match="complex128"):
        view_of(device, (16, 64), "complex128").as_tensor_map((4, 16))
    with pytest.raises(BufferError, match="memory of the host"):
        StridedMemoryView(np.zeros((16, 64), "f4"), -1).as_tensor_map((4, 16))
    with pytest.raises(sv.DeviceError, match=r"compute capability 9\.0"):
        view_of(sv.Device(3), (16, 64)).as_tensor_map((4, 16))
