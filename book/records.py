"""Reads the newest records of bench/record."""

import csv
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORD = ROOT / "bench" / "record"


def newest(pattern: str) -> pathlib.Path:
    """The record of that name with the latest date, which names begin with."""
    found = sorted(RECORD.glob(pattern))
    if not found:
        raise FileNotFoundError(RECORD / pattern)
    return found[-1]


def rows(pattern: str) -> list[list[str]]:
    with newest(pattern).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def named(pattern: str, skipped: int = 0) -> list[dict[str, str]]:
    """Rows as dicts by the first row, after so many rows that are skipped."""
    header, *body = rows(pattern)[skipped:]
    return [dict(zip(header, row, strict=False)) for row in body]


def columns(pattern: str) -> list[list[str]]:
    """The rows of a text whose columns are apart by two blanks or more."""
    lines = newest(pattern).read_text(encoding="utf-8").splitlines()
    return [re.split(r" {2,}", line.strip()) for line in lines if line.strip()]
