"""MPI: neighbours exchange the columns at their borders, which lie apart in memory, without packing. mpiexec -n 4 python mpi_exchange.py"""

import numpy as np
from mpi4py import MPI
from strideview import StridedMemoryView, mpi

ROWS, COLUMNS = 6, 8


def main() -> None:
    world = MPI.COMM_WORLD
    left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size

    # A part of a grid in each rank, with a column of a neighbour on either side.
    grid = np.full((ROWS, COLUMNS + 2), world.rank, np.float64)
    view = StridedMemoryView(grid, -1)
    for ours, to, theirs, source in ((1, left, -1, right), (-2, right, 0, left)):
        with mpi.sendbuf(view[:, ours]) as sent, mpi.recvbuf(view[:, theirs]) as received:
            world.Sendrecv(sent, dest=to, recvbuf=received, source=source)
    borders = world.gather((grid[0, 0], grid[0, -1]), root=0)

    # All parts side by side in rank 0: each is a block of columns of the whole, with a datatype that steps from one to the next.
    whole = np.empty((ROWS, COLUMNS * world.size))
    block = StridedMemoryView(whole, -1)[:, :COLUMNS]
    columns = mpi.datatype(block, extent=COLUMNS * 8)
    world.Gather(mpi.sendbuf(view[:, 1:-1]), [whole, 1, columns] if world.rank == 0 else None, root=0)
    columns.Free()
    if world.rank == 0:
        print("column  ", view[:, 1].layout)
        print("borders ", [(float(low), float(high)) for low, high in borders or []])
        print("whole   ", whole.shape, whole[0, ::COLUMNS].tolist(), whole.sum())


if __name__ == "__main__":
    main()
