"""NumPy arrays of every kind, and what to compare of them."""

import numpy as np
from hypothesis import strategies as st
from strategies import slices_of

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def numbers(shape, dtype="f8", order="C"):
    """An array of different values, as far as the dtype has them."""
    size = int(np.prod(shape))
    return np.arange(1, size + 1).astype(dtype).reshape(shape, order=order)


def readonly(array):
    array.flags.writeable = False
    return array


KINDS = {
    "C": numbers((2, 3, 4)),
    "F": numbers((2, 3, 4), order="F"),
    "transposed": numbers((2, 3, 4)).transpose(2, 0, 1),
    "sliced": numbers((4, 6, 5))[1::2, ::3, 1:4],
    "reversed": numbers((3, 4))[::-1, ::-1],
    "half reversed": numbers((3, 4))[:, ::-2],
    "broadcast": np.broadcast_to(numbers((3, 1)), (2, 3, 4)),
    "read-only": readonly(numbers((2, 3))),
    "empty": np.zeros((2, 0, 3)),
    "empty vector": np.zeros(0),
    "empty slice": numbers((5,))[3:3],
    "scalar": np.array(3.5),
    "scalar of a slice": numbers((3, 4))[1, 2, ...],
    "one element": numbers((1, 1, 1)),
    "unit axes": numbers((3, 1, 4, 1))[:, :, ::-1],
    "diagonal": np.diagonal(numbers((4, 4))),
    "windows": np.lib.stride_tricks.sliding_window_view(numbers((6,)), 3),
    "real parts": numbers((2, 3), "c16").real,
    "imaginary parts": numbers((2, 3), "c8").imag[::-1],
    "deep": numbers((2,) * 12).transpose(*range(0, 12, 2), *range(1, 12, 2)),
    **{dtype: numbers((2, 3), dtype)[:, ::2] for dtype in DTYPES},
}


def strides_in_elements(array):
    return tuple(stride // array.itemsize for stride in array.strides)


def described(array):
    """Where the array is and what it is; strides only of the axes where they mean something."""
    strides = tuple(
        stride if extent > 1 and array.size else None for extent, stride in zip(array.shape, array.strides, strict=True)
    )
    address = array.__array_interface__["data"][0] if array.size else None
    return array.dtype, array.shape, strides, address


@st.composite
def array_views(draw, max_rank=3, max_extent=5, dtypes=("u1", "i2", "f4", "f8", "c16")):
    """Views of an array of its own: permuted, sliced, reversed, and some with gaps."""
    shape = draw(st.lists(st.integers(0, max_extent), max_size=max_rank))
    steps = [draw(st.integers(1, 3)) for _ in shape]
    base = numbers([extent * step for extent, step in zip(shape, steps, strict=True)], draw(st.sampled_from(dtypes)))
    view = base[(*(slice(draw(st.integers(0, step - 1)), None, step) for step in steps), ...)]
    view = view[(*(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in shape), ...)]
    if draw(st.booleans()):
        view = view[(*(draw(slices_of(extent)) for extent in view.shape), ...)]
    return view.transpose(draw(st.permutations(range(view.ndim))))
