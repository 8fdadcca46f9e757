"""A strided view sent between two ranks of MPI by its datatype, beside a copy into dense memory that is sent then.

    mpiexec -n 2 python bench/messages.py [--mib 64] [--record]

Rank 0 sends, rank 1 receives into plain memory and answers with a byte. Each figure is the median of several exchanges, the two ways
in turn; `dense` is what a view without gaps of as many bytes takes. Needs the extra strideview[mpi].
"""

import argparse
import statistics
import time

import numpy as np
import strideview as sv
from mpi4py import MPI
from report import cpu, record
from strideview import StridedMemoryView, mpi

WORLD = MPI.COMM_WORLD
ROUNDS = 7


def arrays(size):
    """Views of about `size` bytes."""
    side = int((size // 8) ** 0.5) // 64 * 64
    yield "rows of 64 KiB with gaps", np.ones((size >> 16, (1 << 16) + 64), "u1")[:, : 1 << 16]
    yield "rows of 256 bytes with gaps", np.ones((size >> 8, 320), "u1")[:, :256]
    yield "every second f64", np.ones(size // 4)[::2]
    yield "last axis backwards, f32", np.ones((side, size // 4 // side), "f4")[:, ::-1]
    yield "transposed f64", np.ones((side, side)).T
    yield "pixels of 3 u8 to planes", np.ones((size // 3 // 1024, 1024, 3), "u1").transpose(2, 0, 1)


def exchange(send, received, answer):
    """The seconds from here to there and back; rank 1 only receives."""
    WORLD.Barrier()
    start = time.perf_counter()
    if WORLD.rank == 0:
        send()
        WORLD.Recv(answer, source=1)
    else:
        WORLD.Recv(received, source=0)
        WORLD.Send(answer, dest=0)
    return time.perf_counter() - start


def measured(array):
    """Medians of the three ways, and whether rank 1 has the elements."""
    view, scratch = StridedMemoryView(array, -1), np.ones(array.shape, array.dtype)
    received, answer = np.zeros(array.shape, array.dtype), np.zeros(1, "u1")
    message = mpi.sendbuf(view)

    def copied():
        sv.copy(scratch, view)
        WORLD.Send(scratch, dest=1)

    ways = [lambda: WORLD.Send(message, dest=1), copied, lambda: WORLD.Send(scratch, dest=1)]
    seconds = [[exchange(way, received, answer) for way in ways] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*seconds[1:], strict=True)], np.array_equal(received, array)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    library = MPI.Get_library_version().splitlines()[0].replace("\t", " ").strip(" \0")
    rows = [[f"{cpu()}; {library}; {options.mib} MiB"], ["view", "datatype / dense", "copy and send / dense", "datatype / copy and send"]]
    for name, array in arrays(options.mib << 20):
        (datatype, copied, dense), right = measured(array)
        assert right or WORLD.rank == 0
        rows.append([name, *(f"{ratio:.2f}" for ratio in (datatype / dense, copied / dense, datatype / copied))])
    if WORLD.rank == 0:
        for row in rows:
            print("  ".join(f"{cell:<28}" for cell in row).rstrip())
        if options.record:
            print(record(rows, "messages"))


if __name__ == "__main__":
    main()
