"""Host copies of strideview beside memcpy and its peers, over the suite in bench/cases.

All engines copy between the same buffers in one process. What each leaves there is compared, byte
for byte, with what NumPy makes of the case, before it is timed. Rounds of the engines are
interleaved, and the median of each counts. A fraction is the time of a memcpy of as many bytes as
the case writes, divided by the time of the engine: memcpy is 1, more is better. GB/s are bytes
read and written, each element of the source counted once.

`cargo xtask bench copy` builds what this needs and calls it.
"""

import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

OURS, PLANNING, PYTHON, MEMCPY, NUMPY = "strideview", "strideview-planning", "strideview-python", "memcpy", "numpy"
Figure = Callable[["Measured", str], float]
Summary = Callable[[Iterable[float]], float]
NOT_PEERS = (OURS, PLANNING, PYTHON, MEMCPY)


@dataclass(frozen=True)
class Effort:
    """How long to measure: the rounds, the length of one sample, what an engine may take of a case."""

    rounds: int
    sample_ns: float
    limit_ns: float
    least_rounds: int
    pause_s: float = 0.0


QUICK = Effort(rounds=7, sample_ns=2e6, limit_ns=2e8, least_rounds=1)
FULL = Effort(rounds=9, sample_ns=5e6, limit_ns=5e8, least_rounds=1)


@dataclass
class Measured:
    """Nanoseconds of one copy by engine."""

    case: "Case"
    ns: dict[str, float]
    wrong: list[str] = field(default_factory=list)

    def fraction(self, engine: str = OURS) -> float:
        return self.ns[MEMCPY] / self.ns[engine]

    def gigabytes(self, engine: str) -> float:
        moved = 2 * self.case.written if engine == MEMCPY else self.case.useful
        return moved / self.ns[engine]

    def best_peer(self) -> str | None:
        peers = [engine for engine in self.ns if engine not in NOT_PEERS]
        return min(peers, key=self.ns.__getitem__, default=None)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the library of bench/peers")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name contains TEXT")
    parser.add_argument("--engines", type=lambda text: text.split(","), metavar="A,B", help="peers to run")
    parser.add_argument("--threads", type=int, choices=(1, 2), help="default: 1, then 2; 1 with --quick")
    parser.add_argument("--quick", action="store_true", help="few rounds, and NumPy as the only peer")
    parser.add_argument("--record", action="store_true", help="keep the figures in bench/record")
    parser.add_argument("--huge-pages", action="store_true", help="buffers on pages of 2 MiB, not 4 KiB")
    return parser.parse_args()


def main() -> int:
    chosen = options()
    if chosen.threads is None and not chosen.quick:
        arguments = [sys.executable, *sys.argv, "--threads"]
        failed = [threads for threads in ("1", "2") if subprocess.run([*arguments, threads]).returncode]
        return int(bool(failed))
    threads = chosen.threads or 1
    # Read when the libraries start their threads, so set before they are loaded.
    for name in ("STRIDEVIEW_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(threads)
    return run(chosen, threads)


def run(chosen: argparse.Namespace, threads: int) -> int:
    from suite import Memory, cases

    wanted = cases(chosen.only)
    if not wanted:
        print(f"no case has {chosen.only!r} in its name")
        return 1
    engines = engines_of(chosen, threads)
    memory = Memory(wanted, chosen.huge_pages)
    effort = replace(QUICK if chosen.quick else FULL, pause_s=0.003 * (threads - 1))
    table = Table(threads, list(engines))
    for case in wanted:
        table.add(measured(case, memory, engines, effort))
    table.summarise()
    table.small_copies()
    table.facts(chosen.huge_pages)
    if chosen.record:
        table.record()
    return table.failures()


def engines_of(chosen: argparse.Namespace, threads: int) -> dict[str, "Open"]:
    """The engines that this machine has and that were asked for, by name."""
    import engines

    native = engines.Native(chosen.library, threads)
    found = {name: native.opener(name) for name in native.names()}
    found[NUMPY] = engines.numpy_copyto
    found |= {} if chosen.quick else engines.python_peers(threads)
    if chosen.quick:
        found = {name: found[name] for name in (*NOT_PEERS, NUMPY) if name in found}
    if chosen.engines:
        for name in set(chosen.engines) - set(found):
            print(f"{name}: no such engine here; there are {', '.join(found)}")
        found = {name: found[name] for name in found if name in NOT_PEERS or name in chosen.engines}
    try:
        found[PYTHON] = engines.from_python()
    except ImportError:
        print("the Python package is not installed: nothing is said of it")
    return found


def measured(case: "Case", memory: "Memory", engines: dict[str, "Open"], effort: Effort) -> Measured:
    """Opens, checks, and then times every engine that has a way to make the copy."""
    memory.expect(case)
    found = Measured(case, {})
    loops, iterations = {}, {}
    for name, opened in engines.items():
        # What these two add is a constant, which the small cases show.
        if name in (PLANNING, PYTHON) and not case.is_small:
            continue
        loop = opened(case, memory)
        if loop is None:
            continue
        memory.clear(case)
        once = loop(1)
        if name != MEMCPY and not memory.check(case):
            found.wrong.append(name)
            continue
        loops[name], iterations[name] = loop, how_often(loop, once, effort.sample_ns)
    samples = rounds(loops, iterations, effort)
    found.ns = {name: statistics.median(times) for name, times in samples.items()}
    return found


def how_often(loop: "Timed", ns: float, sample_ns: float) -> int:
    """The number of copies that take about `sample_ns`; the first one took `ns`."""
    number = 1
    while ns < sample_ns / 4 and number < 1 << 24:
        number *= 4
        ns = loop(number)
    return max(1, round(number * sample_ns / max(ns, 1)))


def rounds(loops: dict[str, "Timed"], iterations: dict[str, int], effort: Effort) -> dict[str, list[float]]:
    """Nanoseconds of one copy in each round. Every round begins with another engine."""
    samples: dict[str, list[float]] = {name: [] for name in loops}
    spent = dict.fromkeys(loops, 0.0)
    names = list(loops)
    for turn in range(effort.rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            if spent[name] > effort.limit_ns and len(samples[name]) >= effort.least_rounds:
                continue
            # Threads that still wait busily for more work would take a processor from this engine.
            time.sleep(effort.pause_s)
            ns = loops[name](iterations[name])
            samples[name].append(ns / iterations[name])
            spent[name] += ns
    return samples


class Table:
    """The figures, printed as they come, one line a case."""

    def __init__(self, threads: int, engines: list[str]) -> None:
        from suite import anchors

        self.threads, self.anchors = threads, anchors(threads)
        self.peers = [name for name in engines if name not in NOT_PEERS]
        self.measured: list[Measured] = []
        self.rows: list[list[str]] = []
        titles = ["case", "memcpy GB/s", "ours GB/s", "ours", "anchor", "/anchor", "best peer", "/best"]
        self.put([f"{threads} thread{'s' * (threads > 1)}"])
        self.put(titles + self.peers)

    def put(self, cells: list[str]) -> None:
        self.rows.append(cells)
        widths = [23, 13, 13, 13, 21, 15, 21, 7] + [max(8, len(name) + 1) for name in self.peers]
        first, *others = zip(cells, widths, strict=False)
        print(f"{first[0]:{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in others), flush=True)

    def add(self, found: Measured) -> None:
        self.measured.append(found)
        if OURS not in found.ns:
            self.put([found.case.name, "ours is WRONG"])
            return
        anchor, peer = self.anchors[found.case.name]
        best = found.best_peer()
        row = [found.case.name]
        row += [f"{found.gigabytes(name):.1f}" for name in (MEMCPY, OURS)]
        row += [f"{found.fraction():.2f}", f"{anchor:.2f} {peer}", f"{found.fraction() / anchor:.2f}"]
        row += [f"{found.fraction(best):.2f} {best}", f"{ratio(found, best):.2f}"] if best else ["", ""]
        row += [f"{found.fraction(name):.2f}" if name in found.ns else self.missing(found, name) for name in self.peers]
        self.put(row)

    @staticmethod
    def missing(found: Measured, name: str) -> str:
        return "WRONG" if name in found.wrong else "-"

    def summarise(self) -> None:
        """Geometric means and worst cases, over all cases and over those that are not small."""
        right = [found for found in self.measured if OURS in found.ns]
        large = [found for found in right if not found.case.is_small]
        for title, chosen in (("not small", large), ("all", right)):
            if chosen:
                self.summary(title, chosen)

    def summary(self, title: str, chosen: list[Measured]) -> None:
        from report import geometric_mean

        anchored = [found.fraction() / self.anchors[found.case.name][0] for found in chosen]
        best = [ratio(found, found.best_peer()) for found in chosen if found.best_peer()]
        for word, summary in (("mean", geometric_mean), ("worst", min)):
            row = [f"{title}: {word} of {len(chosen)}", "", "", f"{summary(found.fraction() for found in chosen):.2f}"]
            row += ["", f"{summary(anchored):.2f}", "", f"{summary(best):.2f}" if best else ""]
            self.put(row + self.of_each_peer(chosen, lambda found, name: found.fraction(name), summary))
        for word, summary in (("mean", geometric_mean), ("worst", min)):
            self.put([f"  ours / peer, {word}"] + [""] * 7 + self.of_each_peer(chosen, ratio, summary))

    def of_each_peer(self, chosen: list[Measured], figure: Figure, summary: Summary) -> list[str]:
        """A cell for each peer, over the cases that it has."""
        cells = []
        for name in self.peers:
            figures = [figure(found, name) for found in chosen if name in found.ns]
            cells.append(f"{summary(figures):.2f}" if figures else "")
        return cells

    def small_copies(self) -> None:
        """Nanoseconds of what a small copy costs, with the plan and from Python."""
        small = [found for found in self.measured if found.case.is_small]
        names = [name for name in (MEMCPY, OURS, PLANNING, PYTHON, NUMPY) if any(name in found.ns for found in small)]
        if not small:
            return
        titles = {OURS: "kept plan", PLANNING: "planning", PYTHON: "sv.copy", NUMPY: "numpy.copyto"}
        self.put(["small copies, ns"] + [titles.get(name, name) for name in names] + ["sv.copy / numpy"])
        for found in small:
            row = [found.case.name] + [f"{found.ns[name]:.0f}" if name in found.ns else "-" for name in names]
            has_both = PYTHON in found.ns and NUMPY in found.ns
            self.put(row + ([f"{found.ns[PYTHON] / found.ns[NUMPY]:.2f}"] if has_both else []))

    def facts(self, huge_pages: bool) -> None:
        import engines
        from report import cpu

        versions = [f"python {platform.python_version()}", *engines.versions()]
        pages = "2 MiB" if huge_pages else "4 KiB"
        self.put([f"{', '.join(versions)}; {cpu()}, {os.cpu_count()} processors, pages of {pages}"])

    def record(self) -> None:
        from report import record

        print(f"recorded in {record(self.rows, f'copy-{self.threads}')}")

    def failures(self) -> int:
        """1 if a result of ours was wrong; says which peers were wrong where."""
        for found in self.measured:
            for name in found.wrong:
                print(f"{found.case.name}: {name} leaves wrong bytes")
        return int(any(name in NOT_PEERS for found in self.measured for name in found.wrong))


def ratio(found: Measured, peer: str | None) -> float:
    """How many times faster ours is."""
    return found.ns[peer] / found.ns[OURS] if peer else 0.0


if __name__ == "__main__":
    sys.exit(main())
