"""A memory-mapped file to the GPU, permuted on the way: only what is taken is read, and the device turns the axes."""

import tempfile
from pathlib import Path

import numpy as np
import strideview as sv
from strideview import StridedMemoryView


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "volume.npy"
        volume = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint16, shape=(64, 96, 128))
        volume[...] = np.arange(volume.size, dtype=np.uint32).reshape(volume.shape).astype(np.uint16)
        volume.flush()

        mapped = np.load(path, mmap_mode="r")
        part = StridedMemoryView(mapped, -1)[16:48, :, ::2].permute((2, 1, 0))
        print("part    ", part.layout, "read-only" if part.readonly else "writable")

        # Dense memory in the new order of the axes, and one copy.
        layout = part.layout.to_dense("C")
        there = StridedMemoryView.from_buffer(sv.Device(0).allocate(part.nbytes), layout, part.dtype)
        there.copy_from(part)
        print("there   ", there.layout, there.nbytes, "bytes")
        print("element ", int(np.asarray(there.to_host())[3, 2, 1]), "is", int(mapped[17, 2, 6]))

        # Or in the order of the file, which is a view of the same shape.
        same = sv.to_device(part, 0)
        print("as it is", same.layout, bool((np.asarray(same.to_host()) == mapped[16:48, :, ::2].transpose(2, 1, 0)).all()))
        del volume, mapped, part


if __name__ == "__main__":
    main()
