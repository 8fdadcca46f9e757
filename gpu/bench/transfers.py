"""Copies between host and device beside torch, as fractions of the link.

The link is a plain copy of as many bytes of pinned memory, in the same run. Rounds of all are
interleaved, and the median of each counts. Every copy is checked before it is timed. The table goes to
standard output, and to transfers.csv in the folder that --record or STRIDEVIEW_RECORD names.
"""

import argparse
import csv
import dataclasses
import os
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import strideview as sv
import torch

SIDE = 8192
COUNT = SIDE * SIDE
NBYTES = COUNT * 4


@dataclasses.dataclass
class Case:
    """A copy of NBYTES; ``bar`` is what is promised, in GB/s, or as a fraction of the link."""

    name: str
    make: Callable[[], tuple[Any, Any]]
    bar: float


def numbers(**options: Any) -> Any:
    return torch.arange(COUNT, dtype=torch.int32, **options).view(torch.float32)


def host(pinned: bool) -> Any:
    tensor = numbers()
    return tensor.pin_memory() if pinned else tensor


def empty_host(pinned: bool, *shape: int) -> Any:
    return torch.zeros(*shape, pin_memory=pinned)


def cuda(*shape: int) -> Any:
    return torch.zeros(*shape, device="cuda")


def square(tensor: Any) -> Any:
    return tensor.view(SIDE, SIDE)


def padded(pinned: bool) -> Any:
    wide = torch.arange(SIDE * (SIDE + 64), dtype=torch.int32).view(torch.float32).view(SIDE, SIDE + 64)
    return (wide.pin_memory() if pinned else wide)[:, :SIDE]


CASES = [
    Case("H2D contiguous pinned", lambda: (cuda(COUNT), host(True)), 0.98),
    Case("D2H contiguous pinned", lambda: (empty_host(True, COUNT), numbers(device="cuda")), 0.98),
    Case("H2D contiguous pageable", lambda: (cuda(COUNT), host(False)), 25),
    Case("D2H contiguous pageable", lambda: (empty_host(False, COUNT), numbers(device="cuda")), 25),
    Case("H2D transposed pageable", lambda: (cuda(SIDE, SIDE).T, square(host(False))), 25),
    Case("H2D transposed pinned", lambda: (cuda(SIDE, SIDE).T, square(host(True))), 0.9),
    Case("D2H transposed pageable", lambda: (empty_host(False, SIDE, SIDE), square(numbers(device="cuda")).T), 25),
    Case("D2H transposed pinned", lambda: (empty_host(True, SIDE, SIDE), square(numbers(device="cuda")).T), 0.9),
    Case("D2H step 2 pageable", lambda: (empty_host(False, COUNT), cuda(2 * COUNT).fill_(3.0)[::2]), 25),
    Case("D2H step 2 pinned", lambda: (empty_host(True, COUNT), cuda(2 * COUNT).fill_(3.0)[::2]), 0.9),
    Case("H2D padded rows pinned", lambda: (cuda(SIDE, SIDE), padded(True)), 0.9),
    Case("H2D padded rows pageable", lambda: (cuda(SIDE, SIDE), padded(False)), 25),
]


def timed(work: Callable[[], None]) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return NBYTES / (time.perf_counter() - start) / 1e9


def measured(case: Case, rounds: int) -> dict[str, Any]:
    dst, src = case.make()
    is_to_device = dst.is_cuda
    pinned, there = torch.zeros(COUNT, pin_memory=True), cuda(COUNT)
    link = (there, pinned) if is_to_device else (pinned, there)
    to, start = sv.StridedMemoryView(dst, 1), sv.StridedMemoryView(src, 1)
    works = {
        "link": lambda: link[0].copy_(link[1]),
        "torch": lambda: dst.copy_(src),
        "strideview": lambda: to.copy_from(start),
    }
    dst.zero_()
    works["strideview"]()
    torch.cuda.synchronize()
    if not torch.equal(dst.cpu().view(torch.int32), src.cpu().view(torch.int32)):
        raise AssertionError(case.name)
    seen: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds):
        for name, work in works.items():
            # torch takes a second where it transposes on the host.
            if name != "torch" or number < 3:
                seen[name].append(timed(work))
    means = {name: statistics.median(rates) for name, rates in seen.items()}
    wanted = case.bar if case.bar > 1 else case.bar * means["link"]
    return {
        "case": case.name,
        **{name: round(rate, 2) for name, rate in means.items()},
        "of link": round(means["strideview"] / means["link"], 3),
        "wanted": round(wanted, 2),
        "met": means["strideview"] >= wanted,
        "how": " | ".join(str(sv.explain_copy(dst, src)).splitlines()[4:]),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", default=os.environ.get("STRIDEVIEW_RECORD"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains TEXT")
    options = parser.parse_args()
    rows = [measured(case, options.rounds) for case in CASES if options.only in case.name]
    print(f"{NBYTES >> 20} MiB, GB/s of payload; threads: {os.environ.get('STRIDEVIEW_THREADS', 'all')}")
    print(f"{'case':<26}{'link':>8}{'torch':>8}{'ours':>8}{'of link':>9}{'wanted':>8}")
    for row in rows:
        note = "" if row["met"] else "  below"
        print(f"{row['case']:<26}{row['link']:>8}{row['torch']:>8}{row['strideview']:>8}{row['of link']:>9}{row['wanted']:>8}{note}")
    if options.record:
        with (pathlib.Path(options.record) / "transfers.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
