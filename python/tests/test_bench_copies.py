"""The benchmark of host copies: its cases, its bytes and its sums. Nothing here is timed."""

import dataclasses
import itertools
import json
import math
import pathlib
import sys

import numpy
import pytest

BENCH = pathlib.Path(__file__).parents[2] / "bench"
if not BENCH.exists():
    pytest.skip("the benchmarks are not here", allow_module_level=True)


@pytest.fixture
def bench(monkeypatch):
    """The modules of the benchmark by name."""
    monkeypatch.syspath_prepend(str(BENCH))
    names = ("copies", "engines", "report", "suite")
    found = {name: __import__(name) for name in names}
    yield found
    for name in names:
        sys.modules.pop(name, None)


def entries():
    return json.loads((BENCH / "cases" / "copy_suite.json").read_text())


def test_every_case_says_what_it_moves(bench):
    for entry in entries():
        case = bench["suite"].case_of(entry)
        assert numpy.dtype(case.dtype).itemsize == case.itemsize
        assert case.written == entry["dst_bytes"] == entry["elements"] * case.itemsize
        assert case.useful == entry["dst_bytes"] + entry["src_unique_bytes"]


def test_every_case_stays_in_its_memory():
    for entry in entries():
        for side in ("src", "dst"):
            reach = [
                (n - 1) * stride for n, stride in zip(entry["src_shape"], entry[f"{side}_strides"], strict=True)
            ]
            offset = entry[f"{side}_offset"]
            assert offset + sum(min(step, 0) for step in reach) >= 0
            assert offset + sum(max(step, 0) for step in reach) < entry[f"{side}_len"]


def test_anchors_cover_the_suite(bench):
    names = [entry["name"] for entry in entries()]
    assert len(names) == len(set(names)) == 47
    for threads in (1, 2):
        anchors = bench["suite"].anchors(threads)
        assert list(anchors) == names
        assert all(best > 0 and peer for best, peer in anchors.values())


def shrunk(case):
    """A case of the same kind whose bytes can be computed one by one: every extent at most 3."""
    shape = tuple(min(n, 3) for n in case.shape)
    return dataclasses.replace(case, shape=shape)


def test_expected_bytes_are_those_of_a_loop_over_indices(bench):
    suite = bench["suite"]
    for case in map(shrunk, suite.cases()):
        # Offsets stay; only the lengths that are reached matter.
        case = dataclasses.replace(case, src_len=reached(case, "src"), dst_len=reached(case, "dst"))
        memory = suite.Memory([case])
        memory.expect(case)
        size = case.itemsize
        wanted = bytearray([suite.UNTOUCHED]) * (case.dst_len * size + 2 * suite.GUARD)
        source = memory.source.tobytes()
        for index in itertools.product(*map(range, case.shape)):
            to = suite.GUARD + size * (case.dst_offset + sum(map(int.__mul__, index, case.dst_strides)))
            at = size * (case.src_offset + sum(map(int.__mul__, index, case.src_strides)))
            wanted[to : to + size] = source[at : at + size]
        assert memory.expected.tobytes() == bytes(wanted), case.name
        memory.clear(case)
        assert not memory.check(case)
        numpy.copyto(*memory.arrays(case))
        assert memory.check(case)
        memory.destination[suite.GUARD - 1] ^= 1
        assert not memory.check(case)


def reached(case, side):
    strides = getattr(case, f"{side}_strides")
    steps = ((n - 1) * stride for n, stride in zip(case.shape, strides, strict=True))
    return 1 + getattr(case, f"{side}_offset") + sum(max(step, 0) for step in steps)


def test_no_byte_of_the_source_looks_untouched_or_is_no_number(bench):
    suite = bench["suite"]
    memory = suite.Memory(suite.cases("small"))
    assert suite.UNTOUCHED not in memory.source
    for dtype in ("f2", "f4", "f8"):
        assert numpy.isfinite(memory.source.view(dtype)).all()


def test_geometric_mean(bench):
    mean = bench["report"].geometric_mean
    assert mean([2.0, 8.0]) == pytest.approx(4.0)
    assert mean([0.5]) == pytest.approx(0.5)
    assert mean(iter([1.0, 10.0, 100.0])) == pytest.approx(10.0)


def test_fractions_and_the_best_peer(bench):
    case = bench["suite"].cases("bcast_row_f32")[0]
    ns = {"memcpy": 6e6, "strideview": 4e6, "strideview-planning": 1.0, "numpy": 5e6, "torch": 3e6}
    found = bench["copies"].Measured(case, ns)
    assert found.fraction() == pytest.approx(1.5)
    assert found.best_peer() == "torch"
    assert bench["copies"].ratio(found, "torch") == pytest.approx(0.75)
    # 2048 x 4096 floats are written; 4096 of them are read.
    assert found.gigabytes("strideview") == pytest.approx((33554432 + 16384) / 4e6)
    assert found.gigabytes("memcpy") == pytest.approx(2 * 33554432 / 6e6)


def test_rounds_begin_with_each_engine_and_stop_at_the_limit(bench):
    copies = bench["copies"]
    order = []

    def loop(name, ns):
        return lambda iterations: order.append(name) or ns * iterations

    loops = {"a": loop("a", 10.0), "b": loop("b", 1000.0), "c": loop("c", 20.0)}
    effort = copies.Effort(rounds=4, sample_ns=1, limit_ns=1500, least_rounds=1)
    samples = copies.rounds(loops, {"a": 2, "b": 1, "c": 1}, effort)
    assert "".join(order) == "abc" + "bca" + "ca" + "ac"
    assert {name: len(times) for name, times in samples.items()} == {"a": 4, "b": 2, "c": 4}
    assert samples["a"] == [10.0] * 4


def test_permutations_for_opencv(bench):
    suite, permutation = bench["suite"], bench["engines"].permutation
    orders = {case.name: permutation(case) for case in suite.cases()}
    assert orders["t2d_6000x4000_uint8"] == (1, 0)
    assert orders["nhwc2nchw_u8_rgb"] == (0, 3, 1, 2)
    assert orders["hptt_5d_20413"] == (1, 3, 0, 4, 2)
    assert orders["slice2_last_f32"] is None
    assert orders["bcast_row_f32"] is None
    for case in suite.cases():
        if (order := orders[case.name]) is not None:
            extents = [case.shape[order.index(axis)] for axis in range(len(order))]
            strides = [math.prod(extents[axis + 1 :]) for axis in range(len(order))]
            assert tuple(strides[axis] for axis in order) == case.src_strides
