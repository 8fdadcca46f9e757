"""JAX: its arrays are read without a copy, and made from memory that was filled in place."""

import jax
import jax.numpy as jnp
import numpy as np
import strideview as sv
from strideview import StridedMemoryView


def main() -> None:
    # An array of JAX is immutable, and so is its view.
    array = jnp.arange(12.0).reshape(3, 4)
    view = StridedMemoryView(array, -1)
    print("view    ", view.layout, "read-only" if view.readonly else "writable")

    # JAX wants memory without gaps, last axis fastest: one copy makes that of anything.
    frames = np.arange(2 * 4 * 6, dtype=np.float32).reshape(2, 4, 6)[:, ::-1, ::2]
    source = StridedMemoryView(frames, -1)
    dense = StridedMemoryView.from_buffer(sv.Device("cpu").allocate(source.nbytes), source.shape, dtype=source.dtype)
    dense.copy_from(source)
    taken = jax.dlpack.from_dlpack(dense)
    print("taken   ", taken.shape, taken[0, 0].tolist())
    print("sum     ", float(jnp.sum(taken)), "of", float(frames.sum()))

    # And back: what a compiled function returns, copied into a part of an array of NumPy.
    out = np.zeros((3, 8))
    sv.copy(out[:, ::2], np.asarray(jax.jit(lambda a: a * 10)(array), np.float64))
    print("out     ", out[1].tolist())


if __name__ == "__main__":
    main()
