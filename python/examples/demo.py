"""The main job on real arrays: describe any array, allocate like it, copy it over, hand it back.

Each array is viewed without a copy; a buffer of the size that its dense layout needs is allocated; a
view of that buffer is filled by one strided copy; and NumPy reads the result without a copy. Each
result is compared with NumPy's own answer.
"""

import argparse
import sys
import time
from collections.abc import Iterator

import numpy

import strideview as sv
from strideview import StridedMemoryView


def device_tensor_like(a: numpy.ndarray, device: sv.Device) -> StridedMemoryView:
    a_view = StridedMemoryView(a, -1)
    layout = a_view.layout.to_dense()  # a sliced `a` must not over-allocate
    required_size = layout.required_size_in_bytes()
    device.set_current()
    mem = device.allocate(required_size)
    return StridedMemoryView.from_buffer(mem, layout, a_view.dtype)


def arrays(large_bytes: int) -> Iterator[tuple[str, numpy.ndarray]]:
    """A dozen arrays, from the ordinary to the odd; the last one is large."""
    rng = numpy.random.default_rng(1)
    image = rng.integers(0, 255, (480, 640, 3), dtype=numpy.uint8)
    matrix = rng.standard_normal((300, 500))
    yield "C order", matrix
    yield "F order", numpy.asfortranarray(matrix)
    yield "sliced", matrix[10:200:3, ::7]
    yield "reversed", matrix[::-1, ::-1]
    yield "transposed", matrix.T
    yield "broadcast", numpy.broadcast_to(matrix[0], (64, 500))
    yield "empty", numpy.zeros((3, 0, 4))
    yield "0-d", numpy.array(2.5)
    yield "complex", matrix[:, ::2] + 1j * matrix[:, 1::2]
    yield "float16", matrix.astype(numpy.float16)[:, 1:]
    yield "NHWC as NCHW", image.transpose(2, 0, 1)
    yield "bool, every other", (matrix > 0)[::2]
    side = 1 << ((large_bytes // 4).bit_length() // 2)
    large = numpy.arange(large_bytes // 4, dtype=numpy.uint32).reshape(side, -1)
    yield f"{large.nbytes / 2**30:.3g} GiB, transposed", large.T


def row(name: str, a: numpy.ndarray, device: sv.Device) -> tuple[list[str], bool]:
    """One line of the table, and whether the result is NumPy's."""
    view = device_tensor_like(a, device)
    start = time.perf_counter()
    view.copy_from(a)
    seconds = time.perf_counter() - start
    result = numpy.from_dlpack(view)
    right = result.dtype == a.dtype and numpy.array_equal(result, a)
    shared = a.size == 0 or result.ctypes.data == view.ptr
    rate = f"{2 * a.nbytes / seconds / 1e9:.1f} GB/s" if a.nbytes > 1 << 20 else "-"
    source = StridedMemoryView(a, -1)
    cells = [
        name,
        str(a.dtype),
        str(source.layout).rsplit(" x", 1)[0],
        str(view.strides),
        f"{view.nbytes:,}",
        rate,
        "equal" if right and shared else "WRONG",
    ]
    return cells, right and shared


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large-mib", type=int, default=1024, help="size of the largest array")
    options = parser.parse_args()
    device = sv.Device("cpu")
    print(f"strideview on {device}: view, allocate alike, copy, hand back to NumPy\n")
    table = [["array", "dtype", "shape:strides", "copied to strides", "bytes", "copied at", "NumPy says"]]
    good = True
    for name, a in arrays(options.large_mib << 20):
        cells, right = row(name, a, device)
        table.append(cells)
        good = good and right
    widths = [max(len(cells[column]) for cells in table) for column in range(len(table[0]))]
    for number, cells in enumerate(table):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print(f"\n{len(table) - 1} arrays, {'all equal to NumPy' if good else 'SOME WRONG'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
