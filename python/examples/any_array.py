"""A function of a library that takes arrays of any other library, and names none of them."""

import array
from typing import Any

import numpy as np
import strideview as sv
from strideview import StridedMemoryView


@sv.args_viewable_as_strided_memory((0,))
def packed(source: Any, stream: int = -1) -> StridedMemoryView:
    """The elements without gaps, in C order, in new memory beside the old: on the host or on the device."""
    view = source.view(stream)
    device = sv.Device("cpu" if view.is_host_accessible else view.device_id)
    layout = view.layout.to_dense("C")
    buffer = device.allocate(layout.required_size_in_bytes())
    result = StridedMemoryView.from_buffer(buffer, layout, view.dtype)
    result.copy_from(view, stream=None if view.is_host_accessible else stream)
    return result


def main() -> None:
    matrix = np.arange(12, dtype=np.int16).reshape(3, 4)
    arguments: dict[str, object] = {
        "numpy": matrix.T[::-1],
        "array": array.array("d", [1.5, 2.5]),
        "memoryview": memoryview(b"strideview")[::-2],
        "strideview": StridedMemoryView(matrix, -1)[:, 1],
    }
    for name, argument in arguments.items():
        result = packed(argument)
        print(f"{name:<10} {result.shape} {result.dtype} {result.nbytes} bytes", np.asarray(result).ravel()[:3].tolist())
    try:
        packed([1, 2, 3])
    except BufferError as error:
        print(error)


if __name__ == "__main__":
    main()
