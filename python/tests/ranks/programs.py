"""What several ranks do, each a process: ``mpiexec -n 4 python -m mpi4py programs.py NAME``. A failed one ends them all."""

import sys

import numpy as np
from mpi4py import MPI
from strideview import StridedLayout, StridedMemoryView

from strideview import mpi

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.rank, WORLD.size
AFTER, BEFORE = (RANK + 1) % SIZE, (RANK - 1) % SIZE


def view_of(x):
    return StridedMemoryView(x, -1)


def strided(rank):
    """Views of different strides and dtypes of the same numbers; those of a rank are its own."""
    numbers = np.arange(rank * 1000, rank * 1000 + 480).reshape(4, 6, 20)
    yield numbers.transpose(2, 0, 1)
    yield numbers[::-1, ::2, ::-3]
    yield numbers.astype("f4")[:, ::-1, 1:17:4].T
    yield np.broadcast_to(numbers[0, 0, ::-1], (5, 20))
    yield (numbers % 251).astype("u1")[..., ::-1]
    yield (numbers % 251).astype("u1")[:, :, ::-2]
    yield numbers.astype("c16")[1, :, ::7]
    yield numbers[2:2]


def to_receive(x):
    """A view to receive in, reversed and with gaps, and all of its memory, which is -1 or its like."""
    memory = np.full((*x.shape[:-1], 2 * x.shape[-1] + 1), 77, x.dtype)
    return memory[::-1, ..., 1::2], memory


def check(view, memory, wanted):
    assert np.array_equal(view, wanted), (RANK, view, wanted)
    assert (memory[..., ::2] == 77).all(), (RANK, memory)


def ring():
    """Each sends to the next and receives from the one before, by the blocking calls and by those that start something."""
    for mine, theirs in zip(strided(RANK), strided(BEFORE), strict=True):
        received, memory = to_receive(theirs)
        WORLD.Sendrecv(mpi.sendbuf(view_of(mine)), dest=AFTER, recvbuf=mpi.recvbuf(view_of(received)), source=BEFORE)
        check(received, memory, theirs)
        received, memory = to_receive(theirs)
        requests = [
            WORLD.Irecv(mpi.recvbuf(view_of(received)), source=BEFORE),
            WORLD.Isend(mpi.sendbuf(view_of(mine)), dest=AFTER),
        ]
        MPI.Request.Waitall(requests)
        check(received, memory, theirs)
        plain = np.zeros_like(theirs, order="C")
        WORLD.Sendrecv(mpi.sendbuf(view_of(mine)), dest=AFTER, recvbuf=plain, source=BEFORE)
        assert np.array_equal(plain, theirs)


def collectives():
    """One call for all ranks: a broadcast, the columns of a matrix to each its own, and blocks turned between ranks."""
    for x in strided(0):
        view, memory = to_receive(x)
        if RANK == 0:
            view[...] = x
        WORLD.Bcast(mpi.recvbuf(view_of(view)), root=0)
        check(view, memory, x)
    matrix = np.arange(5 * 3 * SIZE, dtype="f8").reshape(5, 3 * SIZE)
    mine = np.zeros((5, 3))
    columns = mpi.datatype(StridedLayout((5, 3), (3 * SIZE, 1), 8), MPI.DOUBLE, extent=24)
    WORLD.Scatter([matrix, 1, columns] if RANK == 0 else None, mine, root=0)
    assert np.array_equal(mine, matrix[:, 3 * RANK : 3 * RANK + 3])
    gathered = np.zeros_like(matrix)
    WORLD.Gather(mine, [gathered, 1, columns] if RANK == 0 else None, root=0)
    assert RANK or np.array_equal(gathered, matrix)
    columns.Free()


def one_sided():
    """Sums into a strided view of the neighbour: MPI adds only what is of one basic type, so the element is MPI.DOUBLE."""
    try:
        MPI.Win.Create(np.zeros(1), comm=WORLD).Free()
    except MPI.Exception as error:
        print(f"skipped: no windows, {error}")
        return
    memory = np.zeros((4, 6))
    window = MPI.Win.Create(memory, comm=WORLD)
    source, target = np.full((6, 4), RANK + 1.0).T, view_of(memory)[:, ::2]
    layout = target.layout
    with mpi.sendbuf(view_of(source[:, ::-2])) as message:
        there = mpi.datatype(layout, MPI.DOUBLE)
        window.Fence()
        window.Accumulate(message, AFTER, (0, 1, there), MPI.SUM)
        window.Accumulate(message, AFTER, (0, 1, there), MPI.SUM)
        window.Fence()
        there.Free()
    assert (memory[:, ::2] == 2 * (BEFORE + 1)).all() and not memory[:, 1::2].any()
    window.Free()


LARGE = (2250, 1 << 20)


def large():
    """More than 2^31 bytes from rank 0 to rank 1: one axis there, rows with gaps here."""
    rows, width = LARGE
    marks = [0, 1, width - 1, 2**31 - 1, 2**31, rows * width - 1]
    if RANK == 0:
        source = np.zeros(rows * width, "u1")  # its pages cost nothing until they are written
        source[marks] = range(1, 7)
        WORLD.Send(mpi.sendbuf(view_of(source)), dest=1)
    elif RANK == 1:
        memory = np.zeros((rows, width + 64), "u1")
        WORLD.Recv(mpi.recvbuf(view_of(memory[::-1, :width])), source=0)
        received = memory[::-1]
        assert [received[divmod(mark, width)] for mark in marks] == list(range(1, 7))
        assert np.count_nonzero(memory.view("u8")) == 5  # the first two marks are in one word
    WORLD.Barrier()


if __name__ == "__main__":
    {"ring": ring, "collectives": collectives, "one_sided": one_sided, "large": large}[sys.argv[1]]()
    print("done")
