"""Nanoseconds of each Python layout operation, beside cuda.core's private layout and NumPy.

Rounds of the engines are interleaved, and the least time of each counts: a round is disturbed by
other work on the machine, never helped. Every result is compared with the peer's before it is timed.
The table goes to standard output and to bench/record/<cpu>/<date>-layout.csv.
"""

import argparse
import json
import math
import pathlib
import platform
import sys
import time
import timeit
from typing import Any

import numpy
import strideview
from report import cpu, geometric_mean, record

try:
    from cuda.core._layout import _StridedLayout
except ImportError:
    _StridedLayout = None

HERE = pathlib.Path(__file__).parent
SHAPE, STRIDES = (5, 3, 7, 11), (231, 77, 11, 1)


def names(layout: Any) -> dict[str, Any]:
    """The names that the statements of one layout class use."""
    l = layout(SHAPE, STRIDES, 4)
    e = layout((5, 3, 7, 12), (252, 84, 12, 1), 4)
    return {"L": layout, "l": l, "e": e, "p": l.permuted((3, 1, 0, 2)), "l2": layout(SHAPE, STRIDES, 4)}


def numpy_names() -> dict[str, Any]:
    a = numpy.zeros(SHAPE, "f4")
    return {
        "a": a,
        "ae": numpy.zeros((5, 3, 7, 12), "f4"),
        "ap": a.transpose((3, 1, 0, 2)),
        "ndarray": numpy.ndarray,
        "empty": numpy.empty,
        "empty_like": numpy.empty_like,
        "broadcast_to": numpy.broadcast_to,
        "f2": numpy.dtype("f2"),
        "f4": numpy.dtype("f4"),
        "f8": numpy.dtype("f8"),
    }


def facts(value: Any) -> Any:
    """What must agree between the engines."""
    if isinstance(value, strideview.StridedLayout) or type(value).__name__ == "_StridedLayout":
        wide = [s for n, s in zip(value.shape, value.strides or (), strict=False) if n != 1]
        return value.shape, wide, value.itemsize, value.slice_offset
    return value if not isinstance(value, str) else None


def check(case: dict[str, str], engines: dict[str, dict[str, Any]]) -> None:
    if "cuda.core" not in engines:
        return
    ours, theirs = (facts(eval(case["ours"], dict(engines[name]))) for name in ("strideview", "cuda.core"))
    if ours != theirs:
        raise SystemExit(f"{case['name']}: strideview gives {ours}, cuda.core {theirs}")


def measured(case: dict[str, str], engines: dict[str, dict[str, Any]], rounds: int) -> dict[str, float]:
    """Nanoseconds by engine: the least of the rounds."""
    timers = {}
    for name, scope in engines.items():
        statement = case.get("numpy") if name == "numpy" else case["ours"]
        if statement:
            timers[name] = timeit.Timer(statement, globals=scope, timer=time.process_time)
    number = 2000
    least = dict.fromkeys(timers, math.inf)
    for _ in range(rounds):
        for name, timer in timers.items():
            least[name] = min(least[name], timer.timeit(number) / number * 1e9)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    cases = json.loads((HERE / "cases" / "layout.json").read_text())["cases"]
    engines = {"strideview": names(strideview.StridedLayout), "numpy": numpy_names()}
    if _StridedLayout is not None:
        engines["cuda.core"] = names(_StridedLayout)
    else:
        print("cuda.core is not installed: its column stays empty")
    rows: list[list[Any]] = [["operation", "strideview ns", "cuda.core ns", "numpy ns", "of cuda.core", "of numpy"]]
    ratios: dict[str, list[float]] = {"cuda.core": [], "numpy": []}
    print(f"{rows[0][0]:26}" + "".join(f"{title:>15}" for title in rows[0][1:]))
    for case in cases:
        check(case, engines)
        ns = measured(case, engines, options.rounds)
        row: list[Any] = [case["name"]]
        row += [f"{ns[name]:.1f}" if name in ns else "" for name in ("strideview", "cuda.core", "numpy")]
        for peer, found in ratios.items():
            if peer in ns:
                found.append(ns["strideview"] / ns[peer])
            row.append(f"{ns['strideview'] / ns[peer]:.2f}" if peer in ns else "")
        rows.append(row)
        print(f"{row[0]:26}" + "".join(f"{cell:>15}" for cell in row[1:]), flush=True)
    for title, summary in (("geometric mean", geometric_mean), ("worst", max)):
        row = [title, "", "", ""] + [f"{summary(found):.2f}" if found else "" for found in ratios.values()]
        rows.append(row)
        print(f"{title:26}" + "".join(f"{cell:>15}" for cell in row[1:]))
    versions = f"python {platform.python_version()}, numpy {numpy.__version__}, {cpu()}"
    rows.append([versions])
    print(f"{versions}\nrecorded in {record(rows, 'layout')}")


if __name__ == "__main__":
    sys.exit(main())
