"""NumPy: what its arrays hold is described, reshaped without a hidden copy, and moved in one strided copy."""

import numpy as np
import strideview as sv
from strideview import LayoutError, StridedMemoryView


def main() -> None:
    # One field of records: every element is 12 bytes after the one before.
    records = np.zeros(1000, [("time", "i8"), ("value", "f4")])
    records["value"] = np.arange(1000)
    print("column  ", StridedMemoryView(records["value"], -1).layout)

    # A reshape never copies: it is refused where the strides do not allow it, and NumPy would copy.
    table = StridedMemoryView(np.arange(24.0).reshape(4, 6), -1)
    print("reshaped", table[:, ::2].reshape((2, 2, 3)).layout)
    try:
        table.T.reshape((24,))
    except LayoutError as error:
        print("refused ", error.code)

    # A copy says beforehand what it would do, then does it, here from back to front in the same memory.
    pixels = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
    planes = np.empty((3, 6, 8), np.uint8)
    print("kernel  ", sv.explain_copy(planes, pixels.transpose(2, 0, 1)).kernel)
    sv.copy(planes, pixels.transpose(2, 0, 1))
    print("planes  ", planes[:, 0, :3].tolist())
    sv.copy(pixels, pixels[::-1])
    print("flipped ", pixels[0, 0].tolist(), pixels[-1, 0].tolist())


if __name__ == "__main__":
    main()
