"""CuPy: its arrays are viewed and made without a copy, on the stream that the program works on."""

import cupy
import strideview as sv
from strideview import StridedMemoryView


def work(stream: cupy.cuda.Stream) -> None:
    # The view is used on the stream on which CuPy makes the data: nobody waits.
    array = cupy.arange(6 * 8, dtype=cupy.float32).reshape(6, 8)
    view = StridedMemoryView(array[::-1, ::2], stream)
    print("view    ", view.layout, view.dtype)

    # Memory of strideview's pool on the same stream, one kernel, and an array of CuPy over it.
    dense = sv.empty_like(view.T, view.device_id, stream)
    dense.copy_from(view.T, stream=stream)
    taken = cupy.from_dlpack(dense)
    taken *= 10
    print("taken   ", taken.shape, taken[1].tolist())
    print("equal   ", bool((taken == 10 * array[::-1, ::2].T).all()))

    # A transpose in place: source and destination overlap.
    square = cupy.arange(16).reshape(4, 4)
    sv.copy(square, square.T, stream=stream)
    print("square  ", square[0].tolist())


def main() -> None:
    # The stream outlives what is allocated on it, since memory goes back in its order.
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        work(stream)


if __name__ == "__main__":
    main()
