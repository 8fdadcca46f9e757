"""Nothing leaks: reference counts are right, and memory stays flat over many constructions and calls."""

import gc
import resource
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from strideview import Buffer, Device, StridedLayout, StridedMemoryView, copy
from view_of import view_of

MEGABYTES = 4
ROUNDS = 100_000


def resident():
    """The resident size in bytes: now where the system says, otherwise the largest so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize()


def growth(work, rounds=ROUNDS):
    for _ in range(min(rounds, 1000)):  # caches, and whatever is made once
        work()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        work()
    return (resident() - before) / 2**20


def read_everything():
    layout = StridedLayout((3, 4, 5, 6, 7, 8, 9, 2, 2), None, 8)
    for name in ("shape", "strides", "strides_in_bytes", "stride_order", "is_unique", "offset_bounds", "volume"):
        getattr(layout, name)
    explicit = StridedLayout((2, 3, 4), (12, 4, 1), 8)
    for name in ("shape", "strides", "strides_in_bytes", "stride_order", "is_unique", "offset_bounds", "volume"):
        getattr(explicit, name)


def transform():
    layout = StridedLayout((2, 3, 4), (12, 4, 1), 8)
    layout.permuted((2, 0, 1)).sliced((slice(None), 0)).reshaped((4, 3)).to_dense("F").unsqueezed(0)
    hash(layout), layout == layout.reversed_axes(), repr(layout), str(layout)
    list(layout.flattened().runs())
    next(layout.offsets())


def fail():
    layout = StridedLayout((2, 3, 4), None, 8)
    for call, argument in (
        (layout.reshaped, (5,)),
        (layout.permuted, "abc"),
        (layout.sliced, 7),
        (layout.squeezed, 2**70),
    ):
        try:
            call(argument)
        except (TypeError, ValueError):
            pass
    try:
        StridedLayout((2,), None, 4, wrong=1)
    except TypeError:
        pass


ARRAY = np.zeros((4, 6))


def view():
    made = view_of(ARRAY)
    made[1:].T.squeeze().unsqueeze(0)
    made.reshape((24,)).view(dtype="int64").bytes_view()
    made.shape, made.strides, made.dtype, made.exporting_obj, repr(made)


def export():
    made = view_of(ARRAY)
    made.__dlpack__()
    made.__dlpack__(max_version=(1, 3))
    np.from_dlpack(made)
    memoryview(made).release()


def copy_arrays():
    copy(ARRAY[:2], ARRAY[2:])


def allocate():
    with Device("cpu").allocate(256) as buffer:
        StridedMemoryView.from_buffer(buffer, (4, 8), dtype="float64")


@pytest.mark.parametrize(
    ("work", "rounds"),
    [
        (read_everything, ROUNDS),
        (transform, 30_000),
        (fail, 20_000),
        (view, 30_000),
        (export, 20_000),
        (copy_arrays, 50_000),
        (allocate, 30_000),
    ],
    ids=lambda it: getattr(it, "__name__", ""),
)
def test_memory_stays_flat(work, rounds):
    assert growth(work, rounds) < MEGABYTES


def test_references_of_cached_tuples():
    layout = StridedLayout((1000, 2000), (2000, 1), 8)
    for name in ("shape", "strides", "strides_in_bytes", "stride_order"):
        first = getattr(layout, name)
        held_once = tuple([1000, 2000])  # not a literal, which the code would hold too
        holder = [held_once]
        assert sys.getrefcount(first) == sys.getrefcount(held_once)
        before = sys.getrefcount(first)
        others = [getattr(layout, name) for _ in range(100)]
        assert sys.getrefcount(first) == before + 100
        del others
        assert sys.getrefcount(first) == before
        assert holder == [held_once]
    shape, unheld = layout.shape, tuple([1000, 2000])
    del layout
    assert shape == (1000, 2000)
    assert sys.getrefcount(shape) == sys.getrefcount(unheld)


def test_references_of_arguments():
    shape, strides, wrong = [10**6, 20], [20, 10**7], (10**5, 3)
    watched = [*shape, *strides, *wrong, shape, strides, wrong]
    before = [sys.getrefcount(it) for it in watched]
    for _ in range(1000):
        layout = StridedLayout(shape, strides, 4)
        layout.permuted([1, 0]).extended(layout).maps_like(layout)
        with pytest.raises(ValueError, match="volume"):
            layout.reshaped(wrong)
    after = [sys.getrefcount(it) for it in watched]
    assert all(abs(b - a) < 10 for a, b in zip(before, after, strict=True))


def test_references_of_a_layout_that_is_its_own_result():
    layout = StridedLayout((2, 3), (3, 1), 4)
    before = sys.getrefcount(layout)
    results = [layout.to_dense(), layout.repacked(4), StridedLayout.dense_like(layout), layout.__copy__()]
    assert [result is layout for result in results] == [True] * 4
    assert sys.getrefcount(layout) == before + len(results)
    results.clear()
    assert sys.getrefcount(layout) == before


def test_none_is_not_used_up():
    layout = StridedLayout((2, 3), None, 4)
    before = sys.getrefcount(None)
    for _ in range(10_000):
        layout.strides
        layout.strides_in_bytes
        layout.index_of(1000)
    assert abs(sys.getrefcount(None) - before) < 1000


def test_a_view_lets_go_of_what_it_came_from():
    array = np.zeros(8)
    before = sys.getrefcount(array)
    parts = [view_of(array)]
    for step in (
        lambda it: it[2:],
        lambda it: it.T,
        lambda it: it.reshape((2, 3)),
        lambda it: it.bytes_view(),
        lambda it: it.view(dtype="uint8"),
    ):
        parts.append(step(parts[-1] if parts[-1].ndim < 2 else parts[-1].reshape((-1,))))
    alive = weakref.ref(parts[0])
    assert sys.getrefcount(array) > before
    assert all(part.exporting_obj is array for part in parts)
    del parts
    assert alive() is None
    assert sys.getrefcount(array) == before


def test_a_buffer_lets_go_of_its_owner():
    class Owner:
        pass

    owner = Owner()
    alive = weakref.ref(owner)
    buffer = Buffer.from_handle(64, 0, owner=owner)
    view = StridedMemoryView.from_buffer(buffer, (0,), itemsize=4)
    del owner, buffer
    assert alive() is not None
    del view
    assert alive() is None


def test_threads_that_read_one_layout():
    """Each cache is filled once, whoever comes first."""
    for _ in range(50):
        layout = StridedLayout((2, 3, 4), (12, 4, 1), 8)
        seen, start = [], threading.Barrier(4)

        def read(layout=layout, seen=seen, start=start):
            start.wait()
            seen.append((layout.shape, layout.strides, layout.stride_order, layout.is_unique))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [((2, 3, 4), (12, 4, 1), (0, 1, 2), True)] * 4
        assert all(read[0] is layout.shape for read in seen)
