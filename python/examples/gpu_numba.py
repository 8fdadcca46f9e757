"""Numba: a CUDA kernel works on a view in place, with the strides that the view has."""

import numpy as np
import strideview as sv
from numba import cuda


def scale(pixels, gains):  # type: ignore[no-untyped-def]
    """One thread for each pixel of an array of shape (rows, columns, channels)."""
    row, column = cuda.grid(2)
    if row < pixels.shape[0] and column < pixels.shape[1]:
        for channel in range(pixels.shape[2]):
            pixels[row, column, channel] *= gains[channel]


def main() -> None:
    device = sv.Device(0)
    stream = device.create_stream()
    theirs = cuda.external_stream(stream.handle)
    host = np.ones((3, 48, 64), np.float32)  # planes
    planes = sv.to_device(host, device, stream=stream)

    # The planes seen as pixels, the left half of every second row: the kernel knows nothing of that.
    pixels = planes.permute((1, 2, 0))[::2, :32]
    print("view    ", pixels.layout)
    gains = sv.to_device(np.array([2, 3, 4], np.float32), device, stream=stream)
    cuda.jit(scale)[(3, 2), (8, 16), theirs](cuda.as_cuda_array(pixels), cuda.as_cuda_array(gains))

    back = np.asarray(planes.to_host(stream=stream))
    print("scaled  ", back[:, 0, 0].tolist(), "untouched", back[:, 1, 0].tolist(), back[:, 0, 32].tolist())
    print("sum     ", float(back.sum()), "was", float(host.sum()))


if __name__ == "__main__":
    main()
