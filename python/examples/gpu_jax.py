"""JAX on a GPU: memory that was filled by one copy becomes an array, and what a compiled function returns is viewed."""

import jax
import jax.numpy as jnp
import numpy as np
import strideview as sv
from strideview import StridedMemoryView


def main() -> None:
    # Frames of the host go to the device as planes: the device permutes what the link brings.
    frames = np.arange(2 * 48 * 64 * 3, dtype=np.float32).reshape(2, 48, 64, 3)
    planes = StridedMemoryView(frames, -1).permute((0, 3, 1, 2))
    there = StridedMemoryView.from_buffer(sv.Device(0).allocate(planes.nbytes), planes.shape, dtype="float32")
    there.copy_from(planes)
    array = jax.dlpack.from_dlpack(there)
    print("array   ", array.shape, array[1, 2, 0, :2].tolist())
    print("largest ", jax.jit(lambda a: a.max(axis=(0, 2, 3)))(array).tolist())

    # An array of JAX, viewed on the legacy default stream and brought to the host, turned around on the way.
    result = jnp.cumsum(jnp.arange(12.0).reshape(3, 4), axis=1)
    back = StridedMemoryView(result, 0)[::-1].to_host()
    print("back    ", back.shape, np.asarray(back)[0].tolist())


if __name__ == "__main__":
    main()
