"""Dask: views travel between workers as they are, transposed, sliced or broadcast, and what repeats travels once."""

import numpy as np
import strideview.dask  # noqa: F401, here and so in each worker, which runs these lines too
from distributed import Client, LocalCluster
from distributed.protocol.serialize import serialize
from strideview import StridedMemoryView


def row_sums(view: StridedMemoryView) -> list[float]:
    """Runs in a worker, on memory that it received."""
    return [float(total) for total in np.asarray(view).sum(axis=1)]


def halves(view: StridedMemoryView) -> StridedMemoryView:
    """The left half of a view, which goes on to another worker."""
    return view[:, : view.shape[1] // 2]


def main() -> None:
    table = StridedMemoryView(np.arange(1000.0).reshape(10, 100), -1)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        first, second = client.scheduler_info()["workers"]
        left = client.submit(halves, table, workers=[first])
        print("sums    ", client.submit(row_sums, left, workers=[second]).result()[:3])
        back = left.result()
        print("back    ", back.layout, np.asarray(back)[9, 49])
    repeated = table[0].broadcast_to((500, 100))
    _, frames = serialize(repeated)
    print("frames  ", [memoryview(frame).nbytes for frame in frames], "bytes for", repeated.nbytes)


if __name__ == "__main__":
    main()
