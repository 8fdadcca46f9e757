"""GPU arrays of the libraries, and what is compared of them."""

import itertools
import math

import driver
import numpy as np

SHAPE = (4, 6, 5)

# What both sides know; float8 and complex32 have no form in every library.
COMMON = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
          "float16", "float32", "float64", "complex64", "complex128"]  # fmt: skip
TORCH = [*COMMON, "bfloat16", "complex32", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
JAX = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "bfloat16", "float32", "complex64",
       "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]  # fmt: skip


def item_bytes(name: str) -> int:
    sizes = {"bool": 1, "bfloat16": 2, "complex32": 4}
    if name in sizes or name.startswith("float8"):
        return sizes.get(name, 1)
    return np.dtype(name).itemsize


def host_numbers(name: str, shape=SHAPE) -> np.ndarray:
    """Different values, as far as the dtype has them."""
    return np.arange(1, math.prod(shape) + 1).astype(name).reshape(shape)


def torch_tensor(torch, name: str):
    """A tensor whose bytes count up; for bool, zeros and ones."""
    size = math.prod(SHAPE) * item_bytes(name)
    counted = torch.arange(size, device="cuda").to(torch.uint8)
    tensor = (counted % 2).bool() if name == "bool" else counted.view(getattr(torch, name))
    return tensor.reshape(SHAPE)


TORCH_VIEWS = {
    "C": lambda t: t,
    "transposed": lambda t: t.permute(2, 0, 1),
    "sliced": lambda t: t[1::2, ::3, 1:4],
    "expanded": lambda t: t[:, :1].expand(4, 6, 5),
    "unit axes": lambda t: t[:, None, 2:3],
    "scalar": lambda t: t[1, 2, 3],
    "empty": lambda t: t[:, 3:3],
}

# CuPy slices as NumPy does, with negative steps too.
CUPY_VIEWS = {
    "C": lambda a: a,
    "transposed": lambda a: a.transpose(2, 0, 1),
    "sliced": lambda a: a[1::2, ::3, 1:4],
    "reversed": lambda a: a[::-1, :, ::-2],
    "unit axes": lambda a: a[:, None, 2:3],
    "scalar": lambda a: a[1, 2, 3],
    "empty": lambda a: a[:, 3:3],
}


def torch_bytes(tensor) -> bytes:
    """The values in C order, copied to the host by torch."""
    import torch

    return tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def cupy_bytes(array) -> bytes:
    return array.get().tobytes()


def strides_of(view) -> tuple[int, ...]:
    """In elements; those of C order where the view says None."""
    if view.strides is not None:
        return tuple(view.strides)
    shape = view.shape
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def meaningful(shape, strides) -> tuple[int | None, ...]:
    """Strides without those that say nothing."""
    if math.prod(shape) == 0:
        return (None,) * len(shape)
    return tuple(stride if extent > 1 else None for extent, stride in zip(shape, strides, strict=True))


def view_bytes(view) -> bytes:
    """The values in C order, read by the driver at the address and the strides that the view shows."""
    if view.size == 0:
        return b""
    item, strides = view.dtype.itemsize, strides_of(view)
    bounds = [(extent - 1) * stride * item for extent, stride in zip(view.shape, strides, strict=True)]
    low, high = sum(min(0, each) for each in bounds), sum(max(0, each) for each in bounds) + item
    data = driver.read(view.ptr + low, high - low)
    found = bytearray()
    for index in itertools.product(*map(range, view.shape)):
        at = sum(i * s for i, s in zip(index, strides, strict=True)) * item - low
        found += data[at : at + item]
    return bytes(found)


def assert_place(view, address: int, shape, strides, name: str) -> None:
    """The view shows this memory; strides in elements."""
    shape = tuple(shape)
    assert view.shape == shape
    assert meaningful(shape, strides_of(view)) == meaningful(shape, strides)
    assert str(view.dtype) == name
    if math.prod(shape):
        assert view.ptr == address
    assert (view.device_id, view.is_device_accessible, view.is_host_accessible) == (0, True, False)


def numpy_strides(array) -> tuple[int, ...]:
    """The strides of an array with NumPy's attributes, in elements."""
    return tuple(stride // array.itemsize for stride in array.strides)


class Interface:
    """An object whose only side is a CUDA Array Interface made by hand."""

    def __init__(self, keep=None, **entries):
        self.keep, self.entries, self.asked = keep, entries, 0

    @property
    def __cuda_array_interface__(self):
        self.asked += 1
        return dict(self.entries)


class Recorder:
    """A DLPack producer that passes on to another and keeps what it was asked."""

    def __init__(self, inner, refused: tuple[int, ...] = ()):
        self.inner, self.refused, self.asked = inner, refused, []

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **keywords):
        self.asked.append(stream)
        if stream in self.refused:
            raise BufferError(f"no stream {stream} here")
        return self.inner.__dlpack__(stream=stream, **keywords)


