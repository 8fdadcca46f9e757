"""Views of memory: arrays in and arrays out without a copy, and copies between any two of them."""

import numpy as np
import strideview as sv
from strideview import StridedMemoryView


def dense_copy(a: np.ndarray, device: sv.Device) -> StridedMemoryView:
    """A copy of an array on a device, without the gaps between its elements."""
    source = StridedMemoryView(a, -1)
    layout = source.layout.to_dense()
    buffer = device.allocate(layout.required_size_in_bytes())
    copy = StridedMemoryView.from_buffer(buffer, layout, source.dtype)
    copy.copy_from(source)
    return copy


def main() -> None:
    # Any array comes in without a copy, whatever its strides.
    frames = np.arange(4 * 6 * 8, dtype=np.float32).reshape(4, 6, 8)
    view = StridedMemoryView(frames[::2, :, ::-1], -1)
    print("view    ", view.layout, view.dtype)

    # And goes out again: NumPy sees the same memory.
    back = np.from_dlpack(view)
    print("shared  ", np.shares_memory(back, frames))

    # Parts of a view are views; writing to one changes the array.
    view[0, 1].copy_from(np.zeros(8, np.float32))
    print("zeroed  ", int((frames[0, 1] == 0).sum()), "elements of frame 0")

    # Source and destination may overlap: this shifts by one frame.
    sv.copy(dst=frames[1:], src=frames[:-1])
    print("shifted ", frames[:, 0, 0].tolist())

    # Memory of our own, with a layout of our own.
    copied = dense_copy(frames[:, ::3], sv.Device("cpu"))
    print("dense   ", copied.layout, copied.exporting_obj.size, "bytes")

    # Objects of the standard library will do too.
    text = bytearray(b"strideview")
    sv.copy(text, bytes(text)[::-1])
    print("reversed", text.decode())


if __name__ == "__main__":
    main()
