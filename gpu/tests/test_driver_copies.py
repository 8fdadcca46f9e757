"""Check 89 on the driver itself: rows and slices of rows, dense, with gaps, repeated, backwards and empty, as
NumPy copies them. That no call has a pitch of 0 or nothing to do is tested over the stand-in, which records them."""

import itertools

import driver
import numpy as np
import pytest
import strideview as sv
from test_transfers import GUARD, SIZE, arenas, reach, read, view_at, write  # noqa: F401

WAYS = [("pinned", "device"), ("device", "pinned"), ("host", "device"), ("device", "host"), ("device", "device")]


def pitches(width: int, height: int, is_source: bool):
    """How far slices and rows are apart."""
    rows = [max(width, 1), width + 1, width + 16, 3 * max(width, 1)]
    if is_source:
        rows += [0, -max(width, 1), -width - 3]
    found = []
    for row in rows:
        dense = max(abs(row), 1) * max(height, 1)
        found += [(each, row) for each in [dense, dense + abs(row), dense + 1] + ([0, -dense] if is_source else [])]
    return found


@pytest.mark.parametrize("start, to", WAYS)
def test_check_89_rows_and_slices(arenas, device, start, to):  # noqa: F811
    found, _ = arenas
    noise = np.random.default_rng(2).integers(0, 256, (2, SIZE), np.uint8)
    stream = device.create_stream()
    written, number = set(), 0
    for depth, height, width in itertools.product([0, 1, 3], [0, 1, 5], [0, 1, 511, 512, 700]):
        targets, sources = pitches(width, height, False), pitches(width, height, True)
        for source in sources:
            target = targets[number % len(targets)]
            number += 1
            shape, dst_strides, src_strides = (depth, height, width), (*target, 1), (*source, 1)
            empty = 0 in shape
            to_span = (0, 0) if empty else reach(shape, dst_strides, 1)
            from_span = (0, 0) if empty else reach(shape, src_strides, 1)
            dst_at, src_at = GUARD - to_span[0], GUARD - from_span[0]
            sizes = dst_at + to_span[1] + GUARD, src_at + from_span[1] + GUARD
            write(found[to][0], noise[0][: sizes[0]])
            write(found[start][1], noise[1][: sizes[1]])
            driver.synchronize()
            expected = noise[0][: sizes[0]].copy()
            if not empty:
                there = np.ndarray(shape, "u1", expected, dst_at, dst_strides)
                there[...] = np.ndarray(shape, "u1", noise[1], src_at, src_strides)
            dst = view_at(found[to][0] + dst_at, shape, dst_strides, 1, to_span)
            src = view_at(found[start][1] + src_at, shape, src_strides, 1, from_span)
            dst.copy_from(src, stream=stream, blocking=True)
            written.update(word for word in str(sv.explain_copy(dst, src)).replace("\n", " ").split() if "Memcpy" in word)
            got = read(found[to][0], sizes[0])
            assert (got == expected).all(), (shape, dst_strides, src_strides, sv.explain_copy(dst, src))
    if "pinned" in (start, to):
        assert {"cuMemcpyAsync", "cuMemcpy2DAsync", "cuMemcpy3DAsync"} <= written
