"""What the benchmarks share: means, the name of the processor, the record."""

import csv
import datetime
import math
import pathlib
import platform
import re
from collections.abc import Iterable
from typing import Any

HERE = pathlib.Path(__file__).parent


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def cpu() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        model = re.search(r"model name\s*:\s*(.+)", text)
        return model.group(1).strip() if model else platform.machine()
    except OSError:
        return platform.processor() or platform.machine()


def record(rows: list[list[Any]], name: str) -> pathlib.Path:
    """Writes bench/record/<cpu>/<date>-<name>.csv; its path."""
    folder = HERE / "record" / re.sub(r"[^a-z0-9]+", "-", cpu().lower()).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today()}-{name}.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path
