"""A batch of images: crops of padded pictures, some mirrored, as planes (NCHW) in one buffer, one copy for each image."""

import numpy as np
import strideview as sv
from strideview import StridedLayout, StridedMemoryView

HEIGHT, WIDTH, SIDE = 48, 64, 32
PITCH = 256  # bytes from row to row, as decoders pad them


def picture(number: int) -> StridedMemoryView:
    """What a decoder leaves: rows of pixels of 3 bytes, padded."""
    layout = StridedLayout((HEIGHT, WIDTH, 3), (PITCH, 3, 1), 1)
    buffer = sv.Device("cpu").allocate(layout.required_size_in_bytes())
    view = StridedMemoryView.from_buffer(buffer, layout, "uint8")
    sv.copy(view, np.fromfunction(lambda row, column, channel: (row + column + 50 * channel + number) % 256, view.shape).astype(np.uint8))
    return view


def main() -> None:
    batch = np.empty((8, 3, SIDE, SIDE), np.uint8)
    for number in range(8):
        top, left = 2 * number, 3 * number
        crop = picture(number)[top : top + SIDE, left : left + SIDE]
        if number % 2:
            crop = crop[:, ::-1]  # mirrored: a negative stride, no work
        sv.copy(batch[number], crop.permute((2, 0, 1)))
    print("crop    ", crop.layout)
    print("kernel  ", sv.explain_copy(batch[7], crop.permute((2, 0, 1))).kernel)
    print("corners ", batch[0, :, 0, 0].tolist(), batch[1, :, 0, 0].tolist())
    print("sum     ", int(batch.sum(dtype=np.int64)))

    # The same batch as pixels again, for a library that wants NHWC: a view, and a copy where it must be dense.
    pixels = StridedMemoryView(batch, -1).permute((0, 2, 3, 1))
    dense = np.empty(pixels.shape, np.uint8)
    pixels.copy_to(dense)
    print("pixels  ", pixels.layout, dense[7, 31, 31].tolist())


if __name__ == "__main__":
    main()
